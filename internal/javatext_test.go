package internal_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/javatext"
)

// What java.text.NumberFormat and String.format of JDK 25 wrote.
func TestJavatextDecimalsAreThoseOfJava(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", -0.0001: "-0", 1.0005: "1", 0.0015: "0.002", 0.0025: "0.003", 1.0625: "1.062",
		999.9996: "1,000", 1234567.8915: "1,234,567.891", -1234.5: "-1,234.5", 1e22: "10,000,000,000,000,000,000,000",
		1234567890123456.7: "1,234,567,890,123,456.8", math.Inf(1): "∞", math.Inf(-1): "-∞", 0.1 + 0.2: "0.3",
	} {
		assert.Equal(t, want, string(javatext.AppendDecimal([]byte("x"), f))[1:], f)
	}
	for n, want := range map[int64]string{0: "0", -999: "-999", 1000: "1,000", -100000: "-100,000", math.MinInt64: "-9,223,372,036,854,775,808"} {
		assert.Equal(t, want, string(javatext.AppendNumber([]byte("x"), n))[1:])
	}
	assert.Equal(t, "18,446,744,073,709,551,615", string(javatext.AppendUnsigned(nil, math.MaxUint64)))
	for digits, want := range []string{"2", "1.5", "1.50"} {
		assert.Equal(t, want, string(javatext.AppendFixed(nil, 1.5, digits)))
	}
}

func TestJavatextMillisOfDurations(t *testing.T) {
	for _, c := range []struct {
		nanos  int64
		digits int
		want   string
	}{
		{1_234_567, -1, "1.23 ms"}, {1_234_567, 0, "1 ms"}, {1_234_567, 6, "1.230000 ms"}, {1_500_000, 0, "2 ms"},
		{999, 3, "0.001 ms"}, {499, 3, "0.000 ms"}, {-999_999_999, 2, "-1.00 s"}, {1_234_567_890, 6, "1.23 s"}, {0, 3, "0 s"},
	} {
		d := javatext.DurationOf(0, c.nanos)
		assert.Equal(t, c.want, string(d.AppendMillis(nil, c.digits)), c)
	}
}

func TestJavatextSlice(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, to int
		want     string
	}{{"abc", 1, 2, "b"}, {"日本", 1, 2, "本"}, {"a😀b", 1, 3, "😀"}, {"a😀b", 0, 2, "a?"}, {"a😀b", 2, 4, "?b"}, {"", 0, 0, ""}} {
		assert.Equal(t, c.want, javatext.Slice(c.text, c.from, c.to), c)
	}
}
