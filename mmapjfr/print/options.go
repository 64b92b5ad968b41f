package print

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Format is what events are written as.
type Format uint8

// The formats. The first four are those of the JDK's jfr print.
const (
	// Text is for people: one block for each event.
	Text Format = iota
	// Exact is Text with numbers and times in full.
	Exact
	// JSON is one document with all fields of all events.
	JSON
	// XML is one document with all fields of all events.
	XML
	// NDJSON is one JSON object for each event and line.
	NDJSON
	// CSV is one row of fields for each event, with commas between them.
	CSV
	// TSV is one row of fields for each event, with tabs between them.
	TSV
)

// Order is the order in which events are written.
type Order uint8

const (
	// ByTime is the order in which events ended, as jfr print has it. JSON and XML
	// sort the events of each chunk: up to 131,072 are kept, and of more than that
	// one of each of the rows in which they lie, which go through the chunk again.
	// All other formats sort in a window of a million events, 48 MB, which may be
	// too small for events that were written very late.
	ByTime Order = iota
	// ByFile is the order in which events lie in the file. It takes no memory, and
	// the first event is written at once. Text then does not show which events
	// enclose others.
	ByFile
)

// DefaultStackDepth is how many frames of a stack trace the JDK's jfr prints.
const DefaultStackDepth = 5

// Options say which events are written, and how. The zero Options write all events
// as text without stack traces.
type Options struct {
	Format Format
	// StackDepth is how many frames of a stack trace are written.
	StackDepth int
	// Zone is the time zone of what is written; nil for that of each recording, and
	// in NDJSON, CSV and TSV for UTC.
	Zone *time.Location
	// Fields are what CSV, TSV and NDJSON write: paths, see [mmapjfr.FieldPath], such as
	// "eventThread.javaName", and of any event "@type", "@thread", "@top". A path that
	// no selected event type has is an error. If there are none NDJSON has the fields of
	// each event, and rows those of the one type that the events have;
	// [ErrMixedTypes] if they have several.
	Fields []string
	// SpreadsheetSafe puts an apostrophe before each cell, and each title, of CSV and
	// TSV that spreadsheets could take for a formula: one that begins with =, +, - or @,
	// with the wide form of one of these, or with a tab or an end of line, and is no
	// number, such as -1 or +2.5E3. It holds for programs that split rows where they are
	// to be split: one that takes semicolons for commas can find a cell inside another.
	SpreadsheetSafe bool

	// Filters select events.
	Filters []mmapjfr.Filter
	// Keep, if it is not nil, is asked of each event that the filters want.
	Where func(ev mmapjfr.Event) bool
	// Order is the order in which events are written.
	Order Order
	// Limit is how many events are written at most, and Tail how many of the last
	// ones; 0 for all.
	Limit, Tail int

	// Workers is how many goroutines render events; 0 for one per processor.
	Workers int
	// Note is told of what cannot be read. It may be nil. Constants are read when events
	// are rendered: what is wrong with those of a chunk comes once, when all is written.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress is told how many bytes of the recordings have been gone through
	// since it was called last. It may be nil.
	Progress func(bytes uint64)

	progress progress
	skip     skip
	// lost are the recordings of which it has been told that bytes have gone.
	lost map[*mmapjfr.Recording]bool
}
