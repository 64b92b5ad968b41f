package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

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
