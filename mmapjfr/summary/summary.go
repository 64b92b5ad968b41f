package summary

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// The names of the two structures of the format that are framed like events, and
// that a summary counts as types of their own. If the first chunk is of format 1.0,
// [OldPrefix] stands before them, as the JDK has it.
const (
	MetadataName   = "jdk.Metadata"
	CheckpointName = "jdk.Checkpoint"
	OldPrefix      = "com.oracle."
)

// Summary is what recordings hold, taken together.
type Summary struct {
	// Recordings are those that it is about, in the order in which they were given.
	Recordings []*mmapjfr.Recording
	// Chunks are their chunks, in the same order.
	Chunks []Chunk
	// Types are all event types that are described, and those of which there are
	// events and no description. Those with most events come first, those with
	// equally many in the order that the JDK prints them in.
	Types []*Type
	// Events is how many events there are, without metadata events and checkpoints.
	Events uint64
	// Selection says which events are counted, see [Summary.Keep]; it is empty if all are.
	Selection string
	// Unselected are the events that are not counted.
	Unselected mmapjfr.EventCount
	// Faults are what could not be read, in the order of the chunks.
	Faults []Fault
	// Pools are the constant pools by their type, the largest first; see
	// [Summary.ReadPools].
	Pools []Pool

	lasts time.Duration // for how long the events that are selected go on; 0 for all the time

	known    map[faultKey]bool // of Faults
	compared int               // how many of Faults are in known
}

// Type is an event type, with how many events there are of it.
type Type struct {
	// Name is the full name, as the recording has it; of types that nothing describes it is what the JDK
	// calls them, as in "177 (missing event metadata)".
	Name string
	// ID is the number that the first virtual machine with the type gives it.
	ID int64
	// Renumbered tells that other virtual machines give it other numbers.
	Renumbered bool
	// Type is the type as the last chunk that has it describes it. It is zero if
	// nothing describes it, as for metadata and checkpoints.
	Type mmapjfr.Type
	// Count is how many events there are, and how many bytes they take.
	mmapjfr.EventCount
	// First and Last are when the first and the last event of the type began, see
	// [Summary.ReadTimes]; zero if there are no events, or if their times are not known.
	First, Last time.Time

	structure structure
}

// structure is one of the two structures of the format that are framed like events.
type structure uint8

const (
	noStructure structure = iota
	metadataStructure
	checkpointStructure
)

// IsEvent reports whether t is a type of events, and not one of the two structures of
// the format.
func (t *Type) IsEvent() bool { return t.Type.IsEvent() || t.structure == noStructure }

// CurrentName returns the name by which everything else knows the type, see [mmapjfr.Type.Name].
func (t *Type) CurrentName() string { return cmp.Or(t.Type.Name(), t.Name) }

// Chunk is a chunk of a recording, with what it holds.
type Chunk struct {
	// Recording is the recording that holds the chunk.
	Recording *mmapjfr.Recording
	// Chunk is the chunk itself.
	Chunk mmapjfr.Chunk
	// Events are the events, without the metadata and the checkpoints, and Unknown what
	// has the frame of an event, but a type that the chunk does not describe as an event
	// type. No reader takes that for an event. In a chunk whose types cannot be read all
	// are events.
	Events, Unknown mmapjfr.EventCount
	// Metadata are the metadata events, and Checkpoints those that carry constants.
	Metadata, Checkpoints mmapjfr.EventCount
	// Pools is how many constant pools the checkpoints carry, and Constants how many
	// constants these hold; see [Summary.ReadPools].
	Pools, Constants uint64

	jvm     *jvm
	headers uint64 // bytes before the first event
}

// Duration returns how long the chunk lasted, as far as that is known: until the
// last flush if it was never finished.
func (c *Chunk) Duration() time.Duration {
	if engine.ChunkIsUnflushed(c.Chunk) {
		return 0 // what the header says is not true yet
	}
	return c.Chunk.Duration()
}

// End returns when the chunk ended, in UTC.
func (c *Chunk) End() time.Time { return c.Chunk.Start().Add(c.Duration()) }

// Version returns the version of the format, as in "2.1". If chunks have different
// ones it is all of them, in their order, with commas between.
func (s *Summary) Version() string {
	var list []string
	for i := range s.Chunks {
		if v := version(s.Chunks[i].Chunk); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return strings.Join(list, ", ")
}

// Start returns when the earliest chunk began, in UTC.
func (s *Summary) Start() (start time.Time) {
	for i := range s.Chunks {
		if at := s.Chunks[i].Chunk.Start(); i == 0 || at.Before(start) {
			start = at
		}
	}
	return start
}

// End returns when the latest chunk ended, in UTC.
func (s *Summary) End() (end time.Time) {
	for i := range s.Chunks {
		if at := s.Chunks[i].End(); i == 0 || at.After(end) {
			end = at
		}
	}
	return end
}

// Duration returns for how long was recorded: the durations of all chunks together.
// Where there are pauses between them it is less than the time from Start to End.
func (s *Summary) Duration() (d time.Duration) {
	for i := range s.Chunks {
		if _, repeats := engine.ChunkRepeats(s.Chunks[i].Chunk); !repeats {
			d += s.Chunks[i].Duration()
		}
	}
	return d
}

// Size returns how many bytes the recordings have.
func (s *Summary) Size() (n int64) {
	for _, rec := range s.Recordings {
		n += rec.Size()
	}
	return n
}

// Fault is something in a recording that could not be read.
type Fault struct {
	// Recording is the recording in which it is.
	Recording *mmapjfr.Recording
	// Err says what is wrong, and where. A chunk that is still being written is a fault, too;
	// its error matches [mmapjfr.ErrUnfinished].
	Err error
}

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
