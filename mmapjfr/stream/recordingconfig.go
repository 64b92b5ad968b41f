package stream

import (
	"slices"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// recordingConfig is what a recording stream is to record.
type recordingConfig struct {
	settings      []string
	events        []attach.EventSetting
	maxAge        time.Duration
	maxSize       int64
	flushInterval time.Duration
	version       int // how many there have been
}

// defaultAge is how much of a recording stays on disk unless something else is set: what has
// been delivered is not needed any more.
const defaultAge = 5 * time.Minute

// options returns how to start such a recording.
func (w *recordingConfig) options() attach.RecordingOptions {
	return attach.RecordingOptions{
		Settings:      slices.Clone(w.settings),
		Events:        slices.Clone(w.events),
		MaxAge:        w.maxAge,
		MaxSize:       w.maxSize,
		FlushInterval: w.flushInterval,
	}
}

// EventSettings are how events of a type are recorded. Its methods change that, and return it
// for more. Once the stream is running [RecordingStream.Update] makes changes count.
type EventSettings struct {
	stream *RecordingStream
	name   string
}

// Enable makes the recording record events of a type, by its full name such as "jdk.CPULoad".
func (r *RecordingStream) Enable(name string) *EventSettings {
	return (&EventSettings{r, name}).With("enabled", "true")
}

// Disable makes the recording record no events of a type.
func (r *RecordingStream) Disable(name string) *EventSettings {
	return (&EventSettings{r, name}).With("enabled", "false")
}

// With sets one of the settings of the type, as the JDK writes it: "throttle" to "100/s".
func (e *EventSettings) With(setting, value string) *EventSettings {
	e.stream.change(func(w *recordingConfig) {
		s := attach.EventSetting{Event: e.name, Setting: setting, Value: value}
		i := slices.IndexFunc(w.events, func(o attach.EventSetting) bool { return o.Event == s.Event && o.Setting == s.Setting })
		if i < 0 {
			w.events = append(w.events, s)
		} else {
			w.events[i] = s
		}
	})
	return e
}

// WithPeriod records an event of the type every so often. Other periods, such as everyChunk,
// are for With.
func (e *EventSettings) WithPeriod(d time.Duration) *EventSettings {
	return e.With("period", timespan(d))
}

// WithThreshold records no events that last less than that.
func (e *EventSettings) WithThreshold(d time.Duration) *EventSettings {
	return e.With("threshold", timespan(d))
}

// WithoutThreshold records events however short they are.
func (e *EventSettings) WithoutThreshold() *EventSettings { return e.WithThreshold(0) }

// WithStackTrace records stack traces with the events.
func (e *EventSettings) WithStackTrace() *EventSettings { return e.With("stackTrace", "true") }

// WithoutStackTrace records no stack traces with the events.
func (e *EventSettings) WithoutStackTrace() *EventSettings { return e.With("stackTrace", "false") }

// SetSettings makes the recording start from sets of settings, one over the other: names of
// those that the JDK has, default and profile, or paths of .jfc files that the virtual machine
// can read. What is set of single types comes on top.
func (r *RecordingStream) SetSettings(names ...string) {
	r.change(func(w *recordingConfig) { w.settings = slices.Clone(names) })
}

// SetMaxAge says how much of the recording stays on disk, for [RecordingStream.Dump], and for
// handlers that are slow: five minutes unless something else is set; 0 is without a limit of
// age. Without any limit virtual machines keep 250 MB.
func (r *RecordingStream) SetMaxAge(d time.Duration) {
	r.changeLimit(func(w *recordingConfig) { w.maxAge = d })
}

// SetMaxSize says how many bytes of the recording stay on disk; 0, which is what it is unless
// something else is set, is without a limit of size.
func (r *RecordingStream) SetMaxSize(bytes int64) {
	r.changeLimit(func(w *recordingConfig) { w.maxSize = bytes })
}

// SetFlushInterval says how often events are flushed, which is as often as they are delivered:
// every second unless something else is set. No virtual machine does so more often than that,
// and it does so as often as the most demanding of its recordings wants.
func (r *RecordingStream) SetFlushInterval(d time.Duration) {
	r.changeLimit(func(w *recordingConfig) { w.flushInterval = d })
}

// timespan writes a length of time as the JDK takes it.
func timespan(d time.Duration) string { return strconv.FormatInt(int64(d), 10) + " ns" }

// change changes what is recorded.
func (r *RecordingStream) change(f func(*recordingConfig)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	r.config.version++
}

// changeLimit changes how the recording is kept, if there is to be one. That alone makes none.
func (r *RecordingStream) changeLimit(f func(*recordingConfig)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	if r.config.version > 0 {
		r.config.version++
	}
}
