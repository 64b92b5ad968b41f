package at

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/mattn/go-runewidth"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/events"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// timeLayout is how times are shown.
const timeLayout = "2006-01-02 15:04:05.000000000 -07:00"

// writer shows places.
type writer struct {
	app   *cli.App
	set   *input.Set
	o     *options
	out   *bufio.Writer
	shown int
}

// text shows a place to people. The next Flush returns errors of writing, too.
func (s *writer) text(pos *position, p *place, near [2][]place) error {
	if s.shown++; s.shown > 1 {
		fmt.Fprintln(s.out)
	}
	if len(near[0])+len(near[1]) > 0 {
		s.around(p, near)
		fmt.Fprintln(s.out)
	}
	s.heading(p)
	if p.inside > 0 {
		fmt.Fprintf(s.out, "note: %s is %d bytes after its beginning\n", pos.text, p.inside)
	}
	fmt.Fprintln(s.out)
	switch {
	case s.o.hex:
		return inspect.Write(s.out, p.Lines())
	case p.Kind == inspect.EventItem && p.Err == nil:
		return s.event(p.Event)
	case p.Kind == inspect.EventItem:
		fmt.Fprintf(s.out, "it cannot be read: %s; --hex shows its bytes\n", p.Err)
	default:
		s.structure(p)
	}
	return nil
}

// heading writes what the place is, and where it is.
func (s *writer) heading(p *place) {
	switch p.Kind {
	case inspect.EventItem:
		name := "an event that cannot be read"
		if p.Err == nil {
			name = terminal.Printable(engine.TypeRecordedName(p.Event.Type()))
		}
		fmt.Fprintf(s.out, "#%d  %s\n", p.ordinal, name)
	case inspect.HeaderItem:
		fmt.Fprintln(s.out, "chunk header")
	case inspect.MetadataItem:
		fmt.Fprintln(s.out, "metadata event")
	default:
		fmt.Fprintln(s.out, "checkpoint")
	}
	fmt.Fprintf(s.out, "at %#x (%d), %d bytes, in chunk %d", p.Offset, p.Offset, p.Size, p.Chunk.Number())
	if len(s.set.Recordings) > 1 {
		fmt.Fprintf(s.out, " of %s", terminal.Printable(s.set.Name(p.rec)))
	}
	fmt.Fprintln(s.out)
	if p.Event.IsZero() || p.Event.Start().IsZero() {
		return
	}
	start := p.Event.Start()
	fmt.Fprintf(s.out, "%s, %s after the start\n", start.In(engine.RecordingLocation(p.rec)).Format(timeLayout), start.Sub(s.set.Recordings[0].Start()))
}

// event writes the event as mjfr print --exact does, with all of its stack trace.
func (s *writer) event(ev mmapjfr.Event) error {
	p, err := print.NewPrinter(print.Options{Format: print.Exact, StackDepth: math.MaxInt})
	if err != nil {
		return err
	}
	_, err = s.out.Write(bytes.TrimSuffix(p.Append(nil, ev), []byte("\n")))
	return err
}

// structure writes the contents of a chunk header, a checkpoint or a metadata event.
func (s *writer) structure(p *place) {
	lines, wide := slices.Collect(p.Head()), 0
	for _, l := range lines {
		wide = max(wide, runewidth.StringWidth(l.Path))
	}
	for _, l := range lines {
		text := l.Value
		if l.Meaning != "" {
			text += " (" + l.Meaning + ")"
		}
		fmt.Fprintf(s.out, "  %s  %s\n", runewidth.FillRight(l.Path, wide), terminal.Printable(text))
	}
	switch p.Kind {
	case inspect.MetadataItem:
		fmt.Fprintf(s.out, "\nIt describes %d types.\n", typesIn(p))
	case inspect.CheckpointItem:
		pools, err := poolsOf(p)
		if err != nil {
			fmt.Fprintf(s.out, "\n%s\n", err)
			return
		}
		fmt.Fprintln(s.out)
		for _, pool := range pools {
			fmt.Fprintf(s.out, "  %#10x  %10d constants  %12d bytes  %s\n", pool.Offset, pool.Constants, pool.Size, terminal.Printable(pool.Type))
		}
	}
}

// around lists the events around a place, which has a mark before it.
func (s *writer) around(p *place, near [2][]place) {
	columns := append([]events.Column{events.OrdinalColumn, events.OffsetColumn}, events.Columns...)
	line := func(mark string, q *place) {
		cells := []terminal.Cell{{Text: fmt.Sprintf("#%d", q.ordinal)}, {Text: fmt.Sprintf("%#x", q.Offset)}}
		if q.Event.IsZero() {
			cells = append(cells, terminal.Cell{}, terminal.Cell{}, terminal.Plain(q.Kind.String()), terminal.Cell{}, terminal.Cell{})
			if q.Kind != inspect.EventItem {
				cells[0].Text = ""
			}
		} else {
			cells = append(cells, events.Cells(q.Event, engine.RecordingLocation(q.rec))...)
		}
		width := s.app.Style.Width
		fmt.Fprintf(s.out, "%s %s\n", mark, events.Align(columns, cells, max(width-2, min(width, 1))))
	}
	for i := range near[0] {
		line(" ", &near[0][i])
	}
	line(">", p)
	for i := range near[1] {
		line(" ", &near[1][i])
	}
}
