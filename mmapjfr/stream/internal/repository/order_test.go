package repository_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

func TestOrder(t *testing.T) {
	type chunks map[string]chunk
	for name, tt := range map[string]struct {
		dir    string
		chunks chunks
		want   []string
	}{
		"by start, not by name": {
			"chunks",
			chunks{"c.jfr": {start: 1}, "a.jfr": {start: 3}, "b.jfr": {start: 2}},
			[]string{"c.jfr", "b.jfr", "a.jfr"},
		},
		"equal starts, by name": {
			jvm,
			chunks{"2026_11_21_12_00_00_01.jfr": {start: 1}, "2026_11_21_12_00_00.jfr": {start: 1}, "2026_11_21_12_00_00_100.jfr": {start: 1}, "2026_11_21_12_00_00_99.jfr": {start: 1}, "2026_11_21_11_59_59_100.jfr": {start: 1}},
			[]string{"2026_11_21_11_59_59_100.jfr", "2026_11_21_12_00_00.jfr", "2026_11_21_12_00_00_01.jfr", "2026_11_21_12_00_00_99.jfr", "2026_11_21_12_00_00_100.jfr"},
		},
		"the clock was set back": {
			jvm,
			chunks{"a.jfr": {start: 100, ticks: 1}, "b.jfr": {start: 200, ticks: 2}, "c.jfr": {start: 50, ticks: 3}, "d.jfr": {start: 60, ticks: 4}},
			[]string{"a.jfr", "b.jfr", "c.jfr", "d.jfr"},
		},
		"the directory is not a virtual machine's": {
			"chunks",
			chunks{"a.jfr": {start: 100, ticks: 1}, "b.jfr": {start: 200, ticks: 2}, "c.jfr": {start: 50, ticks: 3}, "d.jfr": {start: 60, ticks: 4}},
			[]string{"c.jfr", "d.jfr", "a.jfr", "b.jfr"},
		},
		"clocks of several rates": {
			jvm,
			chunks{"a.jfr": {start: 100, ticks: 1}, "b.jfr": {start: 200, ticks: 2}, "c.jfr": {start: 50, ticks: 3, rate: 7}},
			[]string{"c.jfr", "a.jfr", "b.jfr"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), tt.dir)
			for name, c := range tt.chunks {
				put(t, filepath.Join(dir, name), c)
			}
			r := repository.Open(dir)
			scan(t, r)
			assert.Equal(t, tt.want, names(r))
			f := follower{r: r}
			assert.Equal(t, tt.want, f.next())
			newest, ok := r.Newest()
			assert.True(t, ok)
			assert.Equal(t, tt.want[len(tt.want)-1], newest.Name)
		})
	}
}

// TestFoundLater finds chunks, by and by, whose headers do not tell when they were made.
func TestFoundLater(t *testing.T) {
	for _, name := range []string{"chunks", jvm} {
		dir := filepath.Join(t.TempDir(), name)
		r := repository.Open(dir)
		f := follower{r: r}
		var all []string
		for _, step := range []struct {
			name   string
			starts map[string]int64
			want   []string
		}{
			{"at first", map[string]int64{"b.jfr": 20, "a.jfr": 10}, []string{"a.jfr", "b.jfr"}},
			{"nothing", nil, []string{}},
			{"set back", map[string]int64{"c.jfr": 5}, []string{"c.jfr"}},
			{"between", map[string]int64{"d.jfr": 15}, []string{"d.jfr"}},
			{"equal", map[string]int64{"e.jfr": 15}, []string{"e.jfr"}},
			{"two", map[string]int64{"f.jfr": 1, "Z.jfr": 30}, []string{"f.jfr", "Z.jfr"}},
		} {
			putAll(t, dir, step.starts)
			scan(t, r)
			assert.Equal(t, step.want, f.next(), step.name)
			all = append(all, step.want...)
			assert.Equal(t, all, names(r), step.name)
		}
	}
}

// TestReadableLate has a file that is no chunk yet when a later one is.
func TestReadableLate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "chunks")
	late := filepath.Join(dir, "b.jfr")
	put(t, filepath.Join(dir, "a.jfr"), chunk{start: 10})
	put(t, late, chunk{}) // begins in no year
	r := repository.Open(dir)
	f := follower{r: r}
	scan(t, r)
	require.Equal(t, []string{"a.jfr"}, f.next())
	put(t, filepath.Join(dir, "c.jfr"), chunk{start: 4})
	put(t, late, chunk{start: 5})
	scan(t, r)
	assert.Equal(t, []string{"b.jfr", "c.jfr"}, f.next(), "it was there before")

	put(t, late+".jfr", chunk{})
	scan(t, r)
	put(t, filepath.Join(dir, "d.jfr"), chunk{start: 6})
	scan(t, r)
	require.Equal(t, []string{"d.jfr"}, f.next())
	put(t, late+".jfr", chunk{start: 3})
	scan(t, r)
	assert.Equal(t, []string{"b.jfr.jfr"}, f.next(), "not lost, though late")
}

func TestAt(t *testing.T) {
	for name, tt := range map[string]struct {
		starts []int64 // in the order in which they are made
		want   map[int64]int
	}{
		"in order":       {[]int64{10, 20, 30}, map[int64]int{0: 0, 9: 0, 10: 0, 19: 0, 20: 1, 29: 1, 30: 2, 1 << 40: 2, -1 << 40: 0}},
		"equal":          {[]int64{10, 20, 20, 30}, map[int64]int{19: 0, 20: 1, 25: 1, 30: 3}},
		"equal at first": {[]int64{10, 10}, map[int64]int{5: 0, 10: 0, 11: 0}},
		// Nobody knows how far the second went before the clock was set back.
		"set back": {[]int64{10, 20, 12, 25}, map[int64]int{5: 0, 11: 0, 15: 0, 20: 1, 22: 1, 25: 1, 99: 1}},
		"one":      {[]int64{10}, map[int64]int{5: 0, 15: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), jvm)
			for i, start := range tt.starts {
				put(t, filepath.Join(dir, string(rune('a'+i))+".jfr"), chunk{start: start, ticks: int64(i)})
			}
			r := repository.Open(dir)
			scan(t, r)
			for at, want := range tt.want {
				f, ok := r.At(time.Unix(at, 0))
				assert.True(t, ok)
				assert.Equal(t, string(rune('a'+want))+".jfr", f.Name, at)
			}
			f, _ := r.At(time.Time{})
			assert.Equal(t, "a.jfr", f.Name)
		})
	}
}

// TestOrderWhileMuchChanges looks at a directory in which there is something new each time.
func TestOrderWhileMuchChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), jvm)
	for i, name := range []string{"d.jfr", "b.jfr", "e.jfr", "a.jfr", "c.jfr"} {
		put(t, filepath.Join(dir, name), chunk{start: 1, ticks: int64(i)})
	}
	at, after, err := repository.ListedAfter(dir, []string{"d.jfr"}, []string{"d.jfr", "e.jfr"}, []string{"d.jfr", "e.jfr", "b.jfr", "c.jfr"})
	require.NoError(t, err)
	assert.Equal(t, []string{"d.jfr", "b.jfr", "e.jfr"}, at, "there may be older ones than c")
	assert.Equal(t, []string{"d.jfr", "b.jfr", "e.jfr", "a.jfr", "c.jfr"}, after)
}
