package configure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// settingEvent is the type of the events that settings are in.
const settingEvent = "jdk.ActiveSetting"

var (
	pathID    = mmapjfr.Path("id")
	pathName  = mmapjfr.Path("name")
	pathValue = mmapjfr.Path("value")
)

// collected are the settings of recordings.
type collected struct {
	jvm      eventSettings
	profiler eventSettings // options of async-profiler
}

// settingKey names a setting.
type settingKey struct{ event, setting string }

// eventSettings are the settings of event types by the name of the type.
type eventSettings map[string]*eventDocument

// eventDocument is an event type with its settings.
type eventDocument struct {
	Name     string            `json:"name"`
	Label    string            `json:"label,omitempty"`
	Settings map[string]string `json:"settings"`

	since map[string]int64 // the times of the settings
}

func (s eventSettings) list() []eventDocument {
	list := []eventDocument{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		list = append(list, *s[name])
	}
	return list
}

// value returns the value of a setting, or nil.
func (s eventSettings) value(key settingKey) *string {
	if e := s[key.event]; e != nil {
		if value, ok := e.Settings[key.setting]; ok {
			return &value
		}
	}
	return nil
}

// keysOf returns the settings of two sets in order.
func keysOf(sets ...eventSettings) []settingKey {
	all := make(map[settingKey]bool)
	for _, set := range sets {
		for event, e := range set {
			for name := range e.Settings {
				all[settingKey{event, name}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b settingKey) int {
		return cmp.Or(cmp.Compare(a.event, b.event), compareSettings(a.setting, b.setting))
	})
}

// compareSettings orders names of settings: enabled is the first.
func compareSettings(a, b string) int {
	if (a == "enabled") != (b == "enabled") {
		if a == "enabled" {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// set sets a setting unless a later value is known.
func (s eventSettings) set(t mmapjfr.Type, name, value string, at int64) {
	e := s[t.Name()]
	if e == nil {
		e = &eventDocument{t.Name(), t.Label(), make(map[string]string), make(map[string]int64)}
		s[t.Name()] = e
	}
	if since, ok := e.since[name]; !ok || at >= since {
		e.Settings[name], e.since[name] = value, at
	}
}

// collect reads the settings of recordings.
func (v *settingsVerb) collect(set *input.Set) *collected {
	all := &collected{make(eventSettings), make(eventSettings)}
	unknown := uint64(0)
	for _, rec := range set.Recordings {
		for _, c := range rec.Chunks() {
			n, err := all.chunk(c)
			unknown += n
			if err != nil {
				v.Damage(set.Name(rec), err)
			}
		}
	}
	if unknown > 0 {
		v.Report(fmt.Errorf("%s left out: the recording does not describe the event types they belong to", terminal.CountOf(unknown, "setting")))
	}
	return all
}

// chunk reads the settings of a chunk, and returns the number of those whose event type is not
// known.
func (all *collected) chunk(c mmapjfr.Chunk) (unknown uint64, err error) {
	list, err := c.Types()
	if err != nil {
		return 0, err
	}
	types := make(map[int64]mmapjfr.Type)
	for _, t := range list {
		if t.IsEvent() {
			types[t.ID()] = t
		}
	}
	type found struct {
		t           mmapjfr.Type
		name, value string
		at          int64
	}
	var settings []found
	to := all.jvm
	for ev, e := range c.Select(mmapjfr.Types(settingEvent)).Events() {
		if e != nil {
			err = e
			continue
		}
		t, ok := types[ev.Int(pathID)]
		name := ev.Str(pathName)
		value := ev.Get(pathValue)
		switch {
		case ev.Type().Name() != settingEvent || name == "":
		case !ok:
			unknown++
		default:
			// async-profiler has its options as settings of the recording.
			if t.Name() == "jdk.ActiveRecording" && (name == "event" || name == "jstackdepth") {
				to = all.profiler
			}
			if !value.IsNull() {
				settings = append(settings, found{t, name, ev.Str(pathValue), ev.StartNanos()})
			}
		}
	}
	for _, s := range settings {
		to.set(s.t, s.name, s.value, s.at)
	}
	return unknown, err
}
