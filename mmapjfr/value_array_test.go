package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestArrays(t *testing.T) {
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		rec, _ := openBuilt(t, b)
		for ev, err := range rec.Select(mmapjfr.Types("Lists")).Events() {
			require.NoError(t, err)
			for _, c := range []struct {
				path string
				want []any
			}{
				{"truths", []any{int64(1), int64(0)}},
				{"chars", []any{int64('a'), int64(0xffff)}},
				{"shorts", []any{int64(1), int64(-1)}},
				{"longs", []any{int64(-1 << 63), int64(7)}},
				{"floats", []any{0.25}},
				{"ints", []any{int64(1), int64(-2), int64(3)}},
				{"bytes", []any{int64(0), int64(255)}},
				{"doubles", []any{0.5, -1.0}},
				{"strings", []any{"one", "", "zwei", "", "from the pool"}},
				{"symbols", []any{"run", "()V", "", ""}},
				{"none", nil},
				{"wrapped", []any{int64(5), int64(6)}},
			} {
				v := ev.Get(mmapjfr.Path(c.path))
				require.Equal(t, mmapjfr.KindArray, v.Kind(), c.path)
				assert.Len(t, c.want, v.Len(), c.path)
				got := func(v mmapjfr.Value, like any) any {
					switch like.(type) {
					case string:
						return v.Str()
					case float64:
						return v.Float()
					}
					return v.Int()
				}
				i := 0
				for e := range v.Elements() {
					assert.Equal(t, c.want[i], got(e, c.want[i]), "%s[%d]", c.path, i)
					assert.Equal(t, c.want[i], got(v.Index(i), c.want[i]), "%s.Index(%d)", c.path, i)
					p := mmapjfr.Path(c.path + "[" + string(rune('0'+i)) + "]")
					assert.Equal(t, c.want[i], got(ev.Get(p), c.want[i]), p.String())
					f, ok := e.Field()
					assert.True(t, ok)
					assert.Equal(t, c.path, f.Name())
					i++
				}
				assert.Len(t, c.want, i, c.path)
				assert.True(t, v.Index(i).IsAbsent())
				assert.True(t, v.Index(-1).IsAbsent())
				assert.Zero(t, v.Int(), "an array is no number")
				assert.Empty(t, v.Str())
				assert.True(t, v.Thread().IsZero())
				for range v.Elements() {
					break
				}
			}
			for path, want := range map[string]int64{
				"points[1].x": -3, "points[0].y": 2, "boxes[1].to.y": 8, "boxes[0].from.x": 1, "boxes[1].from.y": 6,
			} {
				assert.Equal(t, want, ev.Int(mmapjfr.Path(path)), path)
				assert.Equal(t, want, ev.Value().Get(mmapjfr.Path(path)).Int(), path)
			}
			assert.Equal(t, "x", ev.Str(mmapjfr.Path("boxes[0].tags[0]")))
			assert.True(t, ev.Get(mmapjfr.Path("boxes[1].tags[0]")).IsAbsent())
		}
	})
}

// TestArraysInsideArrays reads past elements of different lengths.
func TestArraysInsideArrays(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Row", jfrtest.Of("cells", "int").Array(), jfrtest.Of("name", jfrtest.StringClass))
	ty := b.Event("E", jfrtest.Of("rows", "test.Row").Array(), jfrtest.Of("last", "int"))
	b.Emit(ty, start, []any{
		jfrtest.Inline{[]int{1, 2, 300}, "a"}, jfrtest.Inline{nil, nil}, jfrtest.Inline{[]int{-1}, "c"},
	}, 77)
	rec, _ := openBuilt(t, b)
	ev := first(t, rec)
	assert.Equal(t, int64(300), ev.Int(mmapjfr.Path("rows[0].cells[2]")))
	assert.Equal(t, int64(-1), ev.Int(mmapjfr.Path("rows[2].cells[0]")))
	assert.Equal(t, "c", ev.Str(mmapjfr.Path("rows[2].name")))
	assert.True(t, ev.Get(mmapjfr.Path("rows[1].cells[0]")).IsAbsent())
	assert.True(t, ev.Get(mmapjfr.Path("rows[1].name")).IsNull())
	assert.Equal(t, int64(77), ev.Int(mmapjfr.Path("last")))
	assert.Equal(t, 3, ev.Get(mmapjfr.Path("rows")).Len())
}

// TestWrappedArrays: a type that only wraps an array is looked through.
func TestWrappedArrays(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Bytes", jfrtest.Of("payload", "byte").Array()).Simple()
	ty := b.Event("E", jfrtest.Of("f", "test.Bytes"), jfrtest.Const("c", "test.Bytes"), jfrtest.Of("last", "int"))
	b.Emit(ty, start, []byte{1, 2}, 5, 77)
	b.Constant("test.Bytes", 5, []byte{3, 4, 5})
	rec, _ := openBuilt(t, b)
	ev := first(t, rec)
	assert.Equal(t, 2, ev.Get(mmapjfr.Path("f")).Len())
	assert.Equal(t, int64(2), ev.Get(mmapjfr.Path("f")).Index(1).Int())
	assert.Equal(t, int64(2), ev.Int(mmapjfr.Path("f.payload[1]")))
	assert.Equal(t, int64(5), ev.Int(mmapjfr.Path("c.payload[2]")))
	assert.Equal(t, 3, ev.Get(mmapjfr.Path("c")).Len())
	assert.Equal(t, int64(5), ev.Get(mmapjfr.Path("c")).Key())
	t.Run("by path", func(t *testing.T) {
		assert.Equal(t, int64(2), ev.Int(mmapjfr.Path("f[1]")))
		assert.Equal(t, int64(4), ev.Int(mmapjfr.Path("c[1]")))
	})
}
