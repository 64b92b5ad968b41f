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
	// ByTime is the order in which events ended, as in jfr print. JSON and XML sort the
	// events of each chunk: up to 131,072 in memory; a chunk with more is read again, with
	// one cursor for each sorted run in it. All other formats sort in a window of a
	// million events, 48 MB, which moves on by one event in text, and by a quarter of it in the others. An event
	// that was written later than that comes too late.
	ByTime Order = iota
	// ByFile is the order in which events lie in the file. It takes no memory, and the
	// first event is written at once. Text then does not show which events enclose
	// others.
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
	// Zone is the time zone of what is written. Nil is that of each recording; in NDJSON,
	// CSV and TSV it is UTC.
	Zone *time.Location
	// Fields are what CSV, TSV and NDJSON write: paths, see [mmapjfr.FieldPath], such as
	// "eventThread.javaName", and of any event "@type", "@thread", "@top". A path that
	// no selected event type has is an error. Without Fields, NDJSON has all fields of
	// each event, and rows have those of the one type that the events have;
	// [ErrMixedTypes] if there are several.
	Fields []string
	// SpreadsheetSafe puts an apostrophe before each cell, and each title, of CSV and
	// TSV that a spreadsheet could take for a formula: one that begins with =, +, - or @,
	// with the wide form of one of these, or with a tab or an end of line, and is no
	// number, such as -1 or +2.5E3. It holds for programs that split rows at the right
	// places: one that takes semicolons for commas can find a cell inside another.
	SpreadsheetSafe bool

	// Filters select events.
	Filters []mmapjfr.Filter
	// Where, if it is not nil, selects among the events that the filters select.
	Where func(ev mmapjfr.Event) bool
	// Order is the order in which events are written.
	Order Order
	// Limit is how many events are written at most, and Tail how many of the last
	// ones; 0 for all.
	Limit, Tail int

	// Workers is how many goroutines render events; 0 for one per processor. The option
	// [mmapjfr.Workers] of the recordings does not matter.
	Workers int
	// OnError, if it is not nil, is called with what cannot be read. Constants are read
	// when an event needs them: an error in the constants of a chunk is reported once, at
	// the end, and only if an event that was looked at needed constants of that chunk.
	OnError func(rec *mmapjfr.Recording, err error)
	// Progress, if it is not nil, is called with the number of bytes of the recordings
	// that have been read since its last call.
	Progress func(bytes uint64)
}

// inColumns reports whether the format has columns: those of a type, or those that are named.
func (o *Options) inColumns() bool {
	return o.Format == CSV || o.Format == TSV || o.Format == NDJSON && len(o.Fields) > 0
}

// sortsChunks reports whether events of different chunks are sorted together.
func (o *Options) sortsChunks() bool {
	return o.Order == ByTime && o.Format != JSON && o.Format != XML
}
