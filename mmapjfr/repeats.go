package mmapjfr

import (
	"bytes"
	"hash/maphash"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// CountOnce makes events count once that recordings have several times: of chunks that are byte
// for byte the same, as dumps of one virtual machine have them that overlap, all but the first
// have no events in selections and counts from now on. The order is that of the arguments. It
// returns how many chunks these are. Opening a recording does so for its own chunks.
//
// Such chunks still have all that is asked of them by offset or by ordinal, and by the index, and
// [Chunk.Repeats] reports them. A chunk that is the beginning of another one is no repetition.
//
// Headers are compared first, so that nothing else is read of recordings that have no chunk in
// common. Call it before the recordings are read.
func CountOnce(recs ...*Recording) (repeats int) {
	alike := make(map[index.Header][]*chunk)
	for _, rec := range recs {
		for _, c := range rec.chunks {
			h := c.ix.Header()
			alike[h] = append(alike[h], c)
		}
	}
	seed := maphash.MakeSeed()
	for _, rec := range recs {
		for _, c := range rec.chunks {
			if list := alike[c.ix.Header()]; len(list) > 1 && list[0] == c {
				repeats += markRepeats(list, seed)
			}
		}
	}
	return repeats
}

// markRepeats finds the repetitions among chunks with the same header. Each is read for its sum, and
// compared with no more than the one that has the same.
func markRepeats(list []*chunk, seed maphash.Seed) (repeats int) {
	first := make(map[uint64]*chunk)
	for _, c := range list {
		sum, known := uint64(0), false
		_ = c.rec.Protect(func() error { // reading events says what is wrong
			c.ix.Need()
			wire.StepBytes(len(c.data))
			sum, known = maphash.Bytes(seed, c.data), true
			return nil
		})
		if !known {
			continue
		}
		of := first[sum]
		if of == nil {
			first[sum] = c
			continue
		}
		same := false
		_ = c.rec.Protect(func() error {
			return of.rec.Protect(func() error {
				wire.StepBytes(len(c.data))
				same = bytes.Equal(of.data, c.data)
				return nil
			})
		})
		if same {
			c.repeats = of
			repeats++
		}
	}
	return repeats
}

// Repeats returns the chunk that c is byte for byte the same as, and that has its events, see
// [CountOnce]; false if c repeats no chunk.
func (c Chunk) Repeats() (of Chunk, ok bool) {
	first := c.orEmpty().repeats
	return Chunk{first}, first != nil
}

// Recording returns the recording that has the chunk; nil for the zero Chunk.
func (c Chunk) Recording() *Recording { return c.orEmpty().rec }
