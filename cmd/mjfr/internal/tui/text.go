package tui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/javatext"
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

// bytes returns a number of bytes, as in "12.0 MB".
func bytes(n int64) string { return string(javatext.AppendAmount(nil, max(n, 0), false, false)) }

// bytesPerSecond returns a rate, as in "12.0 MB/s".
func bytesPerSecond(f float64) string { return bytes(int64(min(max(f, 0), 1<<62))) + "/s" }

// rate returns a number of events per second, with as many digits as mean something.
func rate(f float64) string {
	switch {
	case f <= 0 || math.IsNaN(f):
		return "0"
	case f < 0.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return humanize.Comma(int64(min(math.Round(f), 1<<62)))
}

// percent returns a part of 1, as in "37%".
func percent(f float64) string {
	switch {
	case f > 0 && f < 0.0995:
		return strconv.FormatFloat(100*f, 'f', 1, 64) + "%"
	case f > 0:
		return strconv.FormatFloat(100*min(f, 99), 'f', 0, 64) + "%"
	}
	return "0%"
}

// duration returns a length of time with three digits, as in "4.12 ms".
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 ms"
	case d < 999_500*time.Nanosecond:
		return digits(float64(d)/1e3) + " µs"
	case d < 999_500*time.Microsecond:
		return digits(float64(d)/1e6) + " ms"
	case d < 10*time.Minute:
		return digits(d.Seconds()) + " s"
	}
	return age(d)
}

func digits(f float64) string {
	n := 2
	switch {
	case f >= 99.95:
		n = 0
	case f >= 9.995:
		n = 1
	}
	return strconv.FormatFloat(f, 'f', n, 64)
}

// age returns a long duration by its two greatest units, as in "3h12m".
func age(d time.Duration) string {
	s := int64(d / time.Second)
	day, hour, min, sec := s/86400, s/3600%24, s/60%60, s%60
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch {
	case s < 60:
		return number(max(s, 0)) + "s"
	case s < 3600:
		return number(min) + "m" + number(sec) + "s"
	case s < 86400:
		return number(hour) + "h" + number(min) + "m"
	}
	return number(day) + "d" + number(hour) + "h"
}

// levels are the heights of a column of a graph.
var levels = []rune("▁▂▃▄▅▆▇█")

// spark draws the last values, each from 0 to 1, one column for each, at the right end of a width.
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

// bar draws a value from 0 to 1 as a bar of a width, with brackets.
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

// within limits a value to the range from 0 to 1.
func within(p float64) float64 {
	if math.IsNaN(p) {
		return 0
	}
	return min(max(p, 0), 1)
}
