package mmapjfr_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// javaTimes is what Java computes of ticks, in a chunk that began at tick
// 1,000,000 and nanosecond 1700000000123456789:
//
//	double d = rate / 1_000_000_000.0;
//	timestamp = startNanos + (long) ((ticks - startTicks) / d);
//	timespan = (long) (ticks / d);
var javaTimes = []struct{ rate, ticks, timestamp, timespan int64 }{
	{1000000000, 0, 1700000000122456789, 0},
	{1000000000, 1, 1700000000122456790, 1},
	{1000000000, -1, 1700000000122456788, -1},
	{1000000000, 1000000, 1700000000123456789, 1000000},
	{1000000000, 999999, 1700000000123456788, 999999},
	{1000000000, 1234567890123, 1700001234690346912, 1234567890123},
	{1000000000, math.MaxInt64, -7523372036732319467, math.MaxInt64},
	{1000000000, math.MinInt64, -7523372036732319467, math.MinInt64},
	{1000000000, -9223372036854775807, -7523372036732319467, math.MinInt64},
	{1000000000, 9007199254740993, 1709007199377197782, 9007199254740992},
	{1000000000, -9007199254740993, 1690992800867715797, -9007199254740992},
	{2399999347, 0, 1700000000123040123, 0},
	{2399999347, 1, 1700000000123040123, 0},
	{2399999347, -1, 1700000000123040122, 0},
	{2399999347, 1000000, 1700000000123456789, 416666},
	{2399999347, 999999, 1700000000123456789, 416666},
	{2399999347, 1234567890123, 1700000514526467634, 514403427511},
	{2399999347, math.MaxInt64, 5543072727781901077, 3843072727658861056},
	{2399999347, math.MinInt64, 5543072727781901077, -3843072727658861056},
	{2399999347, -9223372036854775807, 5543072727781901077, -3843072727658861056},
	{2399999347, 9007199254740993, 1703753000833644479, 3753000710604356},
	{2399999347, -9007199254740993, 1696246999412435766, -3753000710604356},
	{1000, 0, 1699999000123456789, 0},
	{1000, 1, 1699999000124456789, 1000000},
	{1000, -1, 1699999000122456789, -1000000},
	{1000, 1000000, 1700000000123456789, 1000000000000},
	{1000, 999999, 1700000000122456789, 999999000000},
	{1000, 1234567890123, 2934566890246456853, 1234567890123000064},
	{1000, math.MaxInt64, -7523372036731319020, math.MaxInt64},
	{1000, math.MinInt64, -7523372036731319020, math.MinInt64},
	{1000, -9223372036854775807, -7523372036731319020, math.MinInt64},
	{1000, 9007199254740993, -7523372036731319020, math.MaxInt64},
	{1000, -9007199254740993, -7523372036731319019, math.MinInt64},
	{3, 0, 1699666666790123456, 0},
	{3, 1, 1699666667123456789, 333333333},
	{3, -1, 1699666666456790123, -333333333},
	{3, 1000000, 1700000000123456789, 333333333333333},
	{3, 999999, 1699999999790123456, 333333000000000},
	{3, 1234567890123, -7523372036731319020, math.MaxInt64},
	{3, math.MaxInt64, -7523372036731319020, math.MaxInt64},
	{3, math.MinInt64, -7523372036731319020, math.MinInt64},
	{3, -9223372036854775807, -7523372036731319020, math.MinInt64},
	{3, 9007199254740993, -7523372036731319020, math.MaxInt64},
	{3, -9007199254740993, -7523372036731319019, math.MinInt64},
	{24000000, 0, 1700000000081790123, 0},
	{24000000, 1, 1700000000081790164, 41},
	{24000000, -1, 1700000000081790081, -41},
	{24000000, 1000000, 1700000000123456789, 41666666},
	{24000000, 999999, 1700000000123456748, 41666625},
	{24000000, 1234567890123, 1700051440410545247, 51440328755125},
	{24000000, math.MaxInt64, -7523372036731319020, math.MaxInt64},
	{24000000, math.MinInt64, -7523372036731319020, math.MinInt64},
	{24000000, -9223372036854775807, -7523372036731319020, math.MinInt64},
	{24000000, 9007199254740993, 2075299969029331477, 375299968947541312},
	{24000000, -9007199254740993, 1324700031134248789, -375299968947541312},
	{1, 0, 1699000000123456789, 0},
	{1, 1, 1699000001123456789, 999999999},
	{1, -1, 1698999999123456789, -999999999},
	{1, 1000000, 1700000000123456789, 1000000000000000},
	{1, 999999, 1699999999123456790, 999999000000000},
	{1, 1234567890123, -7523372036731319020, math.MaxInt64},
	{1, math.MaxInt64, -7523372036731319020, math.MaxInt64},
	{1, math.MinInt64, -7523372036731319020, math.MinInt64},
	{1, -9223372036854775807, -7523372036731319020, math.MinInt64},
	{1, 9007199254740993, -7523372036731319020, math.MaxInt64},
	{1, -9007199254740993, -7523372036731319019, math.MinInt64},
	{0, 0, -7523372036731319019, 0},
	{0, 1, -7523372036731319019, math.MaxInt64},
	{0, -1, -7523372036731319019, math.MinInt64},
	{0, 1000000, 1700000000123456789, math.MaxInt64},
	{0, 999999, -7523372036731319019, math.MaxInt64},
	{0, 1234567890123, -7523372036731319020, math.MaxInt64},
	{0, math.MaxInt64, -7523372036731319020, math.MaxInt64},
	{0, math.MinInt64, -7523372036731319020, math.MinInt64},
	{0, -9223372036854775807, -7523372036731319020, math.MinInt64},
	{0, 9007199254740993, -7523372036731319020, math.MaxInt64},
	{0, -9007199254740993, -7523372036731319019, math.MinInt64},
	{-1000, 0, 1700001000123456789, 0},
	{-1000, 1, 1700001000122456789, -1000000},
	{-1000, -1, 1700001000124456789, 1000000},
	{-1000, 1000000, 1700000000123456789, -1000000000000},
	{-1000, 999999, 1700000000124456789, -999999000000},
	{-1000, 1234567890123, 465433110000456725, -1234567890123000064},
	{-1000, math.MaxInt64, -7523372036731319019, math.MinInt64},
	{-1000, math.MinInt64, -7523372036731319019, math.MaxInt64},
	{-1000, -9223372036854775807, -7523372036731319019, math.MaxInt64},
	{-1000, 9007199254740993, -7523372036731319019, math.MinInt64},
	{-1000, -9007199254740993, -7523372036731319020, math.MaxInt64},
	{9223372036854775807, 0, 1700000000123456789, 0},
	{9223372036854775807, 1, 1700000000123456789, 0},
	{9223372036854775807, -1, 1700000000123456789, 0},
	{9223372036854775807, 1000000, 1700000000123456789, 0},
	{9223372036854775807, 999999, 1700000000123456789, 0},
	{9223372036854775807, 1234567890123, 1700000000123456922, 133},
	{9223372036854775807, math.MaxInt64, 1700000001123456788, 999999999},
	{9223372036854775807, math.MinInt64, 1700000001123456788, -999999999},
	{9223372036854775807, -9223372036854775807, 1700000001123456788, -999999999},
	{9223372036854775807, 9007199254740993, 1700000000124433351, 976562},
	{9223372036854775807, -9007199254740993, 1700000000122480227, -976562},
}

func TestTimesAreThoseOfTheJDK(t *testing.T) {
	for _, c := range javaTimes {
		b := jfrtest.NewChunk()
		b.Header.TickRate, b.Header.StartNanos = c.rate, 1700000000123456789
		ty := b.Event("E", jfrtest.Duration(), jfrtest.Of("at", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "TICKS")))
		b.Emit(ty, c.ticks, c.ticks, c.ticks)
		rec, _ := openBuilt(t, b)
		ev := first(t, rec)
		at, d := ev.Get(mmapjfr.Path("at")), ev.Get(mmapjfr.Path("duration"))

		assert.Equal(t, c.timestamp, ev.StartNanos(), "%d at %d/s", c.ticks, c.rate)
		assert.Equal(t, c.timestamp, ev.Start().UnixNano())
		assert.Equal(t, time.UTC, ev.Start().Location())
		switch c.ticks {
		case math.MinInt64:
			assert.True(t, at.Time().IsZero())
			assert.Equal(t, mmapjfr.NoDuration, d.Duration())
			assert.True(t, engine.ValueIsUnset(d))
		case math.MaxInt64:
			assert.Equal(t, mmapjfr.Forever, d.Duration())
			assert.False(t, engine.ValueIsUnset(d))
		default:
			assert.Equal(t, c.timestamp, at.Time().UnixNano())
			assert.Equal(t, at.Time(), ev.Time(mmapjfr.Path("at")))
			assert.Equal(t, time.Duration(c.timespan), d.Duration(), "%d at %d/s", c.ticks, c.rate)
			assert.Equal(t, d.Duration(), ev.Timespan(mmapjfr.Path("duration")))
		}
	}
}

// TestEndsAreConvertedAsTheJDKDoes: it converts the ticks of the end, not the
// duration, and the two can differ by a nanosecond.
func TestEndsAreConvertedAsTheJDKDoes(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Header.TickRate, b.Header.StartNanos = 3, 0
	ty := b.Event("E", jfrtest.Duration())
	none := b.Event("None")
	b.Emit(ty, start+1, 2)
	b.Emit(none, start+2)
	rec, _ := openBuilt(t, b)
	events := all(t, rec)
	assert.Equal(t, int64(333333333), events[0].StartNanos())
	assert.Equal(t, int64(1000000000), engine.EventEndNanos(events[0]))
	assert.Equal(t, time.Duration(666666667), events[0].Duration())
	assert.Equal(t, time.Duration(666666666), events[0].Timespan(mmapjfr.Path("duration")))
	assert.Equal(t, int64(1000000000), events[0].End().UnixNano())
	assert.Equal(t, int64(666666666), events[1].StartNanos())
	assert.Equal(t, events[1].Start(), events[1].End(), "without a duration")
	assert.Zero(t, events[1].Duration())
	assert.Equal(t, int64(start+2), engine.EventStartTicks(events[1]))
}

func TestUnits(t *testing.T) {
	note, mark := jfrtest.Note, jfrtest.Mark
	for _, c := range []struct {
		name      string
		notes     []jfrtest.Annotation
		class     string
		value     any
		unit      mmapjfr.Unit
		rate      bool
		unsigned  bool
		timestamp int64 // in ns; 0 if it is none
		timespan  time.Duration
	}{
		{"none", nil, "long", 5, mmapjfr.NoUnit, false, false, 0, 0},
		{"ticks", []jfrtest.Annotation{note("jdk.jfr.Timespan", "TICKS")}, "long", 5, mmapjfr.TimespanTicks, false, false, 0, 5},
		{"nanos", []jfrtest.Annotation{note("jdk.jfr.Timespan", "NANOSECONDS")}, "long", 5, mmapjfr.TimespanNanos, false, false, 0, 5},
		{"micros", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MICROSECONDS")}, "long", 5, mmapjfr.TimespanMicros, false, false, 0, 5 * time.Microsecond},
		{"millis", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, "long", 5, mmapjfr.TimespanMillis, false, false, 0, 5 * time.Millisecond},
		{"seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", 5, mmapjfr.TimespanSeconds, false, false, 0, 5 * time.Second},
		{"int millis", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, "int", -5, mmapjfr.TimespanMillis, false, false, 0, -5 * time.Millisecond},
		{"short seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "short", -5, mmapjfr.TimespanSeconds, false, false, 0, -5 * time.Second},
		{"least int is a number", []jfrtest.Annotation{note("jdk.jfr.Timespan", "NANOSECONDS")}, "int", math.MinInt32, mmapjfr.TimespanNanos, false, false, 0, math.MinInt32},
		{"seconds beyond", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", int64(math.MaxInt64 - 1), mmapjfr.TimespanSeconds, false, false, 0, mmapjfr.Forever},
		{"seconds far below", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", int64(math.MinInt64 + 1), mmapjfr.TimespanSeconds, false, false, 0, mmapjfr.NoDuration + 1},
		{"greatest seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", int64(9223372036), mmapjfr.TimespanSeconds, false, false, 0, 9223372036 * time.Second},
		{"least seconds", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", int64(-9223372036), mmapjfr.TimespanSeconds, false, false, 0, -9223372036 * time.Second},
		{"greatest seconds and one", []jfrtest.Annotation{note("jdk.jfr.Timespan", "SECONDS")}, "long", int64(9223372037), mmapjfr.TimespanSeconds, false, false, 0, mmapjfr.Forever},
		{"forever", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, "long", int64(math.MaxInt64), mmapjfr.TimespanMillis, false, false, 0, mmapjfr.Forever},
		{"not known", []jfrtest.Annotation{note("jdk.jfr.Timespan", "MILLISECONDS")}, "long", int64(math.MinInt64), mmapjfr.TimespanMillis, false, false, 0, mmapjfr.NoDuration},
		{"unknown timespan", []jfrtest.Annotation{note("jdk.jfr.Timespan", "FORTNIGHTS")}, "long", 5, mmapjfr.NoUnit, false, false, 0, 0},
		{"timestamp", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "TICKS")}, "long", start + 5, mmapjfr.TimestampTicks, false, false, 1_700_000_000_000_000_005, 0},
		{"epoch", []jfrtest.Annotation{note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")}, "long", 1234567, mmapjfr.TimestampMillis, false, false, 1234567000000, 0},
		{"bytes", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BYTES")}, "long", 5, mmapjfr.Bytes, false, false, 0, 0},
		{"bits", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BITS")}, "long", 5, mmapjfr.Bits, false, false, 0, 0},
		{"bits per second", []jfrtest.Annotation{note("jdk.jfr.DataAmount", "BITS"), mark("jdk.jfr.Frequency")}, "long", 5, mmapjfr.Bits, true, false, 0, 0},
		{"per second bytes", []jfrtest.Annotation{mark("jdk.jfr.Frequency"), note("jdk.jfr.DataAmount", "BYTES")}, "long", 5, mmapjfr.Bytes, true, false, 0, 0},
		{"frequency", []jfrtest.Annotation{mark("jdk.jfr.Frequency")}, "double", 5, mmapjfr.Hertz, false, false, 0, 0},
		{"percentage", []jfrtest.Annotation{mark("jdk.jfr.Percentage")}, "float", 0.5, mmapjfr.Percentage, false, false, 0, 0},
		{"address", []jfrtest.Annotation{mark("jdk.jfr.MemoryAddress")}, "long", 5, mmapjfr.Address, false, false, 0, 0},
		{"unsigned", []jfrtest.Annotation{mark("jdk.jfr.Unsigned")}, "long", 5, mmapjfr.NoUnit, false, true, 0, 0},
		{"unsigned bytes", []jfrtest.Annotation{mark("jdk.jfr.Unsigned"), note("jdk.jfr.DataAmount", "BYTES")}, "int", -1, mmapjfr.Bytes, false, true, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			ty := b.Event("E", jfrtest.Of("f", c.class).With(c.notes...))
			b.Emit(ty, start, c.value)
			rec, _ := openBuilt(t, b)
			v := first(t, rec).Get(mmapjfr.Path("f"))
			f, ok := v.Field()
			require.True(t, ok)
			assert.Equal(t, c.unit, f.Unit())
			assert.Equal(t, c.rate, engine.FieldIsRate(f))
			assert.Equal(t, c.unsigned, f.IsUnsigned())
			assert.Equal(t, c.timespan, v.Duration())
			if c.timestamp == 0 {
				assert.True(t, v.Time().IsZero())
			} else {
				assert.Equal(t, c.timestamp, v.Time().UnixNano())
				assert.Equal(t, time.UTC, v.Time().Location())
			}
		})
	}
}

func TestEpochMillisBeyondNanoseconds(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("f", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")))
	for _, ms := range []int64{math.MaxInt64, math.MinInt64 + 1, -1, 253402300800000} {
		b.Emit(ty, start, ms)
	}
	b.Emit(ty, start, int64(math.MinInt64))
	rec, _ := openBuilt(t, b)
	p := mmapjfr.Path("f")
	for i, ev := range all(t, rec) {
		if i == 4 {
			assert.True(t, ev.Time(p).IsZero(), "not known")
			continue
		}
		assert.Equal(t, ev.Int(p), ev.Time(p).UnixMilli())
	}
}

func TestZones(t *testing.T) {
	for _, c := range []struct {
		name     string
		gmt, dst int64 // ms
		zone     string
		seconds  int
	}{
		{"UTC", 0, 0, "UTC", 0},
		{"Berlin in summer", 3_600_000, 3_600_000, "+02:00", 7200},
		{"India", 19_800_000, 0, "+05:30", 19800},
		{"New York in winter", -18_000_000, 0, "-05:00", -18000},
		{"Newfoundland", -12_600_000, 3_600_000, "-02:30", -9000},
		{"less than a second", 999, 0, "UTC", 0},
		{"summer makes up for it", -3_600_000, 3_600_000, "UTC", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newSample()
			b.Region = jfrtest.Region{Locale: "de_DE", GMTOffset: c.gmt, DST: c.dst}
			rec, _ := openBuilt(t, b)
			locale, zone, err := engine.ChunkRegion(rec.Chunks()[0])
			require.NoError(t, err)
			assert.Equal(t, "de_DE", locale)
			assert.Equal(t, c.zone, zone.String())
			name, seconds := rec.Start().In(engine.RecordingLocation(rec)).Zone()
			assert.Equal(t, c.zone, name)
			assert.Equal(t, c.seconds, seconds)
		})
	}
	t.Run("the first chunk that tells", func(t *testing.T) {
		bare, b := jfrtest.NewChunk(), newSample()
		bare.Bare = true
		b.Region.GMTOffset = 3_600_000
		rec, _ := openBuilt(t, bare, b)
		assert.Equal(t, "+01:00", engine.RecordingLocation(rec).String())
		_, _, err := engine.ChunkRegion(rec.Chunks()[0])
		require.Error(t, err)
	})
	t.Run("none", func(t *testing.T) {
		bare := jfrtest.NewChunk()
		bare.Bare = true
		rec, _ := openBuilt(t, bare)
		assert.Equal(t, time.UTC, engine.RecordingLocation(rec))
	})
}
