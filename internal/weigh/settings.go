package weigh

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Settings are what the events of a recording say about how it was made: by the number of the
// event type, or of the profiler, and by name.
type Settings map[settingKey]string

type settingKey struct {
	id   int64
	name string
}

// SettingEvent is the type of the events that settings are in.
const SettingEvent = "jdk.ActiveSetting"

var (
	pathID    = mmapjfr.Path("id")
	pathValue = mmapjfr.Path("value")
)

// usedSettings are the names of the settings that matter here.
var usedSettings = map[string]bool{"period": true, "interval": true, "wall": true, "event": true}

// mostOfSetting is how many bytes of the text of a setting are kept. Those that matter are short: times, and what a profiler samples.
const mostOfSetting = 128

// settingText returns as much of a text as is kept.
func settingText(text string) string {
	if len(text) > mostOfSetting {
		return strings.Clone(text[:mostOfSetting])
	}
	return text
}

// latest returns a list of settings in which each is once, with what the last event says: those that [Settings.With] would keep at most.
func latest(list []SettingAt) []SettingAt {
	slices.SortFunc(list, func(a, b SettingAt) int { return cmp.Or(a.key.compare(b.key), cmp.Compare(b.offset, a.offset)) })
	list = slices.CompactFunc(list, func(a, b SettingAt) bool { return a.key == b.key })
	return list[:min(len(list), mostSettings)]
}

// With returns settings and those of events after them, which mostly are the same. The events get sorted. Of more than
// mostSettings the ones with the least keys stay.
func (s Settings) With(list []SettingAt) Settings {
	own, full, greatest := false, len(s) >= mostSettings, settingKey{}
	if full {
		greatest = slices.MaxFunc(slices.Collect(maps.Keys(s)), settingKey.compare)
	}
	for _, at := range latest(list) {
		if old, ok := s[at.key]; ok && old == at.value || !ok && full && at.key.compare(greatest) > 0 {
			continue
		}
		if !own {
			if s, own = maps.Clone(s), true; s == nil {
				s = Settings{}
			}
		}
		s[at.key] = at.value
	}
	if len(s) > mostSettings {
		for _, key := range slices.SortedFunc(maps.Keys(s), settingKey.compare)[mostSettings:] {
			delete(s, key)
		}
	}
	return s
}

func (k settingKey) compare(o settingKey) int {
	return cmp.Or(cmp.Compare(k.id, o.id), strings.Compare(k.name, o.name))
}

// any returns the setting of that name, of whatever it is a setting; "" if it is missing.
// async-profiler has those of the profiler with several types.
func (s Settings) any(name string) string {
	best, found := settingKey{}, false
	for key, value := range s {
		if key.name == name && value != "" && (!found || key.id < best.id) {
			best, found = key, true
		}
	}
	return s[best]
}

// nanos returns a setting that is a number of nanoseconds; 0 if it is not set.
func (s Settings) nanos(name string) int64 {
	n, _ := strconv.ParseInt(s.any(name), 10, 64)
	return max(n, 0)
}

// defaultInterval is what async-profiler takes for an interval of 0, and wallInterval what it
// takes for that of a wall-clock profile.
const (
	defaultInterval = 10 * time.Millisecond
	wallInterval    = 50 * time.Millisecond
)

// WallSampleEvent is the type of samples of wall-clock time.
const WallSampleEvent = "profiler.WallClockSample"

// Period returns what time a sample of an event type stands for, whose number and name are given. It is false if no setting
// says so: then it is what is usual.
func (s Settings) Period(id int64, event, kind string) (ns int64, known bool) {
	if n, _ := strconv.ParseInt(s[settingKey{id, "interval"}], 10, 64); n > 0 && !(kind == "wall" && s.nanos("wall") > 0) {
		return n, true
	}
	if text, ok := s[settingKey{id, "period"}]; ok { // as the JDK has it
		if d, ok := parseunit.Duration(strings.ReplaceAll(text, " ", "")); ok && d > 0 {
			return int64(d), true
		}
	}
	usual := defaultInterval
	if kind == "wall" || event == WallSampleEvent {
		usual = wallInterval
		if n := s.nanos("wall"); n > 0 {
			return n, true
		}
	}
	if n := s.nanos("interval"); n > 0 {
		return n, true
	}
	// async-profiler was asked for what is usual.
	return int64(usual), s.any("event") != ""
}

// Names of thread states that async-profiler records. Samples of its processor profile have no
// state.
const (
	stateNone     = "STATE_DEFAULT"
	stateRunnable = "STATE_RUNNABLE"
	stateSleeping = "STATE_SLEEPING"
)

// StateClasses are the thread states that decide which samples count; the last one stands for all others.
var StateClasses = [...]string{"", stateNone, stateRunnable, stateSleeping, "other"}

// Samplers are what async-profiler samples: processor time, wall-clock time, or both.
type Samplers struct {
	onlyWall, both bool
	Timed          bool // samples of running threads stand for a time
}

// Samplers returns what took the samples of an event type, whose number is given.
func (s Settings) Samplers(typ int64) Samplers {
	return Samplers{s.any("event") == "wall", s.nanos("wall") > 0, s.isTimed(typ)}
}

// timedEvents are what async-profiler takes samples of at equal times. Others can be counted, such as cache-misses or calls of a
// method.
var timedEvents = []string{"cpu", "itimer", "ctimer", "wall", "cpu-clock", "task-clock"}

// isTimed reports whether samples of running threads stand for a time. The JVM, which has a period, takes those of a few threads
// at a time; async-profiler takes one whenever a thread has used a time, and says so.
func (s Settings) isTimed(typ int64) bool {
	_, ofJVM := s[settingKey{typ, "period"}]
	_, own := s[settingKey{typ, "interval"}]
	switch event := s.any("event"); {
	case ofJVM && !own:
		return false
	case event != "":
		return slices.Contains(timedEvents, event)
	}
	return own || s.any("interval") != "" || s.any("wall") != ""
}

// Counts reports whether a sample in a thread state is of a kind, by its mode.
func (s Samplers) Counts(mode Mode, state string) bool {
	switch mode {
	case onWall:
		return s.onlyWall || s.both && state != stateNone
	case untimed:
		return !s.Timed && !s.Counts(onWall, state)
	case onTimedCPU:
		return s.Timed && s.Counts(onCPU, state)
	case onCPU:
		switch {
		case s.onlyWall:
			return state == stateRunnable
		case s.both:
			return state == stateNone
		}
		return state != stateSleeping
	case grafanaCPU:
		return !s.onlyWall && state != stateSleeping && state != ""
	case grafanaWallCPU:
		return s.onlyWall && state == stateRunnable
	case grafanaWall:
		return s.onlyWall
	}
	return true
}
