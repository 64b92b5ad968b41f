package query

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// valueOf returns a value of an event as one of a kind that its field has.
func (b *binding) valueOf(v mmapjfr.Value, k Kind) Value {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return Value{}
	case mmapjfr.KindArray:
		return b.list(v)
	}
	switch k {
	case Bool:
		return boolValue(v.Bool())
	case Int, Unsigned:
		return Value{kind: k, num: uint64(v.Int())}
	case Float:
		return floatValue(v.Float())
	case Timespan:
		if d := v.Duration(); d != mmapjfr.NoDuration {
			return Value{kind: Timespan, num: uint64(d)}
		}
		return Value{}
	case Timestamp:
		if v.Int() == math.MinInt64 {
			return Value{}
		}
		return instant(v.Time())
	case ClassLoader:
		if b.plan.o.JDK {
			class := v.ClassLoader().Type()
			if class.IsZero() {
				return Value{}
			}
			return Value{kind: k, text: class.String(), num: uint64(engine.ValueKey(v)), hash: hashLong(engine.ValueKey(v))}
		}
		return Value{kind: k, text: v.Str(), num: uint64(engine.ValueKey(v)), hash: hashLong(engine.ValueKey(v))}
	case Thread:
		id := engine.ValueKey(v)
		if t := v.Thread(); !b.plan.o.JDK && !t.IsZero() {
			id = cmp.Or(t.JavaThreadID(), t.OSThreadID()) // chunks number them anew
		}
		return Value{kind: k, text: v.Str(), num: uint64(id), hash: hashLong(engine.ValueKey(v))}
	case Class:
		return Value{kind: k, text: v.Str(), num: uint64(engine.ValueKey(v)), hash: hashLong(engine.ValueKey(v))}
	case Method:
		return b.method(v.Method())
	case Frame:
		return b.frame(v.Frame())
	case Stack:
		return b.stack(v.StackTrace())
	}
	return textValue(textOf(v))
}

// textOf returns the text of a string, a character, or a struct with a name.
func textOf(v mmapjfr.Value) string {
	switch {
	case v.Kind() == mmapjfr.KindChar:
		return string(rune(v.Int()))
	case v.Kind() == mmapjfr.KindStruct && v.Type().Name() != jdktypes.String:
		if name := v.Get(pathName); name.Kind() != mmapjfr.KindNone {
			return name.Str()
		}
	}
	return v.Str()
}

func (b *binding) list(v mmapjfr.Value) Value {
	var list []Value
	for e := range v.Elements() {
		f, ok := e.Field()
		if !ok {
			continue
		}
		if s, ok := shapeOf(f, true); ok {
			list = append(list, b.valueOf(e, s.kind))
		} else if e.Kind() == mmapjfr.KindStruct {
			list = append(list, b.structure(e))
		}
	}
	return listValue(list)
}

// structure returns an element of an array that is a struct as text: its fields, of which structs and arrays inside it
// are left out.
func (b *binding) structure(v mmapjfr.Value) Value {
	var fields []string
	for f, inner := range v.Fields() {
		if s, ok := shapeOf(f, false); ok && s.kind != List {
			fields = append(fields, f.Name()+"="+b.valueOf(inner, s.kind).String())
		}
	}
	return textValue("{" + strings.Join(fields, ", ") + "}")
}

func (b *binding) method(m mmapjfr.Method) Value {
	if m.IsZero() {
		return Value{}
	}
	v := Value{kind: Method, text: m.Signature()}
	if b.plan.o.JDK {
		class := engine.ClassKey(m.Class())
		v.hash, v.num = hashMethod(class, m.Name(), engine.MethodDescriptor(m)), uint64(class)
		if m.Class().Name() == "" && !strings.HasPrefix(v.text, ".") {
			v.text = "." + v.text // native functions of async-profiler
		}
	}
	return v
}

func (b *binding) frame(f mmapjfr.Frame) Value {
	v := b.method(f.Method())
	if v.kind == Null {
		v.text = "unknown"
	}
	v.kind, v.line = Frame, int32(f.Line())
	return v
}

// stack returns a stack trace. With Options.JDK its identity is that of its methods.
func (b *binding) stack(s mmapjfr.StackTrace) Value {
	if s.IsZero() {
		return Value{}
	}
	var text []byte
	hash := int32(1)
	for f := range s.Frames() {
		v := b.frame(f)
		text = append(text, v.text...)
		text = append(text, lineStart...)
		text = strconv.AppendInt(text, int64(v.line), 10)
		text = append(text, frameEnd...)
		hash = 31*hash + v.hash
	}
	return Value{kind: Stack, text: string(text), hash: hash}
}

// hashLong returns what Long.hashCode of Java does.
func hashLong(n int64) int32 { return int32(n ^ int64(uint64(n)>>32)) }

// hashSeconds returns the hash of seconds and nanoseconds after them, as those of Java's Instant and Duration are.
func hashSeconds(t time.Time) int32 { return hashLong(t.Unix()) + 51*int32(t.Nanosecond()) }

// hashString returns what String.hashCode of Java does.
func hashString(s string) (h int32) {
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); r > 0xffff {
			h = 31*(31*h+hi) + lo
			continue
		}
		h = 31*h + r
	}
	return h
}

// hashMethod returns the hash of a method of a class in the JDK's views.
func hashMethod(class int64, name, descriptor string) int32 {
	r := int32(31) + hashLong(class)
	r += 31*r + hashString(name)
	r += 31*r + hashString(descriptor)
	return r
}

// javaHash returns the hash of a value in the JDK's views.
func (v Value) javaHash() int32 {
	switch v.kind {
	case Null:
		return 0
	case Bool:
		if v.num != 0 {
			return 1231
		}
		return 1237
	case Int, Unsigned:
		if n := int64(v.num); n == int64(int32(n)) {
			return int32(n)
		}
		return hashLong(int64(v.num))
	case Timespan:
		return hashSeconds(time.Unix(0, int64(v.num)))
	case Timestamp:
		return hashSeconds(v.Time())
	case Float:
		return hashLong(int64(v.num))
	case Text:
		return hashString(v.text)
	}
	return v.hash
}
