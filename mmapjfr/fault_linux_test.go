package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestGuardOfAFileThatIsCut reads the map while it is there, and when it is not.
func TestGuardOfAFileThatIsCut(t *testing.T) {
	crash(t, func(t *testing.T) {
		rec, _ := cuttable(t, profile(t))
		read := func() error { assert.NotEqual(t, byte(1), engine.RecordingIndex(rec).Data()[5000]); return nil }
		require.NoError(t, rec.Protect(read))
		require.NoError(t, rec.Protect(func() error {
			require.NoError(t, rec.Close()) // it stays mapped
			return read()
		}))
		rec, cut := cuttable(t, profile(t))
		cut(0)
		assert.ErrorIs(t, rec.Protect(func() error {
			_ = read()
			t.Error("it went on")
			return nil
		}), mmapjfr.ErrTruncated)
	})
}

// TestLocksOfAFileThatIsCut: whatever meets a fault first, the next one that reads the chunk does not wait for
// it forever.
func TestLocksOfAFileThatIsCut(t *testing.T) {
	crash(t, func(t *testing.T) {
		ways := map[string]func(c *index.Chunk){
			"flushes":   func(c *index.Chunk) { c.Flushes() },
			"constants": func(c *index.Chunk) { _, _ = c.Constants() },
			"blocks":    func(c *index.Chunk) { c.BuildBlocks(2) },
			"types":     func(c *index.Chunk) { _, _ = c.Types() },
		}
		for first, read := range ways {
			rec, cut := cuttable(t, profile(t))
			cut(0)
			for second, again := range ways {
				for _, do := range []func(c *index.Chunk){read, again} {
					assert.ErrorIs(t, rec.Protect(func() error { do(engine.RecordingIndex(rec).Chunks()[0]); return nil }), mmapjfr.ErrTruncated, "%s, %s", first, second)
				}
			}
		}
	})
}
