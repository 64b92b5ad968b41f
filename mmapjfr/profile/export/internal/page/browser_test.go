package page

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/browsertest"
	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// tab is a tab of a browser that shows a page.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu     sync.Mutex
	errors []string // of the console
}

// openTab starts a browser. It skips the test where Chromium is missing.
func openTab(t *testing.T) *tab {
	t.Helper()
	b := &tab{t: t}
	b.ctx = browsertest.Open(t, func(m chromedp.ConsoleMessage) {
		if browsertest.IsError(m) {
			b.mu.Lock()
			b.errors = append(b.errors, m.Text)
			b.mu.Unlock()
		}
	})
	return b
}

func (b *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...))
}

// show writes a page to a file and loads it.
func (b *tab) show(p *profile.Profile, o Options, fragment string) {
	b.t.Helper()
	b.open(written(b.t, p, o), fragment)
}

func (b *tab) open(page, fragment string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "page.html")
	require.NoError(b.t, os.WriteFile(file, []byte(page), 0o600))
	b.url = "file://" + file
	b.load(fragment)
}

func (b *tab) load(fragment string) {
	b.t.Helper()
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+fragment))
	b.until("performance.getEntriesByName('painted').length > 0")
}

// evaluate returns what a text of JavaScript gives.
func evaluate[T any](b *tab, js string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js))
	require.NoError(b.t, err, js)
	return value
}

func (b *tab) text(js string) string    { b.t.Helper(); return evaluate[string](b, js) }
func (b *tab) number(js string) float64 { b.t.Helper(); return evaluate[float64](b, js) }

// do runs JavaScript.
func (b *tab) do(js string) { b.t.Helper(); b.run(chromedp.Evaluate[chromedp.Void](js)) }

// until waits for a condition in JavaScript.
func (b *tab) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !evaluate[bool](b, condition); time.Sleep(10 * time.Millisecond) {
		require.True(b.t, time.Now().Before(end), "never: %s", condition)
	}
}

// keys presses keys.
func (b *tab) keys(text string) { b.t.Helper(); b.run(chromedp.KeyEvent(text)) }

// point moves the mouse to a frame, and shows the tooltip.
func (b *tab) point(node string) {
	b.t.Helper()
	x, y := b.at(node)
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	b.until("!page.tooltip.element.hidden")
}

// at returns the middle of a frame on the screen.
func (b *tab) at(node string) (x, y float64) {
	b.t.Helper()
	place := evaluate[[]float64](b, `(() => { const p = page.chart.placeOf(`+node+`), b = page.chart.scroller.getBoundingClientRect();
		return [b.left + p.x + p.w / 2, b.top + p.y + 9]; })()`)
	return place[0], place[1]
}

// firstFrame is the first frame that weighs anything.
const firstFrame = "page.view.total.findIndex((n, i) => i > 0 && n > 0)"

// settled waits until nothing moves.
func (b *tab) settled() {
	b.t.Helper()
	b.until("page.chart.goal === null && page.chart.frame === 0")
}

// noErrors fails if the console has errors.
func (b *tab) noErrors() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.errors)
}

// picture writes what the tab shows to the folder that the environment variable FLAMEGRAPH_PICTURES
// names, for people to look at.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("FLAMEGRAPH_PICTURES")
	if dir == "" {
		return
	}
	b.run(chromedp.Sleep(300 * time.Millisecond))
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600))
}

// TestBrowser uses the page as people do.
func TestBrowser(t *testing.T) {
	b := openTab(t)
	p := read(t, "jdk25-profile.jfr")
	b.show(p, Options{Title: "app.jfr", Names: profile.Names{Dots: true}}, "")
	sum := func(kind string) (sum int64) {
		for s := range p.Samples() {
			if s.Kind.Name == kind {
				sum += s.Values[s.Kind.Main()]
			}
		}
		return sum
	}
	assert.Equal(t, "app.jfr", b.text("document.title"))
	assert.EqualValues(t, sum("running"), b.number("page.view.total[0]"))
	assert.Greater(t, b.number("page.chart.drawn"), 50.0)
	b.picture("light")

	// Search: by keys, with the share, and the next match.
	b.run(chromedp.KeyEvent("f", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.keys("Stacks")
	b.until("page.state.search === 'Stacks'")
	assert.Equal(t, "33.3 % in 2", b.text("page.toolbar.found.textContent"))
	b.picture("search")
	b.keys(kb.Enter)
	b.settled()
	assert.Equal(t, "gen.Stacks.run", b.text("page.label(page.chart.zoomed)"))
	assert.Contains(t, b.text("location.hash"), "search=Stacks")
	b.keys(kb.Escape + "0")
	b.settled()
	assert.Zero(t, b.number("page.chart.zoomed"))

	// Zoom: by a click, then back, and by the wheel.
	x, y := b.at(firstFrame)
	b.run(chromedp.MouseClickXY(x, y))
	b.settled()
	assert.Equal(t, "gen.Profile.main", b.text("page.label(page.chart.zoomed)"))
	assert.Contains(t, b.text("location.hash"), "zoom=")
	b.picture("zoom")
	b.run(chromedp.NavigateBack())
	b.until("page.chart.zoomed === 0")
	b.settled()
	_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: 0.01, DeltaY: -600, Modifiers: 2})
	require.NoError(t, err)
	b.until("page.chart.range.to - page.chart.range.from < page.view.total[0] * 0.5")
	b.keys("0")
	b.settled()

	// Another type, value and thread.
	b.do("(() => { const e = page.toolbar.kind; e.value = 'alloc'; e.dispatchEvent(new Event('change')); page.set({search: ''}); })()")
	assert.EqualValues(t, sum("alloc"), b.number("page.view.total[0]"))
	b.picture("alloc")
	b.keys("]")
	assert.Equal(t, "live", b.text("page.state.type"))
	b.do("page.set({type: 'running', value: ''})")
	assert.EqualValues(t, 36, b.number("page.view.total[0]"))
	assert.EqualValues(t, 4, b.number("page.toolbar.thread.options.length"))
	b.do("(() => { const e = page.toolbar.thread; e.value = e.options[2].value; e.dispatchEvent(new Event('change')); })()")
	assert.Less(t, b.number("page.view.total[0]"), 36.0)
	assert.Positive(t, b.number("page.view.total[0]"))

	// All of it is in the address.
	b.until("location.hash.includes('thread=')")
	hash := b.text("location.hash")
	total := b.number("page.view.total[0]")
	b.load(hash)
	assert.Equal(t, total, b.number("page.view.total[0]")) //nolint:testifylint // both are whole
	b.noErrors()
}

// TestBrowserViews looks at the other views: reversed, flames, the table, dark, help.
func TestBrowserViews(t *testing.T) {
	b := openTab(t)
	b.show(read(t, "jdk25-profile.jfr"), Options{Title: "app.jfr", Names: profile.Names{Dots: true}}, "")
	b.keys("r")
	b.until("page.view.constructor !== page.tree.constructor")
	b.settled()
	assert.EqualValues(t, 36, b.number("page.view.total[0]"))
	// The innermost frames of the reversed view are the methods' own weights.
	assert.True(t, b.number(`(() => { let n = 0; for (let c = page.view.first(0); c >= 0; c = page.view.next(c)) n += page.view.total[c]; return n; })()`) == 36)
	b.picture("reversed")
	b.keys("i")
	b.settled()
	b.picture("flames")
	b.keys("ir")
	b.until("page.table.rows?.length > 0")
	assert.Contains(t, b.text("document.querySelector('.methods tbody').textContent"), "Loaders$Loaded.run")
	b.run(chromedp.Click(".methods tbody tr:nth-child(2) button"))
	b.until("!page.table.detail.hidden")
	assert.Contains(t, b.text("page.table.detail.textContent"), "Callers")
	assert.Contains(t, b.text("page.table.detail.textContent"), "Stacks.busy")
	assert.Contains(t, b.text("page.state.search"), "^gen\\.Stacks\\.hash$")
	b.picture("methods")
	b.do("page.set({search: ''})")
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	require.NoError(t, err)
	b.until("document.documentElement.dataset.theme === 'dark'")
	b.point(firstFrame)
	assert.Contains(t, b.text("page.tooltip.element.textContent"), "Samples of running threads")
	assert.Contains(t, b.text("page.tooltip.element.textContent"), "Allocated memory")
	b.picture("dark")
	b.keys("c")
	assert.Equal(t, "package", b.text("page.state.colour"))
	b.picture("package")
	b.keys("?")
	b.until("page.help.open")
	b.picture("help")
	b.keys(kb.Escape)
	b.until("!page.help.open")
	b.run(chromedp.Focus(".scroller"))
	b.keys(kb.ArrowDown + kb.ArrowDown + kb.ArrowDown + kb.Enter)
	b.settled()
	assert.EqualValues(t, 2, b.number("page.chart.depthOf(page.chart.zoomed)"))
	b.noErrors()
}

// TestBrowserToolbar has the search beside the lists, and on wide screens all in one line.
func TestBrowserToolbar(t *testing.T) {
	b := openTab(t)
	b.show(read(t, "jdk25-profile.jfr"), Options{Title: "jdk25-profile.jfr"}, "")
	for width, lines := range map[int64]int{1400: 1, 1000: 2, 700: 3} {
		b.run(chromedp.EmulateViewport(width, 500))
		const tops = "new Set([...document.querySelectorAll('.group')].map((e) => e.getBoundingClientRect().top)).size"
		assert.Equal(t, lines, evaluate[int](b, tops), width)
	}
}

// TestBrowserDifference looks at two recordings.
func TestBrowserDifference(t *testing.T) {
	b := openTab(t)
	p, base := read(t, "jdk25-profile.jfr"), read(t, "jdk17-profile.jfr")
	b.show(p, Options{Title: "jdk25", Base: base, BaseTitle: "jdk17", Names: profile.Names{Dots: true}}, "")
	now, old := b.number("page.view.now[0]"), b.number("page.view.old[0]")
	assert.EqualValues(t, 36, now)
	assert.Positive(t, old)
	assert.InEpsilon(t, now+old, b.number("page.view.total[0]"), 1e-9)
	b.picture("difference")
	b.do("page.set({scale: 'normal'})")
	assert.InEpsilon(t, now, b.number("page.view.old[0]"), 1e-9)
	b.do("page.set({widths: 'before'})")
	assert.InEpsilon(t, now, b.number("page.view.total[0]"), 1e-9)
	b.do("page.set({widths: '', scale: '', reversed: '1', theme: 'dark'})")
	b.settled()
	b.point(firstFrame)
	b.picture("difference-reversed")
	b.noErrors()
}

// TestBrowserNastyNames shows names that pages must escape.
func TestBrowserNastyNames(t *testing.T) {
	b := openTab(t)
	p := profile.New()
	for _, name := range nasty {
		p.AddKind(profile.Kind{Name: name, Title: name, Values: []profile.ValueType{{Name: name, Unit: profile.Count}}})
		p.Add(nasty[0], p.Push(0, p.AddText(name)), p.AddLabels(profile.Labels{Thread: name, Class: name}), 5)
		p.Add(name, p.Push(0, p.AddText(name)), p.AddLabels(profile.Labels{Thread: name}), 7)
		p.AddNote(name)
	}
	b.show(p, Options{Title: nasty[0]}, "")
	b.do(fmt.Sprintf("page.set({type: %q})", nasty[0]))
	b.until("page.table.rows?.length > 0")
	assert.Equal(t, nasty[0], b.text("document.title"))
	assert.Equal(t, strings.ReplaceAll(nasty[0], "\n", ""), b.text("document.querySelector('h1').textContent"))
	for _, name := range nasty[:7] {
		b.do(fmt.Sprintf("page.set({search: '^' + %q.replace(/[()<>.\\n\\r\\/]/g, '.') + '$'})", name))
		b.point(firstFrame)
	}
	b.noErrors()
}

// TestBrowserExtremes shows a very deep stack, a frame that calls very many others, and searches for
// what is no regular expression.
func TestBrowserExtremes(t *testing.T) {
	b := openTab(t)
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	deep, labels := profile.StackID(0), p.AddLabels(profile.Labels{})
	for i := range 65535 {
		deep = p.Push(deep, p.AddText(fmt.Sprintf("deep(%d", i%10)))
	}
	p.Add(k.Name, deep, labels, 1, 1_000_000)
	wide := p.Push(0, p.AddText("wide"))
	for i := range 100_000 {
		p.Add(k.Name, p.Push(wide, p.AddText(fmt.Sprintf("callee%d", i))), labels, 1, 10)
	}
	p.Add(k.Name, wide, labels, 1, -5) // weights may be negative
	b.show(p, Options{}, "")
	b.until("page.chart.rows === 65536")
	b.keys("r")
	b.until("page.chart.rows === 65536 && page.view.constructor !== page.tree.constructor")
	b.settled()
	b.do("page.set({search: 'deep(9'})")
	assert.Equal(t, "50.0 % in 1", b.text("page.toolbar.found.textContent"))
	b.keys("n")
	b.settled()
	b.keys("r")
	b.do("page.set({search: 'callee77777'})")
	assert.Equal(t, "0.00 % in 1", b.text("page.toolbar.found.textContent"))
	b.keys("n")
	b.settled()
	assert.Equal(t, "callee77777", b.text("page.label(page.chart.zoomed)"))
	b.noErrors()
}

// TestBrowserSlowSearch searches for expressions that may take years, in the address and typed: the
// page goes on, and finds what it is asked for next.
func TestBrowserSlowSearch(t *testing.T) {
	b := openTab(t)
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	b.ctx = ctx
	p := readCells(t, "jdk25-profile.jfr", CellLength)
	p.AddAt(1, "native", p.Push(0, p.AddText(strings.Repeat("a", 5000)+"!")), p.AddLabels(profile.Labels{}), 1, 1)
	const found = "page.toolbar.found.textContent"
	for _, page := range []string{written(t, p, Options{}), heatmap(t, p, Options{})} {
		b.open(page, "")
		b.keys("/")
		for _, search := range []string{"(a+)+$|(.*)*x", ".*.*.*.*.*.*x"} {
			b.load("#search=" + url.QueryEscape(search))
			assert.Equal(t, search, b.text("page.state.search"))
			b.until(found + " === 'too complex'")
			b.do("page.set({search: ''})")
			b.keys("/" + search)
			assert.Equal(t, "…", b.text(found))
			b.do("page.set({search: 'stacks\\\\.|no name'})")
			b.until(found + " === '33.3 % in 2'")
			assert.True(t, evaluate[bool](b, "!page.map || page.map.hits.reduce((a, b) => a + b) === 12"))
		}
	}
	b.noErrors()
}

// TestBrowserMillion opens a page of a million nodes.
func TestBrowserMillion(t *testing.T) {
	b := openTab(t)
	p := million()
	start := time.Now()
	b.show(p, Options{Title: "a million nodes"}, "")
	info, err := os.Stat(strings.TrimPrefix(b.url, "file://"))
	require.NoError(t, err)
	t.Logf("%.0f nodes, %d bytes, written and shown in %v", b.number("page.data.nodes.n"), info.Size(), time.Since(start))
	least := 1e9
	for range 5 {
		b.load("")
		least = min(least, b.number("performance.getEntriesByName('painted')[0].startTime"))
	}
	t.Logf("first paint after %.0f ms", least)
	b.picture("million")
	for _, step := range []struct{ name, js string }{
		{"draw", "page.chart.draw()"},
		{"search", "page.set({search: 'method1'})"},
		{"no search", "page.set({search: ''})"},
		{"zoom", "(page.chart.zoomTo(page.view.first(page.view.first(0))), page.chart.settle())"},
		{"another value", "page.set({value: 'samples'})"},
		{"reversed", "page.set({reversed: '1'})"},
		{"tooltip", "page.valuesOf(0)"},
		{"methods", "page.table.show(page.tree, page.unit)"},
	} {
		t.Logf("%s: %.0f ms", step.name, b.number("(() => { const t = performance.now(); "+step.js+"; return performance.now() - t; })()"))
		b.settled()
	}
	b.picture("million-reversed")
	b.noErrors()
}

// million returns a profile whose tree has a million nodes and 20,000 names: a random program in
// which each method calls a few others.
func million() *profile.Profile {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	const methods = 20000
	frames := make([]profile.FrameID, methods)
	calls := make([][]int, methods)
	kinds := []profile.FrameKind{profile.JITCompiled, profile.JITCompiled, profile.Inlined, profile.Interpreted, profile.C1Compiled, profile.Native}
	for i := range frames {
		class := fmt.Sprintf("com/example/app%d/service%d/Handler%d", i%7, i%131, i%4099)
		m := profile.Method{Class: class, Name: fmt.Sprintf("method%d", i), Descriptor: "()V"}
		frames[i] = p.AddFrame(profile.Frame{Method: m, Kind: kinds[random.IntN(len(kinds))]})
		for range 1 + random.IntN(6) {
			calls[i] = append(calls[i], random.IntN(methods))
		}
	}
	labels := make([]profile.LabelsID, 64)
	for i := range labels {
		labels[i] = p.AddLabels(profile.Labels{Thread: fmt.Sprintf("http-%d", i), ThreadID: int64(i + 1)})
	}
	for profiles.Stacks(p) < 1_000_000 {
		s, m := profile.StackID(0), random.IntN(40)
		for range 5 + random.IntN(60) {
			s = p.Push(s, frames[m])
			next := random.ExpFloat64() / 2 // mostly the first ones
			m = calls[m][min(int(next*float64(len(calls[m]))), len(calls[m])-1)]
		}
		n := int64(1 + random.IntN(9))
		p.Add(k.Name, s, labels[random.IntN(len(labels))], n, n*10_000_000)
	}
	return p
}
