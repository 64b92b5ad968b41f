package page

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// place returns the middle of a row of the heat map on the screen.
func (b *tab) place(unit int) (x, y float64) {
	b.t.Helper()
	at := evaluate[[]float64](b, fmt.Sprintf(`(() => { const m = page.map, b = m.scroller.getBoundingClientRect();
		return [b.left + (Math.floor(%d / m.scale.rows) + 0.5) * m.w - m.scroller.scrollLeft, b.top + (%[1]d %% m.scale.rows + 0.5) * m.h]; })()`, unit))
	return at[0], at[1]
}

// drag chooses from one row of the heat map to another; modifiers are those of the mouse.
func (b *tab) drag(from, to int, modifiers int) {
	b.t.Helper()
	for i, unit := range []int{from, to, to} {
		x, y := b.place(unit)
		kind := []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased}[i]
		_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1 - int64(i/2), ClickCount: 1, Modifiers: int64(modifiers)})
		assert.NoError(b.t, err)
	}
}

// sumOf returns what the samples of a kind weigh from one time to another; those of a thread only,
// unless it is "".
func sumOf(p *profile.Profile, kind, thread string, from, to int64) (sum int64) {
	for s := range p.Samples() {
		if s.Kind.Name == kind && s.Time >= from && s.Time < to && (thread == "" || p.Labels(s.Labels).Thread == thread) {
			sum += s.Values[s.Kind.Main()]
		}
	}
	return sum
}

// TestHeatBrowser uses the page as people do.
func TestHeatBrowser(t *testing.T) {
	b := openTab(t)
	p := readCells(t, "jdk25-profile.jfr", CellLength)
	b.open(heatmap(t, p, Options{Title: "app.jfr", Names: profile.Names{Dots: true}}), "#utc=1")
	start := int64(b.number("page.map.timeOf(0)")) * 1e6 // of the first column
	ns := func(unit int) int64 { return start + int64(unit)*int64(CellLength) }
	assert.EqualValues(t, sumOf(p, "running", "", 0, math.MaxInt64), b.number("page.view.total[0]"))
	assert.EqualValues(t, 36, b.number("page.map.sums.reduce((a, b) => a + b)"))
	b.picture("heat")

	// Click: one cell. Drag: a range, in both directions.
	busy := int(b.number("page.map.sums.indexOf(page.map.most)"))
	b.drag(busy, busy, 0)
	assert.EqualValues(t, b.number("page.map.most"), b.number("page.view.total[0]"))
	assert.EqualValues(t, sumOf(p, "running", "", ns(busy), ns(busy+1)), b.number("page.view.total[0]"))
	assert.Contains(t, b.text("page.chosenText.textContent"), "(20.0 ms)")
	idle := int(b.number("page.map.sums.indexOf(0, 50)"))
	b.drag(idle, idle, 0)
	assert.Contains(t, b.text("page.chosenText.textContent"), "(20.0 ms): no samples here")
	b.drag(170, 60, 0)
	assert.NotContains(t, b.text("page.chosenText.textContent"), "no samples")
	assert.EqualValues(t, sumOf(p, "running", "", ns(60), ns(171)), b.number("page.view.total[0]"))
	b.picture("heat-range")

	// Another type and thread, in the same range.
	b.do("page.set({type: 'alloc'})")
	assert.EqualValues(t, sumOf(p, "alloc", "", ns(60), ns(171)), b.number("page.view.total[0]"))
	b.do("(() => { const e = page.toolbar.thread; e.value = [...e.options].find((o) => o.text.includes('main')).value; e.dispatchEvent(new Event('change')); })()")
	assert.EqualValues(t, sumOf(p, "alloc", "main", ns(60), ns(171)), b.number("page.view.total[0]"))
	assert.EqualValues(t, sumOf(p, "alloc", "main", 0, math.MaxInt64), b.number("page.map.sums.reduce((a, b) => a + b)"))
	b.do("page.set({thread: ''})")

	// A second range is compared with the first.
	b.drag(200, 300, 2)
	assert.EqualValues(t, sumOf(p, "alloc", "", ns(200), ns(301)), b.number("page.view.now[0]"))
	assert.EqualValues(t, sumOf(p, "alloc", "", ns(60), ns(171)), b.number("page.view.old[0]"))
	assert.Contains(t, b.text("page.chosenText.textContent"), "compared with")
	b.do("page.set({theme: 'dark'})")
	b.picture("heat-difference")

	// All of it is in the address.
	b.until("location.hash.includes('second=')")
	hash := b.text("location.hash")
	total := b.number("page.view.total[0]")
	b.load(hash)
	assert.EqualValues(t, total, b.number("page.view.total[0]"))
	assert.Equal(t, "alloc", b.text("page.state.type"))

	// Search shows where samples have a frame: all of them together weigh what the found frames do.
	b.keys("x")
	b.do("page.set({type: 'running', theme: '', search: 'Stacks'})")
	assert.EqualValues(t, 12, b.number("page.map.hits.reduce((a, b) => a + b)"))
	assert.Equal(t, "33.3 % in 2", b.text("page.toolbar.found.textContent"))
	x, y := b.place(int(b.number("page.map.hits.findIndex((n) => n > 0)")))
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	b.until("!page.tooltip.element.hidden")
	assert.Regexp(t, `UTC.*, found .*: 100 %`, b.text("page.tooltip.element.textContent"))
	b.picture("heat-search")
	b.noErrors()
}

// TestHeatBrowserKeys uses keys, other scales and times.
func TestHeatBrowserKeys(t *testing.T) {
	b := openTab(t)
	p := readCells(t, "jdk25-profile.jfr", CellLength)
	b.open(heatmap(t, p, Options{Title: "app.jfr"}), "")
	start := int64(b.number("page.map.timeOf(0)")) * 1e6
	b.run(chromedp.Focus(".heat-scroller"))
	b.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowRight)
	b.run(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)))
	unit := int64(b.number("page.map.unitOf(page.map.ranges[0].from)"))
	assert.EqualValues(t, 51, b.number("page.map.ranges[0].to - page.map.ranges[0].from"))
	assert.EqualValues(t, sumOf(p, "running", "", start+unit*20e6, start+(unit+51)*20e6), b.number("page.view.total[0]"))
	b.run(chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	assert.EqualValues(t, 2, b.number("page.data.groups.length"))
	b.keys(kb.Escape)
	assert.EqualValues(t, 36, b.number("page.view.total[0]"))
	for _, scale := range []string{"1s", "5s", "20ms"} {
		b.keys("z")
		assert.Equal(t, scale, b.text("page.map.scale.name"))
		assert.EqualValues(t, 36, b.number("page.map.sums.reduce((a, b) => a + b)"))
	}
	b.keys("u")
	assert.Equal(t, "UTC", b.text("page.map.clock.name(0)"))
	assert.Equal(t, b.text("new Date(page.map.timeOf(0)).toISOString().slice(11, 19)"), b.text("page.map.clock.second(page.map.timeOf(0))"))
	b.load("#range=4-2&second=1-9&type=none&cells=none&thread=-7") // addresses that say nothing
	assert.EqualValues(t, 36, b.number("page.view.total[0]"))
	b.noErrors()
}

// TestHeatBrowserNastyNames shows names that pages must escape.
func TestHeatBrowserNastyNames(t *testing.T) {
	b := openTab(t)
	b.open(heatmap(t, nastyCells(), Options{Title: nasty[0]}), "")
	assert.Equal(t, nasty[0], b.text("document.title"))
	for i, name := range nasty[:8] {
		b.do(fmt.Sprintf("page.set({type: page.all.header.kinds[%d].name, search: '^' + %q.replace(/[()<>.\\n\\r\\/]/g, '.') + '$'})", i, name))
		b.until("page.table.rows?.length > 0")
		b.point(firstFrame)
	}
	b.noErrors()
}

// TestHeatBrowserDay shows a recording of a day.
func TestHeatBrowserDay(t *testing.T) {
	b := openTab(t)
	b.open(heatmap(t, day(), Options{Title: "a day"}), "")
	assert.Equal(t, "5s", b.text("page.map.scale.name"))
	b.picture("heat-day")
	x, y := b.place(12000)
	b.run(chromedp.MouseClickXY(x, y))
	assert.Contains(t, b.text("page.chosenText.textContent"), "(5.00 s)")
	b.keys("zz")
	assert.Equal(t, "1s", b.text("page.map.scale.name"))
	b.keys("zz")
	assert.Equal(t, "20ms", b.text("page.map.scale.name"))
	b.do("page.map.scroller.scrollLeft = 1e9")
	b.until("page.map.scroller.scrollLeft > 4e5")
	b.picture("heat-day-end")
	least := 1e9
	for range 3 {
		b.load("")
		least = min(least, b.number("performance.getEntriesByName('painted')[0].startTime"))
	}
	t.Logf("first paint after %.0f ms", least)
	took := b.number("(() => { const t = performance.now(); page.set({range: '1000000-3000000'}); return performance.now() - t; })()")
	t.Logf("a range after %.0f ms", took)
	b.noErrors()
}

// day returns a profile of a day with 200,000 samples: some load that grows and falls, and a burst
// each hour.
func day() *profile.Profile {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p.AddSpan(start, start.Add(24*time.Hour))
	stacks := make([]profile.StackID, 500)
	for i := range stacks {
		for d := range 30 {
			stacks[i] = p.Push(stacks[i], p.AddText(fmt.Sprintf("app.Service%d.call%d", i>>min(d/3, 9), d)))
		}
	}
	labels := make([]profile.LabelsID, 20)
	for i := range labels {
		labels[i] = p.AddLabels(profile.Labels{Thread: fmt.Sprintf("http-%d", i), ThreadID: int64(i + 1)})
	}
	seed := uint32(1)
	random := func(n int) int { seed = seed*1664525 + 1013904223; return int(seed>>8) % n }
	for range 200_000 {
		second := random(86400)
		if load := 0.55 - 0.45*math.Cos(float64(second)/86400*2*math.Pi); float64(random(1000)) > load*1000 {
			second = second / 3600 * 3600 // a burst
		}
		at := start.Add(time.Duration(second)*time.Second + time.Duration(random(50))*CellLength)
		p.AddAt(at.UnixNano(), k.Name, stacks[random(len(stacks))], labels[random(len(labels))], 1, 10e6)
	}
	return p
}
