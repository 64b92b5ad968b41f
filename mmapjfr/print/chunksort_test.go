package print

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestByChunkIsAStableSort compares the order in which events come, whatever may be
// kept of them, with what a stable sort of all events of a chunk gives.
func TestByChunkIsAStableSort(t *testing.T) {
	late := 0
	for _, file := range longtest.Recordings(t) {
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		var want []uint64
		for _, c := range rec.Chunks() {
			var list []mmapjfr.Event
			for ev, err := range c.Select().Events() {
				if err == nil {
					list = append(list, ev.Detached())
				}
			}
			inFile := slices.Clone(list)
			slices.SortStableFunc(list, func(a, b mmapjfr.Event) int { return cmp.Compare(endTicks(a), endTicks(b)) })
			if !slices.Equal(inFile, list) {
				late++
			}
			for _, ev := range list {
				want = append(want, ev.Offset())
			}
		}
		for _, most := range []int{1 << 20, 0, 10, 100} {
			var got []uint64
			s := chunkSort{walker: newWalker(new(Options)), most: most, yield: func(it item) bool {
				got = append(got, it.event.Offset())
				return true
			}}
			for _, c := range rec.Chunks() {
				more, err := s.sort(t.Context(), rec, c)
				require.NoError(t, err)
				require.True(t, more)
			}
			require.Equal(t, want, got, "%s %v", file, most)
		}
		require.NoError(t, rec.Close())
	}
	assert.Greater(t, late, 5, "recordings whose events have to be sorted")
}

func TestByChunkStopsWhenNoMoreIsWanted(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	for _, most := range []int{0, 1 << 20} {
		n := 0
		s := chunkSort{walker: newWalker(new(Options)), most: most, yield: func(item) bool { n++; return n < 5 }}
		more, err := s.sort(t.Context(), rec, rec.Chunks()[0])
		require.NoError(t, err)
		assert.False(t, more)
		assert.Equal(t, 5, n)
	}
}

func TestWithin(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	var all []uint64
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		all = append(all, ev.Offset())
	}
	for _, c := range []struct {
		limit, tail int
		want        []uint64
	}{
		{0, 0, all},
		{1, 0, all[:1]},
		{7, 0, all[:7]},
		{len(all) + 1, 0, all},
		{0, 3, all[len(all)-3:]},
		{0, len(all) + 5, all},
		{2, 5, all[len(all)-5 : len(all)-3]},
	} {
		var got []uint64
		o := Options{Order: ByFile, Limit: c.limit, Tail: c.tail}
		require.NoError(t, newWalker(&o).walk(t.Context(), []*mmapjfr.Recording{rec}, false, func(it item) bool {
			got = append(got, it.event.Offset())
			return true
		}))
		assert.Equal(t, c.want, got, "limit %d, tail %d", c.limit, c.tail)
	}
}

// TestTailLooksAtTheLastChunksAlone compares what is written of the last events with
// the end of what is written of all.
func TestTailLooksAtTheLastChunksAlone(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	var recs []*mmapjfr.Recording
	for range 3 {
		rec := opentest.Bytes(t, data)
		recs = append(recs, rec)
	}
	offsets := func(recs []*mmapjfr.Recording, o Options) (list []uint64, chunks map[int]bool) {
		seen := map[int]bool{}
		o.Where = func(ev mmapjfr.Event) bool {
			seen[ev.Chunk().Number()] = true
			return true
		}
		require.NoError(t, newWalker(&o).walk(t.Context(), recs, false, func(it item) bool {
			list = append(list, it.event.Offset())
			return true
		}))
		return list, seen
	}
	for _, order := range []Options{{Order: ByFile}, {Format: JSON}, {Format: Text}} {
		recs := recs
		if order.sortsChunks() {
			recs = recs[:1] // the others' chunks overlap
		}
		all, _ := offsets(recs, order)
		for _, n := range []int{1, 9, 11, 50, 80, 150, len(all), len(all) + 1} {
			o := order
			o.Tail = n
			tail, chunks := offsets(recs, o)
			assert.Equal(t, all[max(0, len(all)-n):], tail, "%v %d", order, n)
			assert.Equal(t, n <= 10, !chunks[0], "the first chunk was looked at for %d events", n)
		}
	}
	all, _ := offsets(recs, Options{})
	tail, _ := offsets(recs, Options{Tail: 12})
	assert.Equal(t, all[len(all)-12:], tail, "chunks that overlap")
}

func TestProgressComesToTheSizeOfAll(t *testing.T) {
	rec := opentest.File(t, "../../testdata/jdk25-chunks.jfr")
	for _, o := range []Options{{Order: ByFile}, {Format: JSON}, {Format: Text}, {Format: NDJSON, Tail: 3}, {Filters: []mmapjfr.Filter{mmapjfr.Types("none.Such")}}} {
		sum := uint64(0)
		o.Progress = func(bytes uint64) { sum += bytes }
		recs := []*mmapjfr.Recording{rec, rec}
		require.NoError(t, newWalker(&o).walk(t.Context(), recs, false, func(item) bool { return true }))
		assert.Equal(t, 2*uint64(rec.Size()), sum, "%v", o)
	}
}
