package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestRangesHaveEachChunkOnce cuts a recording at every few bytes and counts the events of both parts.
func TestRangesHaveEachChunkOnce(t *testing.T) {
	rec := opentest.File(t, "../testdata/jdk25-chunks.jfr")
	count := func(r mmapjfr.ChunkRange) (n int) {
		for _, err := range engine.RecordingSelectIn(rec, r).Events() {
			require.NoError(t, err)
			n++
		}
		return n
	}
	all := count(mmapjfr.ChunkRange{})
	require.Positive(t, all)
	require.Greater(t, len(rec.Chunks()), 1)
	second := rec.Chunks()[1].Offset()
	for _, cut := range []uint64{1, second - 1, second, second + 1, uint64(rec.Size())} {
		first, rest := count(mmapjfr.ChunkRange{To: cut}), count(mmapjfr.ChunkRange{From: cut})
		assert.Equal(t, all, first+rest, cut)
	}
	assert.Zero(t, count(mmapjfr.ChunkRange{From: 1, To: second}))
}
