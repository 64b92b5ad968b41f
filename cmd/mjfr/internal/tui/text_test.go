package tui_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
)

func TestAmounts(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", -1: "0", math.NaN(): "0", 0.001: "0.00", 0.1: "0.10", 0.994: "0.99", 0.996: "1.0", 12.34: "12.3", 99.9: "99.9",
		99.96: "100", 1234.5: "1,235", math.Inf(1): "4,611,686,018,427,387,904",
	} {
		assert.Equal(t, want, tui.Rate(f), f)
	}
	for f, want := range map[float64]string{
		0: "0%", -1: "0%", math.NaN(): "0%", 0.0021: "0.2%", 0.0994: "9.9%", 0.0996: "10%", 0.37: "37%", 1: "100%", 1e300: "9900%",
	} {
		assert.Equal(t, want, tui.Percent(f), f)
	}
	for d, want := range map[time.Duration]string{
		0: "0 ms", -5: "0 ms", 1: "0.00 µs", 34500: "34.5 µs", 810 * time.Microsecond: "810 µs", 999_499 * time.Nanosecond: "999 µs",
		999_500 * time.Nanosecond: "1.00 ms", 4120 * time.Microsecond: "4.12 ms", 38900 * time.Millisecond: "38.9 s",
		599 * time.Second: "599 s", 11 * time.Minute: "11m0s", math.MaxInt64: "106751d23h",
	} {
		assert.Equal(t, want, tui.Span(d), d)
	}
	for d, want := range map[time.Duration]string{
		-1: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m1s", 3*time.Hour + 12*time.Minute: "3h12m", 49 * time.Hour: "2d1h",
	} {
		assert.Equal(t, want, tui.Age(d), d)
	}
	assert.Equal(t, "0 bytes", tui.Bytes(math.MinInt64))
	assert.Equal(t, "312.0 MB", tui.Bytes(312<<20))
}

func TestShorten(t *testing.T) {
	const name = "java.util.concurrent.ThreadPoolExecutor.runWorker"
	for _, c := range []struct {
		width, keep int
		want        string
	}{
		{49, 2, name},
		{48, 2, "j.util.concurrent.ThreadPoolExecutor.runWorker"},
		{45, 2, "j.u.concurrent.ThreadPoolExecutor.runWorker"},
		{40, 2, "j.u.c.ThreadPoolExecutor.runWorker"},
		{30, 2, "ThreadPoolExecutor.runWorker"},
		{20, 2, "…lExecutor.runWorker"},
		{10, 1, "runWorker"},
		{1, 1, "…"},
		{0, 1, ""},
		{-3, 1, ""},
	} {
		assert.Equal(t, c.want, tui.Shorten(name, c.width, c.keep), c.width)
	}
	assert.Equal(t, "…注文.処理", tui.Shorten("com.日本語の注文.処理", 10, 2), "what is two columns wide")
	assert.Equal(t, "", tui.Shorten("", 10, 2))
	assert.Equal(t, "…..", tui.Shorten("....", 3, 9))
}

func TestGraphs(t *testing.T) {
	assert.Equal(t, "  ▁▅█▁█▁", tui.Spark([]float64{0, 0.5, 1, -1, 7, math.NaN()}, 8))
	assert.Equal(t, "▅█", tui.Spark([]float64{0, 0.5, 1}, 2))
	assert.Equal(t, "", tui.Spark([]float64{1}, 0))
	assert.Equal(t, "[    ]", tui.Bar(0, 6))
	assert.Equal(t, "[██  ]", tui.Bar(0.5, 6))
	assert.Equal(t, "[██▎ ]", tui.Bar(0.57, 6))
	assert.Equal(t, "[████]", tui.Bar(math.Inf(1), 6))
	assert.Equal(t, "[    ]", tui.Bar(math.NaN(), 6))
	assert.Equal(t, "", tui.Bar(1, 2))
}
