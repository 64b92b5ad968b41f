package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

var (
	soakFor  = flag.Duration("soak", 0, "for how long the live verbs are held to a flat line of memory")
	soakOnly = flag.String("soak.only", "", "a regular expression: only these verbs")
)

// soakGrowth is what a live verb may take more at the end than when it was warm. Garbage comes and goes.
const soakGrowth = 12 << 20

// soaked is something live whose memory is looked at.
type soaked struct {
	name   string
	memory func() uint64
	ask    func()        // what users do with it; may be nil
	done   *atomic.Int64 // what it has written or answered: it grows, or nothing is held
	warm   int64
	series []uint64
}

// TestSoak holds every live verb and format to a flat line of memory, beside a JVM in which nothing stays as
// it is: chunks, threads, classes, stacks and texts.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("-soak 10m runs it")
	}
	jvm := jvmtest.Start(t, jvmtest.Options{
		Busy: true, New: true, Threads: 2, Rate: 1000, MaxChunkSize: 1 << 20, Recording: "maxsize=8m",
		JVM: []string{"-Xmx256m"},
	})
	pid := strconv.Itoa(jvm.PID)
	only := regexp.MustCompile(*soakOnly)
	var all []*soaked
	for _, args := range [][]string{
		{"tail", "-f", pid},
		{"tail", "-f", "--exact", "--stack-depth", "64", pid},
		{"tail", "-f", "--json", pid},
		{"tail", "-f", "--ndjson", pid},
		{"tail", "-f", "--csv", "--events", "mmapjfr.Tick", pid},
		{"tail", "-f", "--xml", pid},
		{"tail", "-f", "--where", "stackTrace ~ left && eventThread.javaName ~ new", pid},
		{"query", "--live", pid, "--every", "1s", "select eventThread, count(*) from jdk.* group by eventThread limit 10"},
		{"query", "--live", pid, "--every", "1s", "--ndjson", "select * from mmapjfr.Tick limit 100"},
		{"view", "--live", pid, "--every", "1s", "hot-methods"},
		{"view", "--live", pid, "--every", "1s", "--json", "exception-by-message"},
		{"watch", "--every", "1s", pid},
		{"watch", "--every", "1s", "--json", pid},
		{"watch", "--every", "1s", "--prometheus", "127.0.0.1:0", pid},
		{"open", "--no-browser", "--max-age", "15s", pid},
	} {
		if name := strings.ReplaceAll(strings.Join(args, " "), " "+pid, ""); only.MatchString(name) {
			all = append(all, soakVerb(t, name, args))
		}
	}
	if only.MatchString("library") {
		all = append(all, soakStream(t, jvm.PID))
	}
	begun := time.Now()
	for last := begun; time.Since(begun) < *soakFor; time.Sleep(200 * time.Millisecond) {
		if time.Since(last) < time.Second {
			continue
		}
		last = time.Now()
		for _, s := range all {
			if s.ask != nil {
				s.ask()
			}
			s.series = append(s.series, s.memory())
			if time.Since(begun) < *soakFor/2 {
				s.warm = s.done.Load()
			}
		}
	}
	for _, s := range all {
		n := len(s.series)
		warm, late := median(s.series[n/3:n/2]), median(s.series[n-n/6:])
		t.Logf("%6.1f MiB, then %6.1f MiB: %s", float64(warm)/(1<<20), float64(late)/(1<<20), s.name)
		assert.NotZero(t, late, s.name)
		assert.Greater(t, s.done.Load(), s.warm, "%s does nothing", s.name)
		assert.Less(t, late, warm+soakGrowth, "%s grows: %v", s.name, s.series)
	}
}

func median(list []uint64) uint64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

var rssAnon = regexp.MustCompile(`(?m)^RssAnon:\s*(\d+) kB$`)

// address is where a verb says that it serves, and with what secret.
var address = regexp.MustCompile(`http://[^\s]+`)

// soakVerb starts a live verb, which is interrupted at the end.
func soakVerb(t *testing.T, name string, args []string) *soaked {
	t.Helper()
	cmd := exec.Command(buildMjfr(t), args...)
	cmd.Env = append(os.Environ(), "GOGC=100") // else package longtest lets garbage accumulate
	var served atomic.Pointer[string]
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	var wrote atomic.Int64
	ended := make(chan struct{})
	var head bytes.Buffer
	go func() {
		defer close(ended)
		in := bufio.NewReader(out)
		for head.Len() < 4096 && served.Load() == nil {
			line, err := in.ReadString('\n')
			head.WriteString(line)
			if at := address.FindString(line); at != "" {
				served.Store(&at)
			}
			if err != nil {
				return
			}
		}
		_, _ = io.Copy(counter{&wrote}, in)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		err := cmd.Wait()
		if cmd.ProcessState.ExitCode() != 130 {
			assert.NoError(t, err, "%s: %s", name, head.String())
		}
	})
	s := &soaked{name: name, done: &wrote, memory: func() uint64 {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		found := rssAnon.FindSubmatch(status)
		if found == nil {
			return 0
		}
		kib, _ := strconv.ParseUint(string(found[1]), 10, 64)
		return kib << 10
	}}
	if args[0] == "open" || slices.Contains(args, "--prometheus") {
		cookies, err := cookiejar.New(nil)
		require.NoError(t, err)
		client := &http.Client{Timeout: 20 * time.Second, Jar: cookies}
		s.ask = func() {
			if at := served.Load(); at != nil {
				wrote.Add(soakAsk(t, client, *at))
			}
		}
	}
	return s
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) { c.n.Add(int64(len(p))); return len(p), nil }

// soakAsk reads what a verb serves, as a browser or Prometheus would, and returns how much is right.
func soakAsk(t *testing.T, client *http.Client, at string) (read int64) {
	asked := []string{at}
	if base, _, ok := strings.Cut(at, "?"); ok { // pages, with a secret that becomes a cookie
		for _, path := range []string{
			"api/recording", "api/jvm", "api/lanes", "api/events?type=mmapjfr.Tick", "api/latency", "api/live", "flamegraph?kind=alloc",
			"api/query?q=" + url.QueryEscape("select * from mmapjfr.Tick limit 100"),
		} {
			asked = append(asked, base+path)
		}
	}
	for _, u := range asked {
		answer, err := client.Get(u)
		if err != nil {
			t.Log(err)
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Logf("%s: %s: %.200s", u, answer.Status, text)
			continue
		}
		read += int64(len(text))
	}
	return read
}

// soakStream is the library in this process: all events, each with all of its values.
func soakStream(t *testing.T, pid int) *soaked {
	t.Helper()
	s, err := stream.Attach(pid)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var events atomic.Int64
	s.OnEvent(func(ev mmapjfr.Event) error {
		events.Add(1)
		for _, v := range ev.Fields() {
			_ = v.String()
		}
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- s.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		assert.Positive(t, events.Load())
	})
	return &soaked{name: "library", done: &events, memory: func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}}
}
