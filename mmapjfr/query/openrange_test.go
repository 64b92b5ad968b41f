package query

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// divided is a recording of several chunks, and a plan for it.
type divided struct {
	rec    *mmapjfr.Recording
	plan   *Plan
	ranges []mmapjfr.ChunkRange
}

func divide(t *testing.T, data []byte, text string) *divided {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	st, err := Parse(text)
	require.NoError(t, err)
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	require.NoError(t, err)
	p, err := st.Plan(types, Options{})
	require.NoError(t, err)
	d := &divided{rec: rec, plan: p}
	for _, c := range rec.Chunks() {
		if n := len(d.ranges); n > 0 {
			d.ranges[n-1].To = c.Offset()
		}
		d.ranges = append(d.ranges, mmapjfr.ChunkRange{From: c.Offset()})
	}
	return d
}

func (d *divided) read(t *testing.T, o ReadOptions) *Partial {
	t.Helper()
	found, err := Read(context.Background(), []*mmapjfr.Recording{d.rec}, []*Plan{d.plan}, o)
	require.NoError(t, err)
	return found[0]
}

func coded(t *testing.T, p *Partial) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

// TestRangesOfWhichTooMuchWaits lets nothing wait in some of the ranges: these look through the others, and what waits in the rest is
// decided by what they have found.
func TestRangesOfWhichTooMuchWaits(t *testing.T) {
	defer func(most, least int) { maxOpen, leastShare = most, least }(maxOpen, leastShare)
	rng, looked := rand.New(rand.NewPCG(1, 4)), 0
	for range longtest.Cases(10, 300) {
		data := profiletest.Crossing(rng, 5)
		for _, text := range []string{
			"from * during GarbageCollection as g select @type, count(*), sum(duration), last(g.gcId) group by @type",
			"from test.Step within test.Request as r select r.name, count(*), list(size) group by r.name",
			"select stackTrace, sum(@weight.cpu), sum(@weight.alloc), last(@weight), count(*) from ExecutionSample, ObjectAllocationSample group by stackTrace",
			"select gcId, sum(@weight.cpu), count(*) from * during test.Request as r group by gcId",
		} {
			d := divide(t, data, text)
			want := coded(t, d.read(t, ReadOptions{}))
			var parts []*Partial
			for _, of := range d.ranges {
				maxOpen, leastShare = 1<<28, 1<<16
				if rng.IntN(2) == 0 {
					maxOpen, leastShare = 1, 1
				}
				facts := func() *Facts { looked++; return ReadFacts(context.Background(), d.rec, []*Plan{d.plan}) }
				parts = append(parts, d.read(t, ReadOptions{Range: of, Object: "a", Facts: facts}))
			}
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			sum := d.plan.NewPartial()
			for _, p := range parts {
				again, err := d.plan.Unmarshal(coded(t, p))
				require.NoError(t, err)
				sum.Merge(again)
			}
			require.NoError(t, sum.Err())
			assert.Empty(t, sum.open)
			require.True(t, bytes.Equal(want, coded(t, sum)), text)
		}
	}
	assert.Greater(t, looked, 20)
}

// TestRangesFromTheLastToTheFirst leaves few ranges apart in any order.
func TestRangesFromTheLastToTheFirst(t *testing.T) {
	d := divide(t, profiletest.Crossing(rand.New(rand.NewPCG(1, 5)), 64), "from * during GarbageCollection as g select @type, sum(g.gcId), count(*) group by @type")
	sum := d.plan.NewPartial()
	for _, of := range slices.Backward(d.ranges[1:]) {
		sum.Merge(d.read(t, ReadOptions{Range: of, Object: "a"}))
		assert.LessOrEqual(t, len(sum.open), 12)
	}
	assert.Greater(t, len(sum.open), 0)
	sum.Merge(d.read(t, ReadOptions{Range: d.ranges[0], Object: "a"}))
	assert.Empty(t, sum.open)
	assert.True(t, bytes.Equal(coded(t, d.read(t, ReadOptions{})), coded(t, sum)))
}

// TestDamagedOpenRanges cuts and changes bytes of a partial result in which events wait: it is refused, or it is another one.
func TestDamagedOpenRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for _, text := range []string{
		"from * asof test.Request as r select r.name, @type, count(*), sum(@weight.cpu), sum(size), last(r.n) group by 1, 2",
		"select gcId, @thread, sum(@weight.alloc), sum(size), first(@weight) from * group by 1, 2",
	} {
		d := divide(t, profiletest.Crossing(rng, 4), text)
		data := coded(t, d.read(t, ReadOptions{Range: d.ranges[2], Object: "a"}))
		for i := 0; i < len(data); i += longtest.Cases(7, 1) {
			_, err := d.plan.Unmarshal(data[:i])
			require.Error(t, err)
			changed := slices.Clone(data)
			changed[i] ^= 1 << rng.IntN(8)
			p, err := d.plan.Unmarshal(changed)
			if err != nil {
				continue
			}
			sum := d.plan.NewPartial()
			sum.Merge(p)
			sum.Merge(d.read(t, ReadOptions{Range: d.ranges[1], Object: "a"}))
			sum.Settle()
			for range sum.Result().Rows {
				continue
			}
		}
	}
}
