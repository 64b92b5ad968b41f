package columns

import (
	"math"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// cell is a value of a column. The zero cell is null.
type cell struct {
	n    int64 // a number, the bits of a double, or a time
	text string
	list *Elements
	ok   bool
}

// leaf is a column that is made of a value, and how.
type leaf struct {
	column Column
	read   func(x *reader, v mmapjfr.Value) cell
}

// source is a field of events, and the columns that it becomes.
type source struct {
	path   *mmapjfr.FieldPath
	field  mmapjfr.Field
	leaves []leaf
	// constant is set if the field has keys of constants, or texts that become some, and start for the start of events.
	constant, start bool
}

const (
	// maxDepth is how many structs inside one another become columns, maxColumns how many columns a type has, and maxFields
	// how many fields of structs are looked at to find those.
	maxDepth   = 4
	maxColumns = 1000
	maxFields  = 20 * maxColumns
)

// fields collects the sources of a type.
type fields struct {
	x       *reader
	columns []*Column
	looked  int // at fields of structs
}

// sources returns the fields of events of a type as columns, in the order of the columns.
func (x *reader) sources(t mmapjfr.Type) []*source {
	var first, own, last []*source
	w, width := fields{x: x}, 0
	_, hasEventThread := t.Field("eventThread")
	for _, f := range t.Fields() {
		if len(first)+len(last) > maxColumns {
			break
		}
		// Numbers are no constants of a table, even where events refer to them.
		s := &source{field: f, constant: f.IsConstant() && !f.IsArray() && !engine.TypeIsPrimitive(engine.TypeUnwrapped(f.Type()))}
		typ := engine.TypeUnwrapped(f.Type()).Name()
		switch {
		case f.Name() == "startTime" && f.Unit().IsTimestamp() && !f.IsArray():
			s.start = true
			read := func(x *reader, v mmapjfr.Value) cell { return x.number(v, Time) }
			s.leaves = []leaf{{describe(Column{Name: "start_time", Kind: Time, Required: true}, f, "startTime"), read},
				{Column{Name: "start_ns", Kind: Int, Field: "startTime", Unit: "ns", Required: true}, read}}
			first = append(first, s)
		case f.Name() == "duration" && !s.constant:
			s.leaves = w.value(f, "duration", "duration", 0, nil)
			first = append(first, s)
		case typ == jdktypes.Thread && !f.IsArray() && (f.Name() == "eventThread" || f.Name() == "sampledThread" && !hasEventThread):
			s.leaves = threadLeaves(f, "", "thread")
			first = append(first, s)
		case typ == jdktypes.StackTrace && !f.IsArray() && f.Name() == "stackTrace":
			s.leaves = x.stackLeaves(f, "")
			last = append(last, s)
		case width >= maxColumns:
			continue
		default:
			s.leaves = w.value(f, columnName(f.Name()), f.Name(), 0, nil)
			own, width = append(own, s), width+max(1, len(s.leaves))
		}
		s.path = engine.FieldPath(f)
		if len(s.leaves) == 1 && s.leaves[0].column.Kind == Text && typ == jdktypes.String && !f.IsArray() {
			s.constant = true
		}
		if typ := f.Type(); len(s.leaves) == 1 && engine.TypeIsPrimitive(typ) && !f.IsArray() && !f.IsConstant() {
			c := &s.leaves[0].column
			c.Required = c.Kind <= Uint && !f.Unit().IsTimespan()
		}
	}
	all := append(append(first, last...), own...)
	recording := recordingColumn
	w.columns = append(w.columns, &recording)
	for _, s := range all {
		for i := range s.leaves {
			w.columns = append(w.columns, &s.leaves[i].column)
		}
	}
	unique(w.columns) // those with names of our own come first
	columns := append(append(first, own...), last...)
	if x.o.References {
		columns = slices.DeleteFunc(columns, func(s *source) bool { return !isReference(engine.TypeUnwrapped(s.field.Type()).Name()) })
	}
	return columns
}

// isReference reports whether a type has a table besides those of events.
func isReference(typ string) bool {
	return typ == jdktypes.StackTrace || typ == jdktypes.Thread || typ == jdktypes.Class
}

// value returns the columns of a field, without those that would make the type too wide.
func (w *fields) value(f mmapjfr.Field, name, path string, depth int, inside []mmapjfr.Type) (leaves []leaf) {
	typ := engine.TypeUnwrapped(f.Type())
	one := func(k Kind, read func(*reader, mmapjfr.Value) cell) []leaf {
		return []leaf{{describe(Column{Name: name, Kind: k}, f, path), read}}
	}
	if f.IsArray() {
		element := Text
		if engine.TypeIsPrimitive(typ) {
			element = kindOf(typ, f)
		}
		l := one(List, func(x *reader, v mmapjfr.Value) cell { return x.elements(v, element) })
		l[0].column.Element = element
		return l
	}
	switch typ.Name() {
	case jdktypes.String:
		return one(Text, readText)
	case jdktypes.Class, jdktypes.Method, jdktypes.StackFrame:
		return one(Text, readName)
	case jdktypes.Thread:
		return threadLeaves(f, name+".", name)
	case jdktypes.StackTrace:
		return w.x.stackLeaves(f, name+".")
	}
	if engine.TypeIsPrimitive(typ) {
		k := kindOf(typ, f)
		return one(k, func(x *reader, v mmapjfr.Value) cell { return x.number(v, k) })
	}
	if depth == maxDepth {
		return nil
	}
	for _, t := range inside {
		if t == typ {
			return nil // a struct that leads to itself, such as a group of threads
		}
	}
	for _, inner := range typ.Fields() {
		if w.looked++; w.looked > maxFields {
			break
		}
		step := engine.FieldPath(inner)
		for _, l := range w.value(inner, name+"."+columnName(inner.Name()), path+"."+inner.Name(), depth+1, append(inside, typ)) {
			if len(leaves) == maxColumns/4 {
				return leaves
			}
			read := l.read
			leaves = append(leaves, leaf{l.column, func(x *reader, v mmapjfr.Value) cell {
				if v.Kind() != mmapjfr.KindStruct {
					return cell{}
				}
				return read(x, v.Get(step))
			}})
		}
	}
	return leaves
}

// kindOf returns the kind of a column for a primitive type.
func kindOf(t mmapjfr.Type, f mmapjfr.Field) Kind {
	switch name := t.Name(); {
	case f.Unit().IsTimestamp():
		return Time
	case f.Unit().IsTimespan():
		return Int
	case name == "boolean":
		return Bool
	case name == "float" || name == "double":
		return Double
	case name == "char" || name == jdktypes.String:
		return Text
	case name == "long" && f.IsUnsigned():
		return Uint
	}
	return Int
}

// number reads what is neither a struct nor an array.
func (x *reader) number(v mmapjfr.Value, k Kind) cell {
	f, _ := v.Field()
	switch v.Kind() {
	case mmapjfr.KindNone, mmapjfr.KindStruct, mmapjfr.KindArray:
		return cell{}
	case mmapjfr.KindString:
		return readText(x, v)
	case mmapjfr.KindChar:
		if k == Text {
			return cell{text: string(rune(v.Int())), ok: true}
		}
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		if k == Double {
			n := v.Float()
			return cell{n: int64(math.Float64bits(n)), ok: !math.IsNaN(n) && !math.IsInf(n, 0)}
		}
	}
	switch k {
	case Double: // the value is a whole number all the same
		return cell{n: int64(math.Float64bits(float64(v.Int()))), ok: true}
	case Time:
		t := v.Time()
		if seconds := t.Unix(); t.IsZero() || seconds <= math.MinInt64/1_000_000_000 || seconds >= math.MaxInt64/1_000_000_000 {
			return cell{n: math.MinInt64} // not known, or such that nanoseconds cannot express it
		}
		return cell{n: t.UnixNano(), ok: true}
	case Int:
		if f.Unit().IsTimespan() {
			return x.timespan(int64(v.Duration()))
		}
	}
	return cell{n: v.Int(), ok: true}
}

// timespan returns a length of time, which is null if it has no end, is not known, or is such that nanoseconds cannot
// express it: those below are the least number that is known, as in [mmapjfr.Value.Duration].
func (x *reader) timespan(ns int64) cell {
	return cell{n: ns, ok: ns > math.MinInt64+1 && ns < math.MaxInt64}
}

func readText(x *reader, v mmapjfr.Value) cell {
	if v.Kind() != mmapjfr.KindString {
		return cell{}
	}
	x.bytes = v.AppendStr(x.bytes[:0])
	return cell{text: string(x.bytes), ok: true}
}

// readName reads the name of a class, a method or a stack frame; null if it has none.
func readName(x *reader, v mmapjfr.Value) cell {
	if v.Kind() != mmapjfr.KindStruct {
		return cell{}
	}
	x.bytes = v.AppendStr(x.bytes[:0])
	text := string(x.bytes)
	if v.Type().Name() == jdktypes.StackFrame {
		f := v.Frame()
		text = string(engine.MethodAppendSignature(f.Method(), nil))
		if f.Line() > 0 {
			text += ":" + strconv.Itoa(f.Line())
		}
	}
	return cell{text: text, ok: text != ""}
}

// elements reads an array.
func (x *reader) elements(v mmapjfr.Value, k Kind) cell {
	if v.Kind() != mmapjfr.KindArray {
		return cell{}
	}
	list := &Elements{N: v.Len()}
	for e := range v.Elements() {
		e = unwrapped(e)
		c := x.number(e, k)
		if e.Kind() == mmapjfr.KindStruct {
			if c = readName(x, e); !c.ok {
				c = cell{text: e.Text(), ok: true}
			}
		}
		list.Valid = append(list.Valid, c.ok)
		if k == Text {
			list.Texts = append(list.Texts, c.text)
		} else {
			list.Ints = append(list.Ints, c.n)
		}
	}
	list.N = len(list.Valid)
	return cell{list: list, ok: true}
}

// unwrapped returns the value of the one field of a struct that only wraps it.
func unwrapped(v mmapjfr.Value) mmapjfr.Value {
	for range mmapjfr.MaxWrappers {
		if v.Kind() != mmapjfr.KindStruct || engine.TypeUnwrapped(v.Type()) == v.Type() {
			break
		}
		for _, inner := range v.Fields() {
			v = inner
		}
	}
	return v
}

// threadLeaves returns the columns of a thread.
func threadLeaves(f mmapjfr.Field, prefix, name string) []leaf {
	number := func(of func(mmapjfr.Thread) int64) func(*reader, mmapjfr.Value) cell {
		return func(_ *reader, v mmapjfr.Value) cell {
			n := of(v.Thread())
			return cell{n: n, ok: n > 0}
		}
	}
	leaves := []leaf{
		{Column{Name: name, Kind: Text}, func(_ *reader, v mmapjfr.Value) cell {
			t := v.Thread()
			return cell{text: t.Name(), ok: !t.IsZero()} // virtual threads mostly have an empty name
		}},
		{Column{Name: prefix + "thread_id", Kind: Int}, number(mmapjfr.Thread.JavaThreadID)},
		{Column{Name: prefix + "os_tid", Kind: Int}, number(mmapjfr.Thread.OSThreadID)},
		{Column{Name: prefix + "virtual", Kind: Bool}, func(_ *reader, v mmapjfr.Value) cell {
			t, n := v.Thread(), int64(0)
			if t.IsVirtual() {
				n = 1
			}
			return cell{n: n, ok: !t.IsZero()}
		}},
	}
	for i := range leaves {
		leaves[i].column = describe(leaves[i].column, f, f.Name())
	}
	return leaves
}
