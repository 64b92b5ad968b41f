package open

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// benchFile is the variable of the environment that names the recording of BenchmarkPages.
const benchFile = "MJFR_PAGES"

// madeRecording returns the path of a recording of that size, or of the one that the environment names.
func madeRecording(t testing.TB, size string) string {
	t.Helper()
	if path := os.Getenv(benchFile); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "made.jfr")
	root := longtest.Root(t)
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/jfrbench", "gen", "-size", size, path)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// exploreFile opens a recording as mjfr open does.
func exploreFile(t testing.TB, path string) *explorer {
	t.Helper()
	set, err := input.Open(t.Context(), []string{path}, input.Options{Open: []mmapjfr.Option{engine.KeepConstants(mostConstants)}})
	require.NoError(t, err)
	t.Cleanup(func() { set.Close() })
	x, err := newExplorer(set)
	require.NoError(t, err)
	return x
}

// BenchmarkPages measures pages of a recording of a gigabyte, or of the file that the variable MJFR_PAGES names, in
// Chromium without a screen, which draws by software and at most 60 frames a second:
//
//   - first-ms: from the navigation to the picture of the CPU's load, of a server that has answered nothing before
//   - drag-ms: from the choice of a time to its flame graph, the slowest of eight
//   - frames/s: of rows of the most frequent type that scroll by 48 pixels a frame, and that are jumped over
//   - jump-ms: from a jump over half of the rows to the rows there, the slowest of eight
//
// It needs MMAPJFR_TEST=long, for it starts a browser, and -benchtime 1x.
func BenchmarkPages(b *testing.B) {
	longtest.Long(b, "it starts a browser")
	path := madeRecording(b, "1GB")
	for b.Loop() {
		tab := newTab(b, exploreFile(b, path))
		require.NoError(b, chromedp.Do(tab.ctx, chromedp.Navigate(tab.door)))
		tab.until("!!document.querySelector('.band')?.title")
		b.ReportMetric(tab.number("performance.now()"), "first-ms")
		b.ReportMetric(tab.drags(), "drag-ms")
		small, large, jump := tab.scrolls()
		b.ReportMetric(small, "frames/s")
		b.ReportMetric(large, "frames-with-jumps/s")
		b.ReportMetric(jump, "jump-ms")
	}
}

// timed runs JavaScript that sets took to how long something took.
func (b *tab) timed(js string) float64 {
	b.t.Helper()
	b.do("window.took = null; " + js)
	b.until("window.took !== null")
	return b.number("window.took")
}

// drags returns how long the slowest of some choices of a time takes until its flame graph is there.
func (b *tab) drags() (slowest float64) {
	b.t.Helper()
	b.load(b.base + "/flame")
	for i := range 8 {
		slowest = max(slowest, b.timed(fmt.Sprintf(`fetch('/api/recording').then((r) => r.json()).then((rec) => {
			const from = rec.start + (rec.end - rec.start) * %d / 10;
			const begun = performance.now();
			history.pushState(null, '', '/flame?' + new URLSearchParams({ from, to: from + (rec.end - rec.start) / 20 }));
			dispatchEvent(new PopStateEvent('popstate'));
			document.querySelector('iframe').addEventListener('load', () => { window.took = performance.now() - begun; });
		})`, i+1)))
	}
	return slowest
}

// scrolls returns frames a second when rows scroll, and when they are jumped over, and how long the slowest jump takes
// until its rows are there.
func (b *tab) scrolls() (small, large, slowest float64) {
	b.t.Helper()
	b.load(b.base + "/events")
	b.until("document.querySelectorAll('.grid tbody tr').length > 10")
	frames := func(next string) float64 {
		return b.timed(`(() => {
			const grid = document.querySelector('.grid');
			const begun = performance.now();
			let frames = 0;
			const step = () => {
				` + next + `;
				frames++;
				if (performance.now() - begun < 3000) requestAnimationFrame(step); else window.took = frames / 3;
			};
			requestAnimationFrame(step);
		})()`)
	}
	small = frames("grid.scrollTop += 48")
	large = frames("grid.scrollTop = (grid.scrollTop + grid.scrollHeight * 0.37) % grid.scrollHeight")
	for range 8 {
		slowest = max(slowest, b.timed(`(() => {
			const grid = document.querySelector('.grid');
			const shown = () => Number(grid.querySelector('tbody tr[aria-rowindex]')?.ariaRowIndex ?? grid.querySelector('tbody tr')?.getAttribute('aria-rowindex'));
			const was = shown();
			const begun = performance.now();
			grid.scrollTop = (grid.scrollTop + grid.scrollHeight * 0.53) % grid.scrollHeight;
			const look = () => { if (shown() !== was) window.took = performance.now() - begun; else requestAnimationFrame(look); };
			requestAnimationFrame(look);
		})()`))
	}
	return small, large, slowest
}
