package repair

import (
	"fmt"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr/input"
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
	Lost   repair.Lost `json:"lost"` // around the chunks
	Chunks []chunkJSON `json:"chunks"`
}

// chunkJSON is the result for one chunk.
type chunkJSON struct {
	repair.Chunk
	// Missing is the number of references to constants that are missing, by type.
	Missing map[string]uint64 `json:"missingConstants"`
	Error   string            `json:"error,omitempty"`
}

// orEmpty returns a list that is [] in JSON, and not null, if it has no elements.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

func showJSON(a *cli.App, set *input.Set, reports []*repair.Report, out string) error {
	d := document{Out: out, Whole: true}
	for i, r := range reports {
		d.Bytes, d.Events, d.Whole = d.Bytes+r.Bytes, d.Events+r.Events(), d.Whole && r.Whole()
		f := fileJSON{set.Name(set.Recordings[i]), r.Lost, []chunkJSON{}}
		f.Lost.Ranges = orEmpty(f.Lost.Ranges)
		for _, c := range r.Chunks {
			c.LeftOut, c.Lost.Ranges = orEmpty(c.LeftOut), orEmpty(c.Lost.Ranges)
			chunk := chunkJSON{Chunk: c, Missing: map[string]uint64{}}
			for _, m := range c.Missing {
				chunk.Missing[m.Type] += m.References
			}
			if c.Err != nil {
				chunk.Error = errtree.Unnamed(c.Err).Error()
			}
			f.Chunks = append(f.Chunks, chunk)
		}
		d.Files = append(d.Files, f)
	}
	return a.WriteJSON(d)
}
