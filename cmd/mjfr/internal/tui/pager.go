package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// pager shows texts, the newest at the end.
type pager struct {
	texts     int
	lines     []string
	top, left int
	// follow is while the end is seen: then new texts move what is seen. Otherwise they
	// are not taken over.
	follow bool
}

// sideways is by how many columns lines are moved.
const sideways = 8

// set takes over new texts.
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

// press moves what is seen in that height.
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

// body returns what is seen.
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

// title tells what is seen.
func (p *pager) title(name string, width int) string {
	more := "none yet"
	if p.texts > 0 {
		more = "last " + count(int64(p.texts), "event")
	}
	if !p.follow {
		more += "; held, end to go on"
	}
	return titleLine(shorten(clean(name), max(12, width-40), 1), more, width)
}
