package mmapjfr_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestChangedFileIsSaidOnce: what has become of the file is said once, with its name.
func TestChangedFileIsSaidOnce(t *testing.T) {
	crash(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "changed.jfr")
		data := profile(t)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		rec, err := mmapjfr.Open(path)
		require.NoError(t, err)
		other := make([]byte, len(data))
		for i := range other {
			other[i] = 0xff
		}
		require.NoError(t, os.WriteFile(path, other, 0o600))
		_, errs := walk(t, rec.Select())
		require.NotEmpty(t, errs)
		_, err = rec.EventAtOffset(100)
		_, chunk := rec.EventByOrdinal(5)
		for _, err := range append(errs, rec.FileErr(), err, chunk) {
			require.ErrorIs(t, err, mmapjfr.ErrChanged)
			assert.Equal(t, 1, strings.Count(err.Error(), "has changed"), err.Error())
			assert.Equal(t, 1, strings.Count(err.Error(), path), err.Error())
		}
	})
}

// TestCutFileIsNamed: so is that it was cut.
func TestCutFileIsNamed(t *testing.T) {
	crash(t, func(t *testing.T) {
		rec, cut := cuttable(t, profile(t))
		cut(4096)
		_, errs := walk(t, rec.Select())
		require.NotEmpty(t, errs)
		for _, err := range append(errs, rec.FileErr()) {
			require.ErrorIs(t, err, mmapjfr.ErrTruncated)
			assert.Equal(t, 1, strings.Count(err.Error(), "cut.jfr"), err.Error())
		}
	})
}
