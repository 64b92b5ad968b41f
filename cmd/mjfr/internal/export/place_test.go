package export

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// TestTablesComeTogether fails while the last of three tables is written: none of them is there, and those before are as they were.
func TestTablesComeTogether(t *testing.T) {
	dir := t.TempDir()
	old, wrong := filepath.Join(dir, "b.csv"), errors.New("disk full")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	before, err := os.Stat(old)
	require.NoError(t, err)
	for _, fails := range []error{wrong, nil} {
		f := &tableFolder{dir: dir, format: columns.CSV, force: true}
		report := &columns.Report{}
		for _, table := range []string{"a", "b", "c"} {
			report.Tables = append(report.Tables, columns.Count{Name: table})
			err := f.sink(table, func(w io.Writer) error {
				_, err := io.WriteString(w, table)
				if table == "c" {
					err = fails
				}
				return err
			})
			assert.Equal(t, fails != nil && table == "c", err != nil)
			assert.NotContains(t, filesIn(t, dir), "a.csv")
		}
		if fails == nil {
			_, err := f.place(report)
			require.NoError(t, err)
		}
		require.NoError(t, f.remove())
		if fails != nil {
			assert.Equal(t, map[string]string{"b.csv": "old"}, filesIn(t, dir))
		}
	}
	assert.Equal(t, map[string]string{"a.csv": "a", "b.csv": "b", "c.csv": "c"}, filesIn(t, dir))
	after, err := os.Stat(old)
	require.NoError(t, err)
	assert.Equal(t, before.Mode(), after.Mode())
}

// filesIn returns what the files of a folder hold.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	require.NoError(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		files[filepath.Base(path)] = string(data)
	}
	return files
}
