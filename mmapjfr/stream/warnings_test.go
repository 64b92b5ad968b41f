package stream

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// warningsOf returns what a stream of a recording warns of, with what others set to be recorded.
func warningsOf(t *testing.T, file string, set func(s *Stream, r *RecordingStream)) (warnings []error) {
	t.Helper()
	f, err := os.Open("../../testdata/" + file)
	require.NoError(t, err)
	defer f.Close()
	s := OpenReader(f)
	r := &RecordingStream{Stream: s}
	s.recordedSettings = func() []attach.EventSetting { return r.config.Events }
	s.OnError(func(err error) { assert.NoError(t, err) })
	s.OnWarning(func(err error) { warnings = append(warnings, err) })
	set(s, r)
	require.NoError(t, s.Start(t.Context()))
	return warnings
}

// TestWarnsOfTypingErrors: names of types in handlers, of types that are to be recorded, and of
// their settings.
func TestWarnsOfTypingErrors(t *testing.T) {
	nothing := func(mmapjfr.Event) error { return nil }
	got := warningsOf(t, "jdk25-chunks.jfr", func(s *Stream, r *RecordingStream) {
		s.OnEvent(nothing)
		s.OnEventType("jdk.CPULoad", nothing)
		s.OnEventType("GC*", nothing)
		s.OnEventType("jdk.CPULod", nothing)
		s.OnSelected(mmapjfr.Categories("Java Aplication"), nothing)
		r.Enable("jdk.CPULoad").WithPeriod(time.Second).With("perod", "1 s")
		r.Enable("jdk.ThreadPrk").WithThreshold(time.Second).WithStackTrace()
		r.Disable("jdk.ThreadPark").WithThreshold(0)
	})
	want := []string{
		`stream: a handler waits for events that may never come: the recording has no event type "jdk.CPULod"; did you mean jdk.CPULoad?`,
		`stream: a handler waits for events that may never come: no event type of the recording is in a category "Java Aplication"; did you mean Java Application?`,
		`stream: jdk.CPULoad has no setting "perod"; the JVM ignores it; did you mean period?`,
		`stream: the JVM has no event type "jdk.ThreadPrk" to record: no such event type; did you mean jdk.ThreadPark`,
	}
	require.Len(t, got, len(want), "each once, however many chunks there are: %q", got)
	for i := range want {
		assert.ErrorContains(t, got[i], want[i])
	}
	for i, want := range []*SettingError{nil, nil, {Event: "jdk.CPULoad", Setting: "perod"}, {Event: "jdk.ThreadPrk", Setting: "enabled"}} {
		var about *SettingError
		if errors.As(got[i], &about) {
			about = &SettingError{Event: about.Event, Setting: about.Setting}
		}
		assert.Equal(t, want, about)
	}
}

// TestWarnsOfHandlersThatCome adds a handler while the stream runs, and one that panics.
func TestWarnsOfHandlersThatCome(t *testing.T) {
	added := false
	got := warningsOf(t, "jdk25-flushed.jfr", func(s *Stream, _ *RecordingStream) {
		s.OnEvent(func(mmapjfr.Event) error {
			if !added {
				added = true
				s.OnEventType("jdk.Nothing", func(mmapjfr.Event) error { return nil })
			}
			return nil
		})
	})
	require.Len(t, got, 1)
	assert.ErrorContains(t, got[0], "jdk.Nothing")
}
