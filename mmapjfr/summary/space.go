package summary

import (
	"cmp"
	"maps"
	"slices"
)

// SpaceKind tells what a part of a recording is made of.
type SpaceKind string

// The parts of a recording.
const (
	// EventsSpace is events, of the types of one category.
	EventsSpace SpaceKind = "events"
	// ConstantsSpace is checkpoints: the constants, and what frames them.
	ConstantsSpace SpaceKind = "constants"
	// MetadataSpace is metadata events.
	MetadataSpace SpaceKind = "metadata"
	// HeadersSpace is the headers of chunks.
	HeadersSpace SpaceKind = "headers"
	// UnselectedSpace is the events that are not counted, see [Summary.Keep].
	UnselectedSpace SpaceKind = "unselected"
	// OtherSpace is what could not be read, lies after the last flush of a chunk
	// that is being written, or belongs to no chunk.
	OtherSpace SpaceKind = "other"
)

// Space is what takes space in recordings.
type Space struct {
	Kind SpaceKind `json:"kind"`
	// Name is the name of the category for events; empty for the other kinds.
	Name  string `json:"name,omitempty"`
	Bytes uint64 `json:"bytes"`
}

// Uncategorized is the category of event types that name none.
const Uncategorized = "Uncategorized"

// Category returns the outermost category that the type is filed under;
// [Uncategorized] if it names none, as the JDK has it, or if nothing describes it.
func (t *Type) Category() string {
	if path := t.Type.Category(); len(path) > 0 {
		return path[0]
	}
	return Uncategorized
}

// Space returns what takes the space: the events by their outermost categories, the
// largest first, and what else there is. The bytes of all parts add up to
// [Summary.Size].
func (s *Summary) Space() []Space {
	categories := make(map[string]uint64)
	constants, metadata, headers := Space{Kind: ConstantsSpace}, Space{Kind: MetadataSpace}, Space{Kind: HeadersSpace}
	for _, t := range s.Types {
		switch {
		case !t.IsEvent() && t.structure == metadataStructure:
			metadata.Bytes += t.Bytes
		case !t.IsEvent():
			constants.Bytes += t.Bytes
		case t.Events > 0:
			categories[t.Category()] += t.Bytes
		}
	}
	for i := range s.Chunks {
		headers.Bytes += s.Chunks[i].headers
	}
	var list []Space
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		list = append(list, Space{EventsSpace, name, categories[name]})
	}
	slices.SortStableFunc(list, func(a, b Space) int { return cmp.Compare(b.Bytes, a.Bytes) })
	if s.Selection != "" {
		list = append(list, Space{Kind: UnselectedSpace, Bytes: s.Unselected.Bytes})
	}
	list = append(list, constants, metadata, headers)
	other := Space{Kind: OtherSpace, Bytes: uint64(s.Size())}
	for _, p := range list {
		other.Bytes -= p.Bytes
	}
	return append(list, other)
}
