package mmapjfr_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// FuzzBind binds structs with fields of all kinds to recordings. What can be bound must
// hold what the events say.
func FuzzBind(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		rec, err := mmapjfr.OpenBytes(fuzzed(which, program, edits))
		if err != nil {
			return
		}
		for _, name := range []string{"E", "test.G"} {
			for _, try := range bindings {
				if d := try(rec, name); d != "" {
					t.Fatal(d)
				}
			}
		}
	})
}

var bindings = []func(rec *mmapjfr.Recording, name string) string{
	bindTo[bool], bindTo[int8], bindTo[int16], bindTo[int], bindTo[uint16], bindTo[uint64], bindTo[float32], bindTo[float64],
	bindTo[string], bindTo[time.Time], bindTo[time.Duration], bindTo[mmapjfr.Thread], bindTo[mmapjfr.Class], bindTo[mmapjfr.Method],
	bindTo[mmapjfr.StackTrace], bindTo[mmapjfr.Value], bindTo[[]bool], bindTo[[]int64], bindTo[[]float64], bindTo[[]string],
	bindTo[[]mmapjfr.Value],
}

// bindTo binds fields of one type, and says how they differ from what events say.
func bindTo[T any](rec *mmapjfr.Recording, name string) string {
	b, err := mmapjfr.Bind[struct {
		A T `jfr:"a"`
	}](rec, name)
	if err == nil {
		path := mmapjfr.Path("a")
		row := b.Row()
		for ev, err := range rec.Select(mmapjfr.Types(name)).Events() {
			if err != nil || ev.Type().Name() != name {
				continue
			}
			if got := row.Read(ev).A; !holds(reflect.ValueOf(got), ev.Get(path)) {
				return fmt.Sprintf("%T is %v of %s", got, got, ev.Get(path))
			}
		}
	}
	others, err := mmapjfr.Bind[struct {
		B     T `jfr:"b.a,optional"`
		C     T `jfr:"c[0],optional"`
		Start T `jfr:"startTime,optional,ticks"`
	}](rec, name)
	if err == nil {
		for row, err := range others.Events() {
			if err == nil && !reflect.ValueOf(row.Start).IsValid() {
				return "a field without a value"
			}
		}
	}
	return ""
}

// holds reports whether a Go value is what the value of an event says.
func holds(got reflect.Value, v mmapjfr.Value) bool {
	switch x := got.Interface().(type) {
	case time.Time:
		return v.IsNull() || v.IsMissing() || x.Equal(v.Time())
	case time.Duration:
		return x == v.Duration()
	case mmapjfr.Thread:
		return x == v.Thread()
	case mmapjfr.Class:
		return x == v.Class()
	case mmapjfr.Method:
		return x == v.Method()
	case mmapjfr.StackTrace:
		return x == v.StackTrace()
	case mmapjfr.Value:
		return x == v
	}
	switch {
	case got.Kind() == reflect.Slice:
		if got.Len() != v.Len() {
			return false
		}
		for i := range got.Len() {
			if !holds(got.Index(i), v.Index(i)) {
				return false
			}
		}
		return true
	case got.Kind() == reflect.Bool:
		return got.Bool() == v.Bool()
	case got.CanInt():
		return got.Int() == v.Int()
	case got.CanUint():
		return got.Uint() == v.Uint()
	case got.CanFloat():
		return got.Float() == v.Float() || got.Float() != got.Float() || float32(got.Float()) == float32(v.Float())
	}
	return got.String() == v.Str()
}
