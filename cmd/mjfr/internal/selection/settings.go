package selection

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

var (
	settingID    = mmapjfr.Path("id")
	settingName  = mmapjfr.Path("name")
	settingValue = mmapjfr.Path("value")
)

// mostNoted is the greatest number of types whose settings are noted. Views of collections ask for
// four.
const mostNoted = 6

// NoteSettings says by the settings of the recordings why an answer about the types that pass
// filters is empty: they are disabled, short events were not recorded, or none happened. It says
// nothing about types whose settings are unknown or differ, among the recordings or in time, nor of
// very many types. It reports whether it said something.
func (s *Selection) NoteSettings(ctx context.Context, filters ...mmapjfr.Filter) (said bool) {
	return NoteSettings(ctx, s.app, s.Set, filters...)
}

// NoteDisabled says which types that pass filters have no events since they are disabled, as
// [Selection.NoteSettings] does.
func (s *Selection) NoteDisabled(ctx context.Context, filters ...mmapjfr.Filter) {
	noteSettings(ctx, s.app, s.Set, func(r reason) bool { return r == disabled }, filters...)
}

// NoteSettings is [Selection.NoteSettings] of all events of recordings.
func NoteSettings(ctx context.Context, a *cli.App, set *input.Set, filters ...mmapjfr.Filter) (said bool) {
	return noteSettings(ctx, a, set, func(r reason) bool { return r != reason{} }, filters...)
}

func noteSettings(ctx context.Context, a *cli.App, set *input.Set, says func(reason) bool, filters ...mmapjfr.Filter) (said bool) {
	if slices.ContainsFunc(set.Recordings, engine.RecordingIsFetched) {
		return false // to say why, all of it would have to be fetched
	}
	known := make(map[string]settings)
	for _, t := range typesOf(set, filters) {
		known[t.Name()] = make(settings)
	}
	n := len(known)
	if n == 0 || n > mostNoted {
		return false
	}
	had := make(map[string]bool)
	for _, rec := range set.Recordings {
		isSet := make(map[string]bool)
		for name, ev := range settingsIn(ctx, rec) {
			if known[name] != nil {
				isSet[name] = true
				known[name].add(ev.Str(settingName), ev.Str(settingValue))
			}
		}
		own, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}, filters...)
		for _, t := range own {
			if !isSet[t.Name()] {
				delete(known, t.Name())
			}
		}
		for ev, err := range rec.Select(filters...).Events() {
			if err != nil || ctx.Err() != nil {
				break
			}
			if had[ev.Type().Name()] = true; len(had) == n {
				break
			}
		}
	}
	var reasons []reason
	alike := make(map[reason][]string)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if why := whyNone(known[name], had[name]); says(why) {
			if alike[why] == nil {
				reasons = append(reasons, why)
			}
			alike[why] = append(alike[why], name)
		}
	}
	for _, why := range reasons {
		a.Notice(why.text(alike[why]))
	}
	return len(reasons) > 0
}

// typesOf returns the event types of recordings that pass filters.
func typesOf(set *input.Set, filters []mmapjfr.Filter) []mmapjfr.Type {
	types, _ := mmapjfr.EventTypes(set.Recordings, filters...) // reading the events has reported errors
	return slices.DeleteFunc(types, func(t mmapjfr.Type) bool { return !AllMatch(filters, t) })
}

// settingsIn iterates over the settings in a recording, with the names of event types, up to what
// cannot be read.
func settingsIn(ctx context.Context, rec *mmapjfr.Recording) iter.Seq2[string, mmapjfr.Event] {
	return func(yield func(string, mmapjfr.Event) bool) {
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ActiveSetting")).Events() {
			if err != nil || ctx.Err() != nil {
				return
			}
			if t, err := engine.ChunkEventType(ev.Chunk(), ev.Int(settingID)); err == nil && !yield(t.Name(), ev) {
				return
			}
		}
	}
}

// settings are those of an event type, by name. A name that has had several values has [differing].
type settings map[string]string

const differing = "differing"

func (s settings) add(name, value string) {
	if before, ok := s[name]; ok && before != value {
		value = differing
	}
	s[name] = value
}

// reason is what the settings of an event type say about an answer that is empty. The zero one is
// none.
type reason struct {
	none   string // how many there are
	why    string // after "the recording has "
	record string // what to record it with, after its name
}

var disabled = reason{"no", "it disabled", "#enabled=true"}

// whyNone returns what the settings of an event type say about an answer that is empty.
func whyNone(settings settings, had bool) reason {
	filter, filters := settings["filter"]
	switch threshold := settings["threshold"]; {
	case settings["enabled"] == differing || threshold == differing:
	case settings["enabled"] == "false" && !had:
		return disabled
	case strings.ContainsAny(threshold, "123456789"):
		none := "no"
		if had {
			none = "not all"
		}
		return reason{none, "those of " + threshold + " and more", "#threshold=0ms for all"}
	case settings["enabled"] == "true" && filters && filter == "" && !had:
		return reason{"no", "it enabled, and its filter is empty", "#filter=CLASS::METHOD"}
	case settings["enabled"] == "true" && !had:
		return reason{"no", "it enabled, and none happened", ""}
	}
	return reason{}
}

var ofSeveral = strings.NewReplacer("it ", "them ", "its filter is", "their filters are")

// text says the reason of event types.
func (r reason) text(names []string) string {
	list, why, record := names[0], r.why, ""
	if r.record != "" {
		record = "; record with " + names[0] + r.record
	}
	if n := len(names); n > 1 {
		list += " or " + names[1]
		if n > 2 {
			list = fmt.Sprintf("%s, %s or %d more", names[0], names[1], n-2)
		}
		if why = ofSeveral.Replace(why); record != "" {
			record += ", and likewise the others"
		}
	}
	return r.none + " " + list + " events: the recording has " + why + record
}
