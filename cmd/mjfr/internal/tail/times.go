package tail

import (
	"cmp"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// --from can be one of these words, or a point in time.
const (
	fromStart = "start"
	fromNow   = "now"
)

// times are the bounds of the start times of events.
type times struct {
	begin    string // as --from has it
	from, to string // points in time; empty where there is no bound
	zone     *time.Location
	// end is the end of the recording, or now if it goes on.
	end time.Time
	// first and last are the bounds. They are known if resolved is true.
	first, last time.Time
	resolved    bool
}

// newTimes resolves the times as far as that is possible before the stream begins.
func newTimes(o *options, src *live.Source) (*times, error) {
	t := &times{begin: o.From, to: o.To, end: time.Now(), zone: o.Print().Zone}
	switch {
	case t.begin == "" && o.follow && o.Tail == 0 && src.Recorded():
		t.begin = fromNow
	case t.begin == "":
		t.begin = fromStart
	}
	if t.begin != fromStart && t.begin != fromNow {
		t.from = t.begin
	}
	if t.from == "" && t.to == "" {
		t.resolved = true
		return t, nil
	}
	if src.Kind == live.File {
		if rec, err := mmapjfr.Open(src.Path); err == nil {
			defer rec.Close() // only read
			t.end = rec.End()
			return t, t.resolve(rec.Start(), engine.RecordingLocation(rec))
		}
	}
	return t, t.guess()
}

// guess resolves times that do not depend on the recording.
func (t *times) guess() error {
	a, b := *t, *t
	if err := a.parse(t.end.Add(-time.Hour), time.UTC); err != nil {
		return err
	}
	if err := b.parse(t.end.Add(-100*time.Hour), time.FixedZone("", 3600)); err != nil {
		return err
	}
	if !a.first.Equal(b.first) || !a.last.Equal(b.last) {
		return nil // they depend on the recording
	}
	return t.resolve(t.end, time.UTC)
}

// resolve resolves the times for a recording with a start and a zone.
func (t *times) resolve(start time.Time, zone *time.Location) error {
	t.resolved = true
	return cmp.Or(t.parse(start, zone), selection.CheckBounds(t.first, t.last, t.from, t.to))
}

func (t *times) parse(start time.Time, zone *time.Location) (err error) {
	if t.zone != nil {
		zone = t.zone
	}
	for _, bound := range []struct {
		text string
		at   *time.Time
	}{{t.from, &t.first}, {t.to, &t.last}} {
		if bound.text == "" {
			continue
		}
		if *bound.at, err = timespec.Parse(bound.text, start, t.end, zone); err != nil {
			return cli.Usage(err)
		}
	}
	return nil
}

// set tells a stream where to begin. An event that ended before a time began before it, too.
func (t *times) set(s *stream.Stream, src *live.Source) error {
	switch {
	case t.begin == fromNow && src.Kind == live.Directory && src.Waiting != "":
		// Everything is new, even what is written before the stream looks for the first time.
		return s.SetStartTime(time.Unix(0, 0))
	case t.begin == fromNow && src.Recorded(), t.begin == fromStart && !src.Recorded():
		return nil
	case t.begin == fromNow:
		return s.SetStartTime(t.end)
	case t.resolved && !t.first.IsZero():
		return s.SetStartTime(t.first)
	case src.Recorded():
		return s.SetStartTime(time.Unix(0, 0)) // with the oldest chunk
	}
	return nil
}

// bounded reports whether there is a bound.
func (t *times) bounded() bool { return t.from != "" || t.to != "" }

// admit reports whether an event begins within the bounds.
func (t *times) admit(ev mmapjfr.Event) bool {
	if !t.bounded() {
		return true
	}
	begin := ev.Start()
	return !begin.IsZero() && !begin.Before(t.first) && (t.last.IsZero() || begin.Before(t.last))
}

// over reports whether a flush was after the bounds.
func (t *times) over(flushed time.Time) bool { return !t.last.IsZero() && flushed.After(t.last) }
