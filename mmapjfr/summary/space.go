package summary

import (
	"cmp"
	"maps"
	"slices"
)

// PartKind tells what a part of a recording is made of.
type PartKind string

// The parts of a recording.
const (
	// EventsPart is events, of the types of one category.
	EventsPart PartKind = "events"
	// ConstantsPart is checkpoints: the constants, and what frames them.
	ConstantsPart PartKind = "constants"
	// MetadataPart is metadata events.
	MetadataPart PartKind = "metadata"
	// HeadersPart is the headers of chunks.
	HeadersPart PartKind = "headers"
	// UnselectedPart is the events that are not counted, see [Summary.Keep].
	UnselectedPart PartKind = "unselected"
	// OtherPart is what could not be read, lies behind the last flush of a chunk
	// that is being written, or belongs to no chunk.
	OtherPart PartKind = "other"
)

// Part is what takes space in recordings.
type Part struct {
	Kind PartKind
	// Name is the name of the category for events; empty for the other kinds.
	Name  string
	Bytes uint64
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
func (s *Summary) Space() []Part {
	categories := make(map[string]uint64)
	constants, metadata, headers := Part{Kind: ConstantsPart}, Part{Kind: MetadataPart}, Part{Kind: HeadersPart}
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
	var list []Part
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		list = append(list, Part{EventsPart, name, categories[name]})
	}
	slices.SortStableFunc(list, func(a, b Part) int { return cmp.Compare(b.Bytes, a.Bytes) })
	if s.Selection != "" {
		list = append(list, Part{Kind: UnselectedPart, Bytes: s.Unselected.Bytes})
	}
	list = append(list, constants, metadata, headers)
	other := Part{Kind: OtherPart, Bytes: uint64(s.Size())}
	for _, p := range list {
		other.Bytes -= p.Bytes
	}
	return append(list, other)
}
