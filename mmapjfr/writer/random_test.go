package writer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// randomType is a type with a way to make values of it, and what they read as.
type randomType struct {
	name   string
	fields []writer.Field
	nested []*randomType // nil of a primitive type
}

// random makes types and values of random numbers.
type random struct {
	*rand.Rand
	types []*randomType
	// plain leaves out what the JDK cannot print: see [writer.Field].
	plain bool
}

var randomPrimitives = []string{"boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String"}

// newType adds a type whose fields are of types that are there already.
func (r *random) newType(name string, leading ...writer.Field) *randomType {
	t := &randomType{name: name, fields: leading, nested: make([]*randomType, len(leading))}
	for i := range 1 + r.IntN(8) {
		f := field(fmt.Sprint("f", i), randomPrimitives[r.IntN(len(randomPrimitives))])
		var nested *randomType
		if len(r.types) > 0 && r.IntN(3) == 0 {
			nested = r.types[r.IntN(len(r.types))]
			f.Type = nested.name
			f.Constant = r.IntN(2) == 0
		}
		f.Array = r.IntN(4) == 0 && !(r.plain && nested != nil)
		f.Pooled = !f.Array && f.Type == "java.lang.String" && r.IntN(2) == 0
		if _, isInt := randomBits[f.Type]; isInt && f.Type != "char" && !(r.plain && f.Array) && r.IntN(3) == 0 {
			f.Annotations = append(f.Annotations, writer.Unsigned())
		}
		t.fields, t.nested = append(t.fields, f), append(t.nested, nested)
	}
	return t
}

var randomBits = map[string]int{"byte": 8, "char": 16, "short": 16, "int": 32, "long": 64}

// values returns a value for each field from first on, and what they read as.
func (r *random) values(t *randomType, first int) (list []writer.Value, read map[string]any) {
	read = make(map[string]any)
	for i := first; i < len(t.fields); i++ {
		f := t.fields[i]
		if !f.Array {
			v, want := r.value(&f, t.nested[i])
			list, read[f.Name] = append(list, v), want
			continue
		}
		elements, wants := []writer.Value{}, []any{}
		for range r.IntN(4) {
			v, want := r.value(&f, t.nested[i])
			elements, wants = append(elements, v), append(wants, want)
		}
		list, read[f.Name] = append(list, writer.List(elements...)), wants
	}
	return list, read
}

func (r *random) value(f *writer.Field, nested *randomType) (writer.Value, any) {
	if nested != nil {
		if f.Constant && r.IntN(4) == 0 {
			return writer.Null(), nil
		}
		list, read := r.values(nested, 0)
		if len(list) == 1 && nested.fields[0].Array {
			return list[0], read
		}
		return writer.List(list...), read
	}
	switch f.Type {
	case "boolean":
		b := r.IntN(2) == 0
		return writer.Bool(b), b
	case "float":
		x := float32(r.NormFloat64())
		return writer.Float(float64(x)), float64(x)
	case "double":
		x := []float64{r.NormFloat64(), math.Inf(1), 0, math.MaxFloat64}[r.IntN(4)]
		return writer.Float(x), x
	case "java.lang.String":
		if r.IntN(5) == 0 {
			return writer.Null(), nil
		}
		s := strings.Repeat([]string{"", "a", "é", "日", "😀", "\x00"}[r.IntN(6)], r.length())
		return writer.Text(s), s
	}
	n := int64(r.Uint64()) >> r.IntN(64) >> (64 - randomBits[f.Type])
	switch {
	case f.Type == "char":
		c := uint16(n)
		if c >= 0xd800 && c < 0xe000 {
			c = 'x' // half a character
		}
		return writer.Int(int64(c)), string(rune(c))
	case len(f.Annotations) > 0:
		u := uint64(n) << (64 - randomBits[f.Type]) >> (64 - randomBits[f.Type])
		return writer.Uint(u), u
	}
	return writer.Int(n), n
}

// length returns how often a text repeats its character: mostly few times, one time in a hundred
// more often than sixteen bits can say.
func (r *random) length() int {
	if r.IntN(100) == 0 {
		return 70_000
	}
	return []int{1, 5, 127, 200}[r.IntN(4)]
}

// writeRandom writes events of random types, closes the writer and returns what they read as.
func writeRandom(t *testing.T, r *random, w *writer.Writer) (want []map[string]any) {
	t.Helper()
	for i := range r.IntN(4) {
		typ := r.newType(fmt.Sprint("test.Type", i))
		require.NoError(t, w.Define(writer.Type{Name: typ.name, Fields: typ.fields}))
		r.types = append(r.types, typ)
	}
	for i := range 1 + r.IntN(3) {
		typ := r.newType(fmt.Sprint("test.Event", i), writer.StartTimeField())
		event, err := w.DefineEvent(writer.Type{Name: typ.name, Fields: typ.fields})
		require.NoError(t, err)
		for range r.IntN(30) {
			start := w.Now()
			list, read := r.values(typ, 1)
			require.NoError(t, event.Write(append([]writer.Value{writer.Time(start)}, list...)...))
			read["type"], read["startTime"] = typ.name, start
			want = append(want, read)
			if r.IntN(20) == 0 {
				require.NoError(t, w.Flush())
			}
		}
	}
	require.NoError(t, w.Close())
	return want
}

func TestRandomTypesAndValues(t *testing.T) {
	for seed := range uint64(longtest.Cases(40, 2000)) {
		// A test of its own: what it wrote goes when it ends.
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := &random{Rand: rand.New(rand.NewPCG(seed, 25))}
			opts := []writer.Option{writer.ChunkSize(4096 << r.IntN(8))}
			w, out := newWriter(t, opts...)
			want := writeRandom(t, r, w)
			require.Equal(t, want, values(t, read(t, out.Bytes())))
		})
	}
}
