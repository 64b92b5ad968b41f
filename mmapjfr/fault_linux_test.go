package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestGuardOfAFileThatIsCut reads the map while it is there, and when it is not.
func TestGuardOfAFileThatIsCut(t *testing.T) {
	crash(t, func(t *testing.T) {
		rec, _ := cuttable(t, profile(t))
		read := func() error { assert.NotEqual(t, byte(1), rec.Index().Data()[5000]); return nil }
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
