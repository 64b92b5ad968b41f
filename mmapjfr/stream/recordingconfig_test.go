package stream

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// What is set makes the options of the recording.
func TestWanted(t *testing.T) {
	set := func(event, setting, value string) attach.EventSetting {
		return attach.EventSetting{Event: event, Setting: setting, Value: value}
	}
	for name, c := range map[string]struct {
		set     func(r *RecordingStream)
		want    attach.RecordingOptions
		changed bool
	}{
		"nothing": {func(*RecordingStream) {}, attach.RecordingOptions{}, false},
		"limits make no recording": {
			func(r *RecordingStream) {
				r.SetMaxAge(time.Hour)
				r.SetMaxSize(1000)
				r.SetFlushInterval(time.Minute)
			},
			attach.RecordingOptions{MaxAge: time.Hour, MaxSize: 1000, FlushInterval: time.Minute}, false,
		},
		"an event": {
			func(r *RecordingStream) { r.Enable("A") },
			attach.RecordingOptions{Events: []attach.EventSetting{set("A", "enabled", "true")}}, true,
		},
		"one that is not": {
			func(r *RecordingStream) { r.Disable("A") },
			attach.RecordingOptions{Events: []attach.EventSetting{set("A", "enabled", "false")}}, true,
		},
		"all there is": {
			func(r *RecordingStream) {
				r.Enable("A").WithPeriod(time.Second).WithThreshold(time.Microsecond).WithStackTrace().With("cutoff", "infinity")
				r.Enable("B").WithoutThreshold().WithoutStackTrace()
			},
			attach.RecordingOptions{Events: []attach.EventSetting{
				set("A", "enabled", "true"), set("A", "period", "1000000000 ns"), set("A", "threshold", "1000 ns"),
				set("A", "stackTrace", "true"), set("A", "cutoff", "infinity"),
				set("B", "enabled", "true"), set("B", "threshold", "0 ns"), set("B", "stackTrace", "false"),
			}}, true,
		},
		"the last counts": {
			func(r *RecordingStream) {
				r.Enable("A").WithPeriod(1).WithPeriod(2)
				r.Disable("B")
				r.Disable("A")
				r.Enable("B")
			},
			attach.RecordingOptions{Events: []attach.EventSetting{
				set("A", "enabled", "false"), set("A", "period", "2 ns"), set("B", "enabled", "true"),
			}}, true,
		},
		"sets": {
			func(r *RecordingStream) { r.SetSettings("x"); r.SetSettings("profile", "/a b.jfc") },
			attach.RecordingOptions{Settings: []string{"profile", "/a b.jfc"}}, true,
		},
		"no sets": {func(r *RecordingStream) { r.SetSettings() }, attach.RecordingOptions{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := new(RecordingStream)
			c.set(r)
			got, changes := r.options()
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.changed, changes > 0)
			// What is asked for does not change any more, and limits count once there is a recording.
			r.Enable("later").WithPeriod(1)
			assert.Equal(t, c.want, got)
			_, before := r.options()
			r.SetMaxAge(time.Minute)
			r.SetMaxSize(1)
			r.SetFlushInterval(1)
			_, after := r.options()
			assert.Equal(t, before+3, after)
		})
	}
}

func TestGoroutine(t *testing.T) {
	here := goroutineNumber()
	assert.NotZero(t, here)
	assert.Equal(t, here, goroutineNumber())
	there := make(chan uint64)
	go func() { there <- goroutineNumber() }()
	assert.NotEqual(t, here, <-there)
}

// TestIsOwnRecording knows the recordings that this process makes by their names.
func TestIsOwnRecording(t *testing.T) {
	assert.True(t, IsOwnRecording(attach.OwnedName(attach.StreamName)))
	assert.False(t, IsOwnRecording(attach.OwnedName(attach.ProfileName)))
	for _, name := range []string{"", "1", "mine", fmt.Sprintf("mmapjfr stream %d-1-ABCDEFGH", os.Getpid()), "mmapjfr stream "} {
		assert.False(t, IsOwnRecording(name), name)
	}
}

// TestLease is longer than two renewals, so that what is kept can always be dumped.
func TestLease(t *testing.T) {
	for age, lease := range map[time.Duration]time.Duration{0: 48*time.Hour + 2*time.Minute, time.Second: 12 * time.Minute, time.Hour: 122 * time.Minute} {
		o := attach.RecordingOptions{MaxAge: age}
		assert.Equal(t, lease, leaseOf(o))
		assert.Greater(t, leaseOf(o), 2*renewalOf(o))
	}
}
