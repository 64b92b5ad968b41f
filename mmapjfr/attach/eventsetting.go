package attach

import (
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mmapjfr/jfr/internal/lazy"
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
		return EventSetting{}, fmt.Errorf("%q is not an event setting: %w", text, err)
	}
	return s, nil
}

var errTrueOrFalse = errors.New("it is either true or false")

// throttles are the rates that JFR knows.
var throttles = lazy.Regexp(`^(off|[0-9]+ ?/ ?(ns|us|ms|s|m|h|d))$`)

// checked returns the setting with its value as the JDK writes it.
func (s EventSetting) checked() (EventSetting, error) {
	if !isName(s.Event, '.') {
		return s, fmt.Errorf("%q is not the name of an event type such as jdk.CPULoad", s.Event)
	}
	if !isName(s.Setting, '-') {
		return s, fmt.Errorf("%q is not the name of a setting such as period", s.Setting)
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
		switch {
		case throttles().MatchString(s.Value):
		case s.Event == "jdk.CPUTimeSample": // it may have a period of a thread's time
			s.Value, err = settingTimespan(s.Value, "a rate such as 500/s")
		default:
			err = fmt.Errorf("%q is not a rate such as 100/s, or off", s.Value)
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
	var all []EventSetting
	index := func(event, setting string) int {
		return slices.IndexFunc(all, func(s EventSetting) bool { return s.Event == event && s.Setting == setting })
	}
	for _, s := range settings {
		s, err := s.checked()
		if err != nil {
			return nil, fmt.Errorf("the event setting %s cannot be used: %w", s, err)
		}
		if index(s.Event, "enabled") < 0 {
			all = append(all, EventSetting{s.Event, "enabled", "true"})
		}
		if i := index(s.Event, s.Setting); i >= 0 {
			all[i] = s
		} else {
			all = append(all, s)
		}
	}
	return all, nil
}

// timespanUnits are those that the JDK knows, from the largest.
var timespanUnits = []struct {
	name string
	size time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

// timespan writes a length of time as the JDK takes it: a whole number, what stands
// between, and the largest unit that it is a multiple of.
func timespan(d time.Duration, between string) string {
	if d == 0 {
		return "0" + between + "s"
	}
	for _, u := range timespanUnits {
		if d%u.size == 0 {
			return strconv.FormatInt(int64(d/u.size), 10) + between + u.name
		}
	}
	panic("attach: no length of time is less than a nanosecond")
}

// parseTimespan reads a length of time as the JDK writes it, such as 20 ms or 1d, or
// as Go does, such as 1m30s.
func parseTimespan(s string) (time.Duration, error) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	unit := strings.TrimSpace(s[digits:])
	for _, u := range timespanUnits {
		if digits == 0 || unit != u.name {
			continue
		}
		n, err := strconv.ParseInt(s[:digits], 10, 64)
		if err != nil || n > int64(1<<63-1)/int64(u.size) {
			return 0, fmt.Errorf("%q is too long a time", s)
		}
		return time.Duration(n) * u.size, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 20ms, 1 s or 5m", s)
	}
	return d, nil
}

// jfcFile is what a .jfc file holds: settings of events, for JVMs that read it.
type jfcFile struct {
	XMLName xml.Name   `xml:"configuration"`
	Version string     `xml:"version,attr"`
	Label   string     `xml:"label,attr"`
	Events  []jfcEvent `xml:"event"`
}

type jfcEvent struct {
	Name     string       `xml:"name,attr"`
	Settings []jfcSetting `xml:"setting"`
}

type jfcSetting struct {
	Name  string `xml:"name,attr"`
	Value string `xml:",chardata"`
}

// jfc writes settings as a .jfc file. Types stand in the order in which they come
// first.
func jfc(settings []EventSetting) ([]byte, error) {
	f := jfcFile{Version: "2.0", Label: "Attached"}
	for _, s := range settings {
		i := slices.IndexFunc(f.Events, func(e jfcEvent) bool { return e.Name == s.Event })
		if i < 0 {
			i = len(f.Events)
			f.Events = append(f.Events, jfcEvent{Name: s.Event})
		}
		f.Events[i].Settings = append(f.Events[i].Settings, jfcSetting{s.Setting, s.Value})
	}
	text, err := xml.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), text...), nil
}

// leaveSettings writes a .jfc file into the temporary directory of the JVM, and
// returns its path there. The function removes it.
func (vm *VM) leaveSettings(events []EventSetting) (file string, remove func(), err error) {
	text, err := jfc(events)
	if err != nil {
		return "", nil, err
	}
	root, err := vm.target.openTmp()
	if err != nil {
		return "", nil, fmt.Errorf("cannot pass event settings to process %d: %w", vm.PID(), err)
	}
	name := "settings-" + rand.Text() + ".jfc"
	// The JVM may run as another user, and has to read the file. It holds no secrets.
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("cannot pass event settings to process %d: %w", vm.PID(), err), root.Close())
	}
	remove = func() {
		_ = root.Remove(name)
		_ = root.Close()
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil { // whatever the umask
		remove()
		return "", nil, err
	}
	return path.Join(vm.target.itsTmp, name), remove, nil
}
