package mmapjfr_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestViewsFitRegisters: Go keeps structs of up to four words and four fields in
// registers. Larger views go through memory each time they are passed on, and
// reading gets twice as slow.
func TestViewsFitRegisters(t *testing.T) {
	for _, view := range []any{
		mmapjfr.Value{}, mmapjfr.Event{}, mmapjfr.Thread{}, mmapjfr.ThreadGroup{}, mmapjfr.Class{}, mmapjfr.ClassLoader{},
		mmapjfr.Method{}, mmapjfr.StackTrace{}, mmapjfr.Frame{}, mmapjfr.Type{}, mmapjfr.Field{}, mmapjfr.Chunk{},
	} {
		typ := reflect.TypeOf(view)
		assert.LessOrEqual(t, typ.Size(), 4*reflect.TypeFor[uint64]().Size(), typ)
		assert.LessOrEqual(t, fields(typ), 4, typ)
	}
}

// fields returns how many fields a struct has, those of structs inside it
// included.
func fields(t reflect.Type) (n int) {
	for i := range t.NumField() {
		if f := t.Field(i).Type; f.Kind() == reflect.Struct {
			n += fields(f)
		} else {
			n++
		}
	}
	return n
}
