package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/input"
)

// atPosition is a place in a recording as people name it.
type atPosition struct {
	text string
	kind atKind
	// n is the offset or the ordinal.
	n uint64
	// time is the point in time, without a zone unless it is an absolute one; of a
	// time of day only that counts.
	time time.Time
	// span is how long after the start, or before the end.
	span time.Duration
}

type atKind uint8

const (
	atOffset atKind = iota
	atOrdinal
	atAbsolute  // a point in time
	atLocal     // a date and a time in the zone of the recording
	atTimeOfDay // a time on the day of the recording
	atAfterStart
	atBeforeEnd
)

const atForms = "take an offset such as 0x6afc, '#5' for the event that five come before, a time such as 15:04:05.9 or " +
	"\"2006-01-02 15:04:05\", or a span such as +5s from the start or -5s before the end"

// atLayouts are how points in time may be written. Fractions of a second may follow.
var atLayouts = []struct {
	layout string
	kind   atKind
}{
	{time.RFC3339, atAbsolute},
	{"2006-01-02 15:04:05", atLocal},
	{"2006-01-02T15:04:05", atLocal},
	{"2006-01-02 15:04", atLocal},
	{"15:04:05", atTimeOfDay},
	{"15:04", atTimeOfDay},
}

// parseAt reads a position.
func parseAt(text string) (atPosition, error) {
	p := atPosition{text: text}
	bad := fmt.Errorf("%q is no position; %s", text, atForms)
	if text == "" {
		return p, bad
	}
	var err error
	switch rest := text[1:]; text[0] {
	case '#':
		p.kind = atOrdinal
		p.n, err = strconv.ParseUint(rest, 10, 64)
	case '+', '-':
		p.kind = atAfterStart
		if text[0] == '-' {
			p.kind = atBeforeEnd
		}
		// A second sign would be read as well.
		if p.span, err = time.ParseDuration(rest); p.span < 0 || strings.HasPrefix(rest, "+") {
			return p, bad
		}
	default:
		if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
			p.n, err = strconv.ParseUint(hex, 16, 64)
		} else if p.n, err = strconv.ParseUint(text, 10, 64); err != nil {
			return parseAtTime(p, bad)
		}
	}
	if err != nil {
		return p, bad
	}
	return p, nil
}

func parseAtTime(p atPosition, bad error) (atPosition, error) {
	for _, l := range atLayouts {
		if t, err := time.Parse(l.layout, p.text); err == nil {
			p.kind, p.time = l.kind, t
			return p, nil
		}
	}
	return p, bad
}

// isTime tells whether the position is one in time.
func (p *atPosition) isTime() bool { return p.kind >= atAbsolute }

// when returns the point in time in a recording.
func (p *atPosition) when(set *input.Set) time.Time {
	first := set.Recordings[0] // they are in the order of their start
	start, end := first.Start(), first.End()
	for _, rec := range set.Recordings[1:] {
		if e := rec.End(); e.After(end) {
			end = e
		}
	}
	zone := first.Location()
	t := p.time
	switch p.kind {
	case atAfterStart:
		return start.Add(p.span)
	case atBeforeEnd:
		return end.Add(-p.span)
	case atLocal:
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	case atTimeOfDay:
		day := start.In(zone)
		on := func(days int) time.Time {
			return time.Date(day.Year(), day.Month(), day.Day()+days, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
		}
		// A recording can go on behind midnight.
		if next := on(1); on(0).Before(start) && !next.After(end) {
			return next
		}
		return on(0)
	}
	return t
}
