package writer_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

func TestTypesThatReadersWouldNotRead(t *testing.T) {
	text, start := field("text", "java.lang.String"), writer.StartTimeField()
	for name, typ := range map[string]writer.Type{
		"it is empty, or has spaces":       {Name: "no good", Fields: []writer.Field{text}},
		"is defined already":               {Name: "int", Fields: []writer.Field{text}},
		"it has no fields":                 {Name: "test.T"},
		"not the type of a value with one": {Name: "test.T", Simple: true, Fields: []writer.Field{text, field("x", "int")}},
		"the name of field 0 is empty":     {Name: "test.T", Fields: []writer.Field{field("", "int")}},
		"two fields \"text\"":              {Name: "test.T", Fields: []writer.Field{text, text}},
		"type \"test.No\" is not defined":  {Name: "test.T", Fields: []writer.Field{field("x", "test.No")}},
		"is not the type of a value":       {Name: "test.T", Fields: []writer.Field{field("x", "jdk.jfr.Label")}},
		"is no constant":                   {Name: "test.T", Fields: []writer.Field{constant(text)}},
		"only a text can be pooled":        {Name: "test.T", Fields: []writer.Field{{Name: "x", Type: "int", Pooled: true}}},
		"of a simple type must be":         {Name: "test.T", Fields: []writer.Field{field("x", "jdk.types.Symbol")}},
		"must be defined before it":        {Name: "test.T", Fields: []writer.Field{field("x", "test.T")}},
		"type \"test.A\" is not defined":   {Name: "test.T", Fields: []writer.Field{text}, Annotations: []writer.Annotation{writer.Annotate("test.A")}},
	} {
		t.Run(name, func(t *testing.T) {
			w, out := newWriter(t)
			require.ErrorContains(t, w.Define(writer.Type{Name: "test.Good", Fields: []writer.Field{text}}, typ), name)
			require.NoError(t, w.Define(writer.Type{Name: "test.Good", Fields: []writer.Field{text}}), "nothing was defined")
			require.NoError(t, w.Close())
			read(t, out.Bytes())
		})
	}
	for want, typ := range map[string]writer.Type{
		"the first field of an event":        {Name: "test.T", Fields: []writer.Field{text}},
		"the duration of an event is":        {Name: "test.T", Fields: []writer.Field{start, text, writer.DurationField()}},
		"writer: type \"test.T\": it has no": {Name: "test.T"},
		`such as "a_b.C"`:                    {Name: "a-b.C", Fields: []writer.Field{start}},
		`such as "main.class_"`:              {Name: "main.class", Fields: []writer.Field{start}},
		`such as "main.Box_int_"`:            {Name: "main.Box[int]", Fields: []writer.Field{start}},
		`such as "a.__"`:                     {Name: "a.", Fields: []writer.Field{start}},
	} {
		w, _ := newWriter(t)
		_, err := w.DefineEvent(typ)
		require.ErrorContains(t, err, want)
	}
}

// TestTypesInsideOneAnother defines types that readers would refuse, as they are too deep or too wide.
func TestTypesInsideOneAnother(t *testing.T) {
	for width, most := range map[int]int{1: 33, 2: 10} { // 2 to the power of 10 is above 1,000
		w, out := newWriter(t)
		depth, inner := 0, "int"
		for {
			name := fmt.Sprintf("test.T%d", depth)
			var fields []writer.Field
			for i := range width {
				fields = append(fields, field(fmt.Sprintf("f%d", i), inner))
			}
			if err := w.Define(writer.Type{Name: name, Fields: fields}); err != nil {
				require.ErrorContains(t, err, "make some of them constants")
				break
			}
			depth, inner = depth+1, name
		}
		assert.LessOrEqual(t, depth, most)
		define(t, w, "test.Event", constant(field("deep", inner)))
		require.NoError(t, w.Close())
		read(t, out.Bytes())
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	w, out := newWriter(t)
	require.NoError(t, w.Define(kindTypes()...))
	typ := define(t, w, "test.Kinds", kindFields...)
	good, want := kindValues(w.Now())
	wrong := func(i int, v writer.Value) []writer.Value {
		values := append([]writer.Value(nil), good...)
		values[i] = v
		return values
	}
	for _, values := range [][]writer.Value{
		nil, good[:5], append(good, writer.Int(1)),
		wrong(0, writer.Text("now")), wrong(1, writer.Int(1)), wrong(2, writer.Int(128)), wrong(2, writer.Int(-129)),
		wrong(3, writer.Uint(40_000)), wrong(4, writer.Int(-1)), wrong(4, writer.Int(65_536)), wrong(5, writer.Int(math.MaxUint32)),
		wrong(6, writer.Uint(math.MaxUint64)), wrong(6, writer.Time(w.Now())), wrong(6, writer.Duration(1)), wrong(6, writer.Null()),
		wrong(7, writer.Int(1)), wrong(9, writer.Bool(true)), wrong(10, writer.Int(256)),
		wrong(12, writer.Time(time.Unix(1<<40, 0))), wrong(19, writer.Int(1)), wrong(19, writer.List(writer.Text("x"))),
		wrong(21, writer.Int(1)), wrong(21, writer.List(writer.Int(1))),
		wrong(18, writer.Duration(math.MaxInt64-1)), wrong(7, writer.Float(1e300)),
	} {
		err := typ.Write(values...)
		require.ErrorContains(t, err, `"test.Kinds"`)
		assert.ErrorContains(t, err, "writer: an event of type")
	}
	require.NoError(t, typ.Write(good...))
	require.NoError(t, w.Close())
	assert.Equal(t, []map[string]any{want}, values(t, read(t, out.Bytes())))
}

func TestErrorsOfTheDestinationStay(t *testing.T) {
	open := map[string]func(left int) (*writer.Writer, error){
		"stream": func(left int) (*writer.Writer, error) {
			return writer.New(&failing{left}, writer.ChunkSize(4096))
		},
		"file": func(left int) (*writer.Writer, error) {
			return writer.NewFile(&failing{left}, writer.ChunkSize(4096))
		},
	}
	for name, open := range open {
		t.Run(name, func(t *testing.T) {
			for left := range 8 {
				w, err := open(left)
				if err != nil {
					require.ErrorIs(t, err, errFull)
					continue
				}
				typ := define(t, w, "test.Event", field("text", "java.lang.String"))
				for err == nil {
					err = typ.Write(writer.Time(w.Now()), writer.Text("some text"))
				}
				require.ErrorIs(t, err, errFull)
				_, err = w.DefineEvent(writer.Type{})
				for _, err := range []error{err, typ.Write(), w.Flush(), w.Close(), w.Close()} {
					require.ErrorIs(t, err, errFull)
				}
				require.ErrorIs(t, typ.Write(), writer.ErrClosed)
			}
		})
	}
}

func TestClosed(t *testing.T) {
	w, _ := newWriter(t)
	r, err := writer.NewRecorder[request](w, writer.EventInfo{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	for _, err := range []error{r.Record(t.Context(), request{}), w.Flush(), w.Define()} {
		require.ErrorIs(t, err, writer.ErrClosed)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, opt := range []writer.Option{writer.ChunkSize(0), writer.ChunkSize(1<<30 + 1), writer.ChunkAge(0), writer.Clock(nil)} {
		_, err := writer.New(&failing{}, opt)
		require.ErrorContains(t, err, "writer: the ")
	}
	_, err := writer.Create(filepath.Join(t.TempDir(), "missing", "x.jfr"))
	require.Error(t, errors.Unwrap(err))
}

func TestNothingToWriteTo(t *testing.T) {
	const want = "nothing to write to"
	_, err := writer.New(nil)
	require.ErrorContains(t, err, want)
	type event struct{ N int64 }
	_, err = writer.NewRecorder[event](nil, writer.EventInfo{})
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, new(writer.EventType).Write(writer.Int(1)), want)
	for _, r := range []*writer.Recorder[event]{nil, {}} {
		require.ErrorContains(t, r.Record(t.Context(), event{}), want)
		require.ErrorContains(t, r.RecordAt(t.Context(), time.Time{}, 0, event{}), want)
		ctx, b := r.Begin(t.Context())
		assert.Equal(t, t.Context(), ctx)
		require.ErrorContains(t, b.End(event{}), want)
	}
	var none writer.Writer
	require.ErrorContains(t, none.Flush(), want)
	require.ErrorContains(t, none.Close(), want)
	require.ErrorContains(t, none.Define(), want)
	w, err := writer.New(io.Discard, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// TestClocks begins recordings at times that nanoseconds since 1970 cannot count.
func TestClocks(t *testing.T) {
	for _, year := range []int{1, 1969, 2200, 20000} {
		_, err := writer.New(io.Discard, writer.Clock(func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }))
		require.ErrorContains(t, err, "the clock shows")
	}
}

// TestValuesThatHoldThemselves writes constants that have no end.
func TestValuesThatHoldThemselves(t *testing.T) {
	w, out := newWriter(t)
	node := constant(field("next", "test.Node"))
	list := constant(field("all", "test.Tree"))
	list.Array = true
	require.NoError(t, w.Define(
		writer.Type{Name: "test.Node", Fields: []writer.Field{node, field("n", "int")}},
		writer.Type{Name: "test.Single", Fields: []writer.Field{constant(field("next", "test.Single"))}},
		writer.Type{Name: "test.Tree", Fields: []writer.Field{list}},
	))
	inner := []writer.Value{{}, writer.Int(1)}
	inner[0] = writer.List(inner...)
	tree := []writer.Value{{}}
	tree[0] = writer.List(tree...)
	nodes := define(t, w, "test.OfNode", constant(field("v", "test.Node")))
	single := define(t, w, "test.OfSingle", constant(field("v", "test.Single")))
	trees := define(t, w, "test.OfTree", constant(field("v", "test.Tree")))
	require.ErrorContains(t, nodes.Write(writer.Time(w.Now()), inner[0]), "holds itself")
	require.ErrorContains(t, single.Write(writer.Time(w.Now()), writer.Int(1)), "holds itself")
	require.ErrorContains(t, trees.Write(writer.Time(w.Now()), tree[0]), "holds itself")
	long := writer.Null()
	for n := range int64(400) {
		long = writer.List(long, writer.Int(n))
	}
	require.NoError(t, nodes.Write(writer.Time(w.Now()), long))
	require.NoError(t, w.Close())
	read(t, out.Bytes())
}
