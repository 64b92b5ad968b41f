package attach

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// EventSetting is one thing that a recording does with the events of one type.
type EventSetting struct {
	// Event is the name of the type, such as jdk.CPULoad.
	Event string
	// Setting is what is set: enabled, period, threshold, stackTrace, throttle,
	// cutoff, filter, or what the type has of its own.
	Setting string
	// Value is what it is set to, as the JDK writes it: true, 20 ms, everyChunk.
	Value string
}

// String returns the setting as [ParseEventSetting] reads it.
func (s EventSetting) String() string { return s.Event + "#" + s.Setting + "=" + s.Value }

// ParseEventSetting reads a setting such as jdk.CPULoad#period=1s. A name alone, such
// as jdk.CPULoad, enables the events. Lengths of time may be written as the JDK does,
// 20 ms, or as Go does, 1m30s.
//
// It is an error if a value cannot be one of the settings that all events share. Of
// others, and of types of events, only the JVM knows whether they exist; what does
// not is ignored by it.
func ParseEventSetting(text string) (EventSetting, error) {
	event, rest, set := strings.Cut(text, "#")
	s := EventSetting{Event: event, Setting: "enabled", Value: "true"}
	valued := !set
	if set {
		s.Setting, s.Value, valued = strings.Cut(rest, "=")
	} else {
		s.Event, _, _ = strings.Cut(text, "=")
	}
	switch {
	case !valued && s.Setting != "":
		return EventSetting{}, fmt.Errorf("%q has no value for %s: write it as in jdk.CPULoad#period=1s", text, s.Setting)
	case !valued || s.Event != event:
		return EventSetting{}, fmt.Errorf("%q names no setting of %s: write it as in jdk.CPULoad#period=1s", text, s.Event)
	}
	s, err := s.checked()
	if err != nil {
		return EventSetting{}, fmt.Errorf("%q is no event setting: %w", text, err)
	}
	return s, nil
}

var errTrueOrFalse = errors.New("it is either true or false")

// throttles are the rates that JFR knows.
var throttles = regexp.MustCompile(`^(off|[0-9]+ ?/ ?(ns|us|ms|s|m|h|d))$`)

// checked returns the setting with its value as the JDK writes it.
func (s EventSetting) checked() (EventSetting, error) {
	if !isName(s.Event, '.') {
		return s, fmt.Errorf("%q cannot be the name of an event type, which looks like jdk.CPULoad", s.Event)
	}
	if !isName(s.Setting, '-') {
		return s, fmt.Errorf("%q cannot be the name of a setting, which looks like period", s.Setting)
	}
	s.Value = strings.TrimSpace(s.Value)
	if s.Value == "" {
		return s, fmt.Errorf("%s has no value", s.Setting)
	}
	if strings.ContainsFunc(s.Value, unicode.IsControl) {
		return s, fmt.Errorf("%s has a control character in its value", s.Setting)
	}
	var err error
	switch s.Setting {
	case "enabled", "stackTrace":
		if s.Value != "true" && s.Value != "false" {
			err = errTrueOrFalse
		}
	case "period":
		if s.Value != "everyChunk" && s.Value != "beginChunk" && s.Value != "endChunk" {
			s.Value, err = settingTimespan(s.Value, "everyChunk, beginChunk or endChunk")
		}
	case "threshold":
		s.Value, err = settingTimespan(s.Value, "")
	case "cutoff":
		if s.Value != "infinity" {
			s.Value, err = settingTimespan(s.Value, "infinity")
		}
	case "throttle":
		if !throttles.MatchString(s.Value) {
			err = fmt.Errorf("%q is no rate, which looks like 100/s, or off", s.Value)
		}
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Setting, err)
	}
	return s, nil
}

func settingTimespan(value, or string) (string, error) {
	d, err := parseTimespan(value)
	if err == nil {
		return timespan(d, " "), nil
	}
	if or != "" {
		err = fmt.Errorf("%w, or %s", err, or)
	}
	return value, err
}

// isName reports whether something is made of identifiers of Java with a character
// between them.
func isName(s string, between rune) bool {
	for part := range strings.SplitSeq(s, string(between)) {
		if part == "" || unicode.IsDigit([]rune(part)[0]) {
			return false
		}
		for _, r := range part {
			if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return false
			}
		}
	}
	return true
}

// enabling adds what makes the JVM write events that something is set of: each type
// is enabled unless the settings say that it is not. Of settings of one thing the
// last counts.
func enabling(settings []EventSetting) ([]EventSetting, error) {
	type key struct{ event, setting string }
	place := make(map[key]int)
	var all []EventSetting
	add := func(s EventSetting) {
		k := key{s.Event, s.Setting}
		if at, ok := place[k]; ok {
			all[at] = s
			return
		}
		place[k] = len(all)
		all = append(all, s)
	}
	for _, s := range settings {
		s, err := s.checked()
		if err != nil {
			return nil, fmt.Errorf("the event setting %s cannot be used: %w", s, err)
		}
		if _, ok := place[key{s.Event, "enabled"}]; !ok {
			add(EventSetting{s.Event, "enabled", "true"})
		}
		add(s)
	}
	return all, nil
}
