package repair

import (
	"fmt"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Report is the result of repairing a recording.
type Report struct {
	// Chunks are those of the damaged recording, in their order.
	Chunks []Chunk
	// Lost are bytes before, between and after the chunks that belong to none.
	Lost Lost
	// Bytes is how many bytes have been written.
	Bytes uint64
}

// Action is what was done with a chunk.
type Action uint8

// The actions.
const (
	// Copied says that the chunk was whole, and is in the repaired recording as it was.
	Copied Action = iota
	// Rewritten says that the chunk got a new header and a new chain of checkpoints.
	Rewritten
	// Dropped says that nothing of the chunk could be kept: nothing describes its types,
	// or it has nothing but a header.
	Dropped
)

var actions = [...]string{"copied", "rewritten", "dropped"}

// String returns a word, such as "rewritten".
func (a Action) String() string { return actions[a] }

// MarshalText returns what String returns.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Chunk is what was done with a chunk.
type Chunk struct {
	// Number and Offset are those of the chunk in the damaged recording.
	Number int    `json:"chunk"`
	Offset uint64 `json:"offset"`
	// Action is what was done with it.
	Action Action `json:"done"`
	// Events is how many events were kept, and AfterFlush how many of them lie after
	// what the recorder had vouched for last.
	Events     uint64 `json:"events"`
	AfterFlush uint64 `json:"eventsAfterFlush"`
	// Undescribed is how many events were left out because nothing describes their type, or the JDK
	// cannot read events of it, and Unreadable how many because their fields do not fit them.
	Undescribed uint64 `json:"eventsUndescribed"`
	Unreadable  uint64 `json:"eventsUnreadable"`
	// LeftOut says of what types these events are, and why they were left out: no more than
	// [MaxLeftOut] types and reasons, in the order of the file. MoreLeftOut is how many
	// events there are besides.
	LeftOut     []LeftOut `json:"leftOut"`
	MoreLeftOut uint64    `json:"-"`
	// Lost are bytes in which no events could be found.
	Lost Lost `json:"lost"`
	// Checkpoints is how many checkpoints were kept, and Shortened how many of them
	// lack constants that could not be read.
	Checkpoints int `json:"checkpoints"`
	Shortened   int `json:"checkpointsShortened"`
	// Dropped is how many checkpoints that could be found were not kept.
	Dropped int `json:"checkpointsDropped"`
	// Metadata says where the metadata comes from.
	Metadata MetadataSource `json:"types"`
	// Renumbered says that the types got new numbers: those of another virtual machine have the
	// same numbers, and the JDK's reader would confuse the two.
	Renumbered bool `json:"typesRenumbered"`
	// ClockAssumed says that the rate of the chunk's clock is lost. The times in the repaired
	// recording are right only if a tick was a nanosecond, as is usual.
	ClockAssumed bool `json:"clockAssumed"`
	// Missing counts the references to constants that no checkpoint has.
	Missing []Missing `json:"-"`
	// Placeholders is how many of these references are in constants that the JDK does not
	// print without: they lead to constants now that are called "(missing)".
	Placeholders int `json:"-"`
	// Err is why the chunk was dropped, or what was first found to be wrong with it; nil
	// if it was whole.
	Err error `json:"-"`
}

// MaxLeftOut is how many elements [Chunk].LeftOut has at most.
const MaxLeftOut = 64

// LeftOut are the events of a type that were left out for the same reason.
type LeftOut struct {
	// ID is the number of the type, and Type its name; empty if nothing describes it.
	ID   schema.TypeID `json:"id"`
	Type string        `json:"type"`
	// Events is how many events there are.
	Events uint64 `json:"events"`
	// Why is the reason: a clause such as "nothing describes the type".
	Why string `json:"why"`
}

// MetadataSource says where the metadata of a chunk comes from.
type MetadataSource uint8

// Where metadata comes from.
const (
	// MetadataOwn is a metadata event of the chunk, as it was.
	MetadataOwn MetadataSource = iota
	// MetadataRenewed was made of the chunk's own metadata: the event as it was could not be kept,
	// or does not describe all types whose events were kept.
	MetadataRenewed
	// MetadataBorrowed is that of another chunk of the same virtual machine.
	MetadataBorrowed
	// MetadataNone says that there is no metadata.
	MetadataNone
)

var origins = [...]string{"own", "renewed", "borrowed", "none"}

// String returns a word, such as "borrowed".
func (m MetadataSource) String() string { return origins[m] }

// MarshalText returns what String returns.
func (m MetadataSource) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Missing counts references to constants of a type that are in no checkpoint of a chunk.
type Missing struct {
	// Type is the name of the type.
	Type string
	// References is how often events, and the constants that were kept, refer to
	// constants of the type that are missing.
	References uint64
}

// MaxRanges is how many lost ranges are listed of a chunk; ranges after them are only counted.
const MaxRanges = 100

// Lost is bytes of the damaged recording that nothing was found in.
type Lost struct {
	// Bytes is how many bytes they are, and Count how many ranges.
	Bytes uint64 `json:"bytes"`
	Count uint64 `json:"count"`
	// Ranges are the first of the ranges, at most [MaxRanges], in bytes from the start of the
	// damaged recording.
	Ranges []mmapjfr.ByteRange `json:"ranges"`
}

// add adds a range, unless it is empty.
func (l *Lost) add(from, to uint64) {
	if from >= to {
		return
	}
	l.Bytes += to - from
	l.Count++
	if len(l.Ranges) < MaxRanges {
		l.Ranges = append(l.Ranges, mmapjfr.ByteRange{From: from, To: to})
	}
}

// Events returns how many events were kept.
func (r *Report) Events() (n uint64) {
	for i := range r.Chunks {
		n += r.Chunks[i].Events
	}
	return n
}

// Whole reports whether nothing was lost: all bytes of the recording were understood, and
// all of its events and constants were kept. It is true of a chunk that a virtual
// machine was writing, as long as nothing of it is missing.
func (r *Report) Whole() bool {
	if r.Lost.Bytes > 0 {
		return false
	}
	for i := range r.Chunks {
		c := &r.Chunks[i]
		if c.Undescribed+c.Unreadable+c.Lost.Bytes > 0 || c.Shortened+c.Dropped > 0 || c.ClockAssumed || c.Action == Dropped && c.Err != errNoContent {
			return false
		}
	}
	return true
}

// ErrNothing says that there is not a single chunk that could be kept. It matches
// [mmapjfr.ErrCorrupt].
var ErrNothing = fmt.Errorf("repair: %w: no chunk could be kept", mmapjfr.ErrCorrupt)
