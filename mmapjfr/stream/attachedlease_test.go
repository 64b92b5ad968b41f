//go:build linux || darwin

package stream_test

import (
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
