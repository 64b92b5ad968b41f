package index_test

import (
	"encoding/binary"
	"flag"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// made returns a recording that program makes, or one of the small ones, with edits.
func made(which uint8, program, edits []byte) []byte {
	program, edits = program[:min(len(program), 1024)], edits[:min(len(edits), 128)]
	data := smallChunks[int(which/4)%len(smallChunks)]
	switch which % 4 {
	case 0:
		data = jfrtest.Generate(program)
	case 1:
		data = jfrtest.GenerateFaulty(program)
	}
	return jfrtest.Edit(data, edits)
}

var smallChunks = [][]byte{tiny(false).Bytes(), tiny(true).Bytes(), small(5).Bytes(), small(3).Uncompressed().Bytes()}

// FuzzMade indexes recordings that are right but for some places.
func FuzzMade(f *testing.F) {
	addMade(f)
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) { drive(t, made(which, program, edits)) })
}

// With more programs the targets, run as tests, are a search of their own.
var (
	programs    = flag.Int("programs", 24, "how many made recordings fuzz targets begin with")
	programSeed = flag.Uint64("programseed", 2, "which ones")
)

func addMade(f *testing.F) {
	for i, program := range jfrtest.Programs(*programs, *programSeed) {
		f.Add(uint8(i), program, []byte(nil))
		f.Add(uint8(i), program, program[:len(program)/8])
	}
}

// FuzzStale loads a saved index for another recording than it was made for, of the same
// size and age.
func FuzzStale(f *testing.F) {
	addMade(f)
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		data := made(which, program, nil)
		other := jfrtest.Edit(data, edits[:min(len(edits), 128)])
		other = append(other, make([]byte, max(len(data)-len(other), 0))...)[:len(data)]
		x, err := index.New(data)
		if err != nil || !finished(x) {
			return
		}
		saved := savedIndex(t, data)
		x, err = index.New(other)
		if err != nil {
			return
		}
		if err := x.Load(saved, stampOf(data)); err != nil {
			require.ErrorIs(t, err, index.ErrSavedIndex)
			return
		}
		driveSaved(t, x)
	})
}

func finished(x *index.Index) bool {
	return !slices.ContainsFunc(x.Chunks(), func(c *index.Chunk) bool { return !c.Header().Finished() || c.TrailingErr() != nil })
}

// FuzzCut cuts a chunk into blocks in one go, and with several workers that have to guess
// where events begin: both must find the same.
func FuzzCut(f *testing.F) {
	addMade(f)
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		x, err := index.New(repeated(made(which, program, edits)))
		if err != nil {
			return
		}
		for _, c := range x.Chunks() {
			var two *index.Blocks
			index.WithSectorSize(index.BlockSize, func() { two = c.Recut(3) })
			one := c.Recut(1)
			if d := one.Diff(two); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// repeated puts the first events of a chunk before all others, until it is of several blocks.
func repeated(data []byte) []byte {
	x, err := index.New(data)
	if err != nil {
		return data
	}
	c := x.Chunks()[0]
	var recs [32]index.EventHeader
	n, _, _ := c.ReadHeaders(c.FirstEvent(), uint64(len(c.Data())), recs[:])
	var events []byte
	for _, rec := range recs[:n] {
		if rec.IsEvent() {
			events = append(events, c.Data()[rec.Offset:rec.End()]...)
		}
	}
	if len(events) == 0 {
		return data
	}
	more := slices.Repeat(events, 3*index.BlockSize/len(events))
	data = slices.Insert(slices.Clone(data), int(c.Offset()+c.FirstEvent()), more...)
	for _, at := range []int{sizeAt, checkpointAt, metadataAt} {
		data = put(data, at, binary.BigEndian.Uint64(data[at:])+uint64(len(more)))
	}
	return data
}
