package tui_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestScreenOfChunksThatRotate draws everything after the chunks have gone.
func TestScreenOfChunksThatRotate(t *testing.T) {
	s, err := stream.OpenRepository(jvmtest.Rotated(t, "../../../../testdata/jdk25-profile.jfr", 3))
	require.NoError(t, err)
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	require.NoError(t, s.SetFollow(false))
	s.OnError(func(err error) { assert.NoError(t, err) })
	v := jvmstats.New()
	m := tui.NewModel(tui.Of(v, "process 4711"), 160, 60)
	s.OnEvent(v.Observe)
	v.Pick("jdk.ThreadPark")
	s.OnFlush(func() error {
		v.Flushed(time.Unix(0, 0))
		m.Refresh()
		return nil
	})
	require.NoError(t, s.Start(t.Context()))
	v.Ended(nil)
	for _, size := range []struct{ width, height int }{{160, 60}, {80, 24}} {
		m.Resize(size.width, size.height)
		assert.Contains(t, m.Render(), "process 4711", "as it was left")
	}
	m.Refresh()
	all := m.Render()
	for _, key := range []string{"tab", "tab", "tab", "tab", "s", "enter", "pgdown", "esc", "?"} {
		m.Press(key)
		all += m.Render()
	}
	assert.Contains(t, all, "gen.Profile", "the arguments of the JVM")
}
