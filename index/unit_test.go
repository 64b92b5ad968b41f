package index_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

func TestUnits(t *testing.T) {
	mark, note := jfrtest.Mark, jfrtest.Note
	tests := []struct {
		name string
		as   []jfrtest.Annotation
		want index.Unit
		rate bool
	}{
		{"none", nil, index.NoUnit, false},
		{"others", []jfrtest.Annotation{note("jdk.jfr.Label", "TICKS"), mark("jdk.jfr.Experimental")}, index.NoUnit, false},
		{"timestamp in ticks", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "TICKS")}, index.TimestampTicks, false},
		{"timestamp in milliseconds", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")}, index.TimestampMillis, false},
		{"timestamp in something else", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "SECONDS")}, index.NoUnit, false},
		{"timespan in ticks", []jfrtest.Annotation{note("jdk.jfr.Timespan", "TICKS")}, index.TimespanTicks, false},
		{"timespan in seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, index.TimespanSeconds, false},
		{"timespan in milliseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, index.TimespanMillis, false},
		{"timespan in microseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MICROSECONDS")}, index.TimespanMicros, false},
		{"timespan in nanoseconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "NANOSECONDS")}, index.TimespanNanos, false},
		{"bytes", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BYTES")}, index.Bytes, false},
		{"bits", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BITS")}, index.Bits, false},
		{"bytes a second", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BYTES"), mark("jdk.jfr.Frequency")}, index.Bytes, true},
		{"bits a second, the other way round", []jfrtest.Annotation{mark("jdk.jfr.Frequency"), note("jdk.jfr.DataAmount", "BITS")}, index.Bits, true},
		{"percentage", []jfrtest.Annotation{mark("jdk.jfr.Percentage")}, index.Percentage, false},
		{"address", []jfrtest.Annotation{mark("jdk.jfr.MemoryAddress")}, index.Address, false},
		{"frequency", []jfrtest.Annotation{mark("jdk.jfr.Frequency")}, index.Hertz, false},
		{"frequency of what is no amount", []jfrtest.Annotation{mark("jdk.jfr.Frequency"), mark("jdk.jfr.Percentage")}, index.Percentage, false},
		{"the first stands", []jfrtest.Annotation{mark("jdk.jfr.Percentage"), note("jdk.jfr.DataAmount", "BITS")}, index.Percentage, false},
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
	assert.Equal(t, index.NoUnit, last.Unit)
}

func TestUnitIsTime(t *testing.T) {
	for u := index.NoUnit; u <= index.Address; u++ {
		assert.Equal(t, u == index.TimestampTicks || u == index.TimestampMillis, u.IsTimestamp(), "%d", u)
		assert.Equal(t, u == index.TimespanTicks || u == index.TimespanSeconds || u == index.TimespanMillis ||
			u == index.TimespanMicros || u == index.TimespanNanos, u.IsTimespan(), "%d", u)
	}
}
