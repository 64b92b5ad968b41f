package open

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// testdata returns the path of a recording.
func testdata(name string) string { return filepath.Join("..", "..", "..", "..", "testdata", name) }

// explore opens recordings.
func explore(t *testing.T, names ...string) *explorer {
	t.Helper()
	for i := range names {
		names[i] = testdata(names[i])
	}
	set, err := input.Open(t.Context(), names, input.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })
	x, err := newExplorer(set)
	require.NoError(t, err)
	return x
}

// ask returns the status and the answer to a request.
func ask(t *testing.T, x *explorer, path string, parameters ...string) (int, map[string]any) {
	t.Helper()
	q := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		q.Add(parameters[i], parameters[i+1])
	}
	w := httptest.NewRecorder()
	x.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+q.Encode(), http.NoBody))
	var answer map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer), "%s %v: %s", path, parameters, w.Body)
	return w.Code, answer
}

// must is ask of a request that is answered.
func must(t *testing.T, x *explorer, path string, parameters ...string) map[string]any {
	t.Helper()
	status, answer := ask(t, x, path, parameters...)
	require.Equal(t, http.StatusOK, status, "%s %v: %v", path, parameters, answer["error"])
	return answer
}

// values returns the values of a column of an answer.
func values(t *testing.T, answer map[string]any, name string) []any {
	t.Helper()
	for _, c := range answer["columns"].([]any) {
		if c := c.(map[string]any); c["name"] == name {
			return c["values"].([]any)
		}
	}
	require.Fail(t, "there is no column "+name)
	return nil
}

func TestRecording(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	answer := must(t, x, "/api/recording")
	assert.Equal(t, "jdk25-profile.jfr", answer["name"])
	events := 0.0
	for _, typ := range answer["types"].([]any) {
		events += typ.(map[string]any)["events"].(float64)
	}
	assert.Equal(t, answer["events"], events)
	assert.Equal(t, float64(x.set.Recordings[0].EventCount()), events)
	assert.Greater(t, answer["end"], answer["start"])
	assert.NotEmpty(t, answer["kinds"])
}

// TestRecordedViews asks for the views of which there are events: each has an answer, without notes about types of others.
func TestRecordedViews(t *testing.T) {
	for _, name := range []string{"jdk17-empty.jfr", "jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-virtual.jfr"}[:longtest.Cases(2, 4)] {
		x := explore(t, name)
		recorded := 0
		for _, v := range must(t, x, "/api/views")["views"].([]any) {
			v := v.(map[string]any)
			status, answer := ask(t, x, "/api/query", "view", v["name"].(string))
			if status == http.StatusOK {
				for _, c := range answer["columns"].([]any) {
					assert.Len(t, c.(map[string]any)["values"], int(answer["rows"].(float64)), "%s: %s", name, v["name"])
				}
			} else {
				assert.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest}, status, "%s: %s: %v", name, v["name"], answer)
				assert.NotEmpty(t, answer["error"])
			}
			if v["recorded"].(bool) {
				recorded++
				assert.Equal(t, http.StatusOK, status, "%s: %s", name, v["name"])
				assert.Nil(t, answer["notes"], "%s: %s", name, v["name"])
				assert.Nil(t, answer["lost"], "%s: %s", name, v["name"])
			} else if status == http.StatusOK && !answer["form"].(bool) {
				assert.Zero(t, answer["rows"], "%s: %s", name, v["name"])
			}
		}
		assert.Equal(t, name != "jdk17-empty.jfr", recorded > 0)
	}
	answer := must(t, explore(t, "jdk25-profile.jfr"), "/api/query", "q", "select count(*) from CPULoad, nonsense.Type")
	assert.NotEmpty(t, answer["notes"], "a statement may be wrong")
}

// TestEveryEvent reads the events of all types in pages of any size, and each of them by its place.
func TestEveryEvent(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr", "jdk17-profile.jfr")
	for _, typ := range must(t, x, "/api/recording")["types"].([]any) {
		name := typ.(map[string]any)["name"].(string)
		total := int(typ.(map[string]any)["events"].(float64))
		seen := map[string]bool{}
		for from := 0; from < total; from += 333 {
			page := must(t, x, "/api/events", "type", name, "offset", fmt.Sprint(from), "limit", "333")
			require.EqualValues(t, total, page["total"])
			for i, at := range page["at"].([]any) {
				at := at.(map[string]any)
				seen[fmt.Sprint(at["file"], at["offset"])] = true
				if i == 0 {
					event := must(t, x, "/api/event", "file", fmt.Sprint(at["file"]), "offset", at["offset"].(string))
					assert.Equal(t, name, event["type"])
					assert.NotEmpty(t, event["hex"])
				}
			}
		}
		assert.Len(t, seen, total, name)
	}
}

// TestPagesInAnyOrder reads pages before those that lead to them.
func TestPagesInAnyOrder(t *testing.T) {
	x, y := explore(t, "jdk25-profile.jfr"), explore(t, "jdk25-profile.jfr")
	for _, parameters := range [][]string{{"type", busiest(t, x)}, {"type", "jdk.ThreadPark", "where", "duration > 1us"}} {
		page := func(x *explorer, from int) map[string]any {
			return must(t, x, "/api/events", append(parameters, "offset", fmt.Sprint(max(0, from)), "limit", "3")...)
		}
		total := int(page(x, 0)["total"].(float64))
		var all []any
		for from := 0; from < total; from += 3 {
			all = append(all, page(x, from)["at"].([]any)...)
		}
		require.Len(t, all, total)
		for _, from := range []int{total - 3, total / 2, 1, 0, total} {
			from = max(0, from)
			assert.Equal(t, all[from:min(from+3, total)], page(y, from)["at"])
		}
	}
}

// busiest returns the type with the most events.
func busiest(t *testing.T, x *explorer) string {
	t.Helper()
	return must(t, x, "/api/recording")["types"].([]any)[0].(map[string]any)["name"].(string)
}

func TestSorted(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr", "jdk25-chunks.jfr")
	name := ""
	for _, typ := range must(t, x, "/api/recording")["types"].([]any) {
		if typ := typ.(map[string]any); typ["duration"].(bool) && typ["events"].(float64) > 20 {
			name = typ["name"].(string)
			break
		}
	}
	require.NotEmpty(t, name)
	page := must(t, x, "/api/events", "type", name, "sort", "-duration", "limit", "500")
	list := values(t, page, "duration")
	for i := 1; i < len(list); i++ {
		assert.GreaterOrEqual(t, list[i-1].(float64), list[i].(float64))
	}
	rest := must(t, x, "/api/events", "type", name, "sort", "-duration", "offset", "5", "limit", "5")
	assert.Equal(t, page["at"].([]any)[5:10], rest["at"])
}

// TestChosen compares what a time and a thread leave with statements.
func TestChosen(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	info := must(t, x, "/api/recording")
	start, end := info["start"].(float64), info["end"].(float64)
	middle := fmt.Sprintf("%.3f", (start+end)/2)
	count := func(parameters ...string) float64 {
		return values(t, must(t, x, "/api/query", append(parameters, "q", "select count(*) as n from jdk.*, gen.*")...), "n")[0].(float64)
	}
	assert.Equal(t, count(), count("to", middle)+count("from", middle))
	threads := values(t, must(t, x, "/api/query", "q", "select @thread as t, count(*) as n from jdk.* where @thread is not null group by @thread order by n desc"), "t")
	require.NotEmpty(t, threads)
	assert.Less(t, count("thread", threads[0].(string)), count())
	name := busiest(t, x)
	page := must(t, x, "/api/events", "type", name, "to", middle)
	rest := must(t, x, "/api/events", "type", name, "from", middle)
	whole := must(t, x, "/api/events", "type", name)
	assert.Equal(t, whole["total"], page["total"].(float64)+rest["total"].(float64))
}

func TestLanes(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	answer := must(t, x, "/api/lanes", "width", "500", "limit", "200")
	require.NotEmpty(t, answer["threads"])
	from, to := x.set.Span()
	for _, thread := range answer["threads"].([]any) {
		thread := thread.(map[string]any)
		total := 0.0
		for _, lane := range thread["lanes"].([]any) {
			spans := lane.(map[string]any)["spans"].([]any)
			require.Zero(t, len(spans)%3)
			before := millis(from)
			for i := 0; i < len(spans); i += 3 {
				assert.GreaterOrEqual(t, spans[i].(float64), before)
				assert.Greater(t, spans[i+1].(float64), spans[i].(float64))
				before = spans[i+1].(float64)
				total += spans[i+2].(float64)
			}
			assert.LessOrEqual(t, before, millis(to)+0.01)
		}
		assert.Equal(t, thread["samples"], total, thread["name"])
	}
	some := must(t, x, "/api/lanes", "offset", "1", "limit", "1")
	assert.Equal(t, answer["threads"].([]any)[1].(map[string]any)["name"], some["threads"].([]any)[0].(map[string]any)["name"])
}

func TestFlameGraph(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	page := func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		x.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/flamegraph?"+query, http.NoBody))
		return w
	}
	for _, kind := range must(t, x, "/api/recording")["kinds"].([]any) {
		w := page("kind=" + kind.(map[string]any)["name"].(string))
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Contains(t, w.Body.String(), "<!DOCTYPE html>")
	}
	start, end := x.set.Span()
	w := page(fmt.Sprintf("kind=cpu&from=%f&basefrom=%f&baseto=%f", millis(start.Add(end.Sub(start)/2)), millis(start), millis(start.Add(end.Sub(start)/2))))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, http.StatusBadRequest, page("kind=nonsense").Code)
	assert.Equal(t, http.StatusOK, page("kind=cpu&heat=1").Code)
	assert.Equal(t, http.StatusBadRequest, page("kind=cpu&base=1").Code, "there are no other recordings")
	x.base = explore(t, "jdk17-profile.jfr").set
	w = page("kind=cpu&base=2")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.NotEqual(t, page("kind=cpu").Body.Len(), w.Body.Len())
	x.answers = answers{}
	assert.Equal(t, "jdk17-profile.jfr", must(t, x, "/api/recording")["base"])
}

func TestFile(t *testing.T) {
	x := explore(t, "jdk25-chunks.jfr")
	files := must(t, x, "/api/file")["files"].([]any)
	require.Len(t, files, 1)
	assert.Len(t, files[0].(map[string]any)["chunks"], len(x.set.Recordings[0].Chunks()))
	assert.Equal(t, true, must(t, x, "/api/verify")["ok"])
}

// TestVerifyOfAFileThatIsReplaced damages a file, and puts another in its place.
func TestVerifyOfAFileThatIsReplaced(t *testing.T) {
	data, err := os.ReadFile(testdata("jdk25-chunks.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	rec, err := mmapjfr.Open(path)
	require.NoError(t, err)
	at := uint64(0)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		at = ev.Offset()
		break
	}
	require.NoError(t, rec.Close())
	copy(data[at:], "\xff\xff\xff\x7f")
	require.NoError(t, os.WriteFile(path, data, 0o600))

	set, err := input.Open(t.Context(), []string{path}, input.Options{})
	require.NoError(t, err)
	defer set.Close()
	x, err := newExplorer(set)
	require.NoError(t, err)
	want := must(t, x, "/api/verify")
	assert.Equal(t, false, want["ok"])

	// Another file by its name, and then none, is not the file that is open.
	whole, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, path+".old"))
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	for range 2 {
		x.answers = answers{}
		assert.Equal(t, want, must(t, x, "/api/verify"))
		require.NoError(t, os.RemoveAll(path))
	}
}

func TestWrongRequests(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	for _, c := range [][]string{
		{"/api/query", "q", ""},
		{"/api/query", "q", "select nonsense from CPULoad"},
		{"/api/query", "q", "select * from CPULoad", "from", "yesterday"},
		{"/api/query", "q", "select * from CPULoad", "from", "NaN"},
		{"/api/query", "q", "select * from CPULoad", "from", "1e300"},
		{"/api/query", "q", "select * from CPULoad", "from", "2", "to", "1"},
		{"/api/query", "q", "select * from CPULoad", "limit", "-1"},
		{"/api/query", "view", "nonsense"},
		{"/api/events", "type", "nonsense"},
		{"/api/events", "type", "jdk.CPULoad", "where", "nonsense > 1"},
		{"/api/events", "type", "jdk.CPULoad", "where", "jvmUser >"},
		{"/api/events", "type", "jdk.CPULoad", "sort", "nonsense"},
		{"/api/events", "type", "jdk.CPULoad", "sort", "jvmUser limit 5"},
		{"/api/events", "type", "jdk.CPULoad", "sort", "jvmUser", "offset", "1000000"},
		{"/api/event", "file", "7", "offset", "0"},
		{"/api/event", "file", "0", "offset", "nonsense"},
		{"/api/event", "file", "0", "offset", "3"},
		{"/api/lanes", "width", "wide"},
		{"/api/nonsense"},
	} {
		status, answer := ask(t, x, c[0], c[1:]...)
		assert.Contains(t, []int{http.StatusBadRequest, http.StatusNotFound}, status, "%v", c)
		assert.NotEmpty(t, answer["error"], "%v", c)
	}
	status, answer := ask(t, x, "/api/query", "q", "select\nnonsense(1) from CPULoad")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.EqualValues(t, 2, answer["line"])
	assert.EqualValues(t, 1, answer["character"])
}

// TestAboutTime is what flame graphs say of their time, in the zone of the recording.
func TestAboutTime(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	start, end := x.set.Span()
	x.zone = time.FixedZone("", 3600)
	assert.Equal(t, "01:49:17.166 – 01:49:17.916 · 750 ms", x.aboutTime(&chosen{from: start.Add(time.Second), to: start.Add(1750 * time.Millisecond)}))
	assert.Equal(t, start.In(x.zone).Format("15:04:05.000")+" – "+end.In(x.zone).Format("15:04:05.000")+" · 8.19 s", x.aboutTime(&chosen{}))
	x.zone = time.FixedZone("", int(24*time.Hour/time.Second)-49*60-19) // midnight is in the recording
	assert.Regexp(t, `^2026-11-2. 23:59:5.* – 2026-11-2. 00:00:0.* · `, x.aboutTime(&chosen{}))
}

// TestAnswersAreKept asks the same twice, with parameters in another order.
func TestAnswersAreKept(t *testing.T) {
	made := 0
	x := explore(t, "jdk25-profile.jfr")
	a := &x.answers
	h := x.json(func(*http.Request) (any, error) { made++; return made, nil })
	get := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		return w.Body.String()
	}
	assert.Equal(t, "1", get("/a?x=1&y=2"))
	assert.Equal(t, "1", get("/a?y=2&x=1"))
	assert.Equal(t, "2", get("/a?y=1&x=2"))
	for i := range 10 {
		a.add(fmt.Sprint(i), make([]byte, mostKept/5))
	}
	assert.LessOrEqual(t, a.bytes, mostKept)
	assert.Len(t, a.known, a.used.Len())
	assert.Equal(t, "3", get("/a?x=1&y=2"), "others have driven it out")
}

// TestEveryAnswer asks for everything of recordings of many kinds: other producers, damage, several JVMs.
func TestEveryAnswer(t *testing.T) {
	for _, name := range []string{"jdk17-oldobjects.jfr", "jdk25-killed.jfr", "concat-jdk17-jdk25.jfr", "jdk25-kinds.jfr", "jdk25-live-2.jfr", "jdk25-strings.jfr"}[:longtest.Cases(3, 6)] {
		x := explore(t, name)
		for _, path := range []string{"/api/lanes", "/api/file", "/api/verify", "/api/views"} {
			must(t, x, path)
		}
		for _, typ := range must(t, x, "/api/recording")["types"].([]any) {
			typ := typ.(map[string]any)["name"].(string)
			page := must(t, x, "/api/events", "type", typ, "limit", "3")
			assert.NotZero(t, page["rows"], "%s: %s", name, typ)
			assert.Len(t, page["at"], int(page["rows"].(float64)))
			for _, at := range page["at"].([]any) {
				at := at.(map[string]any)
				must(t, x, "/api/event", "file", fmt.Sprint(at["file"]), "offset", at["offset"].(string))
			}
			must(t, x, "/api/events", "type", typ, "sort", "-startTime", "limit", "3")
		}
	}
}

// TestThreadsThatDoNotRun looks at samples of threads that sleep or are in native code: only the others ran, and come first.
func TestThreadsThatDoNotRun(t *testing.T) {
	b := jfrtest.NewChunk()
	thread := func(key int, name string) jfrtest.Constant {
		return b.Constant("java.lang.Thread", key, name, key, name, key, nil, false)
	}
	sampler, idle, busy := thread(1, "sampler"), thread(2, "idle"), thread(3, "busy")
	sleeps, runs := b.Constant("jdk.types.ThreadState", 1, "STATE_SLEEPING"), b.Constant("jdk.types.ThreadState", 2, "STATE_RUNNABLE")
	fields := []jfrtest.Field{jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.Const("state", "jdk.types.ThreadState")}
	wall, native := b.Event("profiler.WallClockSample", fields...), b.Event("jdk.NativeMethodSample", fields...)
	for i := range 5 {
		b.Emit(wall, 1_000_000+i*1000, idle, sleeps)
		b.Emit(native, 1_000_000+i*1000, sampler, runs)
	}
	b.Emit(wall, 1_000_500, busy, runs)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	var got []string
	for _, one := range must(t, exploreFile(t, path), "/api/lanes")["threads"].([]any) {
		thread := one.(map[string]any)
		for _, lane := range thread["lanes"].([]any) {
			got = append(got, thread["name"].(string)+" "+lane.(map[string]any)["state"].(string))
		}
	}
	assert.Equal(t, []string{"busy running", "idle sleeping", "sampler native"}, got)
}

// TestQuestionsTakeRoom keeps few answers to questions that are long, and refuses answers that are.
func TestQuestionsTakeRoom(t *testing.T) {
	var a answers
	long := strings.Repeat("x", 100_000)
	for i := range 2 * mostKept / 100_000 {
		a.add(fmt.Sprint(i, long), []byte("{}"))
	}
	assert.Less(t, len(a.known), mostKept/100_000)
	assert.NotEmpty(t, a.known)

	columns := strings.Repeat("list(stackTrace), ", 100)
	status, answer := ask(t, explore(t, "jdk25-profile.jfr"), "/api/query", "q", "select "+columns+"count(*) from jdk.*")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, answer["error"], "fewer columns")
}

// TestReadersThatDoNotRead gives up an answer that nobody reads, and keeps connections on which answers are read.
func TestReadersThatDoNotRead(t *testing.T) {
	done := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 1
		if r.URL.Path == "/large" {
			size = 64 << 20 // more than buffers of the system hold
		}
		writeWithin(w, 50*time.Millisecond, make([]byte, size))
		if size > 1 {
			done <- struct{}{}
		}
	}))
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"))
	require.NoError(t, err)
	<-done
	for range 2 {
		answer, err := server.Client().Get(server.URL + "/small")
		require.NoError(t, err)
		_, err = io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		time.Sleep(60 * time.Millisecond)
	}
}
