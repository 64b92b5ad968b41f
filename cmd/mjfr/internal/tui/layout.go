package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

const (
	// wideColumns is the least width for panels beside the types.
	wideColumns = 120
	// panelLines is the least height of a panel: title, columns, and three rows.
	panelLines = 5
	// leastBody is the least number of lines below the head.
	leastBody = 8
)

// wide reports whether panels are shown beside the types.
func (m *model) wide() bool { return m.width >= wideColumns }

// headHeight is the height of the head. A small screen shows only its first lines.
func (m *model) headHeight() int { return max(1, min(6, m.height-leastBody-1)) }

// bodyHeight is the number of lines between head and foot, with the title.
func (m *model) bodyHeight() int { return max(1, m.height-m.headHeight()-1) }

// listHeight is the number of visible rows of a list, below its title and columns.
func (m *model) listHeight() int { return max(1, m.bodyHeight()-2) }

// render returns the lines of the screen.
func (m *model) render() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	head := headLines(m.source.Title(), m.snap, stateText(m.snap, m.paused), m.width)
	lines := append([]string{}, head[:m.headHeight()]...)
	lines = append(lines, m.body()...)
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:m.height-1], m.foot())
	for i, line := range lines {
		lines[i] = strings.TrimRight(clip(line, m.width), " ")
	}
	return strings.Join(lines, "\n")
}

func (m *model) body() []string {
	switch {
	case m.mode == help:
		return helpLines()
	case m.mode == recent:
		return append([]string{m.pager.title(m.chosen, m.width)}, m.pager.body(m.width, m.bodyHeight()-1)...)
	case m.wide():
		return m.beside()
	}
	tabs := m.tabs()
	at := m.tab % len(tabs) // a panel may have gone
	lines := []string{m.tabLine(tabs, at)}
	if at == 0 {
		return append(lines, m.typeLines(m.width)...)
	}
	p := tabs[at]
	return append(append(lines, fit("  "+p.more, m.width)), p.body(m.tabTop, m.width, m.listHeight())...)
}

// tabLine lists the panels, and marks the one that is shown.
func (m *model) tabLine(tabs []panel, at int) string {
	var names []string
	for i, p := range tabs {
		name := " " + p.name + " "
		if i == at {
			names = append(names, selected.Render("["+p.name+"]"))
		} else {
			names = append(names, faint.Render(name))
		}
	}
	line := strings.Join(names, "")
	if lipgloss.Width(line) > m.width { // the one that is shown must be visible
		line = strings.Join(names[at:], "")
	}
	for _, events := range []string{m.eventRate(), rate(m.snap.Events.PerSecond) + " events/s"} {
		if room := m.width - lipgloss.Width(events); lipgloss.Width(line) < room {
			return fit(line, room) + events
		}
	}
	return clip(line, m.width)
}

// eventRate describes all events.
func (m *model) eventRate() string {
	return rate(m.snap.Events.PerSecond) + "/s, " + humanize.Comma(int64(min(m.snap.Events.Count, 1<<62))) + " in all"
}

// typeLines are the visible rows of the types, with these titles.
func (m *model) typeLines(width int) []string {
	lines := []string{typeHead(m.by, width)}
	if len(m.types) == 0 {
		text := "  no events yet"
		if m.filter != "" {
			text = "  no event type has that in its name; esc shows all"
		}
		return append(lines, fit(faint.Render(text), width))
	}
	rows, mark := m.listHeight(), m.mark()
	m.top = max(mark-rows+1, min(m.top, mark, max(0, len(m.types)-rows)))
	for i := m.top; i < min(m.top+rows, len(m.types)); i++ {
		lines = append(lines, typeRow(m.types[i], i == mark, width))
	}
	return lines
}

// beside puts panels beside the types, as many as fit.
func (m *model) beside() []string {
	const between = " │ "
	left := min(m.width*2/5, 72)
	right := m.width - left - lipgloss.Width(between)
	height := m.bodyHeight()
	types := append([]string{titleLine("Events", terminal.CountOf(uint64(len(m.types)), "type")+", "+m.eventRate(), left)}, m.typeLines(left)...)
	stack := m.stack(right, height)
	lines := make([]string, height)
	for i := range lines {
		var l, r string
		if i < len(types) {
			l = types[i]
		}
		if i < len(stack) {
			r = stack[i]
		}
		lines[i] = fit(l, left) + faint.Render(strings.TrimRight(between, " ")) + strings.TrimRight(" "+r, " ")
	}
	return lines
}

// stack puts panels one above the other. Panels with few rows leave their room to others, first to
// the first.
func (m *model) stack(width, height int) []string {
	all := panels(m.snap)
	first := m.tab % len(all)
	all = append(append([]panel{}, all[first:]...), all[:first]...)
	all = all[:max(1, min(len(all), height/panelLines))]
	heights := make([]int, len(all))
	left := height
	for i, p := range all {
		heights[i] = min(2+max(1, len(p.rows)), panelLines)
		left -= heights[i]
	}
	for grew := true; left > 0 && grew; {
		grew = false
		for i, p := range all {
			if left > 0 && heights[i] < 3+len(p.rows) { // a row, or an empty line at the end
				heights[i]++
				left--
				grew = true
			}
		}
	}
	var lines []string
	for i, p := range all {
		part := append([]string{p.title(width)}, p.body(0, width, heights[i]-1)...)
		for len(part) < heights[i] {
			part = append(part, "")
		}
		lines = append(lines, part[:heights[i]]...)
	}
	return lines
}

// foot is the last line: an unread remark, the filter, or the keys.
func (m *model) foot() string {
	switch {
	case m.typing:
		return clip("types with: "+clean(m.filter)+selected.Render(" "), m.width)
	case m.read < len(m.snap.Remarks):
		return warning.Render(clip(clean(m.snap.Remarks[m.read]), m.width))
	case m.mode == help:
		return faint.Render("any key goes back")
	case m.mode == recent:
		return faint.Render(clip("esc back  ↑↓ scroll  ←→ sideways  end newest  p pause  q quit", m.width))
	}
	text := "↑↓ choose  enter events  tab panels  s sort  / filter  p pause  ? help  q quit"
	if m.filter != "" {
		text = "filter: " + clean(m.filter) + "  esc all  " + text
	}
	return faint.Render(clip(text, m.width))
}
