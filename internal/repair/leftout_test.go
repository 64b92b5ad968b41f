package repair_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/repair"
)

// unreadableByJDK are event types that can be read, but not by the JDK, the values of an event
// of each, and why the events cannot be kept. JDK 25 fails at each of these types: with a
// NegativeArraySizeException where it has no fields, and as it prints at the others.
var unreadableByJDK = []struct {
	name   string
	fields []jfrtest.Field
	values []any
	why    string
}{
	{"test.None", nil, nil, "it has no fields; the JDK refuses recordings with such event types"},
	{
		"test.Text", []jfrtest.Field{jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("flag", "boolean")}, []any{"x", true},
		"none of its fields is an integer; the JDK takes the first one, text, for the start time",
	},
	{
		"test.Durations", []jfrtest.Field{jfrtest.Of("startTime", "long"), jfrtest.Of("duration", "long").Array()},
		[]any{1_000_000, []any{1, 2}}, "its field duration is not an integer; the JDK takes it for one",
	},
}

// TestLeftOutIsTold repairs a recording with events that mmapjfr reads and the JDK cannot: the
// report says for each type how many were left out, and why, and all others are kept.
func TestLeftOutIsTold(t *testing.T) {
	b := jfrtest.NewChunk()
	one := b.Event("test.One")
	var want []repair.LeftOut
	for i, u := range unreadableByJDK {
		typ := b.Class(u.name, u.fields...)
		typ.SuperType = jfrtest.EventSuperType
		for range i + 1 {
			b.Emit(typ, u.values...)
			b.Emit(one, 1_000_000)
		}
		want = append(want, repair.LeftOut{Type: u.name, Events: uint64(i + 1), Why: u.why})
	}
	b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
	want = append(want, repair.LeftOut{ID: 4711, Events: 1, Why: "nothing describes the type"})
	requireNothingWrong(t, "left out", b.Bytes())
	_, report := repaired(t, b.Bytes())
	require.Len(t, report.Chunks, 1)
	c := &report.Chunks[0]
	require.Len(t, c.LeftOut, len(want))
	for i, l := range c.LeftOut {
		if want[i].ID == 0 {
			want[i].ID = l.ID
		}
		assert.Equal(t, want[i], l)
	}
	assert.EqualValues(t, 1+2+3, c.Events)
	assert.EqualValues(t, 1+2+3+1, c.Undescribed)
	assert.Zero(t, c.MoreLeftOut)
	assert.False(t, report.Whole())
}

// TestLeftOutIsBounded repairs a recording with events of more types than the report lists.
func TestLeftOutIsBounded(t *testing.T) {
	const more = 10
	b := jfrtest.NewChunk()
	one := b.Event("test.One")
	for i := range repair.MaxLeftOut + more {
		b.Emit(one, 1_000_000)
		b.EmitRaw(jfrtest.EventOptions{}, int64(10_000+i), []byte{1})
	}
	_, report := repaired(t, b.Bytes())
	assert.Len(t, report.Chunks[0].LeftOut, repair.MaxLeftOut)
	assert.EqualValues(t, more, report.Chunks[0].MoreLeftOut)
}

// TestOneTypeForEachNumber repairs a recording in which a number stands for two types: the
// last one alone is written, and the chunk is not copied.
func TestOneTypeForEachNumber(t *testing.T) {
	for _, twice := range []bool{false, true} {
		t.Run(fmt.Sprint("twice ", twice), func(t *testing.T) {
			b := jfrtest.NewChunk()
			typ := b.Lookup("java.lang.Class")
			if typ == nil {
				typ = b.Class("java.lang.Class", jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("modifiers", "int"))
			}
			b.Emit(b.Event("test.One", jfrtest.Of("n", "int")), 1_000_000, 5)
			if twice {
				b.Add(&jfrtest.Class{ID: typ.ID, Name: "test.Other", Fields: []jfrtest.Field{jfrtest.Of("b", "byte")}})
			}
			whole := requireNothingWrong(t, "twice", b.Bytes())
			require.NotNil(t, whole)
			got, err := jfrtest.Decode(whole)
			require.NoError(t, err)
			if name := got.Chunks[0].Classes[typ.ID].Name; twice {
				assert.Equal(t, "test.Other", name)
			} else {
				assert.Equal(t, "java.lang.Class", name)
			}
			_, report := repaired(t, b.Bytes())
			assert.Equal(t, !twice, report.Chunks[0].Action == repair.Copied)
		})
	}
}
