package events

import (
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Column is a column of a list of events. The list is written line by line, so the width of a
// column is fixed.
type Column struct {
	title, raw string // raw is the title for programs
	width      int
	right      bool
}

// The columns of an event's line.
var (
	OrdinalColumn  = Column{"Ordinal", "Ordinal", 9, true}
	OffsetColumn   = Column{"Offset", "Offset", 11, true}
	fileColumn     = Column{"File", "File", 20, false}
	startColumn    = Column{"Time", "Time", 23, false}
	durationColumn = Column{"Duration", "DurationNanos", 9, true}
	typeColumn     = Column{"Type", "Type", 28, false}
	threadColumn   = Column{"Thread", "Thread", 24, false}
	summaryColumn  = Column{"Summary", "Summary", 0, false}
)

// Columns are the columns of every list.
var Columns = []Column{startColumn, durationColumn, typeColumn, threadColumn, summaryColumn}

// Cells returns the cells of an event for Columns. Times for people are in the zone.
func Cells(ev mmapjfr.Event, zone *time.Location) []terminal.Cell {
	return []terminal.Cell{
		startCell(ev, zone),
		durationCell(ev),
		{Text: ev.Type().SimpleName(), Raw: engine.TypeRecordedName(ev.Type())},
		terminal.Plain(ev.Thread().Name()),
		terminal.Plain(summarizeEvent(ev)),
	}
}

func startCell(ev mmapjfr.Event, zone *time.Location) terminal.Cell {
	start := ev.Start()
	if start.IsZero() {
		return terminal.Cell{}
	}
	return terminal.Cell{Text: start.In(zone).Format("2006-01-02 15:04:05.000"), Raw: start.Format(time.RFC3339Nano)}
}

func durationCell(ev mmapjfr.Event) terminal.Cell {
	if !ev.Has(pathEventDuration) {
		return terminal.Cell{}
	}
	d := ev.Duration()
	return terminal.Cell{Text: terminal.ShortDuration(d), Raw: strconv.FormatInt(int64(d), 10)}
}

var (
	pathEventDuration = mmapjfr.Path("duration")
	pathSampledThread = mmapjfr.Path("sampledThread")
)

// summaryParts is the greatest number of parts in the summary of an event.
const summaryParts = 3

// commonFields are not in a summary: they have columns of their own, or do not fit a word.
var commonFields = map[string]bool{
	"startTime": true, "duration": true, "eventThread": true, "sampledThread": true, "stackTrace": true,
}

// summarizeEvent returns the most useful values of an event: where the thread was for a sample, and
// the first fields for other events.
func summarizeEvent(ev mmapjfr.Event) string {
	var parts []string
	stack := ev.StackTrace()
	if stack.Len() > 0 && isSample(ev) {
		parts = append(parts, "at "+inspect.Frame(stack.Frame(0)))
	}
	for f, v := range ev.Fields() {
		if len(parts) == summaryParts {
			break
		}
		if !commonFields[f.Name()] {
			parts = append(parts, f.Name()+"="+inspect.Short(v))
		}
	}
	if len(parts) == 0 && stack.Len() > 0 {
		parts = append(parts, "at "+inspect.Frame(stack.Frame(0)))
	}
	return strings.Join(parts, " ")
}

// isSample reports whether an event is about the place where it happened.
func isSample(ev mmapjfr.Event) bool {
	return ev.Has(pathSampledThread) || strings.HasSuffix(ev.Type().Name(), "Sample")
}

// Align returns a line for people: each cell is as wide as its column, and the line is not wider
// than the terminal. A width of 0 is no limit.
func Align(columns []Column, cells []terminal.Cell, width int) string {
	var line strings.Builder
	for i, c := range columns {
		text := terminal.Printable(cells[i].Text)
		if i > 0 {
			line.WriteString("  ")
		}
		if c.width > 0 && !c.right {
			text = runewidth.Truncate(text, c.width, "…")
		}
		pad := strings.Repeat(" ", max(0, c.width-runewidth.StringWidth(text)))
		if c.right {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	text := strings.TrimRight(line.String(), " ")
	if width > 0 {
		text = runewidth.Truncate(text, width, "…")
	}
	return text
}

// separateCells returns a line for programs. As in tables, control characters and backslashes are
// written as in Go.
func separateCells(cells []terminal.Cell) string {
	fields := make([]string, len(cells))
	for i, c := range cells {
		fields[i] = terminal.Printable(strings.ReplaceAll(c.Raw, `\`, `\\`))
	}
	return strings.Join(fields, "\t")
}

// titleCells returns the titles of columns as cells.
func titleCells(columns []Column) []terminal.Cell {
	cells := make([]terminal.Cell, len(columns))
	for i, c := range columns {
		cells[i] = terminal.Cell{Text: c.title, Raw: c.raw}
	}
	return cells
}
