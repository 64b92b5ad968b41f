package mmapjfr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// zeros are the zero values of all exported views, and
// of what reads by them.
var zeros = []any{
	mmapjfr.Value{}, mmapjfr.Chunk{}, mmapjfr.Type{}, mmapjfr.Field{}, mmapjfr.Setting{},
	mmapjfr.Annotation{}, mmapjfr.Event{}, mmapjfr.Thread{}, mmapjfr.ThreadGroup{}, mmapjfr.Class{}, mmapjfr.ClassLoader{},
	mmapjfr.Method{}, mmapjfr.Frame{}, mmapjfr.StackTrace{}, new(mmapjfr.Selection), new(mmapjfr.Batch),
}

// ofNoEvent are methods whose argument is one of the events of a batch, which has none.
var ofNoEvent = []string{"Batch.Event", "Batch.Value"}

// TestZeroViewsAnswerAsIfNothingWereThere calls all their methods.
func TestZeroViewsAnswerAsIfNothingWereThere(t *testing.T) {
	given := map[reflect.Type]reflect.Value{}
	for _, x := range []any{
		mmapjfr.Path("eventThread.javaName"), 1, int64(1), []byte("before"), []uint16{1}, []int64{1}, []mmapjfr.Frame(nil), mmapjfr.Type{},
		mmapjfr.Value{}, mmapjfr.Event{}, mmapjfr.Chunk{}, uint64(1), "name", func() error { return nil },
		func(int, mmapjfr.Event) error { return errors.New("an event") },
		func(int, *mmapjfr.Batch) error { return errors.New("a batch") },
	} {
		given[reflect.TypeOf(x)] = reflect.ValueOf(x)
	}
	given[reflect.TypeFor[context.Context]()] = reflect.ValueOf(t.Context())
	given[reflect.TypeFor[any]()] = reflect.ValueOf(&struct{ Name string }{})
	given[reflect.TypeFor[error]()] = reflect.Zero(reflect.TypeFor[error]())
	given[reflect.TypeFor[io.Writer]()] = reflect.ValueOf(io.Discard)
	for _, zero := range zeros {
		view := reflect.ValueOf(zero)
		for i := range view.NumMethod() {
			name := reflect.Indirect(view).Type().Name() + "." + view.Type().Method(i).Name
			if slices.Contains(ofNoEvent, name) {
				continue
			}
			if view.Type().Method(i).Name == "Format" {
				assert.NotContains(t, fmt.Sprintf("%v %+v %s", zero, zero, zero), "PANIC", name)
				continue
			}
			method := view.Method(i)
			var args []reflect.Value
			for j := range method.Type().NumIn() {
				in := method.Type().In(j)
				if method.Type().IsVariadic() && j == method.Type().NumIn()-1 {
					break
				}
				require.True(t, given[in].IsValid(), "%s takes %s: say what", name, in)
				args = append(args, given[in])
			}
			assert.NotPanics(t, func() {
				for _, out := range method.Call(args) {
					drain(t, name, out)
				}
			}, name)
		}
	}
}

// drain reads what a method has returned.
func drain(t *testing.T, name string, out reflect.Value) {
	switch {
	case out.Kind() == reflect.Func && out.Type().CanSeq2():
		for _, v := range out.Seq2() {
			assert.ErrorIs(t, v.Interface().(error), mmapjfr.ErrClosed, name)
		}
	case out.Kind() == reflect.Func && out.Type().CanSeq():
		for range out.Seq() {
			assert.Fail(t, "there is something", name)
		}
	case out.Type() == reflect.TypeFor[*mmapjfr.Cursor]():
		c := out.Interface().(*mmapjfr.Cursor)
		assert.False(t, c.Next())
		assert.ErrorIs(t, c.Err(), mmapjfr.ErrClosed)
	}
}

// TestNilFieldPathPanics says what is wrong.
func TestNilFieldPathPanics(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("test.E", jfrtest.Of("n", "int")), start, 1)
	rec, _ := openBuilt(t, b)
	ev := first(t, rec)
	ev.Get(mmapjfr.Path("n")) // a way is known now
	for name, do := range map[string]func(){
		"Event.Get":  func() { ev.Get(nil) },
		"Event.Int":  func() { ev.Int(nil) },
		"Event.Has":  func() { ev.Has(nil) },
		"Type.Find":  func() { _, _, _ = ev.Type().Resolve(nil) },
		"Value.Get":  func() { ev.Get(mmapjfr.Path("@thread")).Get(nil) },
		"zero event": func() { mmapjfr.Event{}.Get(nil) },
	} {
		assert.PanicsWithValue(t, "mmapjfr: nil FieldPath", do, name)
	}
}
