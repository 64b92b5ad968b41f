package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// panel is a list with a title.
type panel struct {
	name string
	// more is the second part of the title line.
	more string
	// heads are the titles of the columns of numbers.
	heads []string
	// rows have that many numbers, and then a name.
	rows []panelRow
	// whole is the number of parts of a name that are never shortened.
	whole int
}

type panelRow struct {
	numbers []string
	name    string
}

// panels returns all lists except that of the types.
func panels(s jvmstats.Snapshot) []panel {
	in := recently(s)
	all := []panel{methodPanel("Methods", s.Methods, in)}
	if s.CPUTime.Samples > 0 {
		all = append(all, methodPanel("CPU time", s.CPUTime, in))
	}
	if s.Native.Samples > 0 {
		all = append(all, methodPanel("Native", s.Native, in))
	}
	return append(all, allocationPanel(s.Alloc, in), lockPanel(s.Locks, in), exceptionPanel(s.Exceptions, in), gcPanel(s.GC, in))
}

// recently says of what time recent values are: the last minute, or less if the events are of less.
func recently(s jvmstats.Snapshot) string {
	if seconds := s.Time.Sub(s.Start.Time).Round(time.Second); !s.Start.IsZero() && seconds < time.Minute {
		return fmt.Sprintf("in %d s", max(seconds, time.Second)/time.Second)
	}
	return "in a minute"
}

func methodPanel(name string, m jvmstats.Methods, in string) panel {
	p := panel{name: name, more: terminal.CountOf(uint64(m.Samples), "sample") + " " + in, heads: []string{"share", "samples"}, whole: 2}
	for _, row := range m.Top {
		p.rows = append(p.rows, panelRow{[]string{percent(row.Share), humanize.Comma(row.Samples)}, row.Name})
	}
	return p
}

func allocationPanel(a jvmstats.Allocation, in string) panel {
	p := panel{name: "Allocation", more: bytes(a.Recent) + " " + in, heads: []string{"share", "size"}, whole: 1}
	for _, row := range a.Classes {
		p.rows = append(p.rows, panelRow{[]string{percent(row.Share), bytes(row.Bytes)}, row.Class})
	}
	return p
}

func lockPanel(locks []jvmstats.Lock, in string) panel {
	p := panel{name: "Locks", more: "waits " + in, heads: []string{"time", "count", "kind"}, whole: 1}
	for _, row := range locks {
		p.rows = append(p.rows, panelRow{[]string{duration(row.Wait), humanize.Comma(row.Count), clean(string(row.Kind))}, row.Class})
	}
	return p
}

func exceptionPanel(e jvmstats.Exceptions, in string) panel {
	p := panel{name: "Exceptions", more: humanize.Comma(e.Recorded) + " recorded " + in, heads: []string{"count"}, whole: 1}
	if e.Source == "jdk.JavaErrorThrow" {
		p.more = terminal.CountOf(uint64(e.Recorded), "error") + " " + in
	}
	for _, row := range e.Classes {
		p.rows = append(p.rows, panelRow{[]string{humanize.Comma(row.Count)}, row.Class})
	}
	return p
}

func gcPanel(g jvmstats.GC, in string) panel {
	p := panel{name: "GC", more: "causes " + in, heads: []string{"pauses", "count"}, whole: 1 << 10}
	if g.Young != "" || g.Old != "" {
		p.more = clean(strings.Trim(g.Young+", "+g.Old, ", ")) + "; " + p.more
	}
	for _, row := range g.Causes {
		p.rows = append(p.rows, panelRow{[]string{duration(row.Pauses), humanize.Comma(row.Count)}, row.Name})
	}
	return p
}

// title is the title line.
func (p panel) title(width int) string { return titleLine(p.name, p.more, width) }

// titleLine is a title, a second part, and a rule after it.
func titleLine(name, more string, width int) string {
	line := bold.Render(name) + "  " + more + " "
	return clip(line+faint.Render(strings.Repeat("─", max(0, width-lipgloss.Width(line)))), width)
}

// body returns the titles of the columns, and the rows from a row on.
func (p panel) body(from, width, height int) []string {
	if len(p.rows) == 0 {
		return []string{fit(faint.Render("  nothing yet"), width)}
	}
	widths := make([]int, len(p.heads))
	for i, head := range p.heads {
		widths[i] = max(len(head), 7)
		for _, row := range p.rows {
			widths[i] = max(widths[i], len([]rune(row.numbers[i])))
		}
	}
	line := func(numbers []string, name string) string {
		var b strings.Builder
		for i, n := range numbers {
			fmt.Fprintf(&b, "%s  ", right(n, widths[i]))
		}
		left := b.String()
		return fit(left+shorten(clean(name), width-len([]rune(left)), p.whole), width)
	}
	lines := []string{faint.Render(strings.TrimRight(line(p.heads, ""), " "))}
	for _, row := range p.rows[min(from, len(p.rows)):] {
		if len(lines) >= height {
			break
		}
		lines = append(lines, line(row.numbers, row.name))
	}
	return lines
}

// order is the order of types.
type order int

const (
	byRate order = iota
	byMinute
	byCount
	byName
	orders // how many there are
)

// inOrder returns, in an order, the types whose names contain the filter.
func inOrder(types []jvmstats.TypeRate, by order, filter string) []jvmstats.TypeRate {
	filter = strings.ToLower(filter)
	var list []jvmstats.TypeRate
	for _, t := range types {
		if strings.Contains(strings.ToLower(t.Name), filter) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b jvmstats.TypeRate) int {
		switch by {
		case byRate:
			return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(b.PerSecondMinute, a.PerSecondMinute), cmp.Compare(b.Count, a.Count))
		case byMinute:
			return cmp.Or(cmp.Compare(b.PerSecondMinute, a.PerSecondMinute), cmp.Compare(b.Count, a.Count))
		case byCount:
			return cmp.Compare(b.Count, a.Count)
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}

// typeColumns are the widths of the columns of numbers.
const typeColumns = 10

// typeHead is the line above the types.
func typeHead(by order, width int) string {
	mark := func(title string, o order, sign string) string {
		if by == o {
			return title + sign
		}
		return title
	}
	return faint.Render("  " + typeLine(mark("event type", byName, " ▲"), mark("/s 10s", byRate, "▼"), mark("/s 60s", byMinute, "▼"), mark("total", byCount, "▼"), max(0, width-2)))
}

// typeLine is a line of the table. On a narrow screen it has fewer columns.
func typeLine(name, rate, minute, total string, width int) string {
	numbers := []string{rate, minute, total}
	if width < 56 {
		numbers = []string{rate, total}
	}
	left := width - len(numbers)*typeColumns
	if left < 12 {
		numbers, left = numbers[:1], width-typeColumns
	}
	line := fit(shorten(name, left, 1), left)
	for _, n := range numbers {
		line += right(n, typeColumns)
	}
	return fit(line, width)
}

// typeRow is the line of a type.
func typeRow(t jvmstats.TypeRate, chosen bool, width int) string {
	mark, style := "  ", plain
	if chosen {
		mark, style = "> ", selected
	}
	return style.Render(mark + typeLine(clean(t.Name), rate(t.PerSecond), rate(t.PerSecondMinute), humanize.Comma(int64(min(t.Count, 1<<62))), max(0, width-2)))
}
