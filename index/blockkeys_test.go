package index_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestThreadOfUndescribedClasses has fields of classes that the metadata does not describe.
func TestThreadOfUndescribedClasses(t *testing.T) {
	for _, name := range []string{"eventThread", "thread", "other"} {
		c := schema.Type{Fields: []schema.Field{{Name: name, Constant: true}}}
		assert.Nil(t, c.Thread(), name)
	}
}

func TestMarks(t *testing.T) {
	var (
		long    = jfrtest.Of("long", "long")
		text    = jfrtest.Of("text", jfrtest.StringClass)
		flag    = jfrtest.Of("flag", "boolean")
		start   = jfrtest.Of("startTime", "long")
		thread  = jfrtest.Const("eventThread", threadClass)
		sampled = jfrtest.Const("sampledThread", threadClass)
		inner   = jfrtest.Of("inner", "test.Inner") // two longs
	)
	type fields = []jfrtest.Field
	tests := []struct {
		name         string
		fields       fields
		time, thread int
		near         bool // where integers are compressed
	}{
		{"nothing", nil, -1, -1, false},
		{"time", fields{start}, 0, -1, true},
		{"time and thread", fields{start, thread}, 0, 1, true},
		{"sample", fields{start, sampled}, 0, 1, true},
		{"thread alone", fields{thread}, -1, 0, false},
		{"the other way round", fields{thread, start}, 1, 0, false},
		{"after others", fields{long, long, start, long, thread, long}, 2, 4, true},
		{"after many", fields{long, long, long, long, long, long, start, thread}, 6, 7, true},
		{"after too many", fields{long, long, long, long, long, long, long, start, thread}, 7, 8, false},
		{"after a struct", fields{inner, start, inner, thread}, 2, 5, true},
		{"after a text", fields{text, start, thread}, 1, 2, false},
		{"around a text", fields{start, text, thread}, 0, 2, false},
		{"before a text", fields{start, thread, text}, 0, 1, true},
		{"around a flag", fields{start, flag, thread}, 0, 2, false},
		{"after an array", fields{long.Array(), start}, 1, -1, false},
		{"neither, and a text", fields{text}, -1, -1, false},
		{"neither, and a long", fields{long}, -1, -1, false},
		{"both threads", fields{sampled, thread, start}, 2, 1, false},
		{"the one of the threads that is one", fields{jfrtest.Const("eventThread", "java.lang.Class"), sampled}, -1, 1, false},
		{"times that are none", fields{jfrtest.Of("startTime", "int"), jfrtest.Const("sampledThread", "java.lang.Class")}, -1, -1, false},
		{"time as a constant", fields{jfrtest.Const("startTime", "long")}, -1, -1, false},
		{"times", fields{start.Array()}, -1, -1, false},
		{"threads", fields{thread.Array()}, -1, -1, false},
		{"thread in place", fields{start, jfrtest.Of("eventThread", threadClass)}, 0, -1, true},
		{"other names", fields{jfrtest.Of("starttime", "long"), jfrtest.Const("eventThread", "java.lang.Class")}, -1, -1, false},
		{"the thread that it is about", fields{start, long, jfrtest.Const("thread", threadClass)}, 0, 2, true},
		{"the first of others", fields{start, jfrtest.Const("carrier", threadClass), jfrtest.Const("waiter", threadClass)}, 0, 1, true},
		{"its thread before others", fields{start, jfrtest.Const("carrier", threadClass), jfrtest.Const("thread", threadClass)}, 0, 2, true},
		{"the sampled one before its thread", fields{start, jfrtest.Const("thread", threadClass), sampled}, 0, 2, true},
		{"a name that no path has", fields{start, jfrtest.Const("threads[0]", threadClass)}, 0, -1, true},
	}
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		b.Class("test.Inner", long, long)
		k := kinds{b: b}
		for _, tt := range tests {
			k.event(tt.name, tt.fields...)
		}
		k.event("no plan", start, jfrtest.Of("self", "no plan"))
		types := typesOf(t, onlyChunk(t, b.Bytes()))
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				class := types.Named(tt.name)
				m := types.BlockKeys()[class.Ordinal()]
				assert.Equal(t, tt.time, int(m.Time))
				assert.Equal(t, tt.thread, int(m.Thread))
				assert.Equal(t, tt.near && b.Header.Flags&jfrtest.FlagCompressed != 0, m.Near)
				assert.Equal(t, 1, bits.OnesCount64(m.Types[0])+bits.OnesCount64(m.Types[1]))
				if f := class.StartTime(); tt.time < 0 {
					assert.Nil(t, f)
				} else {
					assert.Equal(t, tt.time, f.Slot())
				}
				switch f := class.Thread(); {
				case tt.thread >= 0:
					assert.Equal(t, tt.thread, f.Slot())
				case f != nil: // it lies in the event, and has no key
					assert.Equal(t, "thread in place", tt.name)
				}
			})
		}
		m := types.BlockKeys()[types.Named("no plan").Ordinal()]
		assert.Equal(t, schema.BlockKeys{Types: m.Types, Time: -1, Thread: -1, Type: m.Type}, m)
		assert.Nil(t, types.Named("no plan").StartTime())
		assert.Nil(t, types.Named("no plan").Thread())
	})
}

// As many event types have a bit of their own as there are bits. What is
// described later changes none of them.
func TestTypeBits(t *testing.T) {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: basic})
	var first []*jfrtest.Class
	for i := range 300 {
		if i%2 == 0 {
			b.Class(fmt.Sprint("test.Struct", i))
		}
		b.Event(fmt.Sprint("test.E", i))
	}
	all := b.Classes()
	first = all[:len(basic)+60]
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: all})
	b.Metadata(&jfrtest.Metadata{ID: 3, Classes: first})
	c := onlyChunk(t, b.Bytes())

	check := func(types *schema.TypeSet) map[string][2]uint64 {
		of := map[string][2]uint64{}
		var seen [2]uint64
		n := 0
		for _, class := range types.Types {
			if !class.IsEvent() {
				continue
			}
			m := types.BlockKeys()[class.Ordinal()].Types
			of[class.Name] = m
			require.Equal(t, 1, bits.OnesCount64(m[0])+bits.OnesCount64(m[1]))
			if n++; n <= 128 {
				require.Zero(t, m[0]&seen[0]|m[1]&seen[1], "event type %d shares a bit", n)
			}
			seen[0] |= m[0]
			seen[1] |= m[1]
		}
		if n >= 128 {
			assert.Equal(t, [2]uint64{math.MaxUint64, math.MaxUint64}, seen)
		}
		return of
	}
	few := check(typesOf(t, c))
	require.Len(t, few, 40)
	types, err := c.AllTypes()
	require.NoError(t, err)
	many := check(types)
	require.Len(t, many, 300)
	for name, bits := range few {
		assert.Equal(t, bits, many[name], name)
	}
}

// Each thread has a bit, and threads that are counted from one, or lie at equal
// distances in memory, mostly have different ones.
func TestThreadBits(t *testing.T) {
	for _, step := range []int64{1, 2, 8, 64, 1 << 10, 1 << 32, 0x7f3a_0000_1240} {
		set := uint64(0)
		for i := range int64(64) {
			bit := index.ThreadBit(i * step)
			require.Equal(t, 1, bits.OnesCount64(bit))
			set |= bit
		}
		assert.GreaterOrEqual(t, bits.OnesCount64(set), 20, "64 threads, %d apart", step)
	}
	assert.Equal(t, 1, bits.OnesCount64(index.ThreadBit(-1)))
	assert.Equal(t, 1, bits.OnesCount64(index.ThreadBit(math.MinInt64)))
}

// The time of an event is found also where very many fields come before it.
func TestTimeBehindManyFields(t *testing.T) {
	for _, n := range []int{100, 1 << 14, 1<<14 + 1} {
		b := jfrtest.NewChunk()
		values := make(jfrtest.Inline, n)
		var fields []jfrtest.Field
		for i := range values {
			values[i] = 1
			fields = append(fields, jfrtest.Of("f", "byte"))
		}
		b.Class("test.Wide", fields...)
		k := kinds{b: b}
		event := k.event("test.E", jfrtest.Of("wide", "test.Wide"), jfrtest.Of("startTime", "long"), jfrtest.EventThread())
		b.Emit(event, values, 12345, 6)
		c := onlyChunk(t, b.Bytes())
		class := typesOf(t, c).Named("test.E")
		require.NotNil(t, class.StartTime())
		require.NotNil(t, class.Thread())
		facts := c.Blocks().Facts(0)
		assert.LessOrEqual(t, facts.Least, int64(12345), "after %d fields", n)
		assert.GreaterOrEqual(t, facts.Greatest, int64(12345), "after %d fields", n)
		assert.NotZero(t, facts.Threads&index.ThreadBit(6), "after %d fields", n)
	}
}

// Events of a class that is described, but not as one of events, are passed by
// as little as those of no known class.
func TestEventsOfOtherClasses(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst, b.ConstantsFirst = true, true
	class := b.Class("test.NoEvent", jfrtest.Of("startTime", "long"), jfrtest.EventThread())
	b.Emit(class, 12345, 6)
	c := onlyChunk(t, b.Bytes())
	require.Equal(t, uint64(1), c.Blocks().Events())
	assert.Equal(t, uint64(1), c.Blocks().Count(typesOf(t, c).Named("test.NoEvent")).Events)
	facts := c.Blocks().Facts(0)
	assert.NotEqual(t, [2]uint64{}, facts.Types, "a block without types has no events")
	assert.LessOrEqual(t, facts.Least, int64(12345))
	assert.GreaterOrEqual(t, facts.Greatest, int64(12345))
	assert.NotZero(t, facts.Threads&index.ThreadBit(6))
}
