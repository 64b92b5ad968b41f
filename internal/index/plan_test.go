package index_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// everyKind are fields of all kinds, in an order in which runs of fixed length,
// of varints, texts and arrays meet one another in every way.
func everyKind() []jfrtest.Field {
	return []jfrtest.Field{
		jfrtest.Of("truth", "boolean"), jfrtest.Of("b", "byte"), jfrtest.Of("c", "char"),
		jfrtest.Of("s", "short"), jfrtest.Of("i", "int"), jfrtest.Of("l", "long"),
		jfrtest.Of("f", "float"), jfrtest.Of("d", "double"), jfrtest.Of("text", jfrtest.StringClass),
		jfrtest.Of("after", "byte"), jfrtest.Const("key", "jdk.types.Symbol"), jfrtest.Of("last", "float"),
	}
}

func kindValues(n int) []any {
	texts := []any{
		nil, "", "plain", jfrtest.Pooled(int64(-5)), jfrtest.UTF8("ä€😀"), jfrtest.UTF16("😀 x"),
		jfrtest.Latin1("Größe"), jfrtest.UTF16Units(0xd800, 'a'), jfrtest.UTF8("\xed\xa0\xbd"),
	}
	longs := []any{
		0, 127, 128, -1, int64(math.MaxInt64), int64(math.MinInt64), int64(1) << 56, int64(1)<<56 - 1,
		jfrtest.Padded{Value: 3, Width: 9},
	}
	return []any{
		n%2 == 0, n % 128, 0xffff - n, -300 * n, -70_000 * n, longs[n%len(longs)], math.Inf(1 - n%2*2), 1e300 / float64(n+1),
		texts[n%len(texts)], -n, longs[(n+3)%len(longs)], float32(n) / 3,
	}
}

// shapes is a chunk with values of every shape.
func shapes(b *jfrtest.Builder) *jfrtest.Builder {
	b.Class("test.Kinds", everyKind()...)
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "int"))
	b.Class("test.Fixed", jfrtest.Of("a", "byte"), jfrtest.Of("b", "double"), jfrtest.Of("c", "boolean"))
	b.Class("test.Empty", jfrtest.Of("nothing", "test.Nothing"))
	b.Class("test.Nothing")
	b.Class("test.Line", jfrtest.Of("from", "test.Point"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("to", "test.Point"))
	b.Class("test.Drawing",
		jfrtest.Of("lines", "test.Line").Array(), jfrtest.Of("frame", "test.Line"),
		jfrtest.Of("fixed", "test.Fixed").Array(), jfrtest.Of("one", "test.Fixed"))
	inline := b.Event("test.Inline",
		jfrtest.Of("first", "test.Kinds"), jfrtest.Of("n", "int"), jfrtest.Of("second", "test.Kinds"))
	arrays := []jfrtest.Field{jfrtest.Of("all", "test.Kinds").Array()}
	for _, f := range everyKind() {
		arrays = append(arrays, f.Array())
	}
	lists := b.Event("test.Arrays", arrays...)
	drawings := b.Event("test.Drawings",
		jfrtest.Of("one", "test.Drawing"), jfrtest.Of("many", "test.Drawing").Array(), jfrtest.Of("end", "byte"))
	b.Class("test.Holder", jfrtest.Of("drawing", "test.Drawing"), jfrtest.Of("kinds", "test.Kinds"))
	b.Class("test.Raws", jfrtest.Of("payload", "byte").Array()).Simple()

	line := func(n int) jfrtest.Inline {
		return jfrtest.Inline{jfrtest.Inline{n, -n}, "line", jfrtest.Inline{n * 1000, n << 20}}
	}
	fixed := func(n int) jfrtest.Inline { return jfrtest.Inline{n, float64(n) / 7, n%2 == 0} }
	drawing := func(n int) jfrtest.Inline {
		lines, fixes := []any{}, []any{}
		for i := range n % 4 {
			lines, fixes = append(lines, line(i)), append(fixes, fixed(i))
		}
		return jfrtest.Inline{lines, line(n), fixes, fixed(n)}
	}
	for n := range 20 {
		b.Emit(inline, n, jfrtest.Inline(kindValues(n)), n, jfrtest.Inline(kindValues(n+1)))
		values := []any{n}
		columns := make([][]any, len(everyKind())+1)
		for i := range n {
			row := kindValues(i)
			columns[0] = append(columns[0], jfrtest.Inline(row))
			for j, v := range row {
				columns[j+1] = append(columns[j+1], v)
			}
		}
		for _, column := range columns {
			values = append(values, column)
		}
		b.EmitWith(jfrtest.EventOptions{Trailing: make([]byte, n%3), SizeWidth: n % 2 * 4}, lists, values...)
		b.Emit(drawings, n, drawing(n), []any{drawing(n + 1), drawing(n + 2), drawing(n + 3)}, -1)
		b.Constant("test.Kinds", n, kindValues(n)...)
		b.Constant("test.Holder", -n, drawing(n), jfrtest.Inline(kindValues(n)))
		b.Constant("test.Raws", n*n*n, make([]byte, n*50))
		b.Constant("jdk.types.Symbol", int64(n)<<40, "symbol")
		b.Constant("int", n, n*n)
		b.Constant("java.lang.String", n, kindValues(n)[8])
		b.Constant("test.Fixed", n, fixed(n)...)
	}
	return b
}

// The plans of fields are those of their classes, one after the other.
func TestPlansOfFields(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		data, layout := shapes(b).Build()
		types := typesOf(t, onlyChunk(t, data))
		for _, e := range layout.Events {
			class := types.ByID(schema.TypeID(e.Type))
			for i, want := range e.Fields {
				f := &class.Fields[i]
				end, ok := f.Plan().Skip(data[:want.End()], int(want.Offset))
				require.True(t, ok)
				require.Equal(t, int(want.End()), end, "%s.%s", class.Name, f.Name)
				if want.Size > 0 {
					_, ok = f.Plan().Skip(data[:want.End()-1], int(want.Offset))
					require.False(t, ok)
				}
				if !f.Array {
					require.Same(t, f.Plan(), f.Elem())
					continue
				}
				require.Equal(t, 1, f.Plan().NumSlots())
				require.True(t, f.Plan().Slot(0).Array)
				n, at, ok := f.Plan().ArrayHeader(data[:want.End()], int(want.Offset))
				require.True(t, ok)
				for range n {
					at, ok = f.Elem().Skip(data[:want.End()], at)
					require.True(t, ok)
				}
				require.Equal(t, int(want.End()), at, "%s.%s", class.Name, f.Name)
			}
		}
	})
}

func TestFieldsWithoutPlan(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("A", jfrtest.Of("n", "int"), jfrtest.Field{Name: "f", ClassID: 9999})
	fields := typesOf(t, onlyChunk(t, b.Bytes())).Named("A").Fields
	assert.NotNil(t, fields[0].Plan())
	assert.Nil(t, fields[1].Plan())
	assert.Nil(t, fields[1].Elem())
}

func TestSlots(t *testing.T) {
	b := shapes(jfrtest.NewChunk())
	types := typesOf(t, onlyChunk(t, b.Bytes()))
	count := func(name string) int {
		p, err := types.Named(name).Plan()
		require.NoError(t, err)
		return p.NumSlots()
	}
	assert.Equal(t, 1, count("int"))
	assert.Equal(t, 0, count("test.Nothing"))
	assert.Equal(t, 0, count("test.Empty"))
	assert.Equal(t, 12, count("test.Kinds"))
	assert.Equal(t, 5, count("test.Line"))
	assert.Equal(t, 1+5+1+3, count("test.Drawing"))
	assert.Equal(t, 1+12+1+12, count("test.Inline"))
	assert.Equal(t, 1+10+1+1, count("test.Drawings"))
	assert.Equal(t, 26, types.MaxSlots())
	fields := types.Named("test.Inline").Fields
	assert.Equal(t, []int{0, 1, 13, 14}, []int{fields[0].Slot(), fields[1].Slot(), fields[2].Slot(), fields[3].Slot()})
}

func TestArraysReject(t *testing.T) {
	tests := []struct {
		name  string
		elem  string
		konst bool
		count int64
		data  []any
	}{
		{"longs, one too many", "long", false, 4, []any{1, 2, 3}},
		{"longs, as many as bytes", "long", false, 1 << 20, []any{1, 2, 3}},
		{"longs, int -1", "long", false, 0xffffffff, []any{1}},
		{"bytes, one too many", "byte", false, 4, []any{1, 2, 3}},
		{"doubles, one too many", "double", false, 4, []any{1, 2, 3}},
		{"doubles, fewer than bytes", "double", false, 20, []any{1, 2, 3}},
		{"strings, one too many", jfrtest.StringClass, false, 3, []any{"a", "b"}},
		{"keys, one too many", "int", true, 3, []any{1, 2}},
		{"structs, one too many", "test.Pair", false, 3, []any{jfrtest.Inline{1, "x"}, jfrtest.Inline{2, "y"}}},
		{"points, one too many", "test.Point", false, 3, []any{jfrtest.Inline{1, 1}, jfrtest.Inline{2, 2}}},
		{"nothings, more than bytes", "test.Nothing", false, 1 << 20, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				b.Class("test.Nothing")
				b.Class("test.Pair", jfrtest.Of("n", "int"), jfrtest.Of("s", jfrtest.StringClass))
				b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "int"))
				f := jfrtest.Of("list", tt.elem).Array()
				f.ConstantPool = tt.konst
				event := b.Event("test.List", f)
				b.Emit(event, 1, jfrtest.Counted{Count: tt.count, Values: tt.data})
				data, layout := b.Build()
				c := onlyChunk(t, data)
				p, err := typesOf(t, c).Named("test.List").Plan()
				require.NoError(t, err)
				e := layout.Events[0]
				// After the event there would be enough.
				_, ok := p.Layout(data[:e.End():e.End()], int(e.Body), int(e.End()), make([]uint32, 2))
				assert.False(t, ok)
				_, ok = p.Skip(data[:e.End():e.End()], int(e.Body))
				assert.False(t, ok)
				at, ok := p.SlotOffset(data[:e.End():e.End()], int(e.Body), 1)
				assert.True(t, ok, "the array itself begins inside")
				assert.Equal(t, int(e.Fields[1].Offset), at)
			})
		})
	}
}

func TestArrayOfNothing(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.Class("test.Nothing")
		event := b.Event("test.List", jfrtest.Of("list", "test.Nothing").Array(), jfrtest.Of("n", "int"))
		b.Emit(event, 1, jfrtest.Counted{Count: 1}, 77)
		data, layout := b.Build()
		p, err := typesOf(t, onlyChunk(t, data)).Named("test.List").Plan()
		require.NoError(t, err)
		e := layout.Events[0]
		offs := make([]uint32, 3)
		end, ok := p.Layout(data[:e.End()], int(e.Body), int(e.End()), offs)
		require.True(t, ok)
		assert.Equal(t, int(e.End()), end)
		n, first, ok := p.ArrayHeader(data[:e.End()], int(offs[1]))
		assert.True(t, ok)
		assert.Equal(t, 1, n)
		assert.Equal(t, int(offs[2]), first)
		_, _, ok = p.ArrayHeader(data[:e.End()], int(e.End())+5)
		assert.False(t, ok, "outside")
	})
}

// Every event cut short at every place: what does not fit is reported, and the slots
// before it are found.
func TestLayoutOfEveryTruncation(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		data, layout := shapes(b).Build()
		types := typesOf(t, onlyChunk(t, data))
		offs := make([]uint32, types.MaxSlots())
		for _, e := range layout.Events[:12] {
			p, err := types.ByID(schema.TypeID(e.Type)).Plan()
			require.NoError(t, err)
			last := e.Fields[len(e.Fields)-1].End()
			for end := e.Body; end < last; end++ {
				cut := data[:end:end]
				_, ok := p.Layout(cut, int(e.Body), len(cut), offs)
				require.False(t, ok)
				_, ok = p.Skip(cut, int(e.Body))
				require.False(t, ok)
				for i := range e.Fields {
					slot := types.ByID(schema.TypeID(e.Type)).Fields[i].Slot()
					at, ok := p.SlotOffset(cut, int(e.Body), slot)
					require.Equal(t, e.Fields[i].Offset <= end, ok, "field %d at %d, cut at %d", i, e.Fields[i].Offset, end)
					if ok {
						require.Equal(t, int(e.Fields[i].Offset), at)
					}
				}
			}
		}
	})
}

func TestPlansOutsideTheData(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		types := typesOf(t, onlyChunk(t, shapes(b).Bytes()))
		offs := make([]uint32, types.MaxSlots())
		for i := range types.Types {
			class := types.Types[i]
			p, err := class.Plan()
			require.NoError(t, err)
			for _, pos := range []int{5, 100} {
				require.NotPanics(t, func() {
					_, ok := p.Layout(make([]byte, 4), pos, 4, offs)
					require.False(t, ok, "Layout of %s at %d", class.Name, pos)
				})
				_, ok := p.Skip(make([]byte, 4), pos)
				assert.False(t, ok, "Skip of %s at %d", class.Name, pos)
				_, ok = p.SlotOffset(make([]byte, 4), pos, 0)
				assert.False(t, ok, "Seek of %s at %d", class.Name, pos)
			}
		}
	})
}
