package profile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/selection"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// isEmpty reports whether a profile has no samples that would be written.
func (v *verb) isEmpty(p *profile.Profile) bool {
	for s := range p.Samples() {
		if !v.output.Single || s.Kind.Name == p.Kinds()[0].Name {
			return false
		}
	}
	return true
}

// isShown reports whether people look at the table, and not programs. Nothing is written for them
// if it is empty. Several files are not written either: nothing says which.
func (v *verb) isShown() bool {
	return v.split || v.out == "" && v.output == &formats[0] && !v.json && !v.csv
}

// addKinds adds the kinds that an empty profile is of, if it has none.
func (v *verb) addKinds(in *inputs, p *profile.Profile) {
	if len(p.Kinds()) > 0 {
		return
	}
	if v.event != "" {
		p.AddKind(profile.Kind{Name: v.event, Title: v.event, Values: []profile.ValueType{{Name: "events", Unit: profile.Count}}})
		return
	}
	for i, k := range profile.Kinds() {
		if slices.Contains(v.kinds, k.Name) || i == 0 && v.kinds == nil && (len(in.set.Recordings) > 0 || in.merged != nil) {
			p.AddKind(k)
		}
	}
	if len(p.Kinds()) == 0 {
		p.AddKind(export.Untyped())
	}
}

// nothing says why the profile is empty.
func (v *verb) nothing(ctx context.Context, in *inputs, sel *selection.Selection) error {
	switch {
	case v.noRequest:
	case in.had:
		v.Report(fmt.Errorf("no sample%s passes %s", kindsText(v.kinds), v.choiceText()))
	case sel == nil:
		v.Report(fmt.Errorf("the file has no samples%s", kindsText(v.kinds)))
	case v.latency > 0 || v.pauses != "":
		v.Report(errors.New("--latency and --gc-pauses leave no sample"))
	case sel.Given():
		return v.noneSelected(ctx, sel)
	case v.length > 0:
		v.Report(fmt.Errorf("no sample%s was recorded: the JVM was idle, or the time of %v is too short", kindsText(v.kinds), v.length))
	case len(v.kinds) == 0 && v.event == "":
		v.Report(errors.New("the recording has no events that a profile can be made of; mjfr types shows what it has, and --event profiles any event with a stack trace"))
	default:
		if !sel.NoteSettings(ctx, v.ours()) {
			v.noSamples(in)
		}
	}
	return nil
}

// noSamples says which events the recording lacks, or has but for other types of profiles.
func (v *verb) noSamples(in *inputs) {
	found := make(map[string]bool)
	for ev, err := range in.set.Events(v.ours()) {
		if err == nil { // reading the events has reported errors
			found[ev.Type().Name()] = true
		}
	}
	if len(found) == 0 {
		v.noEvents()
		return
	}
	v.Report(fmt.Errorf("no event of %s is a sample%s; mjfr profile without -t shows the first type that the recording has", strings.Join(slices.Sorted(maps.Keys(found)), " or "), kindsText(v.kinds)))
}

// ours returns the filter of the types that the profile is made of.
func (v *verb) ours() mmapjfr.Filter {
	return mmapjfr.TypesFunc(func(t mmapjfr.Type) bool {
		return slices.Contains(v.eventTypes(), t.Name()) || v.event == t.SimpleName()
	})
}

// noEvents says which events the recording lacks.
func (v *verb) noEvents() {
	v.Report(fmt.Errorf("the recording has no events of %s; mjfr types shows what it has", strings.Join(v.eventTypes(), ", ")))
}

// noneSelected says why no sample is among the selected events.
func (v *verb) noneSelected(ctx context.Context, sel *selection.Selection) error {
	ours := v.ours()
	types, _ := mmapjfr.EventTypes(sel.Set.Recordings) // reading the events reports errors
	left := func(filters ...mmapjfr.Filter) bool {
		return slices.ContainsFunc(types, func(t mmapjfr.Type) bool { return selection.AllMatch(filters, t) })
	}
	what := "a profile"
	if len(v.kinds) > 0 {
		what = "profiles" + kindsText(v.kinds)
	}
	switch {
	case !left(ours):
		v.noEvents()
	case !left(append(slices.Clone(sel.ByType), ours)...):
		v.Report(fmt.Errorf("no event is selected: the options leave none of the types that %s can be made of", what))
	case sel.IsEmpty():
		return sel.ReportIfEmpty(ctx, ours)
	default:
		v.Report(fmt.Errorf("none of the selected events is a sample%s", kindsText(v.kinds)))
	}
	return nil
}

// eventTypes returns the names of the event types that the profile is made of.
func (v *verb) eventTypes() (names []string) {
	if v.event != "" {
		return []string{v.event}
	}
	for _, k := range profile.Kinds() {
		if len(v.kinds) == 0 || slices.Contains(v.kinds, k.Name) {
			names = append(names, profile.Events(k.Name)...)
		}
	}
	return names
}

// noteOtherKind says which types of samples none is selected of, if that makes the table one of
// another type.
func (v *verb) noteOtherKind(in *inputs, sel *selection.Selection, p *profile.Profile) {
	if !v.output.Single || len(v.kinds) > 0 || v.event != "" || sel == nil || v.latency == 0 && v.pauses == "" && !sel.Given() {
		return
	}
	shown := p.Kinds()[0].Name
	var before []string
	for _, k := range profile.Kinds() {
		if k.Name == shown {
			break
		}
		if k.Sampled {
			before = append(before, profile.Events(k.Name)...)
		}
	}
	if len(before) == 0 {
		return
	}
	ours := profile.Events(shown)
	none := make(map[string]bool)
	for ev, err := range in.set.Events(mmapjfr.Types(before...)) {
		if name := ""; err == nil { // reading the events has reported errors
			if name = ev.Type().Name(); !slices.Contains(ours, name) {
				none[name] = true
			}
		}
	}
	if len(none) > 0 {
		v.Report(fmt.Errorf("note: no %s is selected, so this shows type %s; -t chooses another type", strings.Join(slices.Sorted(maps.Keys(none)), " or "), shown))
	}
}

// choiceText returns the options that choose samples once they are read.
func (v *verb) choiceText() string {
	var list []string
	for _, o := range []struct {
		name   string
		values []string
	}{{"--include", v.include}, {"--exclude", v.exclude}, {"--state", v.states}} {
		if len(o.values) > 0 {
			list = append(list, o.name+" "+strings.Join(o.values, ", "))
		}
	}
	return strings.Join(list, " and ")
}

// kindsText returns " of type" and the kinds that were asked for, if there are any.
func kindsText(kinds []string) string {
	if len(kinds) == 0 {
		return ""
	}
	return " of type " + strings.Join(kinds, " or ")
}
