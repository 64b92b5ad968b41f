package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Where the fields of a chunk header lie that a copy does not share with its
// original (index/FORMAT.md, section 1).
const (
	startNanosAt = 32
	flagsAt      = 67
)

// original is a finished chunk that is to be repeated.
type original struct {
	header wire.Header
	data   []byte // with the header
	events uint64
}

// originals returns the finished chunks of a recording. One that is still being
// written is left out. It fails if there is no other, or if anything is damaged: a
// fault that is repeated a thousand times helps nobody.
func originals(ctx context.Context, rec *mmapjfr.Recording) ([]original, error) {
	var list []original
	for i, c := range rec.Index().Chunks() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(c.TrailingErr(), mmapjfr.ErrUnfinished) {
			continue
		}
		o, err := newOriginal(rec.Chunks()[i])
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	if err := rec.Index().TrailingErr(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoneFinished
	}
	return list, nil
}

var (
	errNoneFinished = errors.New("it has no finished chunk, only what was still being written")
	errClockEnds    = errors.New("the clock of recordings ends in the year 2262")
)

// newOriginal counts the events of a chunk, and makes sure of its frames, its types
// and its constants on the way.
func newOriginal(c mmapjfr.Chunk) (original, error) {
	ix := c.Index()
	var d damage
	d.addIf(ix.TrailingErr()) // a missing end is the reason of much else
	blocks := ix.BuildBlocks(0)
	for _, err := range c.Errors(blocks.Err()) {
		d.add(err)
	}
	d.addIf(c.ConstantsErr())
	if d.total > 0 {
		return original{}, d.list[0]
	}
	return original{ix.Header(), ix.Data(), blocks.Events()}, nil
}

// repeater makes copies of chunks, one after the other.
//
// Only startNanos of the header is moved on: each copy begins where the one before
// ended. The ticks, those at the start of the chunk and those in its events, stay as
// they are, since an event's time is startNanos plus the ticks since then. So all
// that counts ticks moves by the same nanoseconds. Times in other units do not
// move: fields that count from 1970, such as jvmStartTime of
// jdk.JVMInformation, and the copies of the header in checkpoints of flushes, which
// readers of finished chunks do not look at.
//
// The JDK reads all chunks of a file by the clock of the first. It prints the
// events of every copy with the times of the original.
type repeater struct {
	originals []original
	// final reports whether the last chunk is to be marked as such, as one of the
	// originals is.
	final bool

	chunks int
	events uint64
	start  int64 // of the next copy, in nanoseconds since 1970
}

func newRepeater(list []original) *repeater {
	return &repeater{
		originals: list,
		final:     slices.ContainsFunc(list, func(o original) bool { return o.header.Final() }),
		start:     list[0].header.StartNanos,
	}
}

// next is the chunk whose copy comes next.
func (r *repeater) next() *original { return &r.originals[r.chunks%len(r.originals)] }

// copyNext returns the header of the next copy, and what follows it. The last one of
// the recording alone can be final.
func (r *repeater) copyNext(last bool) (header [wire.HeaderLen]byte, body []byte, err error) {
	o := r.next()
	copy(header[:], o.data)
	binary.BigEndian.PutUint64(header[startNanosAt:], uint64(r.start))
	header[flagsAt] &^= wire.FlagFinal
	if last && r.final {
		header[flagsAt] |= wire.FlagFinal
	}
	// A chunk that takes no time would begin together with the next one.
	took := max(o.header.DurationNanos, 1)
	if r.start > math.MaxInt64-took {
		return header, nil, fmt.Errorf("%w, before %s are over", errClockEnds, plural(uint64(r.chunks+1), "chunk"))
	}
	r.start += took
	r.chunks++
	r.events += o.events
	return header, o.data[wire.HeaderLen:], nil
}
