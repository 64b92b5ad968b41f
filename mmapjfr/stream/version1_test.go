package stream_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestVersion1IsStreamed has a stream deliver all events of a file of format 1.0 that goes
// on with 2.1.
func TestVersion1IsStreamed(t *testing.T) {
	old, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	more, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "mixed.jfr")
	require.NoError(t, os.WriteFile(file, append(jfrtest.Version1(old), more...), 0o600))
	want := map[string]int{}
	rec := opentest.File(t, file)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		want[ev.Type().Name()+" "+ev.Thread().Name()]++
	}
	s, err := stream.OpenFile(file)
	require.NoError(t, err)
	got := map[string]int{}
	s.OnEvent(func(ev mmapjfr.Event) error {
		got[ev.Type().Name()+" "+ev.Thread().Name()]++
		return nil
	})
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, want, got)
	assert.Contains(t, got, "jdk.ActiveSetting ")
}
