package page

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// readCells returns the profile of a recording of testdata with times of a length.
func readCells(t *testing.T, name string, times time.Duration) *profile.Profile {
	t.Helper()
	rec, err := mmapjfr.Open("../../../../../testdata/" + name)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: times})
	require.NoError(t, err)
	return p
}

// heatmap returns the page of a profile.
func heatmap(t *testing.T, p *profile.Profile, o Options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteHeatmap(&out, p, o))
	return out.String()
}

// TestHeatmapSums compares the cells of pages with the events of recordings, read one by one.
func TestHeatmapSums(t *testing.T) {
	types := map[string]string{"jdk.ExecutionSample": "running", "jdk.NativeMethodSample": "native", "jdk.JavaMonitorEnter": "lock", "jdk.ThreadPark": "park"}
	type cell struct {
		kind, thread string
		at           int64
	}
	for _, name := range recordings[:2] {
		rec, err := mmapjfr.Open("../../../../../testdata/" + name)
		require.NoError(t, err)
		want := make(map[cell]int64)
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if kind, ok := types[ev.Type().Name()]; ok {
				thread := ev.Thread()
				if kind == "running" || kind == "native" {
					thread = ev.Get(mmapjfr.Path("sampledThread")).Thread()
				}
				want[cell{kind, thread.Name(), ev.StartNanos() / int64(CellLength)}]++
			}
		}
		require.NoError(t, rec.Close())
		f := decode(t, heatmap(t, readCells(t, name, CellLength), Options{Title: name}))
		assert.EqualValues(t, 20, f.Cell)
		got := make(map[cell]int64)
		for k, kind := range f.Kinds {
			for _, r := range f.rows[0][k] {
				assert.Less(t, int64(r.cell), f.Cells)
				for _, known := range types {
					if known == kind.Name {
						got[cell{kind.Name, f.threads[r.thread].name, f.First + int64(r.cell)}] += r.values[0]
					}
				}
			}
		}
		assert.Equal(t, want, got, name)
	}
}

// TestHeatmapLikeFlameGraph adds up all cells of a page: they are the flame graph without times. Times
// of other lengths give the same cells.
func TestHeatmapLikeFlameGraph(t *testing.T) {
	for _, name := range recordings {
		p := readCells(t, name, CellLength)
		page := heatmap(t, p, Options{})
		f := decode(t, page)
		want := decode(t, written(t, read(t, name), Options{}))
		assert.Equal(t, pagePaths(&want, 0, true), pagePaths(&f, 0, true), name)
		if name == recordings[0] {
			assert.True(t, page == heatmap(t, readCells(t, name, 1), Options{}))
		}
	}
}

// TestHeatmapMerged writes equal profiles that were made in different orders.
func TestHeatmapMerged(t *testing.T) {
	a, b := readCells(t, "jdk25-profile.jfr", CellLength), readCells(t, "jdk25-cputime.jfr", CellLength)
	p, q := profile.New(), profile.New()
	p.Merge(a)
	p.Merge(b)
	data, err := b.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, q.UnmarshalBinary(data))
	q.Merge(a)
	assert.True(t, heatmap(t, p, Options{}) == heatmap(t, q, Options{}))
}

// timed returns a profile of samples at some times.
func timed(start, end time.Time, at ...time.Time) *profile.Profile {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	p.AddSpan(start, end)
	for _, at := range at {
		p.AddAt(at.UnixNano(), k.Name, p.Push(0, p.AddText("frame")), p.AddLabels(profile.Labels{}), 1, 10e6)
	}
	return p
}

// TestHeatmapTimes has samples outside of the time of the recording, and a recording of days.
func TestHeatmapTimes(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, test := range map[string]struct {
		p           *profile.Profile
		cell, cells int64
		at          []int // cells
	}{
		"inside":     {timed(start, start.Add(time.Second), start, start.Add(19*time.Millisecond), start.Add(20*time.Millisecond)), 20, 51, []int{0, 1}},
		"outside":    {timed(start, start.Add(time.Second), time.Unix(0, 0), time.Unix(1, 0), start.Add(time.Hour)), 20, 51, []int{0, 50}},
		"no span":    {timed(time.Time{}, time.Time{}, start, start.Add(time.Minute)), 20, 3001, []int{0, 3000}},
		"a day":      {timed(start, start.Add(24*time.Hour), start.Add(24*time.Hour)), 20, 24*3600*50 + 1, []int{24 * 3600 * 50}},
		"a month":    {timed(start, start.Add(720*time.Hour), start.Add(time.Hour)), 1000, 720*3600 + 1, []int{3600}},
		"since 1970": {timed(time.Unix(0, 1), start, start), 1000, mostCells, []int{mostCells - 1}},
		"before":     {timed(time.Unix(-100, 0), time.Unix(-99, 0), time.Unix(-99, -1)), 20, 51, []int{49}},
		"no times":   {timed(time.Time{}, time.Time{}, time.Unix(0, 0)), 20, 1, []int{0}},
		"nothing":    {profile.New(), 20, 1, nil},
	} {
		f := decode(t, heatmap(t, test.p, Options{}))
		assert.Equal(t, test.cell, f.Cell, name)
		assert.Equal(t, test.cells, f.Cells, name)
		var at []int
		for _, kind := range f.rows[0] {
			for _, r := range kind {
				at = append(at, r.cell)
			}
		}
		assert.Equal(t, test.at, at, name)
	}
}

// nastyCells has names that pages must escape, with times.
func nastyCells() *profile.Profile {
	p := profile.New()
	for i, name := range nasty {
		p.AddKind(profile.Kind{Name: name, Title: name, Values: []profile.ValueType{{Name: name, Unit: profile.Count}}})
		for _, other := range nasty {
			p.AddAt(1_700_000_000e9+int64(i)*100e6, name, p.Push(0, p.AddText(other)), p.AddLabels(profile.Labels{Thread: other, Class: name}), 5)
		}
		p.AddNote(name)
	}
	return p
}

func TestHeatmapNastyNames(t *testing.T) {
	for _, title := range nasty {
		page := heatmap(t, nastyCells(), Options{Title: title})
		assert.Equal(t, 3, strings.Count(page, "<script"), "those of the page")
		f := decode(t, page)
		assert.Len(t, f.nodes, 1+len(nasty)+len(nasty)*len(nasty))
	}
}
