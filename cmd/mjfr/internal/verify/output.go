package verify

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// output writes results: as text at once, or all of them as one document.
type output struct {
	app  *cli.App
	o    *options
	file []document
}

// add adds the result for a recording.
func (w *output) add(v verified) error {
	if w.o.verdict(&v) != "sound" {
		w.app.Damaged = true
	}
	if w.o.asJSON {
		w.file = append(w.file, w.o.document(&v))
		return nil
	}
	out := bufio.NewWriter(w.app.Stdout)
	w.text(out, &v)
	return out.Flush()
}

// hues are the colours of the severities.
var hues = map[verify.Severity]terminal.Hue{
	verify.Note: terminal.Cyan, verify.Warning: terminal.Yellow, verify.Error: terminal.Red,
}

// text writes a line for each finding, and one for the verdict.
func (w *output) text(out *bufio.Writer, v *verified) {
	r := v.report
	kinds, chunks, offsets := 0, 0, 0
	for _, g := range r.Groups {
		kinds = max(kinds, len(g.Kind.String()))
		chunks = max(chunks, len(fmt.Sprint(g.Chunk)))
	}
	for _, f := range r.Findings {
		offsets = max(offsets, len(hex(f.Offset)))
	}
	line := func(k verify.Kind, chunk int, offset, text string) {
		severity := k.Severity()
		fmt.Fprintf(out, "%s%*s  %-*s  chunk %*d  %*s  %s\n",
			w.app.Style.Paint(hues[severity], severity.String()), len("warning")-len(severity.String()), "",
			kinds, k, chunks, chunk, offsets, offset, terminal.Printable(text))
	}
	findings := r.Findings
	for _, g := range r.Groups {
		for _, f := range findings[:g.Listed] {
			line(f.Kind, f.Chunk, hex(f.Offset), textOf(&f))
		}
		findings = findings[g.Listed:]
		switch more := g.Count - uint64(g.Listed); {
		case more > 0 && g.Listed > 0:
			line(g.Kind, g.Chunk, "", "and "+humanize.Comma(int64(more))+" more")
		case more > 0:
			line(g.Kind, g.Chunk, "", humanize.Comma(int64(more))+" of these; "+g.Kind.Meaning())
		}
	}
	hue := terminal.Green
	if w.o.verdict(v) != "sound" {
		hue = terminal.Red
	}
	fmt.Fprintf(out, "%s: %s: %s\n", terminal.Printable(v.file),
		w.app.Style.Paint(hue, w.o.verdict(v)), terminal.Printable(summaryOf(v, w.o)))
}

func hex(offset uint64) string { return fmt.Sprintf("%#x", offset) }

// textOf returns what is wrong, and what that means to readers.
func textOf(f *verify.Finding) string {
	text := f.Text + "; " + f.Kind.Meaning()
	if f.Type != "" {
		text = f.Type + ": " + text
	}
	return text
}

// summaryOf returns the text after the verdict.
func summaryOf(v *verified, o *options) string {
	r := v.report
	if reason := v.reason(); reason != "" {
		return reason
	}
	var found []string
	for _, s := range []verify.Severity{verify.Error, verify.Warning, verify.Note} {
		if n := r.Count(s); n > 0 {
			found = append(found, terminal.CountOf(n, s.String()))
		}
	}
	if o.verdict(v) != "sound" {
		return strings.Join(found, ", ")
	}
	parts := []string{terminal.CountOf(uint64(r.Chunks), "chunk"), terminal.CountOf(r.Events, "event"), terminal.CountOf(r.Constants, "constant") + " checked"}
	return strings.Join(append(parts, found...), ", ")
}

// end writes the document.
func (w *output) end() error {
	if !w.o.asJSON {
		return nil
	}
	return w.app.WriteJSON(struct {
		Files []document `json:"files"`
	}{append([]document{}, w.file...)})
}

// document is what mjfr verify --json prints of a recording.
type document struct {
	File    string `json:"file"`
	Verdict string `json:"verdict"`
	// Reason is why the recording could not be read.
	Reason      string         `json:"reason,omitempty"`
	SizeBytes   int64          `json:"sizeBytes"`
	Chunks      int            `json:"chunks"`
	Events      uint64         `json:"events"`
	Checkpoints uint64         `json:"checkpoints"`
	Constants   uint64         `json:"constants"`
	References  uint64         `json:"references"`
	Errors      uint64         `json:"errors"`
	Warnings    uint64         `json:"warnings"`
	Notes       uint64         `json:"notes"`
	Kinds       []kindJSON     `json:"kinds"`
	Groups      []verify.Group `json:"groups"`
	Findings    []findingJSON  `json:"findings"`
}

// kindJSON is a kind of finding and its number in a recording.
type kindJSON struct {
	Kind     verify.Kind     `json:"kind"`
	Severity verify.Severity `json:"severity"`
	Count    uint64          `json:"count"`
	Meaning  string          `json:"meaning"`
}

// findingJSON is a finding with its severity.
type findingJSON struct {
	Severity verify.Severity `json:"severity"`
	verify.Finding
}

// document returns the result for programs.
func (o *options) document(v *verified) document {
	r := v.report
	d := document{
		File: v.file, Verdict: o.verdict(v), Reason: v.reason(), SizeBytes: v.size,
		Chunks: r.Chunks, Events: r.Events, Checkpoints: r.Checkpoints, Constants: r.Constants, References: r.References,
		Errors: r.Count(verify.Error), Warnings: r.Count(verify.Warning), Notes: r.Count(verify.Note),
		Kinds: []kindJSON{}, Groups: append([]verify.Group{}, r.Groups...), Findings: []findingJSON{},
	}
	for _, c := range r.Counts {
		d.Kinds = append(d.Kinds, kindJSON{c.Kind, c.Kind.Severity(), c.Count, c.Kind.Meaning()})
	}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, findingJSON{f.Kind.Severity(), f})
	}
	return d
}
