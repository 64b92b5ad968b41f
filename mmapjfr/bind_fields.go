package mmapjfr

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// viewClasses are the views that structs can hold, and the class each is for.
var viewClasses = map[reflect.Type]string{
	reflect.TypeFor[Thread]():      jdktypes.Thread,
	reflect.TypeFor[Class]():       jdktypes.Class,
	reflect.TypeFor[ClassLoader](): jdktypes.ClassLoader,
	reflect.TypeFor[Method]():      jdktypes.Method,
	reflect.TypeFor[StackTrace]():  jdktypes.StackTrace,
	reflect.TypeFor[Frame]():       jdktypes.StackFrame,
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	valueType    = reflect.TypeFor[Value]()
)

// fits returns why the Go type cannot hold values at the end of the path. An integer holds
// times only if the tag says ticks.
func fits(t reflect.Type, r *resolvedPath, b boundField) error {
	if t == valueType {
		return nil
	}
	f := r.field
	typ, array := f.Type, f.Array && !r.elem
	for inner := range typ.Wrapped() {
		if array && inner.Array {
			break // an array of arrays
		}
		typ, array = inner.Type, array || inner.Array
	}
	declared := typ.Name
	if array {
		declared += "[]"
		if t.Kind() != reflect.Slice {
			return mismatch(t, f, declared, "[]"+exactType(typ, f.Unsigned))
		}
		t = t.Elem()
		if t == valueType {
			return nil
		}
	}
	if name, ok := viewClasses[t]; ok {
		if typ.CurrentName() != name {
			return mismatch(t, f, declared, goType(typ, f.Unsigned))
		}
		return nil
	}
	switch {
	case t == timeType:
		if !f.Unit.IsTimestamp() {
			return fmt.Errorf("time.Time cannot hold %s %s, which has no @Timestamp", declared, f.Name)
		}
		return nil
	case t == durationType:
		if !f.Unit.IsTimespan() {
			return fmt.Errorf("time.Duration cannot hold %s %s, which has no @Timespan", declared, f.Name)
		}
		return nil
	}
	if t.Kind() == reflect.String && hasText(typ.CurrentName()) {
		return nil
	}
	if need := timeTypeOf(f.Unit); need != nil && !b.ticks && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 && integerBits[typ.Kind] > 0 {
		return fmt.Errorf("%s would hold %s %s as it is recorded, mostly in ticks that mean nothing outside the chunk; bind a %s, or say that ticks are wanted with the tag `jfr:\"%s,ticks\"`",
			t, declared, f.Name, need, b.path)
	}
	if !holds(t.Kind(), typ.Kind, f.Unsigned) {
		return mismatch(t, f, declared, goType(typ, f.Unsigned))
	}
	return nil
}

// timeTypeOf returns the Go type for numbers of a unit of time; nil for others.
func timeTypeOf(unit Unit) reflect.Type {
	switch {
	case unit.IsTimestamp():
		return timeType
	case unit.IsTimespan():
		return durationType
	}
	return nil
}

func mismatch(t reflect.Type, f *schema.Field, declared, need string) error {
	return fmt.Errorf("%s cannot hold %s %s; it takes %s", t, declared, f.Name, need)
}

// integerBits is how wide the integers of a kind are; characters have no sign.
var integerBits = map[schema.Kind]int{
	schema.Byte:  8,
	schema.Char:  16,
	schema.Short: 16,
	schema.Int:   32,
	schema.Long:  64,
}

// holds reports whether a Go kind can hold every value of a kind.
func holds(g reflect.Kind, k schema.Kind, unsigned bool) bool {
	switch k {
	case schema.Bool:
		return g == reflect.Bool
	case schema.String:
		return g == reflect.String
	case schema.Float:
		return g == reflect.Float32 || g == reflect.Float64
	case schema.Double:
		return g == reflect.Float64
	}
	bits := integerBits[k]
	unsigned = unsigned || k == schema.Char
	goBits := map[reflect.Kind]int{
		reflect.Int8: 8, reflect.Int16: 16, reflect.Int32: 32, reflect.Int64: 64, reflect.Int: strconv.IntSize,
		reflect.Uint8: -8, reflect.Uint16: -16, reflect.Uint32: -32, reflect.Uint64: -64, reflect.Uint: -strconv.IntSize,
	}[g]
	switch {
	case bits == 0 || goBits == 0:
		return false
	case goBits < 0:
		return unsigned && -goBits >= bits
	case unsigned:
		return goBits > bits
	}
	return goBits >= bits
}

// goType names the Go types that hold values of a type.
func goType(typ *schema.Type, unsigned bool) string {
	name := exactType(typ, unsigned)
	switch {
	case typ.Kind == schema.Float:
		return name + " or float64"
	case integerBits[typ.Kind] > 0:
		return name + " or wider"
	case name == "mmapjfr.Value":
		return name + " or a struct"
	}
	return name
}

// exactType names the Go type that is made for a type.
func exactType(typ *schema.Type, unsigned bool) string {
	switch typ.Kind {
	case schema.Bool:
		return "bool"
	case schema.String:
		return "string"
	case schema.Float:
		return "float32"
	case schema.Double:
		return "float64"
	case schema.Struct:
		for view, name := range viewClasses {
			if name == typ.CurrentName() {
				return view.String()
			}
		}
		return "mmapjfr.Value"
	}
	if unsigned || typ.Kind == schema.Char {
		return fmt.Sprintf("uint%d", integerBits[typ.Kind])
	}
	return fmt.Sprintf("int%d", integerBits[typ.Kind])
}

// filler returns what sets a Go field to a value. It allocates nothing for each value.
func filler(dst reflect.Value) func(Value) {
	if dst.Kind() == reflect.Slice {
		return sliceFiller(dst)
	}
	return setter(dst)
}

// setter returns what sets a Go variable to a value.
func setter(dst reflect.Value) func(Value) {
	switch p := dst.Addr().Interface().(type) {
	case *Value:
		return func(v Value) { *p = v }
	case *Thread:
		return func(v Value) { *p = v.Thread() }
	case *Class:
		return func(v Value) { *p = v.Class() }
	case *ClassLoader:
		return func(v Value) { *p = v.ClassLoader() }
	case *Method:
		return func(v Value) { *p = v.Method() }
	case *StackTrace:
		return func(v Value) { *p = v.StackTrace() }
	case *Frame:
		return func(v Value) { *p = v.Frame() }
	case *time.Time:
		return func(v Value) { *p = v.Time() }
	case *time.Duration:
		return func(v Value) { *p = v.Duration() }
	}
	switch {
	case dst.Kind() == reflect.Bool:
		return func(v Value) { dst.SetBool(v.integer() != 0) }
	case dst.Kind() == reflect.String:
		return func(v Value) { dst.SetString(v.str()) }
	case dst.CanFloat():
		return func(v Value) { dst.SetFloat(v.float()) }
	case dst.CanInt():
		return func(v Value) { dst.SetInt(v.integer()) }
	case dst.CanUint():
		return func(v Value) { dst.SetUint(uint64(v.integer())) }
	}
	return func(Value) {} // fits refuses it for fields that events have
}

// sliceFiller returns what fills a slice from an array, using its memory again.
func sliceFiller(dst reflect.Value) func(Value) {
	elem := reflect.New(dst.Type().Elem()).Elem()
	set := setter(elem)
	return func(v Value) {
		n := v.Len()
		if v.Kind() != KindArray {
			n = 0
		}
		if wire.Debug {
			poison(dst)
		}
		if dst.Cap() < n {
			dst.Set(reflect.MakeSlice(dst.Type(), n, n))
		}
		dst.SetLen(n)
		i := 0
		for e := range v.Elements() {
			set(e)
			dst.Index(i).Set(elem)
			i++
		}
	}
}
