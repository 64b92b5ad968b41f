package profile

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// waitingRange returns a range in which kinds of chunks wait for single samples.
func waitingRange(from, to uint64, disputes int) *openRange {
	r := newOpenRange("a.jfr", mmapjfr.ChunkRange{From: from, To: to})
	for i := range disputes {
		d := &dispute{
			rivals: rivals{kind: kinds[0].Kind}, chunk: from + uint64(i) + 1, settings: settings{{int64(from), "period"}: "20 ms"},
			rows: make([]rowTable, 2), spreads: make(map[spreadKey]*rowTable),
		}
		for _, n := range []int{0, 2} {
			v := kinds[0].sources[n].rival()
			v.hasSingles = true
			v.states[0] = amounts{1, 1}
			d.list = append(d.list, v)
		}
		r.add(d)
	}
	return r
}

func profileOf(list ...*openRange) *Profile {
	p := New()
	p.AddLabels(Labels{})
	p.open = list
	return p
}

// TestRangesThatContradictThemselves has bytes of ranges that no program writes: nothing may look up what they name.
func TestRangesThatContradictThemselves(t *testing.T) {
	read := func(list ...*openRange) error {
		w := profileWriter{}
		p := profileOf(list...)
		data, err := New().MarshalBinary()
		require.NoError(t, err)
		w.b = data[:len(data)-1]
		w.uint(len(list))
		for _, r := range p.open {
			w.open(r)
		}
		return New().UnmarshalBinary(w.b)
	}
	require.NoError(t, read(waitingRange(100, 200, 2)))
	require.NoError(t, read(waitingRange(100, 200, 2), waitingRange(201, 0, 1)))
	require.ErrorIs(t, read(waitingRange(100, 200, 2), waitingRange(200, 0, 1)), ErrFormat, "they would be one")
	require.ErrorIs(t, read(waitingRange(100, 200, 2), waitingRange(150, 0, 1)), ErrFormat, "they overlap")
	require.ErrorIs(t, read(waitingRange(100, 100, 0)), ErrFormat)
	for name, change := range map[string]func(r *openRange, d *dispute){
		"a chunk before": func(_ *openRange, d *dispute) { d.chunk = 100 },
		"a chunk after":  func(_ *openRange, d *dispute) { d.chunk = 201 },
		"a chunk twice":  func(_ *openRange, d *dispute) { d.chunk++ },
		"another rank":   func(_ *openRange, d *dispute) { d.list[0].rank = 7 },
		"another mode":   func(_ *openRange, d *dispute) { d.list[0].mode = onWall },
		"another source": func(_ *openRange, d *dispute) { d.list[0].event = "jdk.Other" },
		"another order":  func(_ *openRange, d *dispute) { d.list[0], d.list[1] = d.list[1], d.list[0] },
		"a source twice": func(_ *openRange, d *dispute) { d.list[1] = d.list[0] },
		"another kind":   func(_ *openRange, d *dispute) { d.kind = kinds[1].Kind },
		"a single elsewhere": func(r *openRange, _ *dispute) {
			r.singles[singleKey{"alloc", sampleEvent, 9}] = &singles{kind: kinds[3].Kind}
		},
	} {
		r := waitingRange(100, 200, 2)
		change(r, r.first.disputes[0])
		require.ErrorIs(t, read(r), ErrFormat, name)
	}
}

// TestOverlappingRanges joins ranges that have the same chunk with other sources.
func TestOverlappingRanges(t *testing.T) {
	a, b := waitingRange(100, 200, 60), waitingRange(150, 0, 1)
	b.first.disputes[0].list, b.first.disputes[0].rows = b.first.disputes[0].list[:1], make([]rowTable, 1)
	p := profileOf(a)
	p.Merge(profileOf(b))
	p.Settle()
	assert.Empty(t, p.open)
}

// TestRangesCostTheSameInAnyOrder merges ranges that follow each other from the first to the last, and from the last to the first. Twice
// as many cost twice as much.
func TestRangesCostTheSameInAnyOrder(t *testing.T) {
	for _, order := range []string{"forwards", "backwards"} {
		cost := func(ranges int) (allocations uint64) {
			list := make([]*Profile, ranges)
			for i := range list {
				at := i
				if order == "backwards" {
					at = ranges - 1 - i
				}
				to := uint64(at+1) * 100
				if at == ranges-1 {
					to = 0
				}
				list[i] = profileOf(waitingRange(uint64(at)*100, to, 5))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			sum := New()
			for _, p := range list {
				sum.Merge(p)
			}
			runtime.ReadMemStats(&after)
			require.Empty(t, sum.open, "all is decided")
			return after.Mallocs - before.Mallocs
		}
		few, many := cost(100), cost(400)
		assert.Less(t, many, 6*few, fmt.Sprint(order, " ", few, " ", many))
	}
}

// TestTextsOfSettings refuses settings that nobody writes: long texts, which would be in many disputes, and other names.
func TestTextsOfSettings(t *testing.T) {
	for text, ok := range map[string]bool{"20 ms": true, strings.Repeat("x", mostOfSetting): true, strings.Repeat("x", mostOfSetting+1): false} {
		for _, name := range []string{"period", "stackTrace"} {
			w := profileWriter{}
			w.settings(settings{{1, name}: text})
			r := profileReader{b: w.b}
			r.settings()
			assert.Equal(t, ok && name == "period", !r.failed, name)
		}
	}
}

// TestLatestSettings keeps the last of each, and no more than there may be, whatever is left out on the way.
func TestLatestSettings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all, short []settingAt
	for i := range 50_000 {
		at := settingAt{offset: uint64(rng.Int64N(1 << 40)), key: settingKey{rng.Int64N(5000), "period"}, value: strconv.Itoa(i)}
		if all, short = append(all, at), append(short, at); len(short) > 2000 {
			short = latest(short)
		}
	}
	old := settings{{3, "period"}: "3", {4000, "period"}: "4", {6000, "period"}: "5"}
	got := old.with(short)
	assert.Equal(t, old.with(all), got)
	assert.Len(t, got, mostSettings)
}
