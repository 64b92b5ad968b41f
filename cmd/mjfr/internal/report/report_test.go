package report

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/query"
	"github.com/mmapjfr/jfr/internal/browsertest"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
var mjfrCommand = clitest.Mjfr(New, query.NewView)

// wellFormed fails if a text is not well-formed XML.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if !assert.NoError(t, err) {
			return
		}
	}
}

// TestHTML writes reports of recordings of several kinds: nothing in them leads elsewhere.
func TestHTML(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-strings.jfr", "jdk17-empty.jfr", "concat-jdk17-jdk25.jfr"} {
		code, page, told := mjfrCommand(t, "report", clitest.File(name))
		assert.Equal(t, cli.ExitOK, code, told)
		assert.Empty(t, told, name)
		assert.Contains(t, page, "<title>"+name+"</title>")
		outer := regexp.MustCompile(`srcdoc="[^"]*"`).ReplaceAllString(page, "")
		assert.Empty(t, regexp.MustCompile(`(?i)<(link|img|script|object|embed|form)\b|<[^>]*\s(src|href)\s*=|url\(`).FindAllString(outer, -1), name)
		for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
			wellFormed(t, svg)
		}
		again := mjfrCommand.Output()(t, "report", clitest.File(name))
		assert.True(t, page == again, "%s: the same recording has the same report", name)
	}
}

// TestDirectionsOfText: a name that would turn the text after it around is shown as what it is.
func TestDirectionsOfText(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a\u202efj.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for _, markdown := range []string{"--markdown=false", "--markdown"} {
		page := mjfrCommand.Output()(t, "report", markdown, path)
		assert.NotContains(t, page, "\u202e")
		assert.Contains(t, page, `u202efj.jfr`)
	}
}

// TestTablesAreThoseOfViews compares a table with what mjfr view writes.
func TestTablesAreThoseOfViews(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	page := mjfrCommand.Output()(t, "report", "--view", "hot-methods,gc-pauses", file)
	for _, name := range []string{"hot-methods", "gc-pauses"} {
		view := mjfrCommand.Output()(t, "view", "--html", name, file)
		table := regexp.MustCompile(`(?s)<table>.*</table>`).FindString(view)
		assert.Contains(t, page, table)
	}
	short := mjfrCommand.Output()(t, "report", "--view", "hot-methods", "--rows", "1", file)
	assert.Equal(t, 1, strings.Count(short, `</td><td class="r">`)/2, "samples and percent of one row")
}

// TestMarkdown writes pictures beside the report, and none on standard output.
func TestMarkdown(t *testing.T) {
	file, dir := clitest.File("jdk25-profile.jfr"), t.TempDir()
	text := mjfrCommand.Output()(t, "report", "--markdown", file)
	assert.NotContains(t, text, "![")
	assert.Contains(t, text, "### jdk25-profile.jfr\n")
	mjfrCommand.Output()(t, "report", "-o", filepath.Join(dir, "my report](a).md"), file)
	data, err := os.ReadFile(filepath.Join(dir, "my report](a).md"))
	require.NoError(t, err)
	pictures := regexp.MustCompile(`!\[[^\]]*\]\(([^)]*)\)`).FindAllStringSubmatch(string(data), -1)
	require.NotEmpty(t, pictures)
	for _, p := range pictures {
		name, err := url.PathUnescape(p[1])
		require.NoError(t, err)
		svg, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		wellFormed(t, string(svg))
	}
}

func TestWrongUsage(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	for _, args := range [][]string{{"report"}, {"report", "--view", "nonsense", file}, {"report", "--rows", "0", file}, {"report", "-o", file, "--force", file}, {"report", "-o", "", file}, {"report", "--markdown", "-o", filepath.Join(t.TempDir(), "a.HTML"), file}} {
		code, out, told := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Empty(t, out)
		assert.NotEmpty(t, told)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "FLR\x00", string(data[:4]), "the recording is as it was")

	_, _, told := mjfrCommand(t, "report", "-o", "", file)
	assert.Contains(t, told, `-o "": name a file to write, or - for standard output`)

	picture := filepath.Join(t.TempDir(), "q-1.svg") // a recording by the name of a picture
	require.NoError(t, os.WriteFile(picture, data, 0o600))
	code, _, told := mjfrCommand(t, "report", "--force", "-o", filepath.Join(filepath.Dir(picture), "q.md"), picture)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, "q-1.svg would be written")
	same, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Equal(t, data, same)
}

// namesIn returns the names of what is in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestFilesThatAreThere stay, and nothing is written then. With --force they are replaced, but for what a link leads to that
// has the name of a picture.
func TestFilesThatAreThere(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	for _, name := range []string{"q.md", "q-1.svg", "q-2.svg"} {
		dir := t.TempDir()
		report, path := filepath.Join(dir, "q.md"), filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		code, _, told := mjfrCommand(t, "report", "-o", report, file)
		assert.Equal(t, cli.ExitData, code)
		assert.Contains(t, told, path+": it exists; use --force to replace it")
		assert.Equal(t, []string{name}, namesIn(t, dir))
		mjfrCommand.Output()(t, "report", "--force", "-o", report, file)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotEqual(t, "mine", string(data))
	}

	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
	report, link := filepath.Join(dir, "q.md"), filepath.Join(dir, "q-2.svg")
	require.NoError(t, os.WriteFile(target, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(target, link))
	code, _, _ := mjfrCommand(t, "report", "-o", report, file)
	assert.Equal(t, cli.ExitData, code)
	mjfrCommand.Output()(t, "report", "--force", "-o", report, file)
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(data))

	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "q-2.svg"), 0o700))
	code, _, told := mjfrCommand(t, "report", "--force", "-o", filepath.Join(dir, "q.md"), file)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "is not a file")
	assert.Equal(t, []string{"q-2.svg"}, namesIn(t, dir))
}

// TestAllPicturesOrNone fails to write the last one.
func TestAllPicturesOrNone(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	err := writeAll([]picture{{path("a"), nil}, {path("b"), nil}, {path("none/c"), nil}})
	assert.ErrorContains(t, err, "none/c: ")
	assert.NotContains(t, err.Error(), path("a"))
	assert.Empty(t, namesIn(t, dir))
	require.NoError(t, writeAll([]picture{{path("a"), []byte("1")}, {path("b"), []byte("2")}}))
	assert.Equal(t, []string{"a", "b"}, namesIn(t, dir))
}

// TestFlameGraphInItsFrame shows a report in a browser: the flame graph in it is drawn, under the policies of both.
func TestFlameGraphInItsFrame(t *testing.T) {
	var errs []string
	ctx := browsertest.Open(t, func(m chromedp.ConsoleMessage) {
		if browsertest.IsError(m) {
			errs = append(errs, m.Text)
		}
	})
	path := filepath.Join(t.TempDir(), "report.html")
	mjfrCommand.Output()(t, "report", "-o", path, clitest.File("jdk25-profile.jfr"))
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+path)))
	drawn := chromedp.Evaluate[bool]("document.querySelector('iframe').contentWindow.performance.getEntriesByName('painted').length > 0")
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		is, err := chromedp.Run(ctx, drawn)
		require.NoError(t, err)
		if is {
			break
		}
		require.True(t, time.Now().Before(end), "the flame graph is not drawn: %q", errs)
	}
	assert.Empty(t, errs)
}

// TestHeapOfReport looks for the heap before and after collections.
func TestHeapOfReport(t *testing.T) {
	page := mjfrCommand.Output()(t, "report", clitest.File("jdk25-profile.jfr"))
	heap := regexp.MustCompile(`(?s)<figcaption>Heap</figcaption>.*?</figure>`).FindString(page)
	for _, title := range []string{"used before GC, up to", "used after GC, up to", "committed, up to"} {
		assert.Contains(t, heap, title)
	}
	assert.Equal(t, 3, strings.Count(heap, "<polyline"))
	page = mjfrCommand.Output()(t, "report", "--where", `when = "After GC"`, clitest.File("jdk25-profile.jfr"))
	heap = regexp.MustCompile(`(?s)<figcaption>Heap</figcaption>.*?</figure>`).FindString(page)
	assert.NotContains(t, heap, "used before GC", "a line without values has no name")
}

// TestNothingIsSelected selects no event: the report and the command say so, and not that nothing was recorded.
func TestNothingIsSelected(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	for _, markdown := range []string{"--markdown=false", "--markdown"} {
		code, page, told := mjfrCommand(t, "report", markdown, "--thread", "nobody", file)
		assert.Equal(t, cli.ExitOK, code, "as of mjfr print")
		assert.Contains(t, told, "no event is selected: no thread matches --thread nobody")
		assert.Regexp(t, "Nothing in the selected time and threads: CPU; Heap;", page)
		assert.NotRegexp(t, "No events, because none happened or they are disabled: .*Heap", page)
		assert.NotContains(t, page, "No events.")
	}
	_, page, told := mjfrCommand(t, "report", clitest.File("jdk17-empty.jfr"))
	assert.Empty(t, told)
	assert.Contains(t, page, "No events, because none happened or they are disabled: ")
	assert.NotContains(t, page, "Nothing in the chosen")
	assert.NotContains(t, page, "no event type is called")
}

// TestAllocationOfReport shows what was recorded of allocations: TLABs where there are events of them.
func TestAllocationOfReport(t *testing.T) {
	page := mjfrCommand.Output()(t, "report", clitest.File("jdk17-profile.jfr"))
	assert.Contains(t, page, "<figcaption>Allocation (TLABs)</figcaption>")
	assert.Contains(t, page, "<h2>TLAB Allocation by Site</h2>")
	assert.NotContains(t, page, "Allocation (samples)")
	page = mjfrCommand.Output()(t, "report", clitest.File("jdk25-cputime.jfr"))
	assert.NotContains(t, page, "TLAB Allocation")
}

// TestUnitsOfReport compares the size of the recordings with how pages and views write it.
func TestUnitsOfReport(t *testing.T) {
	page := mjfrCommand.Output()(t, "report", clitest.File("jdk25-profile.jfr"))
	assert.Regexp(t, `<th>Size</th><td>[0-9.]+ kB</td>`, page)
	assert.Regexp(t, `<th>Length</th><td>[0-9.]+ s</td>`, page)
}

// TestLostSamplesAreSaid has what was lost in the report and on the page of its flame graphs.
func TestLostSamplesAreSaid(t *testing.T) {
	const lost = "cpu: 2 samples are missing, as jdk.CPUTimeSamplesLost says"
	for _, flag := range []string{"--rows=5", "--markdown"} {
		_, page, _ := mjfrCommand(t, "report", flag, clitest.File("jdk25-cputime.jfr"))
		assert.Contains(t, page, "Profile of "+lost)
	}
}
