//go:build linux || darwin

package stream_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestRenewed renews a recording many times: no event is lost, and nothing is left.
func TestRenewed(t *testing.T) {
	stream.SetRenewal(t, time.Second, time.Minute)
	eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 2000}, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetMaxAge(time.Second)
		h.Enable("jdk.CPULoad")
		h.start()
		names := map[string]bool{}
		for len(names) < 5 {
			h.count(tick, 2000*(len(names)+1))
			_, ours := recordingsOf(t, j)
			require.NotEmpty(t, ours)
			for _, r := range ours {
				names[r.Name] = true
				assert.Equal(t, time.Minute+2*time.Second, r.Duration)
			}
		}
		h.stop()
		without(t, h.ticks)
		leftNothing(t, j)
	})
}

// TestEndedMeanwhile goes on when the recording has ended before it was renewed, as it does while this
// process sleeps, and says so. A dump has what was recorded since.
func TestEndedMeanwhile(t *testing.T) {
	stream.SetRenewal(t, time.Minute, -118*time.Second)
	eachMachine(t, jvmtest.Options{NoRecording: true, Rate: 2000}, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetMaxAge(time.Second)
		h.Enable("jdk.CPULoad")
		h.start()
		h.until("a gap", func() bool { return len(h.errs) > 0 })
		h.count(tick, 8_000) // four seconds
		require.NoError(t, h.Dump(t.Context(), filepath.Join(t.TempDir(), "a.jfr")))
		require.NoError(t, h.Stop(t.Context()))
		for _, err := range h.errs {
			assert.ErrorIs(t, err, stream.ErrGap)
		}
		leftNothing(t, j)
	})
}
