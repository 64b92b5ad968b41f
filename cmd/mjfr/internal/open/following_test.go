package open

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestFollowing looks at all that JVMs have written at every moment, also once they have removed it, and compares what
// is there at the end with what the JDK counts.
func TestFollowing(t *testing.T) {
	for _, scenario := range jvmtest.Scenarios(t) {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := jvmtest.NewReplay(t, scenario)
			jvm := path.Dir(r.Expected.Files[0].Name)
			f := &following{title: "a JVM", dir: filepath.Join(r.Dir, jvm), changed: make(chan struct{})}
			want := 0.0
			for _, file := range r.Expected.Files {
				for _, n := range file.Events {
					if path.Dir(file.Name) == jvm {
						want += float64(n)
					}
				}
			}
			events, end := 0.0, 0.0
			var opened []*opened
			for step := 0; r.Step() == nil; step++ {
				require.NoError(t, f.flushed(t.Context()))
				if step%longtest.Cases(40, 10) != 0 && step < r.Steps()-3 {
					continue
				}
				x, done, err := f.explorer()
				if err != nil {
					assert.ErrorIs(t, err, errNothingYet)
					continue
				}
				d := must(t, x, "/api/recording")
				assert.Nil(t, d["lost"])
				assert.GreaterOrEqual(t, d["events"], events)
				assert.GreaterOrEqual(t, d["end"], end)
				events, end = d["events"].(float64), d["end"].(float64)
				opened = append(opened, f.shown.parts...)
				done()
			}
			assert.InDelta(t, want, events, 0)
			f.closeFiles()
			for _, o := range opened {
				assert.Zero(t, o.uses)
			}
		})
	}
}

// TestDropped keeps what a JVM removes until it is too old, and drops what is too old also while the JVM keeps it.
func TestDropped(t *testing.T) {
	dir := jvmtest.Rotated(t, testdata("jdk25-profile.jfr"), 4)
	f := &following{dir: dir, changed: make(chan struct{})}
	defer f.closeFiles()
	show := func() *explorer {
		require.NoError(t, f.flushed(t.Context()))
		x, done, err := f.explorer()
		require.NoError(t, err)
		t.Cleanup(done)
		return x
	}
	x := show()
	page := must(t, x, "/api/events", "type", "jdk.CPULoad", "limit", "1")
	at := page["at"].([]any)[0].(map[string]any)["offset"].(string)
	assert.Len(t, x.set.Recordings, 4)
	require.NoError(t, os.Remove(filepath.Join(dir, "0.jfr")))
	assert.Len(t, show().set.Recordings, 4)
	f.maxAge = time.Hour
	old := time.Now().Add(-2 * time.Hour)
	for _, c := range f.files[:2] {
		require.NoError(t, os.Chtimes(atomicfile.PathOf(c.file), old, old))
	}
	x = show()
	assert.Len(t, x.set.Recordings, 2)
	assert.Len(t, show().set.Recordings, 2, "the JVM still has one that is too old")
	assert.Len(t, f.listed, 3)
	require.NoError(t, os.Remove(filepath.Join(dir, "1.jfr")))
	assert.Len(t, show().set.Recordings, 2)
	assert.Len(t, f.listed, 2, "what the JVM has removed needs no name")
	for _, file := range []string{"0", "1"} {
		status, answer := ask(t, x, "/api/event", "file", file, "offset", at)
		assert.Equal(t, http.StatusNotFound, status)
		assert.Contains(t, answer["error"], "no longer kept")
	}
	must(t, x, "/api/event", "file", "2", "offset", at)
	must(t, x, "/api/event", "file", "3", "offset", at)
	status, _ := ask(t, x, "/api/event", "file", "4", "offset", at)
	assert.Equal(t, http.StatusBadRequest, status)
}

// TestRunningJVM follows JVMs to their end, and starts, saves and stops recordings of them.
func TestRunningJVM(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, Threads: 1, Rate: 100, Busy: true})
			r, err := stream.Attach(j.PID)
			require.NoError(t, err)
			r.SetSettings("default")
			f := &following{title: "busy", stream: r.Stream, vm: r.VM()}
			require.NoError(t, f.follow(t.Context()))
			folder := func() string {
				f.mu.Lock()
				defer f.mu.Unlock()
				return f.dir
			}
			h := pages(f)
			var d described
			require.NoError(t, json.Unmarshal(description, &d))
			send := func(method, address string, want int) map[string]any {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, address, http.NoBody))
				require.Equal(t, want, w.Code, "%s: %s", address, w.Body)
				if w.Header().Get("Content-Type") != "application/json" {
					return map[string]any{"bytes": w.Body.Bytes()}
				}
				var answer map[string]any
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
				of := d.Paths[strings.Split(address, "?")[0]]
				schema := of.Get.schema()
				if method == http.MethodPost {
					schema = of.Post.schema()
				}
				if want != http.StatusOK {
					schema = d.Components.Schemas["error"]
				}
				d.check(t, schema, any(answer), address)
				return answer
			}
			news := send(http.MethodGet, "/api/live", http.StatusOK)
			for news["flushes"].(float64) < 3 {
				news = send(http.MethodGet, fmt.Sprintf("/api/live?after=%v", news["flushes"]), http.StatusOK)
			}
			events := send(http.MethodGet, "/api/recording", http.StatusOK)["events"].(float64)
			id := send(http.MethodPost, "/api/jvm/start?settings=profile&name=mine&duration=1h", http.StatusOK)["id"]
			list := send(http.MethodGet, "/api/jvm", http.StatusOK)["recordings"].([]any)
			require.Len(t, list, 2)
			assert.Equal(t, "mine", list[1].(map[string]any)["name"])
			assert.Equal(t, []any{true, false}, []any{list[0].(map[string]any)["pages"], list[1].(map[string]any)["pages"]})
			saved := send(http.MethodPost, fmt.Sprintf("/api/jvm/dump?id=%v", id), http.StatusOK)["bytes"].([]byte)
			path := filepath.Join(t.TempDir(), "saved.jfr")
			require.NoError(t, os.WriteFile(path, saved, 0o600))
			set, err := input.Open(t.Context(), []string{path}, input.Options{})
			require.NoError(t, err)
			defer set.Close()
			x, err := newExplorer(set)
			require.NoError(t, err)
			assert.Positive(t, must(t, x, "/api/recording")["events"])
			send(http.MethodPost, fmt.Sprintf("/api/jvm/stop?id=%v", id), http.StatusOK)
			send(http.MethodPost, "/api/jvm/stop?id=77", http.StatusConflict)
			for _, wrong := range []string{"stop", "stop?id=x", "dump?id=", "start?settings=/etc/passwd", "start?duration=1ms"} {
				send(http.MethodPost, "/api/jvm/"+wrong, http.StatusBadRequest)
			}
			left, err := filepath.Glob(filepath.Join(folder(), "*.dump"))
			require.NoError(t, err)
			assert.Empty(t, left)

			followed := list[0].(map[string]any)["id"]
			if major == 17 {
				send(http.MethodPost, fmt.Sprintf("/api/jvm/stop?id=%v", followed), http.StatusOK)
				for after := 0.0; !news["ended"].(bool); after = news["flushes"].(float64) {
					news = send(http.MethodGet, fmt.Sprintf("/api/live?after=%v", after), http.StatusOK)
				}
				assert.Contains(t, news["problem"], "the JVM goes on")
				require.NoError(t, f.Close())
				return
			}
			j.Exit()
			for after := 0.0; !news["ended"].(bool); after = news["flushes"].(float64) {
				news = send(http.MethodGet, fmt.Sprintf("/api/live?after=%v", after), http.StatusOK)
			}
			assert.NoDirExists(t, folder())
			ended := send(http.MethodGet, "/api/recording", http.StatusOK)
			assert.Greater(t, ended["events"], events, "what the JVM has removed stays")
			_, err = attach.Open(t.Context(), j.PID)
			require.Error(t, err)
			require.NoError(t, f.Close())
		})
	}
}

// TestGrowing finds the newest folder of a JVM that records in a repository, and in none that is finished or old.
func TestGrowing(t *testing.T) {
	base := t.TempDir()
	data, err := os.ReadFile(testdata("jdk25-live-1.jfr"))
	require.NoError(t, err)
	whole, err := os.ReadFile(testdata("jdk25-profile.jfr"))
	require.NoError(t, err)
	put := func(folder string, data []byte, age time.Duration) {
		t.Helper()
		path := filepath.Join(base, folder, "a.jfr")
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	v := &verb{}
	assert.Empty(t, v.growing(t.Context(), base))
	put("2026_01_01_00_00_00_1", data, 0)
	put("2026_01_01_00_00_01_2", data, 0)
	put("2026_01_01_00_00_02_3", data, time.Hour) // its JVM was killed
	put("2026_01_01_00_00_03_4", whole, 0)        // its JVM has ended
	put("other", data, 0)
	newest := filepath.Join(base, "2026_01_01_00_00_01_2")
	assert.Equal(t, newest, v.growing(t.Context(), base))
	assert.Equal(t, newest, v.growing(t.Context(), newest))
	assert.Empty(t, v.growing(t.Context(), filepath.Join(base, "2026_01_01_00_00_03_4")))
	assert.Empty(t, v.growing(t.Context(), filepath.Join(base, "other")))
}

// TestNameOfProcess names a JVM by its main class where the user gives its process.
func TestNameOfProcess(t *testing.T) {
	list := []attach.Process{{PID: 7, Main: "com.example.Other"}, {PID: 4711, Main: "/opt/shop/com.example.Main"}, {PID: 4712}}
	assert.Equal(t, "Main", nameOf(4711, "4711", list))
	assert.Equal(t, "com.example.Main", nameOf(4711, "com.example.Main", list))
	assert.Equal(t, "4712", nameOf(4712, "4712", list))
	assert.Equal(t, "8", nameOf(8, "8", list))
}

// TestReached names the address that other machines reach as the user did.
func TestReached(t *testing.T) {
	assert.Equal(t, "0.0.0.0:8443", reached("0.0.0.0:8443", "[::]:8443"))
	assert.Equal(t, "0.0.0.0:4711", reached("0.0.0.0:0", "[::]:4711"))
	assert.Equal(t, "box.example.com:80", reached("box.example.com:80", "10.0.0.1:80"))
}
