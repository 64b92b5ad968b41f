package tui

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
)

// mode is what the screen shows below the head.
type mode int

const (
	overview mode = iota
	recent        // the last events of a type
	help
)

// model is the state of the screen. It belongs to one goroutine.
type model struct {
	source        Source
	width, height int
	snap          jvmstats.Snapshot
	paused        bool
	mode          mode

	types  []jvmstats.TypeRate // in their order
	by     order
	filter string
	typing bool // the filter is being typed
	// chosen is the name of the marked type. An empty name means the first row.
	chosen string
	top    int // the first visible row

	// tab is the panel that is shown, or the first panel if several are shown. On a narrow screen 0
	// is the types.
	tab, tabTop int

	pager pager

	// read is the number of remarks that were shown until a key was pressed.
	read int
}

func newModel(source Source) *model {
	m := &model{source: source, width: 80, height: 24}
	m.refresh()
	return m
}

// refresh takes the newest state, unless the screen is paused.
func (m *model) refresh() {
	if m.paused {
		return
	}
	m.snap = m.source.Snapshot()
	m.arrange()
	if m.mode == recent {
		m.pager.set(m.snap.Recent)
	}
}

func (m *model) arrange() { m.types = inOrder(m.snap.Types, m.by, m.filter) }

func (m *model) resize(width, height int) { m.width, m.height = width, height }

// press handles a key by its name in bubbletea and its text. It reports whether the screen is to
// end.
func (m *model) press(key, text string) (quit bool) {
	if m.read < len(m.snap.Remarks) {
		m.read++
	}
	switch {
	case key == "ctrl+c":
		return true
	case m.typing:
		m.edit(key, text)
		return false
	case key == "q":
		return true
	case key == "p" || key == "space":
		m.paused = !m.paused
		m.refresh()
		return false
	}
	switch m.mode {
	case help:
		m.mode = overview
	case recent:
		m.pressRecent(key)
	default:
		m.pressOverview(key)
	}
	return false
}

func (m *model) pressOverview(key string) {
	switch key {
	case "?", "h", "f1":
		m.mode = help
	case "s":
		m.by = (m.by + 1) % orders
		m.top = 0
		m.arrange()
	case "/":
		m.typing = true
		if !m.wide() {
			m.tab = 0 // the types
		}
	case "esc":
		m.setFilter("")
	case "tab", "right", "l":
		m.turn(1)
	case "shift+tab", "left":
		m.turn(-1)
	case "enter":
		m.open()
	default:
		m.move(key)
	}
}

// turn changes to another panel.
func (m *model) turn(by int) {
	tabs := len(m.tabs())
	m.tab, m.tabTop = (m.tab+by+tabs)%tabs, 0
}

// tabs returns the panels to choose from. On a narrow screen the types are the first.
func (m *model) tabs() []panel {
	all := panels(m.snap)
	if !m.wide() {
		all = slices.Insert(all, 0, panel{name: "Events"})
	}
	return all
}

// move moves the mark, or scrolls the panel that is shown instead of the types.
func (m *model) move(key string) {
	page := max(1, m.listHeight()-1)
	if !m.wide() && m.tab > 0 {
		rows := len(m.tabs()[m.tab%len(m.tabs())].rows)
		m.tabTop = scrolled(key, m.tabTop, max(0, rows-page), page)
		return
	}
	if len(m.types) == 0 {
		return
	}
	at := m.mark()
	if to := scrolled(key, at, len(m.types)-1, page); to != at || key == "home" || key == "g" {
		m.chosen = m.types[to].Name
	}
}

// scrolled returns the row that a key leads to.
func scrolled(key string, at, last, page int) int {
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup", "ctrl+b":
		at -= page
	case "pgdown", "ctrl+f":
		at += page
	case "home", "g":
		at = 0
	case "end", "G":
		at = last
	}
	return max(0, min(at, last))
}

// mark returns the row of the chosen type, or the first row.
func (m *model) mark() int {
	return max(0, slices.IndexFunc(m.types, func(t jvmstats.TypeRate) bool { return t.Name == m.chosen }))
}

// edit handles a key while the filter is typed.
func (m *model) edit(key, text string) {
	switch key {
	case "enter", "tab":
		m.typing = false
	case "esc":
		m.typing = false
		m.setFilter("")
	case "backspace":
		r := []rune(m.filter)
		m.setFilter(string(r[:max(0, len(r)-1)]))
	case "ctrl+u":
		m.setFilter("")
	case "up", "down", "pgup", "pgdown":
		m.move(key)
	default:
		m.setFilter(m.filter + text)
	}
}

// filterLen is the greatest length of a filter.
const filterLen = 100

func (m *model) setFilter(text string) {
	r := []rune(text)
	m.filter, m.top = string(r[:min(len(r), filterLen)]), 0
	m.arrange()
}

// open shows the last events of the chosen type.
func (m *model) open() {
	if len(m.types) == 0 || !m.wide() && m.tab > 0 {
		return
	}
	m.chosen = m.types[m.mark()].Name
	m.mode = recent
	m.source.Pick(m.chosen)
	m.pager = pager{follow: true}
	// A paused screen shows them, too.
	s := m.source.Snapshot()
	m.snap.Picked, m.snap.Recent = s.Picked, s.Recent
	m.pager.set(s.Recent)
}

func (m *model) pressRecent(key string) {
	switch key {
	case "esc", "enter", "backspace":
		m.mode = overview
		m.source.Pick("")
	case "?", "h", "f1":
		m.mode = help
		m.source.Pick("")
	default:
		m.pager.press(key, m.bodyHeight()-1)
	}
}

// paste handles a text that was pasted.
func (m *model) paste(text string) {
	if m.typing {
		m.setFilter(m.filter + strings.TrimSpace(text))
	}
}
