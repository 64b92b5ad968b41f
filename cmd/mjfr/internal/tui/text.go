package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// How things are set off from others.
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

// clean returns a text of a recording as it may be shown.
func clean(s string) string { return terminal.Printable(s) }

// cut returns the beginning of a line, which may have styles, so that it is no wider.
func cut(line string, width int) string { return ansi.Truncate(line, max(0, width), "…") }

// cutLeft returns the end of a text that has no styles, so that it is no wider.
func cutLeft(text string, width int) string {
	if over := lipgloss.Width(text) - width; over > 0 && width > 1 {
		text = ansi.TruncateLeft(text, over+1, "…")
	}
	return cut(text, width)
}

// fit returns a line that is just that wide.
func fit(line string, width int) string {
	line = cut(line, width)
	return line + strings.Repeat(" ", max(0, width-lipgloss.Width(line)))
}

// right returns a text at the right end of that width.
func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-lipgloss.Width(text))) + text
}

// shorten returns the name of a class or method so that it is no wider, if that can be:
// of packages it leaves the first letters, or nothing, and then the end of what is left.
// keep is how many of the names between dots are never shortened to a letter.
func shorten(name string, width, keep int) string {
	parts := strings.Split(name, ".")
	for i := 0; i < len(parts)-keep && lipgloss.Width(name) > width; i++ {
		for first := range strings.SplitSeq(parts[i], "") {
			parts[i] = first
			break
		}
		name = strings.Join(parts, ".")
	}
	if lipgloss.Width(name) > width {
		name = strings.Join(parts[max(0, len(parts)-keep):], ".")
	}
	return cutLeft(name, width)
}
