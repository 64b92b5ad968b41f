package stream

import (
	"fmt"

	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// SettingError is a warning about a setting that the virtual machine ignores: see
// [Stream.OnWarning].
type SettingError struct {
	// Event is the event type that the setting is of, as it was named.
	Event string
	// Setting is the setting that the type does not have; "enabled" if there is no such type.
	Setting string
	// Err says so, with the nearest names.
	Err error
}

func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap returns Err, which matches [mmapjfr.ErrNoType] if there is no such type.
func (e *SettingError) Unwrap() error { return e.Err }

// warn reports the names in handlers and settings that none of the types has, each name once.
func (d *delivery) warn(types []mmapjfr.Type) {
	if len(types) == 0 {
		return // errors tell why
	}
	handlers := &d.stream.handlers
	for h := range handlers.of(kindEvent) {
		if h.checked || h.filter == nil {
			continue
		}
		h.checked = true
		if err := mmapjfr.CheckFilter(h.filter, types); err != nil {
			handlers.warn(fmt.Errorf("stream: a handler waits for events that may never come: %w", err))
		}
	}
	if d.stream.recorded == nil {
		return
	}
	for _, s := range d.stream.recorded() {
		s.Value = ""
		if d.warned[s] {
			continue
		}
		if d.warned == nil {
			d.warned = make(map[attach.EventSetting]bool)
		}
		d.warned[s] = true
		if err := checkSetting(s, types); err != nil {
			handlers.warn(&SettingError{s.Event, s.Setting, err})
		}
	}
}

// checkSetting returns an error if no event type has the name, or the type has no such
// setting. That there is no type is told once, of the setting that enables it, which comes with
// all others.
func checkSetting(s attach.EventSetting, types []mmapjfr.Type) error {
	var names []string
	for _, t := range types {
		if !t.IsEvent() {
			continue
		}
		if names = append(names, t.Name()); t.Name() != s.Event {
			continue
		}
		var settings []string
		for _, setting := range t.Settings() {
			if settings = append(settings, setting.Name()); setting.Name() == s.Setting {
				return nil
			}
		}
		if len(settings) == 0 || s.Setting == "enabled" {
			return nil // all types have it, and metadata need not list any
		}
		return fmt.Errorf("stream: %s has no setting %q%s; the virtual machine ignores it", s.Event, s.Setting, suggest.Question(s.Setting, settings))
	}
	if s.Setting != "enabled" {
		return nil
	}
	return fmt.Errorf("stream: the virtual machine has no event type %q to record%s: %w", s.Event, suggest.Question(s.Event, names), mmapjfr.ErrNoType)
}
