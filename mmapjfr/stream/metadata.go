package stream

import (
	"cmp"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Metadata tells which event types there are now, and how they differ from those before.
// Types are told apart by their names. They stay valid.
type Metadata struct {
	// Types are all event types that are described, by name.
	Types []mmapjfr.Type
	// Added are those of them that were not described before, and Removed those that were
	// and are no longer.
	Added, Removed []mmapjfr.Type
}

// described is what is known of event types.
type described struct {
	byName map[string]mmapjfr.Type
	// live and offset are the metadata event that it was read from.
	live   *mmapjfr.GrowingChunk
	offset uint64
}

// update reads the newest metadata of a chunk if it has not been read. It tells whether
// there are other types than before.
func (d *described) update(live *mmapjfr.GrowingChunk) (m Metadata, changed bool, err error) {
	offset := live.MetadataOffset()
	if d.live == live && d.offset == offset {
		return Metadata{}, false, nil
	}
	d.live, d.offset = live, offset // if it cannot be read that is told once
	types, err := live.NewestTypes()
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

// sorted returns the types without those of the same name among others, by name.
func sorted(types, without map[string]mmapjfr.Type) (list []mmapjfr.Type) {
	for name, t := range types {
		if _, ok := without[name]; !ok {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b mmapjfr.Type) int { return cmp.Compare(a.Name(), b.Name()) })
	return list
}
