package timeline

import (
	"math"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Field is a field of events that is a number or a text, also inside of a struct.
type Field struct {
	// Name has the names of the structs that the field is in, with dots.
	Name string
	// Label is the name for people.
	Label string
	Kind  FieldKind
	// Unit is the unit of numbers, and Rate says that they are per second.
	Unit mmapjfr.Unit
	Rate bool
}

// FieldKind says what values of a field are.
type FieldKind uint8

// The kinds of fields.
const (
	// Text is for texts and for all that has a name.
	Text FieldKind = iota
	Bool
	// Integer is for numbers whose unit is none of these below.
	Integer
	Float
	// Span is a length of time in nanoseconds, and Time a point in time in nanoseconds since 1970.
	Span
	Time
	// List is for arrays.
	List
)

// Datum is the value of a field.
type Datum struct {
	// Int is set for Integer, Span and Time. Numbers that it cannot hold are the greatest one.
	Int   int64
	Float float64
	Bool  bool
	Text  string
	List  []string
}

// maxFields is how many fields of a type a timeline has, maxNodes how many it looks at, and maxElements
// how many elements of an array it has. Structs that are in more than maxDepth others are texts.
const (
	maxFields   = 256
	maxNodes    = 4096
	maxElements = 64
	maxDepth    = 3
)

// node says what becomes of a field of a struct: nothing, a field, or the fields of a struct.
type node struct {
	field  int // -1 for none
	inside []node
}

// addFields adds the fields of a type. The time, the thread and the stack trace of an event are none.
func (t *Type) addFields() {
	t.tree = t.nodes(t.Type, "", "", 0)
}

func (t *Type) nodes(typ mmapjfr.Type, name, label string, depth int) (list []node) {
	for _, f := range typ.Fields() {
		n := node{field: -1}
		t.left--
		inner := engine.TypeUnwrapped(f.Type())
		long := name + f.Name()
		title := f.Label()
		if title == "" {
			title = f.Name()
		}
		switch {
		case depth == 0 && isPlace(f.Name()), len(t.Fields) >= maxFields, t.left < 0:
		case !f.IsArray() && depth < maxDepth && !engine.TypeIsPrimitive(inner) && !isNamed(inner):
			n.inside = t.nodes(inner, long+".", label+title+": ", depth+1)
		default:
			n.field = len(t.Fields)
			t.Fields = append(t.Fields, Field{Name: long, Label: label + title, Kind: kindOf(f, inner), Unit: f.Unit(), Rate: engine.FieldIsRate(f)})
		}
		list = append(list, n)
	}
	return list
}

// isPlace reports whether a field says when and where an event happened.
func isPlace(name string) bool {
	switch name {
	case "startTime", "duration", "eventThread", "stackTrace":
		return true
	}
	return false
}

// isNamed reports whether values of a type are shown by their name.
func isNamed(t mmapjfr.Type) bool {
	switch t.Name() {
	case jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ThreadGroup, jdktypes.ClassLoader, jdktypes.Package, jdktypes.Module,
		jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace:
		return true
	}
	return false
}

func kindOf(f mmapjfr.Field, inner mmapjfr.Type) FieldKind {
	switch {
	case f.IsArray():
		return List
	case !engine.TypeIsPrimitive(inner) || inner.Name() == "char" || inner.Name() == jdktypes.String:
		return Text
	case inner.Name() == "boolean":
		return Bool
	case f.Unit().IsTimespan():
		return Span
	case f.Unit().IsTimestamp():
		return Time
	case inner.Name() == "float" || inner.Name() == "double":
		return Float
	}
	return Integer
}

// Values calls do with the fields of an event that have a value, by their position in Fields. Numbers
// that are not known have none.
func (t *Type) Values(ev mmapjfr.Event, do func(field int, d Datum)) {
	t.values(t.tree, ev.Value(), do)
}

func (t *Type) values(tree []node, v mmapjfr.Value, do func(field int, d Datum)) {
	i := 0
	for _, inner := range v.Fields() {
		if i == len(tree) {
			return
		}
		n := &tree[i]
		i++
		switch {
		case n.inside != nil:
			t.values(n.inside, inner, do)
		case n.field >= 0:
			if d, ok := t.Fields[n.field].datum(inner); ok {
				do(n.field, d)
			}
		}
	}
}

// datum returns a value; false if it is not there, or not known.
func (f *Field) datum(v mmapjfr.Value) (d Datum, ok bool) {
	if v.Kind() == mmapjfr.KindNone {
		return d, false
	}
	switch f.Kind {
	case Bool:
		d.Bool = v.Bool()
	case Integer:
		if d.Int = v.Int(); d.Int < 0 {
			if field, ok := v.Field(); ok && field.IsUnsigned() {
				d.Int = math.MaxInt64
			}
		}
	case Float:
		d.Float = v.Float()
		return d, !math.IsNaN(d.Float) && !math.IsInf(d.Float, 0)
	case Span:
		span := v.Duration()
		d.Int = int64(span)
		return d, span != mmapjfr.NoDuration
	case Time:
		at := v.Time()
		if at.IsZero() || at.Year() < 1700 || at.Year() > 2200 {
			return d, false // nanoseconds cannot say it
		}
		d.Int = at.UnixNano()
	case List:
		for e := range v.Elements() {
			if len(d.List) == maxElements {
				d.List = append(d.List, "...")
				break
			}
			d.List = append(d.List, e.Text())
		}
	default:
		if v.Kind() == mmapjfr.KindString {
			d.Text = v.Str() // which is not copied each time
		} else {
			d.Text = v.Text()
		}
	}
	return d, !engine.ValueIsUnset(v)
}
