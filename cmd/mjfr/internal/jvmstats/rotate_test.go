package jvmstats_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestVitalsOfChunksThatRotate looks at the state with each flush and at the end, when all
// chunks have gone: what is kept of names and texts is that of one chunk alone.
func TestVitalsOfChunksThatRotate(t *testing.T) {
	repository := jvmtest.Rotated(t, "../../../../testdata/jdk25-profile.jfr", 3)
	s, err := stream.OpenRepository(repository)
	require.NoError(t, err)
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	require.NoError(t, s.SetFollow(false))
	s.OnError(func(err error) { assert.NoError(t, err) })
	v := jvmstats.New()
	v.Pick("jdk.JavaMonitorEnter")
	s.OnEvent(v.Observe)
	s.OnFlush(func() error {
		v.Flushed(time.Unix(0, 0))
		_, err := json.Marshal(v.Snapshot())
		return err
	})
	require.NoError(t, s.Start(t.Context()))
	v.Ended(nil)
	got := v.Snapshot()
	_, err = json.Marshal(got)
	require.NoError(t, err)

	data, err := os.ReadFile(filepath.Join(repository, "2.jfr"))
	require.NoError(t, err)
	want := observed(t, inOrder(t, data)).Snapshot()
	assert.Equal(t, 3*want.Events.Count, got.Events.Count)
	assert.Equal(t, want.JVM, got.JVM)
	assert.Equal(t, want.GC.Causes, got.GC.Causes)
	assert.Equal(t, want.Methods.Top, got.Methods.Top)
	assert.Equal(t, want.Alloc.Classes, got.Alloc.Classes)
	assert.Equal(t, want.Locks, got.Locks)
	assert.Len(t, got.Types, len(want.Types))
	require.NotEmpty(t, got.Recent)

	// Labels are those of the chunks that have gone.
	one := scrape(t, observed(t, inOrder(t, data)))
	for name, value := range scrape(t, v) {
		if strings.HasPrefix(name, "mjfr_events") {
			assert.InDelta(t, 3*one[name], value, 0, name)
		} else if !strings.HasPrefix(name, "mjfr_") {
			assert.Contains(t, one, name)
		}
	}
}
