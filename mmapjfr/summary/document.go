package summary

import (
	"cmp"
	"errors"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Time is a point in time that JSON always has with nine digits of its second.
type Time = jsonout.Timestamp

// Document is a summary as JSON. Times are in UTC and have nine digits, sizes are in bytes.
type Document struct {
	// Version is the version of the format, see [Summary.Version].
	Version string `json:"version"`
	// Chunks is how many chunks there are.
	Chunks        int    `json:"chunks"`
	Start         Time   `json:"start"`
	End           Time   `json:"end"`
	DurationNanos int64  `json:"durationNanos"`
	SizeBytes     int64  `json:"sizeBytes"`
	Events        uint64 `json:"events"`
	// Selection is which events are counted, see [Summary.Keep]; empty for all.
	Selection string         `json:"selection,omitempty"`
	Types     []TypeDocument `json:"types"`
	// What follows is there if it has been asked for, see [Document.AddExtended].
	ChunkList []ChunkDocument `json:"chunkList,omitempty"`
	Pools     []Pool          `json:"pools,omitempty"`
	Space     []Space         `json:"space,omitempty"`
	// Errors are what could not be read.
	Errors []FaultDocument `json:"errors"`
}

// TypeDocument is an event type in a [Document].
type TypeDocument struct {
	Name string `json:"name"`
	// ID is the number of the type; nil if virtual machines have different ones.
	ID       *int64   `json:"id,omitempty"`
	Label    string   `json:"label,omitempty"`
	Category []string `json:"category,omitempty"`
	Count    uint64   `json:"count"`
	Bytes    uint64   `json:"bytes"`
	*TypeExtension
}

// TypeExtension is what [Document.AddExtended] adds about a type.
type TypeExtension struct {
	// Share is the share of all bytes, from 0 to 1.
	Share float64 `json:"share"`
	// PerSecond is how many events there are in each second that was recorded; nil
	// if no time was recorded.
	PerSecond *float64 `json:"perSecond,omitempty"`
	// First and Last are when the first and the last event began; nil if there
	// are no events, or if their times are not known.
	First *Time `json:"first,omitempty"`
	Last  *Time `json:"last,omitempty"`
}

// ChunkDocument is a chunk in a [Document].
type ChunkDocument struct {
	// Number counts the chunks of all files from 0.
	Number         int    `json:"number"`
	File           string `json:"file"`
	OffsetBytes    uint64 `json:"offsetBytes"`
	SizeBytes      uint64 `json:"sizeBytes"`
	Start          Time   `json:"start"`
	DurationNanos  int64  `json:"durationNanos"`
	Events         uint64 `json:"events"`
	EventBytes     uint64 `json:"eventBytes"`
	Pools          uint64 `json:"pools"`
	Constants      uint64 `json:"constants"`
	Checkpoints    uint64 `json:"checkpoints"`
	ConstantBytes  uint64 `json:"constantBytes"`
	MetadataEvents uint64 `json:"metadataEvents"`
	MetadataBytes  uint64 `json:"metadataBytes"`
	// Finished reports whether the recorder has completed the chunk, and Final whether
	// it says that its virtual machine wrote no other after it.
	Finished       bool   `json:"finished"`
	Final          bool   `json:"final"`
	TicksPerSecond int64  `json:"ticksPerSecond"`
	Version        string `json:"version"`
}

// FaultDocument is what could not be read in a [Document].
type FaultDocument struct {
	File    string `json:"file"`
	Message string `json:"message"`
	// Chunk and Offset are where it is in the file; nil if that is not known.
	Chunk  *int    `json:"chunk,omitempty"`
	Offset *uint64 `json:"offset,omitempty"`
	// Unfinished tells that a chunk is still being written, which is no damage.
	Unfinished bool `json:"unfinished,omitempty"`
}

// NewDocument returns the summary as a document. File tells what to call the file of
// a recording.
func NewDocument(s *Summary, file func(*mmapjfr.Recording) string) *Document {
	return &Document{
		Version: s.Version(), Chunks: len(s.Chunks),
		Start: jsonout.At(s.Start()), End: jsonout.At(s.End()), DurationNanos: s.Duration().Nanoseconds(),
		SizeBytes: s.Size(), Events: s.Events, Selection: s.Selection,
		Types:  TypeDocuments(s.counted()),
		Errors: FaultDocuments(s.Faults, file),
	}
}

// TypeDocuments returns types for a document.
func TypeDocuments(types []*Type) []TypeDocument {
	list := make([]TypeDocument, len(types))
	for i, t := range types {
		list[i] = TypeDocument{
			Name: t.Name, Label: t.Type.Label(), Category: t.Type.Category(), Count: t.Events, Bytes: t.Bytes,
		}
		if !t.Renumbered {
			list[i].ID = &t.ID
		}
	}
	return list
}

// FaultDocuments returns what could not be read for a document.
func FaultDocuments(faults []Fault, file func(*mmapjfr.Recording) string) []FaultDocument {
	list := make([]FaultDocument, len(faults))
	for i, f := range faults {
		list[i] = FaultDocument{
			File: file(f.Recording), Message: errtree.Unnamed(f.Err).Error(), Unfinished: errors.Is(f.Err, mmapjfr.ErrUnfinished),
		}
		var at *mmapjfr.FormatError
		if errors.As(f.Err, &at) {
			list[i].Chunk, list[i].Offset = &at.Chunk, &at.Offset
		}
	}
	return list
}

// ChunkDocuments returns the chunks for a document. What they hold of constants is
// there if [Summary.ReadPools] has been called.
func ChunkDocuments(s *Summary, file func(*mmapjfr.Recording) string) []ChunkDocument {
	list := make([]ChunkDocument, len(s.Chunks))
	for i := range s.Chunks {
		c := &s.Chunks[i]
		list[i] = ChunkDocument{
			Number: i, File: file(c.Recording), OffsetBytes: c.Chunk.Offset(), SizeBytes: c.Chunk.Size(),
			Start: jsonout.At(c.Chunk.Start()), DurationNanos: c.Duration().Nanoseconds(),
			Events: c.Events.Events, EventBytes: c.Events.Bytes,
			Pools: c.Pools, Constants: c.Constants,
			Checkpoints: c.Checkpoints.Events, ConstantBytes: c.Checkpoints.Bytes,
			MetadataEvents: c.Metadata.Events, MetadataBytes: c.Metadata.Bytes,
			Finished: c.Chunk.Finished(), Final: engine.ChunkFinal(c.Chunk),
			TicksPerSecond: engine.ChunkTicksPerSecond(c.Chunk), Version: version(c.Chunk),
		}
	}
	return list
}

// AddExtended adds what [Summary.ReadPools] and [Summary.ReadTimes] have found out: the
// chunks, the constant pools, what takes the space, and more of each type.
func (d *Document) AddExtended(s *Summary, file func(*mmapjfr.Recording) string) {
	d.ChunkList = ChunkDocuments(s, file)
	d.Pools, d.Space = s.Pools, s.Space()
	for i, t := range s.counted() {
		more := &TypeExtension{Share: s.Share(t.Bytes)}
		if rate, ok := s.Rate(t.Events); ok {
			more.PerSecond = &rate
		}
		if !t.First.IsZero() {
			more.First, more.Last = new(jsonout.At(t.First)), new(jsonout.At(t.Last))
		}
		d.Types[i].TypeExtension = more
	}
}

// Share returns the share that a number of bytes is of all bytes, from 0 to 1.
func (s *Summary) Share(bytes uint64) float64 {
	if size := s.Size(); size > 0 {
		return float64(bytes) / float64(size)
	}
	return 0
}

// Rate returns the number of events in a second for a number of events in the whole time, or in
// the selected time; false if no time was recorded.
func (s *Summary) Rate(events uint64) (perSecond float64, ok bool) {
	if d := cmp.Or(s.lasts, s.Duration()); d > 0 {
		return float64(events) / d.Seconds(), true
	}
	return 0, false
}
