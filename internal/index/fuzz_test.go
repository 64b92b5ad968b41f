package index_test

import (
	"slices"
	"testing"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// tiny is a chunk of a few hundred bytes with something of everything.
func tiny(raw bool) *jfrtest.Builder {
	b := jfrtest.NewEmptyChunk()
	if raw {
		b.Uncompressed()
	}
	for _, name := range []string{"byte", "long", "double", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("S", jfrtest.Of("s", jfrtest.StringClass)).Simple()
	b.Class("P", jfrtest.Of("b", "byte"), jfrtest.Const("s", "S"))
	old := b.Classes()
	class := b.Event("E",
		jfrtest.Of("p", "P"), jfrtest.Of("ps", "P").Array(), jfrtest.Of("t", jfrtest.StringClass),
		jfrtest.Of("d", "double"), jfrtest.Const("ks", "S").Array())
	b.Metadata(&jfrtest.Metadata{ID: 1, SizeWidth: -1, Classes: old, StringEncodings: []byte{5}})
	b.Emit(class, 1, jfrtest.Inline{2, 3}, []any{jfrtest.Inline{4, 5}}, jfrtest.UTF16("ä"), 1.5, []int{6, 7})
	cp := b.Checkpoint(jfrtest.MaskFlush)
	cp.Add("S", 3, "x")
	cp.Add("S", int64(1)<<40, jfrtest.Pooled(1))
	b.Emit(class, 2, jfrtest.Inline{2, 3}, nil, nil, 0, nil)
	b.Checkpoint(0).Add(jfrtest.StringClass, 1, "pooled")
	b.Metadata(&jfrtest.Metadata{ID: 2, SizeWidth: -1, StringEncodings: []byte{3, 4}})
	return b
}

func FuzzNew(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(small(0).Bytes())
	f.Add(small(2).Uncompressed().Bytes())
	f.Add(tiny(false).Bytes())
	f.Add(tiny(true).Bytes())
	f.Add(setState(tiny(false).Bytes(), 3))
	f.Add(put(put(tiny(false).Bytes(), sizeAt, 1<<30), metadataAt, 0))
	f.Add(join(small(1).Bytes(), []byte("rest"), small(1).Uncompressed().Bytes()[:100]))
	f.Fuzz(func(t *testing.T, data []byte) { drive(t, data) })
}

// FuzzGrowing lets a chunk grow by some of its frames at a time, which are those whose number
// modulo that of the cuts has a cut that is odd, of the first ones; a byte of it may be changed.
func FuzzGrowing(f *testing.F) {
	chunks := [][]byte{tiny(false).Bytes(), tiny(true).Bytes(), small(20).Bytes(), flushed(unlinked()[1])}
	for i := range chunks {
		f.Add(uint8(i), []byte{1, 0}, uint16(0), byte(0))
		f.Add(uint8(i), []byte{0, 0, 0, 1, 1, 2}, uint16(40), byte(3))
	}
	f.Fuzz(func(t *testing.T, which uint8, cuts []byte, at uint16, by byte) {
		whole := chunks[int(which)%len(chunks)]
		frame := 0
		states := statesOf(t, whole, func(index.EventHeader, index.Checkpoint) bool {
			frame++
			return frame < 16 && len(cuts) > 0 && cuts[frame%len(cuts)]%2 == 1
		})
		states = append(states, whole)
		x := newGrowing(t, states[0][:68], 0)
		for i, state := range states {
			before := len(x.Chunks()[0].Data())
			if by != 0 {
				state = slices.Clone(state)
				state[int(at)%len(state)] ^= by
			}
			if i%3 == 1 {
				x = x.Clone()
			}
			growTo(t, x, state, before)
			if len(cuts) > i && cuts[i]%3 == 0 || i+1 == len(states) {
				driveTypesAndFrames(t, x.Chunks()[0])
			}
		}
		if by == 0 {
			sameChunk(t, newIndex(t, whole).Chunks()[0], x.Chunks()[0])
		}
	})
}
