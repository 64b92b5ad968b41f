package mmapjfr_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestTheExampleSurvivesUnfinishedRecordings runs the loop of the README on recordings that
// are still being written, or whose virtual machine was killed: all events come, and then one
// error that says why there are no more.
func TestTheExampleSurvivesUnfinishedRecordings(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"jdk17-live.jfr", "jdk25-live.jfr", "jdk25-live-1.jfr", "jdk25-live-2.jfr", "jdk25-live-3.jfr", "jdk25-killed.jfr"} {
		data, err := os.ReadFile(filepath.Join("../testdata", name))
		require.NoError(t, err)
		files[name] = data
	}
	if packed, err := os.ReadFile("../../shared/recordings/flush_incremental_metadata.jfr.gz"); err == nil {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		files["flush_incremental_metadata.jfr"], err = io.ReadAll(z)
		require.NoError(t, err)
	}
	finished, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	files["an unfinished one, and bytes after it"] = append(bytes.Clone(files["jdk25-live.jfr"]), finished...)
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			rec := openBytes(t, data)
			events, errs := 0, []error(nil)
			for ev, err := range rec.Events() {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				_ = ev.StackTrace().Frame(0).Method().Class().Name()
				events++
			}
			assert.NotZero(t, events)
			for _, err := range errs {
				assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
			}
			n, err := mmapjfr.Fold(t.Context(), rec.Select(), func(n *int, _ mmapjfr.Event) error { *n++; return nil }, func(n, next *int) { *n += *next })
			assert.Equal(t, events, n, "the sum of all that can be read comes with the error")
			if len(errs) > 0 {
				assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
			}
			t.Log(events, errs)
		})
	}
}
