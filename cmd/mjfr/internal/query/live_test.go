package query

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// eachJVM runs a test with JVMs that write in different ways.
func eachJVM(t *testing.T, test func(t *testing.T, major int)) {
	for _, major := range []int{17, 25} {
		t.Run("jdk"+strconv.Itoa(major), func(t *testing.T) { test(t, major) })
	}
}

// following is a verb that runs, and what it has written.
type following struct {
	out, errs clitest.LockedText
	interrupt context.CancelFunc
	code      chan int
}

func follow(t *testing.T, args ...string) *following {
	t.Helper()
	f := &following{code: make(chan int, 1)}
	a := &cli.App{Root: clitest.Verbs(New, NewView), Stdin: new(bytes.Buffer), Stdout: &f.out, Stderr: &f.errs}
	ctx, cancel := context.WithCancel(t.Context())
	f.interrupt = cancel
	go func() { f.code <- a.Run(ctx, args) }()
	return f
}

func (f *following) await(t *testing.T, there func() bool) {
	t.Helper()
	require.Eventually(t, there, time.Minute, 10*time.Millisecond, "%s%s", &f.out, &f.errs)
}

// awaitStart waits until the first event types have come, of which the one asked for is none.
func (f *following) awaitStart(t *testing.T) {
	t.Helper()
	f.await(t, func() bool {
		return strings.Contains(f.errs.String(), "waiting for events: no event type is called Tick")
	})
}

// counted is an answer to select count(*) as n.
type counted struct {
	WindowStart, WindowEnd time.Time
	N                      int
}

// countsOf reads answers, and checks that each window begins where the one before ends.
func countsOf(t *testing.T, format, out string) (windows []counted, sum int) {
	t.Helper()
	switch format {
	case "--json":
		var list []struct{ Rows []counted }
		require.NoError(t, json.Unmarshal([]byte(out), &list), out)
		for _, one := range list {
			windows = append(windows, one.Rows...)
		}
	case "--ndjson":
		for line := range strings.Lines(out) {
			var one counted
			if strings.HasSuffix(line, "\n") {
				require.NoError(t, json.Unmarshal([]byte(line), &one), line)
				windows = append(windows, one)
			}
		}
	case "--csv":
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		require.NoError(t, err)
		for _, row := range rows[1:] {
			var one counted
			require.NoError(t, one.WindowStart.UnmarshalText([]byte(row[0])))
			require.NoError(t, one.WindowEnd.UnmarshalText([]byte(row[1])))
			one.N, err = strconv.Atoi(row[2])
			require.NoError(t, err)
			windows = append(windows, one)
		}
	}
	for i, w := range windows {
		assert.True(t, w.WindowEnd.After(w.WindowStart))
		assert.True(t, i == 0 || w.WindowStart.Equal(windows[i-1].WindowEnd))
		sum += w.N
	}
	return windows, sum
}

const countTicks = "select count(*) as n from Tick"

// TestLiveRecords makes a JVM record what a statement needs, and no recording and no file is left.
func TestLiveRecords(t *testing.T) {
	eachJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true})
		pid := strconv.Itoa(j.PID)
		f := follow(t, "query", "--wait", "--live", pid, "--every", "1s", "--ndjson", countTicks)
		f.awaitStart(t)
		assert.Contains(t, f.errs.String(), "mjfr query: process "+pid+": recording the program's own event types until this ends\n")
		total := 0
		for _, n := range []int{100, 1, 2000} {
			total += n
			j.Send("burst " + strconv.Itoa(n))
			f.await(t, func() bool { _, sum := countsOf(t, "--ndjson", f.out.String()); return sum >= total })
			_, sum := countsOf(t, "--ndjson", f.out.String())
			assert.Equal(t, total, sum)
		}
		vm, err := attach.Open(t.Context(), j.PID)
		require.NoError(t, err)
		recordings, err := vm.Recordings(t.Context())
		require.NoError(t, err)
		assert.Len(t, recordings, 1)
		repository, err := vm.Repository(t.Context())
		require.NoError(t, err)

		f.interrupt()
		assert.Equal(t, cli.ExitInterrupted, <-f.code, f.errs.String())
		_, sum := countsOf(t, "--ndjson", f.out.String())
		assert.Equal(t, total, sum)
		recordings, err = vm.Recordings(t.Context())
		require.NoError(t, err)
		assert.Empty(t, recordings)
		f.await(t, func() bool {
			left, err := filepath.Glob(filepath.Join(repository, "*.jfr"))
			return err == nil && len(left) == 0
		})

		f = follow(t, "view", "--live", pid, "--every", "1s", "--csv", "jvm-information")
		f.await(t, func() bool { return strings.Contains(f.out.String(), "mmapjfr.Load") })
		j.Kill()
		assert.Equal(t, cli.ExitOK, <-f.code, f.errs.String())
		assert.Contains(t, f.errs.String(), "recording jdk.JVMInformation until this ends\n")
		assert.Contains(t, f.errs.String(), "the JVM has ended without finishing its recording; all that it had flushed has been read\n")
	})
}

// TestLiveFollows follows what a JVM records anyway, by its number and its directory, in all formats for programs. The
// last answers come when the JVM ends.
func TestLiveFollows(t *testing.T) {
	eachJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major})
		all := map[string]*following{}
		for format, source := range map[string]string{"--ndjson": strconv.Itoa(j.PID), "--csv": j.Repository, "--json": strconv.Itoa(j.PID)} {
			every := "1s"
			if format == "--json" {
				every = "1h" // only the end of the JVM ends a window
			}
			all[format] = follow(t, "query", "--wait", "--live", source, "--every", every, format, countTicks)
			all[format].awaitStart(t)
		}
		vm, err := attach.Open(t.Context(), j.PID)
		require.NoError(t, err)
		recordings, err := vm.Recordings(t.Context())
		require.NoError(t, err)
		assert.Len(t, recordings, 1)
		j.Send("burst 40")
		f := all["--ndjson"]
		f.await(t, func() bool { _, sum := countsOf(t, "--ndjson", f.out.String()); return sum >= 40 })
		j.Send("burst 60")
		j.Exit()
		for format, f := range all {
			assert.Equal(t, cli.ExitOK, <-f.code, f.errs.String())
			assert.Equal(t, 1, strings.Count(f.errs.String(), "\n"), f.errs.String())
			windows, sum := countsOf(t, format, f.out.String())
			assert.Equal(t, 100, sum, "%s: %s", format, f.out.String())
			if format == "--json" {
				assert.Len(t, windows, 1)
			}
		}
	})
}
