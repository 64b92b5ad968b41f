package selection

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	settingID    = mmapjfr.Path("id")
	settingName  = mmapjfr.Path("name")
	settingValue = mmapjfr.Path("value")
)

// NoteSettings says by the settings of the recordings why an answer about the types that pass filters is empty:
// they are disabled, short events were not recorded, or none happened. It says nothing about types without
// settings, nor of very many types.
func (s *Selection) NoteSettings(ctx context.Context, filters ...mmapjfr.Filter) {
	if slices.ContainsFunc(s.Set.Recordings, (*mmapjfr.Recording).IsFetched) {
		return // to say why, all of it would have to be fetched
	}
	types, _ := mmapjfr.EventTypes(s.Set.Recordings, filters...) // reading the events has reported errors
	settings := make(map[string]map[string]string)               // by type and name
	for _, t := range types {
		if AllMatch(filters, t) {
			settings[t.Name()] = make(map[string]string)
		}
	}
	if len(settings) == 0 || len(settings) > mostNames {
		return
	}
	had := make(map[string]bool)
	for _, rec := range s.Set.Recordings {
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ActiveSetting")).Events() {
			if err != nil || ctx.Err() != nil {
				break
			}
			if t, err := ev.Chunk().EventType(ev.Int(settingID)); err == nil && settings[t.Name()] != nil {
				settings[t.Name()][ev.Str(settingName)] = ev.Str(settingValue)
			}
		}
		for ev, err := range rec.Select(filters...).Events() {
			if err != nil || ctx.Err() != nil {
				break
			}
			if had[ev.Type().Name()] = true; len(had) == len(settings) {
				break
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if why := whyNone(name, settings[name], had[name]); why != "" {
			s.app.Notice(why)
		}
	}
}

// whyNone returns what the settings of an event type say about an answer that is empty, or "".
func whyNone(name string, settings map[string]string, had bool) string {
	none := "no " + name + " events: "
	switch threshold := settings["threshold"]; {
	case settings["enabled"] == "false" && !had:
		return none + "the recording has it disabled; record with " + name + "#enabled=true"
	case strings.ContainsAny(threshold, "123456789"):
		if had {
			none = "not all " + name + " events: "
		}
		return none + "the recording has those of " + threshold + " and more; record with " + name + "#threshold=0ms for all"
	case settings["enabled"] == "true" && !had:
		return none + "the recording has it enabled, and none happened"
	}
	return ""
}
