package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestUnits(t *testing.T) {
	mark, note := jfrtest.Mark, jfrtest.Note
	tests := []struct {
		name string
		as   []jfrtest.Annotation
		want schema.Unit
		rate bool
	}{
		{"none", nil, schema.NoUnit, false},
		{"others", []jfrtest.Annotation{note("jdk.jfr.Label", "TICKS"), mark("jdk.jfr.Experimental")}, schema.NoUnit, false},
		{"timestamp in ticks", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "TICKS")}, schema.TimestampTicks, false},
		{"timestamp in milliseconds", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")}, schema.TimestampMillis, false},
		{"timestamp in something else", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "SECONDS")}, schema.NoUnit, false},
		{"timespan in ticks", []jfrtest.Annotation{note("jdk.jfr.Timespan", "TICKS")}, schema.TimespanTicks, false},
		{"timespan in seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, schema.TimespanSeconds, false},
		{"timespan in milliseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, schema.TimespanMillis, false},
		{"timespan in microseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MICROSECONDS")}, schema.TimespanMicros, false},
		{"timespan in nanoseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "NANOSECONDS")}, schema.TimespanNanos, false},
		{"bytes", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BYTES")}, schema.Bytes, false},
		{"bits", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BITS")}, schema.Bits, false},
		{"bytes a second", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BYTES"), mark("jdk.jfr.Frequency")}, schema.Bytes, true},
		{"bits a second, the other way round", []jfrtest.Annotation{mark("jdk.jfr.Frequency"), note("jdk.jfr.DataAmount", "BITS")}, schema.Bits, true},
		{"percentage", []jfrtest.Annotation{mark("jdk.jfr.Percentage")}, schema.Percentage, false},
		{"address", []jfrtest.Annotation{mark("jdk.jfr.MemoryAddress")}, schema.Address, false},
		{"frequency", []jfrtest.Annotation{mark("jdk.jfr.Frequency")}, schema.Hertz, false},
		{"frequency of what is no amount", []jfrtest.Annotation{mark("jdk.jfr.Frequency"), mark("jdk.jfr.Percentage")}, schema.Percentage, false},
		{"the first stands", []jfrtest.Annotation{mark("jdk.jfr.Percentage"), note("jdk.jfr.DataAmount", "BITS")}, schema.Percentage, false},
	}
	b := jfrtest.NewChunk()
	class := b.Class("test.Units")
	for _, tt := range tests {
		class.Fields = append(class.Fields, jfrtest.Of(tt.name, "long").With(tt.as...))
	}
	class.Fields = append(class.Fields, jfrtest.Of("unsigned", "long").With(mark("jdk.jfr.Unsigned")))
	got := typesOf(t, onlyChunk(t, b.Bytes())).Named("test.Units")
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := got.Fields[i]
			assert.Equal(t, tt.want, f.Unit)
			assert.Equal(t, tt.rate, f.Rate)
			assert.False(t, f.Unsigned)
		})
	}
	last := got.Fields[len(tests)]
	assert.True(t, last.Unsigned)
	assert.Equal(t, schema.NoUnit, last.Unit)
}

func TestUnitIsTime(t *testing.T) {
	for u := schema.NoUnit; u <= schema.Address; u++ {
		assert.Equal(t, u == schema.TimestampTicks || u == schema.TimestampMillis, u.IsTimestamp(), "%d", u)
		assert.Equal(t, u == schema.TimespanTicks || u == schema.TimespanSeconds || u == schema.TimespanMillis ||
			u == schema.TimespanMicros || u == schema.TimespanNanos, u.IsTimespan(), "%d", u)
	}
}
