package index_test

import (
	"testing"

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

// FuzzExtend lets a recording become another one.
func FuzzExtend(f *testing.F) {
	whole := tiny(false).Bytes()
	f.Add(setState(whole[:300], 1), whole)
	f.Add(whole, join(whole, small(1).Bytes()))
	f.Add(put(setState(whole, 1), sizeAt, 200), whole)
	f.Add(setState(whole, 1), setState(whole, 255))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		drive(t, before)
		driveExtend(t, before, after)
	})
}
