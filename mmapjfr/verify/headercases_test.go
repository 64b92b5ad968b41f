package verify_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// changed returns a sound chunk whose header has been changed.
func changed(change func(h *jfrtest.Header)) []byte {
	b, _ := plain()
	change(&b.Header)
	return b.Bytes()
}

// two returns two chunks of a virtual machine, the second of which begins that number of
// nanoseconds after the end of the first.
func two(later int64, first func(h *jfrtest.Header)) (data []byte, second int64) {
	a, _ := plain()
	b, _ := jfrtest.NewChunk(), 0
	b.Header.StartNanos += a.Header.DurationNanos + later
	b.Header.StartTicks += a.Header.DurationNanos + later
	if first != nil {
		first(&a.Header)
	}
	data, l := jfrtest.Concat(a, b)
	return data, l[1].Chunk.Offset
}

func headerCases(testing.TB) (all []damaged) {
	b, _ := plain()
	one, l := b.Build()
	add := func(d damaged) { all = append(all, d) }
	add(damaged{name: "in its metadata", kind: verify.TruncatedChunk, data: one[:len(one)-10], text: "copy it again"})
	add(damaged{name: "in its events", kind: verify.TruncatedChunk, data: one[:l.Events[1].Offset+3], text: "copy it again"})
	add(damaged{name: "flushed", kind: verify.UnfinishedChunk, data: changed(func(h *jfrtest.Header) { h.State = 3 }), text: "last flush ends at"})
	add(damaged{name: "killed", kind: verify.UnfinishedChunk, text: "never completed", data: func() []byte {
		b, _ := plain()
		b.MetadataFirst, b.ConstantsFirst = true, true
		b.ForceSize, b.ForceMetadataOffset = new(int64(1<<30)), new(int64(0))
		return b.Bytes()
	}()})
	add(damaged{name: "not flushed", kind: verify.UnfinishedChunk, text: "nothing has been flushed", data: func() []byte {
		b := jfrtest.NewChunk()
		b.Bare = true
		b.Header.State = 1
		return b.Bytes()
	}()})
	add(damaged{name: "less than the header", kind: verify.ChunkSize, text: "chunk size 10", data: func() []byte {
		b, _ := plain()
		b.ForceSize = new(int64(10))
		return b.Bytes()
	}()})
	add(damaged{name: "beyond the file", kind: verify.OverlappingChunk, text: "the next chunk begins after", data: func() []byte {
		a, _ := plain()
		b, _ := plain()
		a.ForceSize = new(int64(1 << 30))
		data, _ := jfrtest.Concat(a, b)
		return data
	}(), also: []verify.Kind{verify.ChunkOrder}})
	add(damaged{name: "over the next", kind: verify.OverlappingChunk, offset: int64(len(one)), text: "inside of another", more: true, data: func() []byte {
		a, _ := plain()
		b, _ := plain()
		a.ForceSize = new(int64(2 * len(one)))
		data, _ := jfrtest.Concat(a, b)
		return data
	}()})
	add(damaged{name: "bit", kind: verify.HeaderFlags, offset: 65, text: "00 00 05", data: changed(func(h *jfrtest.Header) { h.Flags |= 4 })})
	add(damaged{name: "padding", kind: verify.HeaderFlags, offset: 65, text: "01 00 01", data: changed(func(h *jfrtest.Header) { h.Pad[0] = 1 })})
	add(damaged{name: "2.2", kind: verify.MinorVersion, offset: 6, text: "version 2.2", data: changed(func(h *jfrtest.Header) { h.Minor = 2 })})
	add(damaged{name: "flag", kind: verify.RawIntegers, offset: 67, text: "not compressed", data: func() []byte {
		b, _ := plain()
		return b.Uncompressed().Bytes()
	}()})
	add(damaged{name: "zero", kind: verify.TickRate, offset: 56, text: "0 ticks", data: changed(func(h *jfrtest.Header) { h.TickRate = 0 })})
	add(damaged{name: "negative", kind: verify.TickRate, offset: 56, text: "-1 ticks", data: changed(func(h *jfrtest.Header) { h.TickRate = -1 })})
	add(damaged{name: "long ago", kind: verify.ChunkStart, offset: 32, text: "1970-01-01", data: changed(func(h *jfrtest.Header) { h.StartNanos = 5 })})
	add(damaged{name: "negative", kind: verify.ChunkDuration, offset: 40, text: "-5ns", data: changed(func(h *jfrtest.Header) { h.DurationNanos = -5 })})

	data, second := two(-2e9, nil)
	add(damaged{name: "before", kind: verify.ChunkOrder, data: data, chunk: 1, offset: second + 32, text: "1s before the previous chunk"})
	data, second = two(-5e8, nil)
	add(damaged{name: "overlap", kind: verify.ChunkOrder, data: data, chunk: 1, offset: second + 32, text: "500ms before the end"})
	data, second = two(3600e9, nil)
	add(damaged{name: "an hour", kind: verify.ChunkGap, data: data, chunk: 1, offset: second + 32, text: "1h0m0s after"})
	data, second = two(0, func(h *jfrtest.Header) { h.Flags |= jfrtest.FlagFinal })
	add(damaged{name: "not the last", kind: verify.FinalChunk, data: data, chunk: 1, offset: second, text: "wrote no other"})
	return all
}
