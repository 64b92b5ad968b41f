package tui

import (
	"math"
	"strings"
)

// levels are the heights of a column of a graph.
var levels = []rune("▁▂▃▄▅▆▇█")

// spark draws the last of some parts of 1, one column for each, at the right end of that
// width.
func spark(parts []float64, width int) string {
	if width <= 0 {
		return ""
	}
	parts = parts[max(0, len(parts)-width):]
	var b strings.Builder
	for _, p := range parts {
		b.WriteRune(levels[int(within(p)*float64(len(levels)-1)+0.5)])
	}
	return strings.Repeat(" ", width-len(parts)) + b.String()
}

// eighths are columns that are filled from the left.
var eighths = []rune("▏▎▍▌▋▊▉█")

// bar draws a part of 1 as a bar of that width, brackets included.
func bar(part float64, width int) string {
	inner := width - 2
	if inner < 1 {
		return ""
	}
	n := int(within(part)*float64(8*inner) + 0.5)
	line := strings.Repeat("█", n/8)
	if n%8 > 0 {
		line += string(eighths[n%8-1])
	}
	return "[" + fit(line, inner) + "]"
}

// within returns a part of 1 that is one, whatever it was.
func within(p float64) float64 {
	if math.IsNaN(p) {
		return 0
	}
	return min(max(p, 0), 1)
}
