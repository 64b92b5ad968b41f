package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// Styles of text.
var (
	plain    = lipgloss.NewStyle()
	bold     = lipgloss.NewStyle().Bold(true)
	faint    = lipgloss.NewStyle().Faint(true)
	selected = lipgloss.NewStyle().Reverse(true)
	good     = lipgloss.NewStyle().Foreground(lipgloss.Green)
	warning  = lipgloss.NewStyle().Foreground(lipgloss.Yellow).Bold(true)
	bad      = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	graph    = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// clean makes a text of a recording safe for a terminal.
func clean(s string) string { return terminal.Printable(s) }

// clip shortens a line, which may have styles, to a width.
func clip(line string, width int) string { return ansi.Truncate(line, max(0, width), "…") }

// clipLeft shortens a text without styles to a width, at its beginning.
func clipLeft(text string, width int) string {
	if over := lipgloss.Width(text) - width; over > 0 && width > 1 {
		text = ansi.TruncateLeft(text, over+1, "…")
	}
	return clip(text, width)
}

// fit makes a line exactly that wide.
func fit(line string, width int) string {
	line = clip(line, width)
	return line + strings.Repeat(" ", max(0, width-lipgloss.Width(line)))
}

// right puts a text at the right end of a width.
func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-lipgloss.Width(text))) + text
}

// shorten shortens the name of a class or method to a width, if that is possible: it shortens
// packages to their first letters, then leaves them out, and then cuts the beginning. It never
// shortens the last parts, of which whole is the number.
func shorten(name string, width, whole int) string {
	parts := strings.Split(name, ".")
	for i := 0; i < len(parts)-whole && lipgloss.Width(name) > width; i++ {
		for first := range strings.SplitSeq(parts[i], "") {
			parts[i] = first
			break
		}
		name = strings.Join(parts, ".")
	}
	if lipgloss.Width(name) > width {
		name = strings.Join(parts[max(0, len(parts)-whole):], ".")
	}
	return clipLeft(name, width)
}
