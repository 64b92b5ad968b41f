package mmapjfr_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// comparer compares values with those of the reference decoder, constants
// included. A constant is followed the first time it is met in its chunk, and
// compared by class and key after that: so rings end, and so do the tests.
type comparer struct {
	chunk *jfrtest.Chunk
	seen  map[jfrtest.Constant]bool
}

func newComparer(c *jfrtest.Chunk) *comparer {
	return &comparer{c, make(map[jfrtest.Constant]bool)}
}

// event returns how an event differs from the reference decoder's; "" if it
// does not.
func (c *comparer) event(ev mmapjfr.Event, want *jfrtest.Event) string {
	switch {
	case ev.Offset() != uint64(want.Offset):
		return fmt.Sprintf("offset %#x, want %#x", ev.Offset(), want.Offset)
	case ev.Size() != int(want.Size):
		return fmt.Sprintf("size %d, want %d", ev.Size(), want.Size)
	case engine.TypeRecordedName(ev.Type()) != want.TypeName || ev.Type().ID() != want.TypeID:
		return fmt.Sprintf("type %s, want %s", engine.TypeRecordedName(ev.Type()), want.TypeName)
	}
	class := c.chunk.Classes[want.TypeID]
	if d := c.fields(ev.Fields(), class, want.Fields); d != "" {
		return fmt.Sprintf("%s at %#x: %s", want.TypeName, want.Offset, d)
	}
	for i := range want.Fields {
		name := want.Fields[i].Name
		p, err := mmapjfr.ParsePath(name)
		if err != nil || strings.Contains(name, ".") || slices.IndexFunc(want.Fields, func(v jfrtest.Value) bool { return v.Name == name }) != i {
			continue
		}
		if d := c.value(ev.Get(p), &class.Fields[i], want.Fields[i].Value); d != "" {
			return fmt.Sprintf("%s at %#x: by path: %s%s", want.TypeName, want.Offset, name, d)
		}
	}
	return ""
}

func (c *comparer) fields(got func(func(mmapjfr.Field, mmapjfr.Value) bool), class *jfrtest.Class, want []jfrtest.Value) string {
	n := 0
	for f, v := range got {
		if n == len(want) || f.Name() != want[n].Name {
			return fmt.Sprintf(": field %d is %s of %d", n, f.Name(), len(want))
		}
		if d := c.value(v, &class.Fields[n], want[n].Value); d != "" {
			return "." + f.Name() + d
		}
		n++
	}
	if n != len(want) {
		return fmt.Sprintf(": %d fields, want %d", n, len(want))
	}
	return ""
}

// ring stands for a constant or wrapper that only leads back to itself.
type ring struct{}

// resolve follows constants and wrappers. It returns the last constant on the
// way, and whether that has been met before.
func (c *comparer) resolve(v any) (to any, last jfrtest.Constant, met bool) {
	on := map[jfrtest.Constant]bool{}
	for {
		switch x := v.(type) {
		case jfrtest.Constant:
			if on[x] {
				return ring{}, x, met
			}
			on[x], last, met = true, x, c.seen[x]
			entry, ok := c.chunk.Pools[x.Class][x.Key]
			switch {
			case ok:
				v = entry
			case x.Key == 0:
				return jfrtest.Null{}, x, met
			default:
				return jfrtest.Missing(x), x, met
			}
		case *jfrtest.Struct:
			if !x.Class.SimpleType || len(x.Fields) != 1 {
				return v, last, met
			}
			v = x.Fields[0].Value
		default:
			return v, last, met
		}
	}
}

func (c *comparer) value(got mmapjfr.Value, f *jfrtest.Field, raw any) string {
	want, last, met := c.resolve(raw)
	differ := func(what string, got, want any) string {
		return fmt.Sprintf(": %s %v, want %v (%T)", what, got, want, want)
	}
	states := [3]bool{got.IsNull(), got.IsMissing(), got.IsAbsent()}
	state := func(null, missing bool) string {
		if states != [3]bool{null, missing, false} || got.Kind() != mmapjfr.KindNone || got.Str() != "" {
			return differ("null, missing, absent", states, want)
		}
		return ""
	}
	switch want := want.(type) {
	case ring:
		return ""
	case jfrtest.Null:
		return state(true, false)
	case jfrtest.Missing:
		if engine.ValueKey(got) != want.Key {
			return differ("key", engine.ValueKey(got), want.Key)
		}
		return state(false, true)
	}
	if states != [3]bool{} {
		return differ("null, missing, absent", states, want)
	}
	if _, array := want.([]any); !array && engine.ValueKey(got) != last.Key {
		return differ("key", engine.ValueKey(got), last.Key)
	}
	kind := func(k mmapjfr.Kind) string {
		if got.Kind() != k {
			return differ("kind", got.Kind(), k)
		}
		return ""
	}
	integer := func(k mmapjfr.Kind, bits int, n int64) string {
		u := uint64(n)
		if annotated(f, "jdk.jfr.Unsigned") && bits < 64 {
			u &= 1<<bits - 1
		}
		if got.Int() != int64(u) || got.Uint() != u || got.Bool() != (n != 0) {
			return differ("integer", got.Int(), int64(u))
		}
		return kind(k)
	}
	switch want := want.(type) {
	case bool:
		if got.Bool() != want || got.Int() != map[bool]int64{true: 1}[want] {
			return differ("truth", got.Bool(), want)
		}
		return kind(mmapjfr.KindBool)
	case int8:
		return integer(mmapjfr.KindByte, 8, int64(want))
	case uint16:
		return integer(mmapjfr.KindChar, 16, int64(want))
	case int16:
		return integer(mmapjfr.KindShort, 16, int64(want))
	case int32:
		return integer(mmapjfr.KindInt, 32, int64(want))
	case int64:
		return integer(mmapjfr.KindLong, 64, want)
	case float32:
		if math.Float64bits(got.Float()) != math.Float64bits(float64(want)) {
			return differ("float", got.Float(), want)
		}
		return kind(mmapjfr.KindFloat)
	case float64:
		if math.Float64bits(got.Float()) != math.Float64bits(want) {
			return differ("double", got.Float(), want)
		}
		return kind(mmapjfr.KindDouble)
	case string:
		if d := sameText(got, want); d != "" {
			return d
		}
		return kind(mmapjfr.KindString)
	case []any:
		if inner := wrapperOf(c.chunk, raw); inner != nil {
			f = inner // elements are what the array's own field says
		}
		if met {
			return ""
		}
		c.seen[last] = last != jfrtest.Constant{} // an array can hold the constant that it is
		return c.array(got, f, want)
	case *jfrtest.Struct:
		if d := kind(mmapjfr.KindStruct); d != "" {
			return d
		}
		if engine.TypeRecordedName(got.Type()) != want.Class.Name {
			return differ("type", engine.TypeRecordedName(got.Type()), want.Class.Name)
		}
		if met {
			return ""
		}
		c.seen[last] = last != jfrtest.Constant{}
		return c.fields(got.Fields(), want.Class, want.Fields)
	}
	return fmt.Sprintf(": the reference has a %T", want)
}

// wrapperOf returns the field of the innermost wrapper that a value leads through; nil if
// no flag.
func wrapperOf(c *jfrtest.Chunk, v any) (f *jfrtest.Field) {
	for {
		switch x := v.(type) {
		case jfrtest.Constant:
			v = c.Pools[x.Class][x.Key]
		case *jfrtest.Struct:
			f, v = &x.Class.Fields[0], x.Fields[0].Value
		default:
			return f
		}
	}
}

func sameText(got mmapjfr.Value, want string) string {
	s := got.Str()
	if utf8.ValidString(want) {
		if s != want {
			return fmt.Sprintf(": text %q, want %q", s, want)
		}
	} else if !utf8.ValidString(s) || oneMark(s) != oneMark(strings.ToValidUTF8(want, "\ufffd")) {
		return fmt.Sprintf(": text %q, want %q with marks", s, want)
	}
	if b := got.AppendStr([]byte("x")); string(b) != "x"+s {
		return fmt.Sprintf(": appended %q, want %q", b, s)
	}
	return ""
}

// oneMark makes one replacement character of many.
func oneMark(s string) string {
	for strings.Contains(s, "\ufffd\ufffd") {
		s = strings.ReplaceAll(s, "\ufffd\ufffd", "\ufffd")
	}
	return s
}

func (c *comparer) array(got mmapjfr.Value, f *jfrtest.Field, want []any) string {
	if got.Kind() != mmapjfr.KindArray || got.Len() != len(want) {
		return fmt.Sprintf(": kind %d of %d elements, want an array of %d", got.Kind(), got.Len(), len(want))
	}
	i := 0
	for e := range got.Elements() {
		if i == len(want) {
			return ": too many elements"
		}
		if d := c.value(e, f, want[i]); d != "" {
			return fmt.Sprintf("[%d]%s", i, d)
		}
		i++
	}
	if i != len(want) {
		return fmt.Sprintf(": %d elements, want %d", i, len(want))
	}
	for _, i := range []int{0, len(want) / 2, len(want) - 1} {
		if i < 0 || i >= len(want) {
			continue
		}
		if d := c.value(got.Index(i), f, want[i]); d != "" {
			return fmt.Sprintf("[%d] by Index%s", i, d)
		}
	}
	if !got.Index(-1).IsAbsent() || !got.Index(len(want)).IsAbsent() {
		return ": an element beyond the ends"
	}
	return ""
}

func annotated(f *jfrtest.Field, with string) bool {
	return slices.ContainsFunc(f.Annotations, func(a jfrtest.Annotation) bool { return a.Class == with })
}
