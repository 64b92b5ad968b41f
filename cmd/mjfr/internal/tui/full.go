package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

// fullWidth is how wide the text of a state is where nobody says it.
const fullWidth = 100

// fullRows is how many rows of each list are in the text of a state.
const fullRows = 20

// WriteText writes a state in full, without colours, in lines of that width; 0 for any.
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
	lines = append(lines, "", titleLine("Events", count(int64(len(s.Types)), "type"), width), typeHead(byRate, width))
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
