package repair

import (
	"fmt"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/repair"
)

// show prints the results.
func show(a *cli.App, set *input.Set, reports []*repair.Report, out string, o *options) error {
	for _, r := range reports {
		if !r.Whole() {
			a.Damaged = true
		}
	}
	if o.asJSON {
		return showJSON(a, set, reports, out)
	}
	w, style := a.Stdout, a.Style
	if out == "-" {
		w, style = a.Stderr, terminal.Style{}
	}
	if err := table(set, reports).Write(w, style); err != nil {
		return err
	}
	for _, line := range append(leftOut(set, reports), summary(reports, out)) {
		if _, err := fmt.Fprintln(w, terminal.Printable(line)); err != nil {
			return err
		}
	}
	return nil
}

// table has a row for each chunk, and for lost bytes around the chunks.
func table(set *input.Set, reports []*repair.Report) *terminal.Table {
	t := terminal.NewTable(
		terminal.Column{Title: "File"}, terminal.Number("Chunk"), terminal.Number("Offset"),
		terminal.Column{Title: "Done"}, terminal.Number("Events"), terminal.Number("After flush"),
		terminal.Number("Left out"), terminal.Number("Bytes lost"),
		terminal.Number("Checkpoints"), terminal.Column{Title: "Types"},
		terminal.Number("Missing constants"))
	for i, r := range reports {
		name := set.Name(set.Recordings[i])
		for j := range r.Chunks {
			c := &r.Chunks[j]
			missing := uint64(0)
			for _, m := range c.Missing {
				missing += m.References
			}
			t.Row(terminal.Plain(name), terminal.Count(uint64(c.Number)), terminal.Offset(c.Offset), terminal.Plain(c.Action.String()),
				terminal.Count(c.Events), terminal.Count(c.AfterFlush), terminal.Count(c.Undescribed+c.Unreadable),
				terminal.Count(c.Lost.Bytes), terminal.Count(uint64(c.Checkpoints)), terminal.Plain(c.Metadata.String()), terminal.Count(missing))
		}
		if r.Lost.Bytes > 0 {
			t.Row(terminal.Plain(name), terminal.Plain(""), terminal.Offset(r.Lost.Ranges[0].From), terminal.Plain("no chunk"),
				terminal.Plain(""), terminal.Plain(""), terminal.Plain(""), terminal.Count(r.Lost.Bytes))
		}
	}
	return t
}

// leftOut has a line for each type of which events of a chunk were left out, and the reason.
func leftOut(set *input.Set, reports []*repair.Report) (lines []string) {
	for i, r := range reports {
		for j := range r.Chunks {
			c := &r.Chunks[j]
			chunk := fmt.Sprintf("%s: chunk %d: left out ", set.Name(set.Recordings[i]), c.Number)
			for _, l := range c.LeftOut {
				name := l.Type
				if name == "" {
					name = fmt.Sprintf("type %d", l.ID)
				}
				lines = append(lines, fmt.Sprintf("%s%s of %s: %s", chunk, terminal.CountOf(l.Events, "event"), name, l.Why))
			}
			if c.MoreLeftOut > 0 {
				lines = append(lines, chunk+terminal.CountOf(c.MoreLeftOut, "event")+" of further types")
			}
		}
	}
	return lines
}

// summary returns a line with what was written and what was lost.
func summary(reports []*repair.Report, out string) string {
	var events, left, lost, bytes uint64
	for _, r := range reports {
		events, bytes, lost = events+r.Events(), bytes+r.Bytes, lost+r.Lost.Bytes
		for i := range r.Chunks {
			left += r.Chunks[i].Undescribed + r.Chunks[i].Unreadable
			lost += r.Chunks[i].Lost.Bytes
		}
	}
	if out == "-" {
		out = "standard output"
	}
	text := fmt.Sprintf("%s: %s with %s", out, terminal.CountOf(bytes, "byte"), terminal.CountOf(events, "event"))
	if left+lost == 0 {
		return text
	}
	return fmt.Sprintf("%s; %s left out, %s lost", text, terminal.CountOf(left, "event"), terminal.CountOf(lost, "byte"))
}

// document is what mjfr repair --json prints.
type document struct {
	Out    string     `json:"out"`
	Bytes  uint64     `json:"bytes"`
	Events uint64     `json:"events"`
	Whole  bool       `json:"whole"` // nothing was lost
	Files  []fileJSON `json:"files"`
}

// fileJSON is the result for one recording.
type fileJSON struct {
	File   string      `json:"file"`
	Lost   lostJSON    `json:"lost"` // around the chunks
	Chunks []chunkJSON `json:"chunks"`
}

// chunkJSON is the result for one chunk.
type chunkJSON struct {
	Chunk       int           `json:"chunk"`
	Offset      uint64        `json:"offset"`
	Done        repair.Action `json:"done"`
	Events      uint64        `json:"events"`
	AfterFlush  uint64        `json:"eventsAfterFlush"`
	Undescribed uint64        `json:"eventsUndescribed"` // left out
	Unreadable  uint64        `json:"eventsUnreadable"`  // left out
	// LeftOut are the types of these events, and why; the first of them.
	LeftOut     []leftOutJSON         `json:"leftOut"`
	Lost        lostJSON              `json:"lost"`
	Checkpoints int                   `json:"checkpoints"`
	Shortened   int                   `json:"checkpointsShortened"`
	Dropped     int                   `json:"checkpointsDropped"`
	Types       repair.MetadataSource `json:"types"`
	Renumbered  bool                  `json:"typesRenumbered"`
	Clock       bool                  `json:"clockAssumed"` // times are right if ticks were nanoseconds
	// Missing is the number of references to constants that are missing, by type.
	Missing map[string]uint64 `json:"missingConstants"`
	Error   string            `json:"error,omitempty"`
}

// leftOutJSON is events of a type that were left out for one reason.
type leftOutJSON struct {
	ID     int64  `json:"id"`
	Type   string `json:"type"` // empty if nothing describes it
	Events uint64 `json:"events"`
	Why    string `json:"why"`
}

// lostJSON is bytes in which nothing was found.
type lostJSON struct {
	Bytes  uint64      `json:"bytes"`
	Count  uint64      `json:"count"`
	Ranges []rangeJSON `json:"ranges"` // the first of them
}

// rangeJSON is a part of the file.
type rangeJSON struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

func newLost(l *repair.Lost) lostJSON {
	lost := lostJSON{l.Bytes, l.Count, []rangeJSON{}}
	for _, r := range l.Ranges {
		lost.Ranges = append(lost.Ranges, rangeJSON(r))
	}
	return lost
}

func showJSON(a *cli.App, set *input.Set, reports []*repair.Report, out string) error {
	d := document{Out: out, Whole: true}
	for i, r := range reports {
		d.Bytes, d.Events, d.Whole = d.Bytes+r.Bytes, d.Events+r.Events(), d.Whole && r.Whole()
		f := fileJSON{set.Name(set.Recordings[i]), newLost(&r.Lost), []chunkJSON{}}
		for j := range r.Chunks {
			c := &r.Chunks[j]
			chunk := chunkJSON{
				c.Number, c.Offset, c.Action, c.Events, c.AfterFlush, c.Undescribed, c.Unreadable, []leftOutJSON{}, newLost(&c.Lost),
				c.Checkpoints, c.Shortened, c.Dropped, c.Metadata, c.Renumbered, c.ClockAssumed, map[string]uint64{}, "",
			}
			for _, l := range c.LeftOut {
				chunk.LeftOut = append(chunk.LeftOut, leftOutJSON{int64(l.ID), l.Type, l.Events, l.Why})
			}
			for _, m := range c.Missing {
				chunk.Missing[m.Type] += m.References
			}
			if c.Err != nil {
				chunk.Error = errtext.Message(c.Err)
			}
			f.Chunks = append(f.Chunks, chunk)
		}
		d.Files = append(d.Files, f)
	}
	return a.WriteJSON(d)
}
