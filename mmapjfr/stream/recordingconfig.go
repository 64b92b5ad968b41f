package stream

import (
	"slices"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// recordingConfig is what a RecordingStream is to record.
type recordingConfig struct {
	settings      []string
	events        []attach.EventSetting
	maxAge        time.Duration
	maxSize       int64
	flushInterval time.Duration
	version       int // counts the changes
}

// defaultAge is how much of a recording stays on disk by default: what has been delivered is not
// needed any more.
const defaultAge = 5 * time.Minute

// options returns the options of such a recording.
func (w *recordingConfig) options() attach.RecordingOptions {
	return attach.RecordingOptions{
		Settings:      slices.Clone(w.settings),
		Events:        slices.Clone(w.events),
		MaxAge:        w.maxAge,
		MaxSize:       w.maxSize,
		FlushInterval: w.flushInterval,
	}
}

// EventSettings are the settings of an event type. Its methods change them, and return it for
// further calls. Once the stream is running, [RecordingStream.Update] applies changes.
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

// WithPeriod records an event of the type once per period. For other periods, such as everyChunk,
// use With.
func (e *EventSettings) WithPeriod(d time.Duration) *EventSettings {
	return e.With("period", timespan(d))
}

// WithThreshold records only events that last at least d.
func (e *EventSettings) WithThreshold(d time.Duration) *EventSettings {
	return e.With("threshold", timespan(d))
}

// WithoutThreshold records events of any duration.
func (e *EventSettings) WithoutThreshold() *EventSettings { return e.WithThreshold(0) }

// WithStackTrace records stack traces with the events.
func (e *EventSettings) WithStackTrace() *EventSettings { return e.With("stackTrace", "true") }

// WithoutStackTrace records no stack traces with the events.
func (e *EventSettings) WithoutStackTrace() *EventSettings { return e.With("stackTrace", "false") }

// SetSettings makes the recording start from sets of settings, each of which overrides the ones
// before: default and profile of the JDK, or paths of .jfc files that the virtual machine can read.
// Settings of single types override them.
func (r *RecordingStream) SetSettings(names ...string) {
	r.change(func(w *recordingConfig) { w.settings = slices.Clone(names) })
}

// SetMaxAge sets how much of the recording stays on disk, for [RecordingStream.Dump] and for slow
// handlers: five minutes by default; 0 is no limit of age. Without any limit virtual machines keep
// 250 MB.
func (r *RecordingStream) SetMaxAge(d time.Duration) {
	r.changeLimit(func(w *recordingConfig) { w.maxAge = d })
}

// SetMaxSize sets how many bytes of the recording stay on disk; 0, the default, is no limit of
// size.
func (r *RecordingStream) SetMaxSize(bytes int64) {
	r.changeLimit(func(w *recordingConfig) { w.maxSize = bytes })
}

// SetFlushInterval sets how often events are flushed, and thus delivered: every second by default,
// which is also the shortest interval. A virtual machine uses the shortest interval of all its
// recordings.
func (r *RecordingStream) SetFlushInterval(d time.Duration) {
	r.changeLimit(func(w *recordingConfig) { w.flushInterval = d })
}

// timespan writes a duration as the JDK reads it.
func timespan(d time.Duration) string { return strconv.FormatInt(int64(d), 10) + " ns" }

// change changes what is recorded.
func (r *RecordingStream) change(f func(*recordingConfig)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	r.config.version++
}

// changeLimit changes a limit of the recording, if there is to be one. A limit alone does not make
// one.
func (r *RecordingStream) changeLimit(f func(*recordingConfig)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.config)
	if r.config.version > 0 {
		r.config.version++
	}
}
