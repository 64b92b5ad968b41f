package mmapjfr_test

import (
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// chunksOf returns the chunks of a recording of testdata.
func chunksOf(t *testing.T, name string) (chunks [][]byte) {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name + ".jfr")
	require.NoError(t, err)
	for _, c := range openBytes(t, data).Chunks() {
		chunks = append(chunks, data[c.Offset():][:c.Size()])
	}
	return chunks
}

func countAll(t *testing.T, recs ...*mmapjfr.Recording) (n uint64) {
	t.Helper()
	for _, rec := range recs {
		events := uint64(0)
		var batches atomic.Uint64
		for _, err := range rec.Events() {
			require.NoError(t, err)
			events++
		}
		require.NoError(t, engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
			batches.Add(uint64(engine.BatchLen(b)))
			return nil
		}))
		assert.Equal(t, events, batches.Load())
		counted := uint64(0)
		require.NoError(t, rec.Protect(func() error {
			for _, c := range engine.RecordingCountEvents(rec, t.Context(), nil) {
				for i, id := range c.IDs {
					if id != schema.MetadataID && id != schema.CheckpointID {
						counted += c.Counts[i].Events
					}
				}
			}
			return nil
		}))
		assert.Equal(t, events, counted)
		n += events
	}
	return n
}

// TestRepeatedChunksCountOnce has chunks again in one recording, and in several: as overlapping
// dumps have them, and a directory of these.
func TestRepeatedChunksCountOnce(t *testing.T) {
	c := chunksOf(t, "jdk17-chunks")
	require.GreaterOrEqual(t, len(c), 3)
	all := func(numbers ...int) []byte {
		var data [][]byte
		for _, n := range numbers {
			data = append(data, c[n])
		}
		return slices.Concat(data...)
	}
	want := countAll(t, openBytes(t, all(0, 1, 2)))
	joined := openBytes(t, all(0, 1, 1, 2, 0))
	assert.Equal(t, want, countAll(t, joined))
	assert.Equal(t, openBytes(t, all(0, 1, 2)).Duration(), joined.Duration())
	var repeats []int
	for _, c := range joined.Chunks() {
		of, ok := engine.ChunkRepeats(c)
		if repeats = append(repeats, -1); ok {
			repeats[len(repeats)-1] = of.Number()
		}
	}
	assert.Equal(t, []int{-1, -1, 1, -1, 0}, repeats)
	// Each byte is still there for those who ask for it.
	again := joined.Chunks()[2]
	assert.Equal(t, want+countAll(t, openBytes(t, all(0, 1))), joined.EventCount())
	ev, err := joined.EventByOrdinal(engine.ChunkEventsBefore(again))
	require.NoError(t, err)
	assert.Equal(t, 2, ev.Chunk().Number())
	_, err = joined.EventAtOffset(ev.Offset())
	require.NoError(t, err)

	dumps := []*mmapjfr.Recording{openBytes(t, all(0, 1)), openBytes(t, all(1, 2)), openBytes(t, all(0, 1, 2))}
	assert.Equal(t, 4, engine.CountOnce(dumps...))
	assert.Equal(t, want, countAll(t, dumps...))

	// Chunks with the same header and other bytes are others.
	other := slices.Clone(c[0])
	for i := range 4 {
		other[len(other)-1-i] ^= 1
	}
	both := openBytes(t, slices.Concat(c[0], other))
	_, ok := engine.ChunkRepeats(both.Chunks()[1])
	assert.False(t, ok)
	_, ok = engine.ChunkRepeats(mmapjfr.Chunk{})
	assert.False(t, ok)
}

// TestChunksAlikeAreComparedInLinearTime has many chunks that differ in their last byte alone.
func TestChunksAlikeAreComparedInLinearTime(t *testing.T) {
	one := jfrtest.NewChunk().Bytes()
	many := func(n int) (data []byte) {
		for i := range n {
			data = append(data, one...)
			data[len(data)-1], data[len(data)-2] = byte(i), byte(i>>8)
		}
		return data
	}
	steps := func(n int) uint64 {
		before := wire.Steps()
		rec := opentest.Bytes(t, many(n))
		for i, c := range rec.Chunks() {
			_, repeats := engine.ChunkRepeats(c)
			require.False(t, repeats, i)
		}
		return wire.Steps() - before
	}
	few, lot := steps(500), steps(2000)
	assert.LessOrEqual(t, lot, 5*few, "%d steps for 500 chunks", few)
	if few > 0 { // only debug builds count
		assert.GreaterOrEqual(t, few, uint64(500*(len(one)/8)), "each is read once")
	}
}
