package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// urls serves the files of a folder, and counts bytes and requests. Its last answers can fail.
type urls struct {
	*httptest.Server
	bytes, requests atomic.Int64
	left            atomic.Int64 // requests until everything fails; 0 for never
}

func serveFiles(t testing.TB, dir string) *urls {
	u := new(urls)
	files := http.FileServerFS(os.DirFS(dir))
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.requests.Add(1)
		if u.left.Load() > 0 && u.left.Add(-1) == 0 {
			u.left.Store(1)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		files.ServeHTTP(&countedWriter{w, u}, r)
	}))
	t.Cleanup(u.Close)
	return u
}

type countedWriter struct {
	http.ResponseWriter
	u *urls
}

func (c *countedWriter) Write(p []byte) (int, error) {
	c.u.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// urlVerbs are command lines for a recording, whose name stands in the place of FILE.
var urlVerbs = []string{
	"summary FILE", "summary --json FILE", "summary --extended FILE", "types FILE", "chunks FILE", "chunks --json FILE", "chunks --headers FILE",
	"print --events ThreadSleep,CPULoad FILE", "print --json --events jdk.JavaMonitorEnter FILE", "print --xml --events CPULoad FILE",
	"print --ndjson --limit 50 FILE", "print --csv --fields startTime,duration --events ThreadPark FILE", "print --exact --events CPULoad FILE",
	"print --from 1s --to 3s --events ThreadSleep FILE", "print --tail 5 FILE", "print --where @duration>20ms FILE", "print --thread main FILE",
	"metadata --events CPULoad FILE", "metadata --search heap FILE", "metadata --json FILE", "view hot-methods FILE", "view --json gc FILE",
	"query select\x00count(*)\x00from\x00CPULoad FILE", "constants FILE", "constants FILE java.lang.Thread", "events --limit 30 FILE", "at FILE #1000", "at --hex FILE #5",
	"settings FILE", "profile FILE", "verify FILE", "report --markdown -o OUT FILE", "repair FILE OUT", "slice --to 3s FILE OUT", "merge FILE OUT", "compact FILE OUT",
	"scrub --exclude-events CPULoad FILE OUT", "redact FILE OUT",
}

// TestURLsReadAsFiles runs verbs with a file and with its URL, and compares all that they write.
func TestURLsReadAsFiles(t *testing.T) {
	dir := filepath.Dir(clitest.File("jdk25-profile.jfr"))
	u := serveFiles(t, dir)
	for n, name := range []string{"jdk25-profile.jfr", "jdk17-chunks.jfr", "jdk25-killed.jfr"} {
		for i, line := range urlVerbs {
			if !longtest.Every(i+n, 9) {
				continue
			}
			run := func(file string) (code int, out, errs, written string) {
				to := filepath.Join(t.TempDir(), "out.jfr")
				args := strings.Fields(line)
				for i, arg := range args {
					args[i] = strings.NewReplacer("FILE", file, "OUT", to, "\x00", " ").Replace(arg)
				}
				code, out, errs = mjfrCommand(t, args...)
				data, _ := os.ReadFile(to) // most verbs write none
				plain := strings.NewReplacer(file, "FILE", to, "OUT", filepath.Dir(file), "DIR")
				return code, plain.Replace(out), plain.Replace(errs), plain.Replace(string(data))
			}
			code, out, errs, written := run(filepath.Join(dir, name))
			code2, out2, errs2, written2 := run(u.URL + "/" + name)
			assert.Equal(t, code, code2, "%s %s: %s", line, name, errs2)
			assert.True(t, out == out2, "%s %s:\n%.2000s\n---\n%.2000s", line, name, out, out2)
			if strings.Contains(line, "--from") { // why nothing is selected would take all of a URL
				errs, _, _ = strings.Cut(errs, "no event is selected")
				errs2, _, _ = strings.Cut(errs2, "no event is selected")
			}
			assert.Equal(t, errs, errs2, "%s %s", line, name)
			if !strings.HasPrefix(line, "redact") { // its pseudonyms have a key of their own
				assert.True(t, written == written2, "%s %s", line, name)
			}
			if name == "jdk25-profile.jfr" {
				assert.Equal(t, cli.ExitOK, code, "%s: %s", line, errs)
			}
		}
	}
}

// minutes are the chunks of a recording, one a minute.
const minutes = 6

// manyMinutes returns a folder with that recording, which is built once.
func manyMinutes(t *testing.T) (dir string, size int64) {
	t.Helper()
	dir = t.TempDir()
	manyMinutesOnce.Do(func() { manyMinutesData = buildMinutes(t, dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.jfr"), manyMinutesData, 0o600))
	return dir, int64(len(manyMinutesData))
}

var (
	manyMinutesOnce sync.Once
	manyMinutesData []byte
)

func buildMinutes(t *testing.T, dir string) []byte {
	t.Helper()
	var all bytes.Buffer
	for i := range minutes {
		path := filepath.Join(dir, "part")
		var numbers []int
		for j := range 9000 { // more than what is fetched ahead with headers
			numbers = append(numbers, 60*i+j%60)
		}
		clitest.NewChunk(t, path, numbers).Finish(i == minutes-1)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all.Write(data)
		require.NoError(t, os.Remove(path))
	}
	return all.Bytes()
}

func TestURLsTransferNoMoreThanNeeded(t *testing.T) {
	const chunks = minutes
	dir, size := manyMinutes(t)
	u := serveFiles(t, dir)
	url := u.URL + "/app.jfr"
	for _, c := range []struct {
		line     string
		least    int64 // bytes
		most     int64
		requests int64
	}{
		{"chunks --headers", chunks * 68, 64<<10 + chunks*32<<10, chunks},
		{"metadata", chunks * 68, 64<<10 + chunks*64<<10, 4 * chunks},
		{"print --from 2m1s --to 2m50s", size / chunks, 2*size/chunks + 64<<10 + chunks*32<<10 + 64<<10, chunks + 8},
		{"summary", size, size + 64<<10, 4},
		{"print", size, size + chunks*32<<10 + 64<<10, 2 * chunks},
	} {
		u.bytes.Store(0)
		u.requests.Store(0)
		code, _, errs := mjfrCommand(t, append(strings.Fields(c.line), url)...)
		assert.Equal(t, cli.ExitOK, code, errs)
		t.Logf("%s: %d requests, %d bytes of %d", c.line, u.requests.Load(), u.bytes.Load(), size)
		assert.GreaterOrEqual(t, u.bytes.Load(), c.least, c.line)
		assert.LessOrEqual(t, u.bytes.Load(), c.most, c.line)
		assert.LessOrEqual(t, u.requests.Load(), c.requests, c.line)
		if strings.Contains(c.line, "--to") {
			assert.Contains(t, errs, "chunks that began after that time were not fetched")
		}
	}
	code, _, errs := mjfrCommand(t, "summary", "--cache-limit", "1KiB", url)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "raise it with --cache-limit")
}

// TestURLsThatFailAreDamage has the server refuse at some time: every verb says so, and shows no secret.
func TestURLsThatFailAreDamage(t *testing.T) {
	dir, _ := manyMinutes(t)
	u := serveFiles(t, dir)
	for i, line := range urlVerbs {
		if !longtest.Every(i, 2) || strings.HasPrefix(line, "constants FILE ") || strings.HasPrefix(line, "view") || strings.HasPrefix(line, "at") || strings.Contains(line, "--") && !strings.Contains(line, "json FILE") {
			continue // they need other events
		}
		args := strings.Fields(strings.NewReplacer("FILE", u.URL+"/app.jfr?sig=hush", "OUT", filepath.Join(t.TempDir(), "out"), "CPULoad", "Tick").Replace(line))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", " ")
		}
		u.left.Store(minutes + 1) // after the headers
		if !strings.HasPrefix(line, "print") && !strings.HasPrefix(line, "events") && !strings.HasPrefix(line, "constants") {
			u.left.Store(2) // it asks for everything at once
		}
		code, out, errs := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitData, code, "%s: %s", line, errs)
		assert.Contains(t, out+errs, "cannot fetch it: the server answers 403 Forbidden", line)
		assert.NotContains(t, out+errs, "hush", line)
		assert.LessOrEqual(t, strings.Count(errs, "\n"), 6, "%s: %s", line, errs)
	}
	code, _, errs := mjfrCommand(t, u.URL+"/app.jfr?sig=hush")
	assert.Equal(t, cli.ExitUsage, code)
	assert.NotContains(t, errs, "hush")
}

// TestNoMessageShowsTheQueryOfAURL has URLs in the places of files, of verbs that take URLs and of others.
func TestNoMessageShowsTheQueryOfAURL(t *testing.T) {
	u := serveFiles(t, t.TempDir())
	t.Chdir(t.TempDir())
	for _, line := range slices.Concat(urlVerbs, []string{
		"tail FILE", "watch FILE", "assemble FILE OUT", "disassemble FILE", "batch merge FILE", "batch list FILE", "batch profile --out work FILE",
		"profile --diff=FILE FILE", "metadata --diff FILE FILE", "settings --diff FILE FILE", "open --no-browser FILE", "sql FILE", "redact --check FILE",
		"export --csv OUT FILE", "configure FILE", "batch profile --out work --manifest FILE",
	}) {
		args := strings.Fields(strings.NewReplacer("FILE", u.URL+"/none.jfr?sig=hush", "OUT", "out").Replace(line))
		code, out, errs := mjfrCommand(t, args...)
		assert.NotEqual(t, cli.ExitOK, code, line)
		assert.NotContains(t, out+errs, "hush", line)
	}
}

func TestURLsEndWithTheCommand(t *testing.T) {
	dir, _ := manyMinutes(t)
	u := serveFiles(t, dir)
	u.left.Store(1 << 40)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-r.Context().Done():
		}
		u.Config.Handler.ServeHTTP(w, r)
	}))
	defer slow.Close()
	code, out, errs := mjfrCommand(t, "print", "--limit", "1", slow.URL+"/app.jfr")
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "test.T")
}
