package live

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// setsDefaults is the set of the JDK's settings from which event types have their periods and
// thresholds.
const setsDefaults = "profile"

// recorder is a JVM, as far as it says what it records and can record.
type recorder interface {
	EventSettings(ctx context.Context) ([]attach.EventSetting, error)
	SettingsOf(ctx context.Context, set string) ([]attach.EventSetting, error)
}

// periods is the event type that says how often samples are taken, which is what they stand for.
const periods = "jdk.ActiveSetting"

// lacking is what a JVM has to record besides what it records already.
type lacking struct {
	sets     []string // of settings
	settings []string // of event types
	types    []string // what is recorded by that, for people
}

// lackingIn returns what a JVM has to record, so that events of some types come. These are named in
// full, by their simple names, or by patterns.
//
// What a running recording enables is left as it is: JDK 25 makes a wrong rate of two for
// jdk.CPUTimeSample, for example. Other types get the values that the JDK's own settings have for
// them. A pattern means those that these settings enable, or all if they enable none. The types of
// programs are part of each recording, unless they are disabled.
func lackingIn(ctx context.Context, vm recorder, names []string) (l lacking, err error) {
	recorded, err := vm.EventSettings(ctx)
	if err != nil {
		return l, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(recorded, func(s attach.EventSetting) bool { return matches(name, s.Event) })
	})
	if len(names) == 0 {
		return l, nil
	}
	known, err := vm.SettingsOf(ctx, setsDefaults)
	if err != nil { // its files are not to be seen here; the JVM sees them
		l.sets, l.types = []string{setsDefaults}, []string{"the event types of its settings " + setsDefaults}
	}
	const own = "the program's own event types"
	for _, name := range names {
		types := typesOf(known, name)
		isName := !strings.ContainsAny(name, "*?")
		switch {
		case len(types) > 0:
		case isName && strings.Contains(name, "."):
			types = []string{name}
		case isName && len(l.sets) > 0:
			types = []string{"jdk." + name}
		case len(recorded) == 0 && len(l.sets) == 0 && !slices.Contains(l.types, own):
			l.settings = append(l.settings, periods) // any type makes a recording
			l.types = append(l.types, own)
		}
		for _, t := range types {
			l.enable(t, known)
		}
	}
	if len(l.settings) > 0 && !slices.Contains(l.settings, periods) {
		l.settings = append(l.settings, periods)
	}
	return l, nil
}

// enable adds an event type.
func (l *lacking) enable(name string, known []attach.EventSetting) {
	if slices.Contains(l.types, name) {
		return
	}
	l.types = append(l.types, name)
	l.settings = append(l.settings, name)
	for _, s := range known {
		if s.Event == name && s.Setting != "enabled" {
			l.settings = append(l.settings, s.String())
		}
	}
}

// typesOf returns the event types of settings that a name or pattern means.
func typesOf(known []attach.EventSetting, name string) (types []string) {
	var enabled []string
	for _, s := range known {
		if s.Setting != "enabled" || !matches(name, s.Event) {
			continue
		}
		if types = append(types, s.Event); s.Value == "true" {
			enabled = append(enabled, s.Event)
		}
	}
	if strings.ContainsAny(name, "*?") && len(enabled) > 0 {
		return enabled
	}
	return types
}

// matches reports whether an event type has a name, full or simple, or fits a pattern.
func matches(pattern, name string) bool {
	for _, n := range []string{name, name[strings.LastIndexByte(name, '.')+1:]} {
		if ok, _ := path.Match(pattern, n); ok || strings.EqualFold(pattern, n) {
			return true
		}
	}
	return false
}

// String returns what is recorded, in a few words.
func (l *lacking) String() string {
	const most = 4 // names
	list := l.types
	if len(list) > most {
		list = append(slices.Clone(list[:most-1]), fmt.Sprintf("%d more event types", len(list)-most+1))
	}
	last := len(list) - 1
	if last <= 0 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
