package open

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/internal/browsertest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// tab is a tab of a browser that shows the pages.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string
	door string // the address with the secret

	mu     sync.Mutex
	errors []string // of the console
}

// openTab serves recordings, and opens the printed address. It skips the test where Chromium is missing.
func openTab(t testing.TB, x source) *tab {
	t.Helper()
	b := newTab(t, x)
	b.load(b.door)
	return b
}

// newTab serves recordings.
func newTab(t testing.TB, x source) *tab {
	t.Helper()
	b := &tab{t: t}
	b.ctx = browsertest.Open(t, func(m chromedp.ConsoleMessage) {
		if browsertest.IsError(m) {
			b.mu.Lock()
			b.errors = append(b.errors, m.Text)
			b.mu.Unlock()
		}
	})
	session := localhttp.NewSession("")
	session.Changes = true
	server := httptest.NewServer(session.Guard(pages(x)))
	t.Cleanup(server.Close)
	b.base = server.URL
	b.door = session.Address(server.URL)
	return b
}

// load opens an address, and waits until everything is there.
func (b *tab) load(address string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(address)))
	b.settled()
}

// settled waits until a page stands, and nothing of it is read any more.
func (b *tab) settled() {
	b.t.Helper()
	b.until("document.querySelector('main')?.children.length > 0 && !document.querySelector('[aria-busy]')")
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
func (b *tab) do(js string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](js)))
}

// until waits for a condition in JavaScript, as long as a page of a gigabyte may take beside other work.
func (b *tab) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !evaluate[bool](b, condition); time.Sleep(10 * time.Millisecond) {
		require.True(b.t, time.Now().Before(end), "never: %s", condition)
	}
}

// check fails if the console has errors, or if the page shows one.
func (b *tab) check(of string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	// Chromium reports each answer that is an error: pages ask only for what was recorded.
	assert.Empty(b.t, b.errors, of)
	b.errors = nil
	assert.Empty(b.t, b.text("[...document.querySelectorAll('[role=alert]')].map((e) => e.textContent).join('; ')"), of)
}

// TestPages opens each page of recordings of several kinds.
func TestPages(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-virtual.jfr", "jdk17-empty.jfr"} {
		b := openTab(t, explore(t, name))
		links := evaluate[[]string](b, "[...document.querySelectorAll('header nav a')].map((a) => a.textContent)")
		assert.Equal(t, []string{"Overview", "Flame graph", "Threads", "GC", "Locks", "I/O", "Exceptions", "Virtual threads", "Latency", "Events", "Views", "Query", "File"}, links)
		for _, link := range links {
			b.do(fmt.Sprintf("[...document.querySelectorAll('header nav a')].find((a) => a.textContent === %q).click()", link))
			b.settled()
			assert.Equal(t, link, b.text("document.querySelector('header nav a[aria-current]').textContent"))
			assert.NotEmpty(t, b.text("document.querySelector('main').textContent"), "%s: %s", name, link)
			b.check(name + ": " + link)
		}
	}
}

// TestRowsOfEvents scrolls through all events of a type, and opens one.
func TestRowsOfEvents(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	b := openTab(t, x)
	name := busiest(t, x)
	b.load(b.base + "/events?type=" + name)
	total := int(must(t, x, "/api/events", "type", name)["total"].(float64))
	b.until("document.querySelectorAll('.events tbody tr').length > 5")
	b.do("document.querySelector('.grid').scrollTop = 1e9")
	last := must(t, x, "/api/events", "type", name, "offset", fmt.Sprint(total-1))
	at := last["at"].([]any)[0].(map[string]any)
	b.until("document.querySelector('.events tbody tr:last-child') !== null")
	b.do("document.querySelector('.events tbody tr:last-child').click()")
	b.until(fmt.Sprintf("new URLSearchParams(location.search).get('event') === '0:%s' || (document.querySelector('.grid').scrollTop = 1e9, document.querySelector('.events tbody tr:last-child')?.click(), false)", at["offset"]))
	b.until("document.querySelector('.details h2') !== null")
	assert.Contains(t, b.text("document.querySelector('.details').textContent"), name)
	b.check("events")
	b.do("document.querySelector('.events th button').click()")
	b.until("location.search.includes('sort=')")
	b.until("document.querySelector('th[aria-sort=ascending]') !== null")
	b.load(b.base + "/events?type=" + name + "&where=nonsense")
	b.until("document.querySelector('[role=alert]') !== null")
}

// TestKeysInRows walks through events by keys alone: to the last one, and opens it.
func TestKeysInRows(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	b := openTab(t, x)
	name := busiest(t, x)
	total := int(must(t, x, "/api/events", "type", name)["total"].(float64))
	last := must(t, x, "/api/events", "type", name, "offset", fmt.Sprint(total-1))["at"].([]any)[0].(map[string]any)["offset"]
	b.load(b.base + "/events?type=" + name)
	b.until("document.querySelectorAll('.events tbody tr').length > 5")
	b.do("document.querySelector('.events tbody tr').focus()")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.End)))
	b.until("document.activeElement?.closest('.events tbody tr') === document.querySelector('.events tbody tr:last-child')")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)))
	b.until(fmt.Sprintf("new URLSearchParams(location.search).get('event') === '0:%s'", last))
	b.until("document.querySelector('.details h2') !== null")
	b.check("keys")
}

// TestLinkToAnEvent opens the address of an event far down in its list: its row is shown, and its thread meanwhile is near.
func TestLinkToAnEvent(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	b := openTab(t, x)
	name := busiest(t, x)
	total := int(must(t, x, "/api/events", "type", name)["total"].(float64))
	at := must(t, x, "/api/events", "type", name, "offset", fmt.Sprint(total-60))["at"].([]any)[0].(map[string]any)["offset"]
	b.load(b.base + "/events?type=" + name + "&event=0:" + at.(string))
	b.until("document.querySelector('.grid tr.chosen') !== null")
	b.until(fmt.Sprintf("document.querySelector('.grid tr.chosen').id === 'row-%d'", total-60))
	b.until("(({ top, bottom }, box) => top >= box.top && bottom <= box.bottom)(document.querySelector('.grid tr.chosen').getBoundingClientRect(), document.querySelector('.grid').getBoundingClientRect())")
	other := must(t, x, "/api/events", "type", name, "offset", "7")["at"].([]any)[0].(map[string]any)["offset"]
	b.do(fmt.Sprintf("(() => { const a = document.createElement('a'); a.href = '/events?type=%s&event=0:%s'; document.body.append(a); a.click(); })()", name, other))
	b.until("document.querySelector('.grid tr.chosen')?.id === 'row-7'")
	b.check("event")
	b.load(b.base + "/latency?spans=jdk.JavaMonitorEnter")
	b.do("document.querySelector('td a[href^=\"/events\"]').click()")
	b.until("document.querySelector('.grid tr.chosen') !== null && document.querySelector('.details a[href^=\"/threads\"]') !== null")
	b.do("document.querySelector('.details a[href^=\"/threads\"]').click()")
	b.until("document.querySelectorAll('.lanes .row').length > 0")
	assert.Contains(t, b.text("location.search"), "thread=contender")
	b.check("threads")
}

// TestBarsOfLanes points at a bar, clicks one, and chooses one by keys: each says what it is, and leads to its event.
func TestBarsOfLanes(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	b.load(b.base + "/threads?q=contender")
	b.until("document.querySelectorAll('.lanes canvas.lane').length > 3 && document.querySelectorAll('.ticks span').length > 2")
	assert.Regexp(t, `^\d\d:\d\d:\d\d$`, b.text("document.querySelector('.ticks span').textContent"))
	b.until(`(() => {
		const canvas = document.querySelector('.lanes canvas.lane');
		const r = canvas.getBoundingClientRect();
		const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true }); // or Chromium warns
		copy.drawImage(canvas, 0, 0);
		const data = copy.getImageData(0, canvas.height - 4, canvas.width, 1).data;
		let x = 0;
		while (x < canvas.width && !(data[4 * x] > 180 && data[4 * x + 1] < 80)) x++;
		if (x === canvas.width) return false; // it is not drawn yet
		window.place = { bubbles: true, clientX: r.left + x / (devicePixelRatio || 1) + 1, clientY: r.top + 12 };
		canvas.dispatchEvent(new PointerEvent('pointermove', place));
		return true;
	})()`)
	said := "document.querySelector('.tip:not([hidden])')?.textContent || ''"
	b.until("(" + said + ").includes('blocked')")
	b.until("/held by contender \\d+, in gen.Locks.contend/.test(" + said + ")")
	assert.Contains(t, b.text(said), "monitor of java.lang.Object")
	b.do("document.querySelector('.lanes canvas.lane').dispatchEvent(new PointerEvent('pointerleave', place))")
	assert.Empty(t, b.text(said))
	b.do("document.querySelector('.lanes canvas.lane').dispatchEvent(new MouseEvent('click', place))")
	b.until("document.querySelector('.tip.pinned a') !== null && document.querySelector('.tip.pinned a') === document.activeElement")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Escape)))
	assert.Empty(t, b.text(said))
	b.do("document.querySelectorAll('.lanes canvas.lane')[1].focus()")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.ArrowRight)))
	first := b.text(said)
	assert.NotEmpty(t, first)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.ArrowRight)))
	assert.NotEqual(t, first, b.text(said))
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)))
	b.until("document.querySelector('.tip.pinned a') !== null")
	b.do("document.querySelector('.tip a').click()")
	b.until("location.pathname === '/events' && document.querySelector('.grid tr.chosen') !== null")
	b.check("bars")
}

// TestNoSuchPage opens an address that no page has, which says so and leads to those that there are.
func TestNoSuchPage(t *testing.T) {
	b := openTab(t, explore(t, "jdk17-profile.jfr"))
	b.load(b.base + "/nonsense")
	assert.Contains(t, b.text("document.querySelector('main [role=alert]').textContent"), "No page /nonsense")
	assert.Equal(t, 13.0, b.number("document.querySelectorAll('main li a').length"))
	assert.Zero(t, b.number("document.querySelectorAll('nav a[aria-current]').length"))
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent("?")))
	assert.Contains(t, b.text("document.querySelector('dialog[open]').textContent"), "run the query")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Escape)))
	assert.Zero(t, b.number("document.querySelectorAll('dialog[open]').length"))
	b.load(b.base + "/query")
	b.do("document.querySelector('textarea').focus()")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent("?")))
	assert.Zero(t, b.number("document.querySelectorAll('dialog[open]').length"), "it is typed")
}

// TestRoomOfTables looks at tables in a narrow window: names are cut, and numbers are seen.
func TestRoomOfTables(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 800)))
	for _, page := range []string{"/", "/locks", "/exceptions", "/latency?spans=jdk.JavaMonitorEnter"} {
		b.load(b.base + page)
		assert.Empty(t, b.text(`[...document.querySelectorAll('.panel .scroll')].filter((e) => e.offsetWidth && e.scrollWidth > e.clientWidth + 1 && e.querySelectorAll('th').length < 8)
			.map((e) => e.closest('.panel').textContent.slice(0, 30)).join('; ')`), page)
	}
	b.load(b.base + "/latency?spans=jdk.JavaMonitorEnter")
	assert.Positive(t, b.number("document.querySelectorAll('.meanwhile .parts').length"))
	assert.LessOrEqual(t, b.number("Math.max(...[...document.querySelectorAll('.meanwhile')].map((e) => e.getBoundingClientRect().right))"), 1280.0)
	b.load(b.base + "/")
	assert.Regexp(t, `^PID\d{4,}$`, b.text("[...document.querySelectorAll('tr')].find((e) => e.textContent.startsWith('PID')).textContent"), "a number of a process has no commas")
	assert.Contains(t, b.text("[...document.querySelectorAll('.panel')].find((e) => e.textContent.startsWith('GC pauses')).textContent"), "total per ")
	assert.NotEmpty(t, b.text("[...document.querySelectorAll('.panel')].find((e) => e.textContent.startsWith('GC pauses')).querySelector('details').scrollIntoView(), document.querySelectorAll('summary').forEach((e) => e.click()), 'opened'"))
	b.until("[...document.querySelectorAll('.panel details th')].some((e) => e.textContent === 'Time')")
}

// TestPagesCountOnce has errors once each, and rows of locks that lead to their own events.
func TestPagesCountOnce(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	b.load(b.base + "/exceptions")
	panel := b.text("[...document.querySelectorAll('.panel')].find((e) => e.textContent.startsWith('Exceptions by Class')).textContent")
	assert.Contains(t, panel, "NoSuchMethodError9")
	assert.Contains(t, b.text("document.querySelector('main').textContent"), "For each error, the JVM writes one Java Error event and two Java Exception events")
	b.load(b.base + "/")
	assert.Contains(t, b.text(`decodeURIComponent([...document.querySelectorAll('a')].find((a) => a.href.includes('jdk.JavaMonitorEnter&')).href)`), `and+stackTrace+=`)
}

// TestChosenTime chooses a time by the keyboard, which holds on all pages and is in the address.
func TestChosenTime(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	b.do("document.querySelector('.axis').focus()")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.ArrowRight)))
	b.until("location.search.includes('from=')")
	b.settled()
	assert.NotEqual(t, 0.0, b.number("document.querySelector('.mark').offsetWidth"))
	b.do("[...document.querySelectorAll('header nav a')].find((a) => a.textContent === 'GC').click()")
	assert.Contains(t, b.text("location.search"), "from=")
	b.settled()
	b.do("history.back()")
	b.until("location.pathname === '/'")
	b.do("document.querySelector('.axis').focus()")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Escape)))
	b.until("!location.search.includes('from=')")
	b.settled()
	b.check("time")
}

// TestNumbersOfThePages compares a view on its page with the answer that the verb view would write.
func TestNumbersOfThePages(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	b := openTab(t, x)
	b.load(b.base + "/views?view=gc-pauses")
	answer := must(t, x, "/api/query", "view", "gc-pauses")
	for _, c := range answer["columns"].([]any) {
		title := c.(map[string]any)["title"].(string)
		assert.Contains(t, b.text("document.querySelector('.answer table').textContent"), title)
	}
	b.load(b.base + "/query?q=select+nonsense+from+CPULoad")
	b.until("document.querySelector('pre.wrong') !== null")
	assert.Contains(t, b.text("document.querySelector('pre.wrong').textContent"), "\n       ^")
}

// TestTheWorstLeadToTheirEvents follows the link of each row of the overview.
func TestTheWorstLeadToTheirEvents(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	links := evaluate[[]string](b, "[...document.querySelectorAll('main td a')].map((a) => a.getAttribute('href'))")
	require.Greater(t, len(links), 25)
	for _, link := range links {
		b.load(b.base + link)
		b.check(link)
		switch page, _, _ := strings.Cut(link, "?"); page {
		case "/events":
			b.until("document.querySelectorAll('.grid tbody tr').length > 0")
		case "/query":
			b.until("document.querySelectorAll('.answer td').length > 0")
		case "/threads":
			b.until("document.querySelectorAll('.lanes .row').length > 0")
		case "/flame":
			b.until("/% in [0-9]/.test(document.querySelector('iframe')?.contentDocument.body?.textContent)")
		default:
			t.Error(link)
		}
	}
}

// TestConditionIsCompleted types a part of the name of a field, and takes what is proposed.
func TestConditionIsCompleted(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	b.load(b.base + "/events?type=jdk.FileWrite")
	b.do(`(() => {
		const box = document.querySelector('.bar .wide');
		box.focus();
		box.value = 'bytesWr';
		box.setSelectionRange(7, 7);
		box.dispatchEvent(new Event('input'));
	})()`)
	b.until("document.querySelector('.names li')?.textContent === 'bytesWritten'")
	enter := "document.querySelector('.bar .wide').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))"
	b.do(enter)
	assert.Equal(t, "bytesWritten", b.text("document.querySelector('.bar .wide').value"))
	assert.NotContains(t, b.text("location.search"), "where=")
	b.do("document.querySelector('.bar .wide').value += ' > 1GB'")
	b.do(enter)
	b.until("document.querySelector('.bar .dim').textContent.startsWith('0 events')")
	assert.Contains(t, b.text("location.search"), "where=")
	b.check("condition")
}

// TestFlameGraphs draws flame graphs in their frame: alone, of two times, of two recordings, and with a heat map.
func TestFlameGraphs(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	x.base = explore(t, "jdk17-profile.jfr").set
	b := openTab(t, x)
	start, end := x.set.Span()
	middle := fmt.Sprintf("%f", millis(start.Add(end.Sub(start)/2)))
	for _, query := range []string{"", "?kind=alloc", "?basefrom=" + middle, "?base=1", "?heat=1", "?from=" + middle} {
		b.load(b.base + "/flame" + query)
		b.until("document.querySelector('iframe')?.contentWindow.performance.getEntriesByName('painted').length > 0")
		b.check(query)
	}
	b.load(b.base + "/flame?from=" + middle)
	inside := "document.querySelector('iframe').contentDocument.querySelector"
	b.until("!!" + inside + "('header .title .dim')?.textContent.includes(' – ')")
	assert.Equal(t, b.text("document.querySelector('.said').textContent.split(', ')[0]"), b.text(inside+"('header .title .dim').textContent.split(' · ')[0]"), "the chosen time, in the zone of the recording")
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 800)))
	b.load(b.base + "/flame?from=" + middle)
	b.do("[...document.querySelectorAll('.bar button')].find((e) => e.textContent.startsWith('Compare time ranges')).click()")
	b.until("!!document.querySelector('.next-step')?.textContent.includes('drag on the axis')")
	b.until(inside + "('.methods td.name')?.offsetWidth > 180")
	b.load(b.base + "/flame?basefrom=" + middle + "&baseto=" + middle)
	assert.Zero(t, b.number("document.querySelectorAll('.next-step').length"))
}

// isText reports whether bytes are printable ASCII.
func isText(bytes []byte) bool {
	return !slices.ContainsFunc(bytes, func(b byte) bool { return b < ' ' || b > '~' })
}

// TestHostileNames shows a recording most of whose long strings, of whatever kind, are markup that runs a script, and turn
// the direction of text.
func TestHostileNames(t *testing.T) {
	const markup = "<img src=x onerror=__p=1>"
	data, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	replaced := 0
	for i := range data[:len(data)-128] {
		// A string is its encoding, its length and its bytes.
		length := int(data[i+1])
		if (data[i] != 3 && data[i] != 5) || length < 33 || length > 127 || !isText(data[i+2:i+2+length]) {
			continue
		}
		replaced++
		sum := sha256.Sum256(data[i+2 : i+2+length]) // different strings stay different
		text := markup + hex.EncodeToString(sum[:4])
		if data[i] == 3 && length >= len(text)+3 { // it is UTF-8
			text += "\u202e"
		}
		copy(data[i+2:], text)
	}
	require.Greater(t, replaced, 500)
	path := filepath.Join(t.TempDir(), "<b>a\u202e.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	x := exploreFile(t, path)
	b := openTab(t, x)
	shown, turned := 0.0, 0.0
	look := func(page string) {
		b.load(b.base + page)
		b.check(page)
		shown += b.number("document.body.textContent.split('<img src=x').length - 1")
		turned += b.number(`document.body.textContent.split('\\u202e').length - 1`)
		assert.Zero(t, b.number(`(document.title + document.body.innerHTML).split('\u202e').length - 1`), page)
		assert.Zero(t, b.number("document.querySelectorAll('body img').length"), page)
		assert.Zero(t, b.number("[window, ...Array.from(frames)].filter((w) => '__p' in w).length"), page)
	}
	for _, page := range evaluate[[]string](b, "[...document.querySelectorAll('header nav a')].map((a) => a.getAttribute('href'))") {
		look(page)
	}
	for _, view := range []string{"hot-methods", "allocation-by-site", "class-loaders", "jvm-information", "thread-start", "environment-variables"} {
		look("/views?view=" + view)
	}
	b.load(b.base + "/events?type=jdk.ExecutionSample")
	b.until("document.querySelectorAll('.grid tbody tr').length > 1")
	b.do("document.querySelector('.grid tbody tr').click()")
	b.until("document.querySelectorAll('.details table tr').length > 1")
	assert.Zero(t, b.number("[window, ...Array.from(frames)].filter((w) => '__p' in w).length"))
	assert.Greater(t, shown, 20.0)
	assert.Greater(t, turned, 20.0)

	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 800)))
	b.load(b.base + "/flame")
	names := "document.querySelector('iframe').contentDocument.querySelector('.methods tbody')?.innerHTML"
	b.until("!!" + names)
	assert.Contains(t, b.text(names), `\u202e`)
	assert.NotContains(t, b.text(names), "\u202e")
}

// TestThreadsWithBlankNames have their number as name, and threads that nobody has are not there.
func TestThreadsWithBlankNames(t *testing.T) {
	b := jfrtest.NewChunk()
	blank := b.Constant("java.lang.Thread", 1, " ", 36, " ", 36, nil, false)
	sample := b.Event("jdk.NativeMethodSample", jfrtest.Const("sampledThread", "java.lang.Thread"))
	b.Emit(sample, 1_000_000, blank)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	x := exploreFile(t, path)
	tab := openTab(t, x)
	tab.load(tab.base + "/threads")
	tab.until("document.querySelector('.row .name')?.textContent === 'thread 36'")
	tab.load(tab.base + "/threads?thread=nobody")
	tab.until("document.querySelector('.bar [role=status]').textContent === 'No thread is called nobody'")
	tab.check("threads")
	assert.Equal(t, []any{"thread 36"}, values(t, must(t, x, "/api/events", "type", "jdk.NativeMethodSample"), "sampledThread"))
}

// TestOverviewOfATime keeps what the machine and the JVM are, and links say that they count all events.
func TestOverviewOfATime(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	b := openTab(t, x)
	panel := func(title string) string {
		return b.text(fmt.Sprintf("[...document.querySelectorAll('section')].find((e) => !e.hidden && e.querySelector('h2')?.textContent === %q)?.textContent || ''", title))
	}
	host, jvm := panel("Host"), panel("JVM")
	require.Contains(t, jvm, "JVM")
	_, end := x.set.Span()
	b.load(b.base + fmt.Sprintf("/?from=%f", millis(end.Add(-time.Millisecond))))
	assert.Equal(t, host, panel("Host"))
	assert.Equal(t, jvm, panel("JVM"))
	b.load(b.base + fmt.Sprintf("/locks?from=%f", millis(end.Add(-time.Millisecond))))
	assert.Contains(t, b.text("document.querySelector('main p').textContent"), "Events of the whole recording: ")
}

// TestStacksThatLookTheSame shows by which frame each differs from others.
func TestStacksThatLookTheSame(t *testing.T) {
	b := openTab(t, explore(t, "jdk25-profile.jfr"))
	b.load(b.base + "/query?" + url.Values{"q": {"select stackTrace, count(*) from ExecutionSample group by stackTrace"}}.Encode())
	b.until("document.querySelectorAll('.answer tbody tr').length > 1")
	assert.Zero(t, b.number("(() => { const t = [...document.querySelectorAll('.answer tbody tr')].map((r) => r.cells[0].textContent); return t.length - new Set(t).size; })()"))
	assert.Contains(t, b.text("document.querySelector('.answer tbody').textContent"), " … ")
}

// TestDeadlocks stand on the pages of locks and threads, once for all dumps that show the same.
func TestDeadlocks(t *testing.T) {
	b := jfrtest.NewChunk()
	dump := b.Event("jdk.ThreadDump", jfrtest.Of("result", "java.lang.String"))
	const text = "Full thread dump\n\nFound one Java-level deadlock:\n=============================\n\"left\":\n  waiting to lock\n\"right\":\n  waiting to lock\n\nFound 1 deadlock.\n"
	b.Emit(dump, 1_000_000, "Full thread dump\n")
	b.Emit(dump, 2_000_000, text)
	b.Emit(dump, 3_000_000, text)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	tab := openTab(t, exploreFile(t, path))
	for _, page := range []string{"/locks", "/threads"} {
		tab.load(tab.base + page)
		tab.until("[...document.querySelectorAll('section h2')].some((e) => e.textContent === 'Deadlock' && e.offsetWidth)")
		said := tab.text("[...document.querySelectorAll('section')].find((e) => e.textContent.startsWith('Deadlock')).textContent")
		assert.Contains(t, said, "and 1 more")
		assert.Equal(t, 1, strings.Count(said, "Found one Java-level deadlock"), said)
		assert.NotContains(t, said, "Full thread dump")
		tab.check(page)
	}
	tab.do("document.querySelector('section.about a').click()")
	tab.until("document.querySelector('.details')?.textContent.includes('Found 1 deadlock')")
}

// TestLivePages looks at a JVM that runs: pages move, stay as they are when they are paused, and say when it has ended.
func TestLivePages(t *testing.T) {
	longtest.Slow(t, "it watches a JVM for long")
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, NoRecording: true, Threads: 1, Rate: 100, Busy: true})
	r, err := stream.Attach(j.PID)
	require.NoError(t, err)
	r.SetSettings("profile")
	f := &following{title: "busy", stream: r.Stream, vm: r.VM()}
	require.NoError(t, f.follow(t.Context()))
	b := openTab(t, f)
	moved := func() {
		t.Helper()
		was := b.text("document.querySelector('.state').textContent")
		b.until("document.querySelector('.state').textContent > " + fmt.Sprintf("%q", was))
		b.settled()
	}
	click := func(label string) {
		t.Helper()
		b.until(fmt.Sprintf("[...document.querySelectorAll('button')].some((e) => e.textContent.startsWith(%q))", label))
		b.do(fmt.Sprintf("[...document.querySelectorAll('button')].find((e) => e.textContent.startsWith(%q)).click()", label))
	}
	for _, page := range []string{"/", "/threads", "/events?type=jdk.ThreadSleep", "/flame", "/latency", "/views?view=hot-methods", "/query?q=select+count(*)+from+*", "/file", "/gc"} {
		b.load(b.base + page)
		moved()
		moved()
		b.check(page)
	}
	b.load(b.base + "/query?q=select+count(*)+from+*")
	count := "document.querySelector('.answer td')?.textContent"
	b.until("!!" + count)
	was := b.text(count)
	b.until("!!" + count + " && " + count + " !== " + fmt.Sprintf("%q", was))
	click("Pause")
	b.settled()
	was = b.text(count)
	paused := b.text("document.querySelector('.said').textContent")
	moved()
	moved()
	assert.Equal(t, paused, b.text("document.querySelector('.said').textContent"))
	assert.Contains(t, b.text("location.search"), "to=")
	assert.Contains(t, b.text("document.querySelector('.state').textContent"), "Paused at ")
	click("Resume")
	b.until("!!" + count + " && " + count + " !== " + fmt.Sprintf("%q", was))

	b.load(b.base + "/jvm")
	b.do("document.querySelector('input[placeholder=Name]').value = 'mine'")
	b.do("document.querySelector('input[aria-label=Duration]').value = 'forever'")
	b.do("document.querySelector('input[aria-label=Duration]').focus()")
	click("Start")
	b.until("document.querySelector('main [role=status]').textContent.includes('duration=forever')")
	moved()
	b.do("dispatchEvent(new Event('popstate'))") // as when there is a new type of events
	moved()
	assert.Equal(t, "mine forever Duration", b.text("['Name', 'Duration'].map((n) => document.querySelector(`input[aria-label=${n}]`).value).join(' ') + ' ' + document.activeElement.getAttribute('aria-label')"))
	assert.Contains(t, b.text("document.querySelector('main [role=status]').textContent"), "duration=forever", "a message stays")
	b.do("document.querySelector('input[aria-label=Duration]').value = ''")
	assert.Contains(t, b.text("document.querySelector('main table').textContent"), "of these pages")
	click("Stop 1")
	b.until("document.querySelector('dialog[open]').textContent.includes('These pages show')")
	assert.Equal(t, "Keep recording", b.text("document.activeElement.textContent"))
	click("Keep recording")
	b.until("!document.querySelector('dialog[open]')")
	b.do("document.querySelector('input[aria-label=Name]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))")
	b.until("[...document.querySelectorAll('td')].some((e) => e.textContent === 'mine')")
	click("Stop 2")
	b.until("document.querySelector('dialog[open]').textContent.includes('Stop recording 2, mine?')")
	click("Stop it")
	b.until("![...document.querySelectorAll('td')].some((e) => e.textContent === 'mine')")
	b.mu.Lock()
	b.errors = slices.DeleteFunc(b.errors, func(e string) bool { return strings.Contains(e, "status of 400") }) // of the wrong duration
	b.mu.Unlock()
	b.check("recordings")

	b.load(b.base + "/")
	j.Exit()
	b.until("document.querySelector('.state').textContent.includes('ended')")
	assert.Zero(t, b.number("[...document.querySelectorAll('.live button')].filter((e) => e.offsetWidth).length"), "nothing can be paused")
	b.load(b.base + "/threads")
	b.check("after the end")
	require.NoError(t, f.Close())
}

// TestPagesOfAGigabyte opens each page of a made recording of a gigabyte, and compares numbers with those of the headers.
func TestPagesOfAGigabyte(t *testing.T) {
	longtest.Slow(t, "it makes a recording of a gigabyte")
	x := exploreFile(t, madeRecording(t, "1GB"))
	b := openTab(t, x)
	for _, page := range evaluate[[]string](b, "[...document.querySelectorAll('header nav a')].map((a) => a.getAttribute('href'))") {
		b.load(b.base + page)
		b.check(page)
	}
	d := must(t, x, "/api/recording")
	b.load(b.base + "/query?" + url.Values{"q": {"select count(*) from *"}}.Encode())
	b.until("!!document.querySelector('.answer td')")
	assert.Equal(t, fmt.Sprintf("%.0f", d["events"]), strings.ReplaceAll(b.text("document.querySelector('.answer td').textContent"), ",", ""))
	typ := d["types"].([]any)[0].(map[string]any)
	b.load(b.base + "/events?type=" + typ["name"].(string))
	b.until("document.querySelectorAll('.grid tbody tr').length > 10")
	assert.Equal(t, fmt.Sprintf("%.0f events", typ["events"]), strings.ReplaceAll(b.text("document.querySelector('.bar .dim').textContent"), ",", ""))
}
