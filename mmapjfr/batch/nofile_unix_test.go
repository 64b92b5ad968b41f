//go:build unix

package batch_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// odd makes a folder with a recording, and with names of recordings that are no files.
func odd(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	data, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jfr"), data, 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.jfr"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.txt"), 0o600))
	require.NoError(t, os.Symlink("away.jfr", filepath.Join(dir, "dangling.jfr.gz")))
	require.NoError(t, os.Symlink(os.DevNull, filepath.Join(dir, "null.jfr")))
	return dir
}

// TestWhatIsNoFileIsListed has pipes, links and devices in a folder, and among the matches of a pattern: none is opened, and all are
// in the list of what could not be read.
func TestWhatIsNoFileIsListed(t *testing.T) {
	dir := odd(t)
	for _, name := range []string{dir, filepath.Join(dir, "*")} {
		objects := listed(t, name)
		work := t.TempDir()
		w := &batch.Work{Question: &batch.Profile{}, Dir: work, Items: batch.Plan(&batch.Profile{}, objects, batch.PlanOptions{})}
		require.NoError(t, w.Run(t.Context()))
		_, folder := merged(t, work)
		assert.Equal(t, 4, folder.Objects)
		require.Len(t, folder.Damage, 3, "%v", folder.Damage)
		for i, want := range []string{"it is a link that leads nowhere", "it is a device", "it is a pipe"} {
			assert.Equal(t, "skipped: "+want, folder.Damage[i].Error)
			assert.True(t, folder.Damage[i].Unread)
		}
	}
}

// TestWhatIsNoFileIsPassedOver says so, of a folder and of a pattern, and of no more than some.
func TestWhatIsNoFileIsPassedOver(t *testing.T) {
	dir := odd(t)
	read := func(name string) (said map[string]string) {
		said = make(map[string]string)
		set, err := input.Open(t.Context(), []string{name}, input.Options{OnError: func(name string, err error) {
			assert.ErrorAs(t, err, new(input.Remark))
			said[filepath.Base(name)] += err.Error()
		}})
		require.NoError(t, err)
		assert.Len(t, set.Recordings, 1)
		require.NoError(t, set.Close())
		return said
	}
	want := map[string]string{"pipe.jfr": "skipped: it is a pipe", "dangling.jfr.gz": "skipped: it is a link that leads nowhere", "null.jfr": "skipped: it is a device"}
	assert.Equal(t, want, read(dir))
	assert.Equal(t, want, read(filepath.Join(dir, "*")))
	for i := range 100 {
		require.NoError(t, os.Symlink("away", filepath.Join(dir, string(rune('b'+i))+".jfr")))
	}
	assert.Len(t, read(dir), 11)
}
