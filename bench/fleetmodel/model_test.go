package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plain is a fleet of equal files on equal cores that are never lost.
func plain() (Fleet, Question, Design, Cluster) {
	c := cluster
	c.Cores, c.SlowShare, c.LossPerHour, c.Network = 10, 0, 0, 1e12
	return Fleet{Files: 1000, Bytes: 1e12, Keys: 1, Largest: 1}, profile, Design{Item: 1e9, Get: 4e6, Chunk: 1e7, Bundle: 1}, c
}

// TestWithoutStragglers has a closed form: all work divided by all speed.
func TestWithoutStragglers(t *testing.T) {
	f, q, d, c := plain()
	r := Simulate(f, q, d, c, 1)
	assert.Equal(t, 1000, r.Tasks)
	assert.InEpsilon(t, f.Bytes/q.Speed, r.Busy, 1e-9)
	assert.InEpsilon(t, f.Bytes/q.Speed/10, r.Seconds, 1e-9)
	assert.InEpsilon(t, f.Bytes, r.Fetched, 1e-9)
	assert.InDelta(t, 0, r.IdleTail, 1e-6)
	assert.InEpsilon(t, 1000*(250.0+100), r.Gets, 1e-9)
	l := Expect(f, q, d, c)
	assert.InEpsilon(t, r.Busy, l.CoreSeconds, 1e-9)
	assert.InEpsilon(t, r.Fetched, l.Fetched, 1e-9)
	assert.InEpsilon(t, r.Gets, l.Gets, 1e-9)
	c.Network = 1e8 // less than the speed of reading
	assert.InEpsilon(t, f.Bytes/1e8/10, Simulate(f, q, d, c, 1).Seconds, 1e-9)
}

// TestRangesFetchTheRest counts what parts of a file fetch if something must be known of all of it.
func TestRangesFetchTheRest(t *testing.T) {
	f, q, d, c := plain()
	d.Item, d.Split = 1e8, 1
	r, l := Simulate(f, q, d, c, 1), Expect(f, q, d, c)
	assert.Equal(t, 10_000, r.Tasks)
	assert.InEpsilon(t, 10*f.Bytes, r.Fetched, 1e-9)
	assert.InEpsilon(t, r.Fetched, l.Fetched, 1e-9)
	assert.InEpsilon(t, f.Bytes/q.Speed+9*f.Bytes/q.Facts, r.Busy, 1e-6)
	assert.InEpsilon(t, r.Busy, l.CoreSeconds, 1e-6)
	for from, times := range map[FactsFrom]float64{FactsOnce: 2, FactsInRanges: 2, FactsCarried: 1} {
		d.Facts = from
		r, l = Simulate(f, q, d, c, 1), Expect(f, q, d, c)
		assert.InEpsilon(t, times*f.Bytes, r.Fetched, 1e-9)
		assert.InEpsilon(t, r.Fetched, l.Fetched, 1e-9)
		assert.InEpsilon(t, f.Bytes/q.Speed+(times-1)*f.Bytes/q.Facts, r.Busy, 1e-6)
		assert.InEpsilon(t, r.Busy, l.CoreSeconds, 1e-6)
		assert.InEpsilon(t, r.Gets, l.Gets, 1e-9)
	}
	d.Facts, q.Facts = FactsOfRest, 0
	assert.InEpsilon(t, f.Bytes, Simulate(f, q, d, c, 1).Fetched, 1e-9)
	d.Split = 10
	q.Facts = profile.Facts
	assert.InEpsilon(t, f.Bytes, Simulate(f, q, d, c, 1).Fetched, 1e-9)
}

// TestSmallFilesAreReadTogether packs a hundred files into an item.
func TestSmallFilesAreReadTogether(t *testing.T) {
	f, q, d, c := plain()
	f.Files, f.Bytes, d.Item = 100_000, 1e11, 1e8+1
	r, l := Simulate(f, q, d, c, 1), Expect(f, q, d, c)
	assert.Equal(t, 1000, r.Tasks)
	assert.Equal(t, 1000.0, math.Round(l.Tasks/10)*10)
	assert.InEpsilon(t, 100_000*2, r.Gets, 1e-9)
	assert.InEpsilon(t, r.Gets, l.Gets, 1e-9)
}

// TestLostCores compares with the closed form: a task of length T that is begun anew after each loss takes (exp(rT)-1)/r.
func TestLostCores(t *testing.T) {
	f, q, d, c := plain()
	f.Files, f.Bytes = 100_000, 1e14
	length := 1e9 / q.Speed
	c.LossPerHour = 3600 / length / 2 // every other task, about
	rate := c.LossPerHour / 3600
	r := Simulate(f, q, d, c, 7)
	assert.InEpsilon(t, float64(f.Files)*(math.Exp(rate*length)-1)/rate, r.Busy, 0.01)
	assert.InEpsilon(t, math.Exp(rate*length)-1, float64(r.Losses)/float64(f.Files), 0.02)
	assert.Equal(t, r, Simulate(f, q, d, c, 7), "the same seed gives the same run")
	assert.NotEqual(t, r, Simulate(f, q, d, c, 8))
}

// TestStragglers stay within the bound of Graham: no longer than the work of a core on average, and one task.
func TestStragglers(t *testing.T) {
	f, q, d, c := plain()
	for _, sigma := range []float64{0.5, 1, 2} {
		f.Sigma = sigma
		r := Simulate(f, q, d, c, 3)
		assert.LessOrEqual(t, r.Seconds, r.Busy/10+r.Longest+1e-6)
		assert.GreaterOrEqual(t, r.Seconds, r.Busy/10-1e-6)
		assert.InEpsilon(t, r.Seconds*10, r.Busy+r.IdleTail, 1e-9)
		divided := d
		divided.Item, divided.Split, q.Facts = 1e7, 1, 0
		assert.Less(t, Simulate(f, q, divided, c, 3).Longest, r.Longest)
		q.Facts = profile.Facts
	}
	c.SlowShare, c.SlowFactor = 1, 2
	f.Sigma = 0
	assert.InEpsilon(t, 2*f.Bytes/q.Speed/10, Simulate(f, q, d, c, 3).Seconds, 1e-9)
}

// TestSizes add up, and have the mean and the spread that they should.
func TestSizes(t *testing.T) {
	f := Fleet{Files: 200_000, Bytes: 2e14, Sigma: 1}
	var sum, logs, squares float64
	for _, s := range Sizes(f, 5) {
		sum += s
		logs += math.Log(s)
		squares += math.Log(s) * math.Log(s)
	}
	assert.InEpsilon(t, f.Bytes, sum, 1e-9)
	mean := logs / 200_000
	assert.InDelta(t, math.Log(1e9)-0.5, mean, 0.01)
	assert.InDelta(t, 1, squares/200_000-mean*mean, 0.02)
}

// TestMerging has closed forms for a key whose partial results are merged one by one, and in two steps.
func TestMerging(t *testing.T) {
	f, q, d, c := plain()
	q.Merged = q.Partial
	one := Expect(f, q, d, c)
	assert.InEpsilon(t, 1000*(q.Partial+headPart)/q.Decode+mergePart*1000*math.Log2(1000), one.LastSeconds, 1e-9)
	assert.InEpsilon(t, 1000*(q.Partial+headPart), one.Shuffle, 1e-9)
	d.Bundle = 10
	assert.InEpsilon(t, 100*(q.Partial+10*headPart)/q.Decode+mergePart*1000*math.Log2(1000), Expect(f, q, d, c).LastSeconds, 1e-9)
	d.Bundle, d.Fanout = 1, 50
	two := Expect(f, q, d, c)
	assert.Less(t, two.LastSeconds, one.LastSeconds)
	assert.Greater(t, two.Shuffle, one.Shuffle)
}

// TestWhatIsPrinted names the first limit of the first design.
func TestWhatIsPrinted(t *testing.T) {
	var out bytes.Buffer
	loads(&out)
	stragglers(&out, 0.001, 1)
	assert.Contains(t, out.String(), "of network: bytes fetched")
	assert.Contains(t, out.String(), "sigma 2")
	l := Expect(day, profile, designs[0], cluster)
	require.Equal(t, "store: GET requests per second", worst(l.Limits(day, cluster))[0].What)
}
