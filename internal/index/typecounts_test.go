package index_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// checkCensus counts the events of a recording with sectors of all sizes and crews of all sizes,
// and compares. If it can be read to the end and no guess is wrong, all its bytes are read once.
func checkCensus(t *testing.T, x *index.Index) {
	t.Helper()
	var want []index.TypeCounts
	var frames [][]naiveFrame
	bytes, damaged := uint64(0), false
	for _, c := range x.Chunks() {
		all, end := naiveFrames(c)
		census := naiveCensus(all, end)
		_, _, census.Err = walk(c)
		want, frames = append(want, census), append(frames, all)
		damaged = damaged || census.Err != nil
		bytes += end - c.FirstEvent()
	}
	eachSectorSize(t, func(t *testing.T) {
		once := !damaged
		for i, c := range x.Chunks() {
			once = once && guessedRight(c, frames[i])
		}
		for _, workers := range crews {
			var sum atomic.Uint64
			got := censusOf(x.CountEvents(t.Context(), workers, func(from, to uint64) { sum.Add(to - from) }))
			require.Len(t, got, len(want))
			for i, w := range want {
				require.Equal(t, w.Err, got[i].Err, "chunk %d", i)
				require.True(t, slices.Equal(w.IDs, got[i].IDs), "chunk %d: %v, not %v", i, got[i].IDs, w.IDs)
				require.True(t, slices.Equal(w.Counts, got[i].Counts), "chunk %d: %v, not %v", i, got[i].Counts, w.Counts)
			}
			if once {
				require.Equal(t, bytes, sum.Load(), "bytes with %d workers", workers)
			}
		}
		// Nobody needs to be told.
		require.Equal(t, want, censusOf(x.CountEvents(t.Context(), 0, nil)))
		for _, after := range []uint64{1, 1000} {
			if after == 1 && bytes > 50_000 && !longtest.Enabled() {
				continue // to fold takes longer than to count
			}
			index.SetFoldAfter(t, after)
			require.Equal(t, want, censusOf(x.CountEvents(t.Context(), 2, nil)))
		}
	})
}

func TestCensusOfRecordings(t *testing.T) {
	eachRecording(t, func(t *testing.T, data []byte) {
		skipLarge(t, data)
		checkCensus(t, newIndex(t, data))
	})
}

func TestCensusOfEveryKind(t *testing.T) {
	mixtures(t, 8000, func(t *testing.T, data []byte) { checkCensus(t, newIndex(t, data)) })
}

// Several chunks in one file, some of them short, of both forms, and damaged ones
// among them: each has its own count.
func TestCensusOfChunks(t *testing.T) {
	one, two := mixed(jfrtest.NewChunk(), 1, 2000).Bytes(), mixed(jfrtest.NewChunk().Uncompressed(), 2, 2000).Bytes()
	empty := jfrtest.NewEmptyChunk()
	empty.Bare = true
	odd := jfrtest.NewChunk()
	odd.EmitRaw(jfrtest.EventOptions{SizeWidth: 5}, 1<<40, nil)
	odd.EmitRaw(jfrtest.EventOptions{SizeWidth: 5}, -1, nil)
	odd.EmitRaw(jfrtest.EventOptions{}, 1<<14-1, nil)
	odd.EmitRaw(jfrtest.EventOptions{}, 1<<14, nil)
	bad := jfrtest.NewChunk()
	bad.EmitRaw(jfrtest.EventOptions{}, 7, []byte("seven"))
	bad.EmitRaw(jfrtest.EventOptions{Size: new(int64(1 << 30))}, 7, nil)
	unknown := mixed(jfrtest.NewChunk(), 4, 2000)
	unknown.ForceMetadataOffset = new(int64(1))
	x := newIndex(t, join(one, empty.Bytes(), bad.Bytes(), two, odd.Bytes(), one, empty.Bytes(), unknown.Bytes(), small(3).Bytes()))
	require.Len(t, x.Chunks(), 9)
	checkCensus(t, x)
	for i, census := range censusOf(x.CountEvents(t.Context(), 2, nil)) {
		assert.Equal(t, i == 2, census.Err != nil, "chunk %d", i)
	}
	assert.Empty(t, censusOf(x.CountEvents(t.Context(), 1, nil))[1].IDs)
	assert.Equal(t, index.EventCount{Events: 1, Bytes: 7}, censusOf(x.CountEvents(t.Context(), 1, nil))[2].Counts[0])
}

// Long rows of events of one class are counted faster, two at a time: whatever
// ends them, and wherever, nothing may be counted twice or left out.
func TestCensusOfRowsOfOneClass(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	rows := func(lengths ...int) []byte {
		b := jfrtest.NewChunk()
		b.MetadataFirst, b.ConstantsFirst = true, true // so that it ends with events
		for i, length := range lengths {
			id := int64(1000 + i%3)
			for n := range length {
				size := 1 + random.IntN(120)
				switch {
				case i%5 == 4:
					size = 130 // with a size of two bytes
				case i%5 == 3 && n%1500 == 1499:
					id++ // just one of another class
				}
				b.EmitRaw(jfrtest.EventOptions{}, id, make([]byte, size))
				id = int64(1000 + i%3)
			}
		}
		return b.Bytes()
	}
	checkCensus(t, newIndex(t, join(rows(5000), rows(5000))))
	checkCensus(t, newIndex(t, join(rows(5000), rows(1030))))
	checkCensus(t, newIndex(t, join(rows(1100, 3000, 10, 4000, 2500, 1024, 1025), rows(9000, 1, 2048))))
	checkCensus(t, newIndex(t, join(rows(3000, 3000, 3000, 6000, 3000), small(1).Bytes(), rows(1, 1, 4000))))
	data := join(rows(4000), rows(4000))
	for i, cut := range []int{1, 5, 50, 126, 127, 128, 200} {
		if !longtest.Every(i, 4) {
			continue
		}
		checkCensus(t, newIndex(t, data[:len(data)-cut])) // the last chunk ends in an event
	}
	// An event in the midst of a row that is too short to have a frame, and one at the
	// end that is too long.
	for i, c := range []struct {
		event int
		size  byte
	}{{3000, 0}, {3000, 3}, {4000, 127}} {
		for chunk := range 2 {
			if !longtest.Every(i+chunk, 2) {
				continue
			}
			data := join(rows(3500+500*chunk), rows(4000-500*chunk)) // the broken one ends first
			in := newIndex(t, data).Chunks()[chunk]
			records := make([]index.EventHeader, c.event+10)
			n, _, err := in.ReadHeaders(in.FirstEvent(), uint64(len(in.Data())), records)
			require.NoError(t, err)
			broken := records[n-1]
			if c.event < 4000 {
				broken = records[c.event]
			}
			data[in.Offset()+broken.Offset] = c.size
			checkCensus(t, newIndex(t, data))
		}
	}
}

// Of two walks that are kept going at a time either may be the one that ends.
func TestCensusOfDamagedHeads(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst, b.ConstantsFirst = true, true
	event := b.Event("test.E", jfrtest.Of("value", "long"))
	for i := range 200 {
		b.Emit(event, 1_000_000+i, 1_000_000)
	}
	good := b.Bytes()
	all, _ := naiveFrames(onlyChunk(t, good))
	at := all[150].Offset
	for _, head := range tooSmall {
		bad := slices.Clone(good)
		copy(bad[at:], head)
		for i, x := range []*index.Index{newIndex(t, join(bad, good)), newIndex(t, join(good, bad)), newIndex(t, join(bad, bad))} {
			checkCensus(t, x)
			assert.Equal(t, i != 1, censusOf(x.CountEvents(t.Context(), 1, nil))[0].Err != nil)
			assert.Equal(t, i != 0, censusOf(x.CountEvents(t.Context(), 1, nil))[1].Err != nil)
		}
	}
}

// censusOf returns what a census has found, chunk by chunk.
func censusOf(seq iter.Seq2[*index.Chunk, index.TypeCounts]) (list []index.TypeCounts) {
	for _, census := range seq {
		list = append(list, census)
	}
	return list
}

// A census that is cancelled ends early, and tells nothing of chunks that may not
// have been counted.
func TestCensusEndsWhenCancelled(t *testing.T) {
	data, _ := jfrtest.Concat(threeChunks()...)
	x := newIndex(t, data)
	for _, workers := range crews {
		ctx, cancel := context.WithCancel(t.Context())
		require.Len(t, censusOf(x.CountEvents(ctx, workers, func(_, _ uint64) {})), 3)
		require.Empty(t, censusOf(x.CountEvents(ctx, workers, func(_, _ uint64) { cancel() })))
		require.Empty(t, censusOf(x.CountEvents(ctx, workers, nil)), "from the beginning")
	}
}

// threeChunks have some events each.
func threeChunks() (list []*jfrtest.Builder) {
	for seed := range 3 {
		list = append(list, mixed(jfrtest.NewChunk(), uint64(seed), 100))
	}
	return list
}
