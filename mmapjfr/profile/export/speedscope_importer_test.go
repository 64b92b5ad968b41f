package export_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/browsertest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// pages returns the folder with the pages of speedscope, where npm has installed it.
func pages(t *testing.T) string {
	t.Helper()
	command, err := exec.LookPath("speedscope")
	if err == nil {
		command, err = filepath.EvalSymlinks(command)
	}
	if err != nil {
		t.Skip("it needs speedscope: npm install -g speedscope")
	}
	return filepath.Join(filepath.Dir(command), "../dist/release")
}

// TestImporter has speedscope's own page read the files that it can read: the functions with the
// greatest weights are those of the table.
func TestImporter(t *testing.T) {
	var (
		mu       sync.Mutex
		messages []string
		errs     []string
	)
	ctx := browsertest.Open(t, func(m chromedp.ConsoleMessage) {
		mu.Lock()
		defer mu.Unlock()
		messages = append(messages, m.Text)
		if m.Type == "error" || m.Type == chromedp.ConsoleException {
			errs = append(errs, m.Text)
		}
	}, chromedp.Flag("disable-gpu", false), chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	rec := opentest.File(t, "../../../testdata/jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	k := p.Kinds()[0]
	column := profile.Column{Kind: &k, Value: k.Main()}
	names := profile.Names{Dots: true}
	for name, format := range map[string]string{
		"p.speedscope.json": "speedscope", "p.collapsed": "collapsed", "p.pb.gz": "pprof", "p.cpuprofile": "cpuprofile",
	} {
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, format, p, export.Options{Names: names, Title: "p", Plain: true, Column: column}))
		mux := http.NewServeMux()
		mux.Handle("/", http.FileServer(http.Dir(pages(t))))
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(out.Bytes()) })
		server := httptest.NewServer(mux)
		mu.Lock()
		messages, errs = nil, nil
		mu.Unlock()
		page := server.URL + "/index.html#profileURL=" + url.QueryEscape(server.URL+"/"+name) + "&title=" + name + "&view=sandwich"
		require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(page)))
		text := ""
		for end := time.Now().Add(time.Minute); !strings.Contains(text, "Self") || strings.Count(text, "%") < 10; time.Sleep(50 * time.Millisecond) {
			mu.Lock()
			require.True(t, time.Now().Before(end), "%s: %s %v %v", name, text, messages, errs)
			mu.Unlock()
			text, err = chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
			require.NoError(t, err)
		}
		rows, sum := p.Top(column, profile.ByMethod, names), int64(0)
		for _, r := range rows {
			sum += r.Self
		}
		for _, r := range rows[:2] {
			row := fmt.Sprintf(`\(%.0f%%\)\s+%s\s`, 100*float64(r.Self)/float64(sum), regexp.QuoteMeta(r.Name))
			assert.Regexp(t, row, text, name)
		}
		if name == "p.speedscope.json" {
			assert.Contains(t, text, fmt.Sprintf("(1/%d)", len(p.Kinds())), "all kinds are in the list")
		}
		mu.Lock()
		assert.Empty(t, errs, name)
		mu.Unlock()
		server.Close()
	}
}
