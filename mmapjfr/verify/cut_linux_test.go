package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// TestFileIsCut gives an error, and does not crash, when a file is cut that is mapped.
func TestFileIsCut(t *testing.T) {
	data := bad(20_000).Bytes()
	for _, size := range []int64{0, 4096, int64(len(data)) / 2 &^ 4095} {
		file := filepath.Join(t.TempDir(), "cut.jfr")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		rec, err := mmapjfr.Open(file, mmapjfr.Workers(3))
		require.NoError(t, err)
		require.NoError(t, os.Truncate(file, size))
		_, err = verify.Check(t.Context(), rec)
		require.ErrorIs(t, err, mmapjfr.ErrTruncated)
		require.NoError(t, rec.Close())
	}
}
