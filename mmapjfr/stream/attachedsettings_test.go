//go:build linux || darwin

package stream_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// What is set is what the virtual machine uses, by its own word.
func TestSettingsThatTheMachineUses(t *testing.T) {
	eachMachine(t, jvmtest.Options{NoRecording: true, Busy: true, Rate: 100}, func(t *testing.T, j *jvmtest.JVM) {
		jfc := jvmtest.LoadSettings(t)
		for name, c := range map[string]struct {
			set  func(r *stream.RecordingStream)
			want map[string]string
		}{
			"nothing but events": {
				func(r *stream.RecordingStream) {
					r.Enable("jdk.CPULoad").WithPeriod(70 * time.Millisecond)
					r.Enable("jdk.ThreadPark").WithThreshold(3 * time.Millisecond).WithoutStackTrace()
					r.Enable("jdk.ObjectAllocationSample").With("throttle", "20/s").WithStackTrace()
					r.Enable("jdk.JavaMonitorEnter").WithThreshold(time.Hour).WithoutThreshold()
					r.Enable("jdk.ClassLoadingStatistics").With("period", "everyChunk")
					r.Enable("jdk.OldObjectSample").With("cutoff", "10 ms")
					r.Enable("jdk.GarbageCollection")
					r.Disable("jdk.GarbageCollection")
				},
				map[string]string{
					"jdk.CPULoad#enabled": "true", "jdk.CPULoad#period": "70 ms",
					"jdk.ThreadPark#threshold": "3 ms", "jdk.ThreadPark#stackTrace": "false",
					"jdk.ObjectAllocationSample#throttle": "20/s", "jdk.ObjectAllocationSample#stackTrace": "true",
					"jdk.JavaMonitorEnter#threshold":    "0 s",
					"jdk.ClassLoadingStatistics#period": "everyChunk", "jdk.OldObjectSample#cutoff": "10 ms",
					"jdk.GarbageCollection#enabled": "false", "jdk.ThreadStart#enabled": "false", tick + "#enabled": "true",
				},
			},
			"profile, and events over it": {
				func(r *stream.RecordingStream) {
					r.SetSettings("default")
					r.SetSettings("profile")
					r.Enable("jdk.CPULoad").WithPeriod(time.Second)
					r.Enable("jdk.CPULoad").WithPeriod(123 * time.Millisecond)
					r.Disable("jdk.GarbageCollection")
				},
				map[string]string{
					"jdk.JavaMonitorEnter#threshold": "10 ms", "jdk.CPULoad#period": "123 ms",
					"jdk.GarbageCollection#enabled": "false", "jdk.ThreadStart#enabled": "true",
				},
			},
			"several": {
				func(r *stream.RecordingStream) {
					r.SetSettings("profile", jfc)
					r.Enable("jdk.CPULoad").WithPeriod(99 * time.Millisecond)
				},
				map[string]string{
					"jdk.CPULoad#period": "99 ms", "jdk.ObjectAllocationSample#throttle": "50/s", "jdk.JavaMonitorWait#threshold": "10 ms",
				},
			},
			"a file": {
				func(r *stream.RecordingStream) { r.SetSettings(jfc) },
				map[string]string{"jdk.CPULoad#period": "200 ms", "jdk.ObjectAllocationSample#throttle": "50/s"},
			},
		} {
			t.Run(name, func(t *testing.T) {
				h := hear(t, j)
				c.set(h.RecordingStream)
				h.Enable("jdk.ActiveSetting")
				h.start()
				h.until("settings", func() bool { return len(h.settings) > 0 })
				h.stop()
				for key, value := range c.want {
					assert.Equal(t, value, h.settings[key], key)
				}
				leftNothing(t, j)
			})
		}
	})
}

// What is kept of a recording is what JFR.check says.
func TestLimits(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		for name, c := range map[string]struct {
			set  func(r *stream.RecordingStream)
			age  time.Duration
			size int64
		}{
			"none set":     {func(*stream.RecordingStream) {}, 5 * time.Minute, 0},
			"age":          {func(r *stream.RecordingStream) { r.SetMaxAge(time.Hour) }, time.Hour, 0},
			"size":         {func(r *stream.RecordingStream) { r.SetMaxSize(8 << 20) }, 5 * time.Minute, 8 << 20},
			"size alone":   {func(r *stream.RecordingStream) { r.SetMaxAge(0); r.SetMaxSize(8 << 20) }, 0, 8 << 20},
			"no limit set": {func(r *stream.RecordingStream) { r.SetMaxAge(0); r.SetMaxSize(0) }, 0, 250 << 20},
		} {
			t.Run(name, func(t *testing.T) {
				h := hear(t, j)
				c.set(h.RecordingStream)
				h.Enable("jdk.CPULoad")
				h.SetFlushInterval(2 * time.Second)
				h.start()
				_, ours := recordingsOf(t, j)
				require.Len(t, ours, 1)
				assert.Equal(t, c.age, ours[0].MaxAge)
				assert.Equal(t, c.size, ours[0].MaxSize)
				h.SetMaxAge(7 * time.Minute)
				require.NoError(t, h.Update(t.Context()))
				_, ours = recordingsOf(t, j)
				require.Len(t, ours, 1)
				assert.Equal(t, 7*time.Minute, ours[0].MaxAge)
				h.stop()
			})
		}
	})
}

// What the virtual machine refuses is reported in its words, and nothing is left.
func TestSettingsThatAreRefused(t *testing.T) {
	eachMachine(t, silent, func(t *testing.T, j *jvmtest.JVM) {
		h := hear(t, j)
		h.SetSettings(filepath.Join(t.TempDir(), "none.jfc"))
		err := h.Start(t.Context())
		var refused *attach.CommandError
		require.ErrorAs(t, err, &refused)
		assert.Contains(t, refused.Text, "none.jfc")
		for _, set := range []func(r *stream.RecordingStream){
			func(r *stream.RecordingStream) { r.Enable("jdk.CPULoad").WithPeriod(-time.Second) },
			func(r *stream.RecordingStream) { r.Enable("jdk.CPULoad").With("throttle", "often") },
			func(r *stream.RecordingStream) { r.Enable("CPU Load") },
			func(r *stream.RecordingStream) { r.Enable("jdk.CPULoad"); r.SetMaxAge(-1) },
		} {
			h := hear(t, j)
			set(h.RecordingStream)
			assert.Error(t, h.Start(t.Context()))
		}
		leftNothing(t, j)
	})
}
