package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// pager shows texts, the newest last.
type pager struct {
	texts     int
	lines     []string
	top, left int
	// follow is true while the end is visible: then the pager shows new texts. Otherwise it ignores
	// them.
	follow bool
}

// sideways is the number of columns that a key scrolls.
const sideways = 8

// set sets new texts.
func (p *pager) set(texts []string) {
	if !p.follow {
		return
	}
	p.texts, p.lines = len(texts), nil
	for _, text := range texts {
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			p.lines = append(p.lines, clean(strings.TrimSuffix(line, "\r")))
		}
		p.lines = append(p.lines, "")
	}
	if n := len(p.lines); n > 0 {
		p.lines = p.lines[:n-1]
	}
}

// press handles a key. height is that of the visible part.
func (p *pager) press(key string, height int) {
	last := max(0, len(p.lines)-height)
	if p.follow {
		p.top = last
	}
	switch key {
	case "right", "l":
		p.left += sideways
	case "left":
		p.left = max(0, p.left-sideways)
	default:
		p.top = scrolled(key, p.top, last, max(1, height-1))
		p.follow = p.top == last
	}
}

// body returns the visible lines.
func (p *pager) body(width, height int) []string {
	if len(p.lines) == 0 {
		return []string{faint.Render("  events are shown here as they come")}
	}
	top := min(p.top, max(0, len(p.lines)-height))
	if p.follow {
		top = max(0, len(p.lines)-height)
	}
	var lines []string
	for _, line := range p.lines[top:min(top+height, len(p.lines))] {
		if p.left > 0 {
			line = ansi.TruncateLeft(line, p.left, "")
		}
		lines = append(lines, fit(line, width))
	}
	return lines
}

// title returns which part is visible.
func (p *pager) title(name string, width int) string {
	more := "none yet"
	if p.texts > 0 {
		more = "last " + terminal.CountOf(uint64(p.texts), "event")
	}
	if !p.follow {
		more += "; held, end to go on"
	}
	return titleLine(shorten(clean(name), max(12, width-40), 1), more, width)
}

// keys describe the keys.
var keys = [][2]string{
	{"↑ ↓ j k", "choose a type of events, or scroll"},
	{"pgup pgdn", "the same by pages; home and end, g and G: all the way"},
	{"enter", "show the last events of the type; esc goes back"},
	{"tab ← →", "show another panel: methods, allocation, locks, ..."},
	{"s", "sort types: by rate of 10 s, of 60 s, total, name"},
	{"/", "show only types with a text in their name; esc: all"},
	{"p space", "let the screen stand still; the stream goes on"},
	{"ctrl+z", "suspend, where there is a shell to go back to"},
	{"q ctrl+c", "quit"},
}

// helpLines describe the keys and the screen.
func helpLines() []string {
	lines := []string{bold.Render("Keys")}
	for _, k := range keys {
		lines = append(lines, "  "+fit(k[0], 12)+k[1])
	}
	return append(lines, "",
		"Rates are of the last 10 seconds, lists of the last minute, by the times",
		"of the events. Of a type that was not chosen few events are kept.")
}

// fullWidth is the default width of the text of a state.
const fullWidth = 100

// fullRows is the number of rows of each list in the text of a state.
const fullRows = 20

// WriteText writes a state in full, without colours. A width of 0 is the default.
func WriteText(w io.Writer, title string, s jvmstats.Snapshot, width int) error {
	if width <= 0 {
		width = fullWidth
	}
	lines := headLines(title, s, stateText(s, false), width)
	for _, p := range panels(s) {
		if len(p.rows) > 0 {
			lines = append(lines, "", p.title(width))
			lines = append(lines, p.body(0, width, fullRows+1)...)
		}
	}
	lines = append(lines, "", titleLine("Events", terminal.CountOf(uint64(len(s.Types)), "type"), width), typeHead(byRate, width))
	for _, t := range inOrder(s.Types, byRate, "") {
		lines = append(lines, typeRow(t, false, width))
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}
