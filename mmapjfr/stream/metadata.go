package stream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// Metadata lists the event types, and how they differ from those before. Types are identified by
// their names. They stay valid.
type Metadata struct {
	// Types are all event types that are described, by name.
	Types []mmapjfr.Type
	// Added are the types that were not described before. Removed are those that are not described
	// any more.
	Added, Removed []mmapjfr.Type
}

// knownTypes are the event types known so far.
type knownTypes struct {
	byName map[string]mmapjfr.Type
	// live and offset are the metadata event that it was read from.
	chunk  *mmapjfr.GrowingChunk
	offset uint64
}

// update reads the newest metadata of a chunk, unless it has been read. It reports whether event
// types were added or removed.
func (d *knownTypes) update(live *mmapjfr.GrowingChunk) (m Metadata, changed bool, err error) {
	offset := engine.GrowingChunkMetadataOffset(live)
	if d.chunk == live && d.offset == offset {
		return Metadata{}, false, nil
	}
	d.chunk, d.offset = live, offset // an error is returned once
	types, err := engine.GrowingChunkNewestTypes(live)
	if err != nil {
		return Metadata{}, false, err
	}
	first := d.byName == nil
	before := d.byName
	d.byName = make(map[string]mmapjfr.Type, len(types))
	for _, t := range types {
		d.byName[t.Name()] = t
	}
	m.Types = sorted(d.byName, nil)
	m.Added, m.Removed = sorted(d.byName, before), sorted(before, d.byName)
	return m, first || len(m.Added)+len(m.Removed) > 0, nil
}

// sorted returns, by name, the types that are not in without.
func sorted(types, without map[string]mmapjfr.Type) (list []mmapjfr.Type) {
	for name, t := range types {
		if _, ok := without[name]; !ok {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b mmapjfr.Type) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}

// SettingError is a warning about a setting that the virtual machine ignores, see
// [Stream.OnWarning].
type SettingError struct {
	// Event is the name of the event type, as it was given.
	Event string
	// Setting is the setting that the type does not have; "enabled" if the type does not exist.
	Setting string
	// Err says so, and suggests similar names.
	Err error
}

func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap returns Err, which matches [mmapjfr.ErrNoType] if there is no such type.
func (e *SettingError) Unwrap() error { return e.Err }

// warn reports the names in handlers and settings that no type has, each name once.
func (d *dispatcher) warn(types []mmapjfr.Type) {
	if len(types) == 0 {
		return // an error has been reported
	}
	handlers := &d.stream.handlers
	for h := range handlers.of(kindEvent) {
		if h.checked || h.filter == nil {
			continue
		}
		h.checked = true
		if h.err != nil {
			handlers.fail(h.err)
			continue
		}
		if err := engine.CheckFilter(h.filter, types); err != nil {
			handlers.warn(fmt.Errorf("stream: a handler waits for events that may never come: %w", err))
		}
	}
	if d.stream.recordedSettings == nil {
		return
	}
	for _, s := range d.stream.recordedSettings() {
		s.Value = ""
		if d.checkedSettings[s] {
			continue
		}
		if d.checkedSettings == nil {
			d.checkedSettings = make(map[attach.EventSetting]bool)
		}
		d.checkedSettings[s] = true
		if err := checkSetting(s, types); err != nil {
			handlers.warn(&SettingError{s.Event, s.Setting, err})
		}
	}
}

// checkSetting returns an error if no event type has the name, or if the type has no such setting.
// That a type does not exist is reported for its setting "enabled", which all other settings come
// with.
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
			return nil // all types have these, and metadata need not list any
		}
		return fmt.Errorf("stream: %s has no setting %q; the JVM ignores it%s", s.Event, s.Setting, suggest.Question(s.Setting, settings))
	}
	if s.Setting != "enabled" {
		return nil
	}
	return fmt.Errorf("stream: the JVM has no event type %q to record: %w%s", s.Event, mmapjfr.ErrNoType, suggest.Question(s.Event, names))
}
