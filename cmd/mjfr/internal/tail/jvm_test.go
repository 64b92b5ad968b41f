//go:build unix

package tail

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// eachTailJVM runs a test with JVMs that write in different ways.
func eachTailJVM(t *testing.T, test func(t *testing.T, major int)) {
	for _, major := range []int{17, 25} {
		t.Run("jdk"+strconv.Itoa(major), func(t *testing.T) { test(t, major) })
	}
}

// notYet is the message where the JVM had not loaded the event's class when tail began.
const notYet = "mjfr tail: no event type so far matches --events Tick\n"

// ticksOf takes lines of JSON apart: where the ticks begin and what they say.
func ticksOf(t *testing.T, out string) (list []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var tick struct {
			Type      string `json:"@type"`
			StartTime string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &tick), line)
		assert.Equal(t, "mmapjfr.Tick", tick.Type)
		list = append(list, line)
	}
	return list
}

// text runs mjfr tail in a goroutine, and lets what it prints be looked at.
type text struct {
	clitest.LockedText
	told clitest.LockedText
	code chan int
}

func jVM(t *testing.T, args ...string) *text {
	t.Helper()
	run := &text{code: make(chan int, 1)}
	a := &cli.App{Root: clitest.Verbs(New), Stdin: new(bytes.Buffer), Stdout: run, Stderr: &run.told}
	ctx := t.Context()
	go func() { run.code <- a.Run(ctx, append([]string{"tail"}, args...)) }()
	return run
}

// awaitLines waits until n lines have been printed.
func (r *text) awaitLines(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Count(r.String(), "\n") >= n }, time.Minute, 10*time.Millisecond, r.told.String())
}

// TestTailOfAJVM prints all that a JVM records, once, across chunks, until it exits.
func TestTailOfAJVM(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		dump := filepath.Join(t.TempDir(), "all.jfr")
		j := jvmtest.Start(t, jvmtest.Options{Major: major, Rate: 200, Dump: dump})
		run := jVM(t, "-f", "--wait", "--from", "start", "--events", "Tick", "--ndjson", strconv.Itoa(j.PID))
		run.awaitLines(t, 100)
		j.Send("rotate")
		j.Send("burst 500")
		run.awaitLines(t, 800)
		j.Send("rotate")
		run.awaitLines(t, strings.Count(run.String(), "\n")+300) // more than a flush: the new chunk is open
		j.Exit()
		assert.Equal(t, cli.ExitOK, <-run.code, run.told.String())
		assert.Empty(t, strings.TrimSuffix(run.told.String(), notYet))
		code, want, told := mjfrCommand(t, "print", "--events", "Tick", "--ndjson", dump)
		require.Equal(t, cli.ExitOK, code, told)
		ticks := ticksOf(t, run.String())
		assert.Len(t, ticks, int(j.Committed()["mmapjfr.Tick"]))
		assertSame(t, ticksOf(t, want), ticks)
	})
}

// assertSame checks that two lists have the same lines, each once, and shows only those that are in one.
func assertSame(t *testing.T, want, got []string) {
	t.Helper()
	seen := make(map[string]int)
	for _, line := range want {
		seen[line]++
	}
	for _, line := range got {
		seen[line]--
	}
	maps.DeleteFunc(seen, func(_ string, n int) bool { return n == 0 })
	assert.Empty(t, seen)
}

// TestTailOfAJVMThatExits prints what is in the last chunk, which is there for some milliseconds, or
// says that it came too late.
func TestTailOfAJVMThatExits(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		for range 4 {
			j := jvmtest.Start(t, jvmtest.Options{Major: major, Rate: 200})
			run := jVM(t, "-f", "--wait", "--from", "start", "--events", "Tick", "--ndjson", strconv.Itoa(j.PID))
			run.awaitLines(t, 1)
			j.Send("rotate")
			j.Exit()
			if code := <-run.code; code == cli.ExitData && strings.Contains(run.told.String(), "was removed before it could be read") {
				continue
			}
			assert.Len(t, ticksOf(t, run.String()), int(j.Committed()["mmapjfr.Tick"]))
		}
	})
}

// TestTailOfAJVMFromNow prints nothing of what there was.
func TestTailOfAJVMFromNow(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major})
		j.Send("burst 100")
		j.Send("flush")
		run := jVM(t, "-f", "--wait", "--events", "Tick,NoSuch", "--ndjson", strconv.Itoa(j.PID))
		require.Eventually(t, func() bool { return strings.Contains(run.told.String(), "NoSuch") }, time.Minute, time.Millisecond)
		j.Send("burst 30")
		run.awaitLines(t, 30)
		j.Exit()
		assert.Equal(t, cli.ExitOK, <-run.code)
		assert.Len(t, ticksOf(t, run.String()), 30)
	})
}

// TestTailOfAKilledJVM ends by itself, with all that was flushed, as one document.
func TestTailOfAKilledJVM(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major, Rate: 200})
		run := jVM(t, "-f", "--wait", "--from", "start", "--events", "Tick", "--json", strconv.Itoa(j.PID))
		run.awaitLines(t, 1000)
		j.Kill()
		assert.Equal(t, cli.ExitOK, <-run.code)
		assert.Contains(t, run.told.String(), "mjfr tail: process "+strconv.Itoa(j.PID)+": the JVM has ended without finishing its recording; all that it had flushed has been read\n")
		var document struct {
			Recording struct{ Events []json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(run.String()), &document))
		n := 0
		files, err := filepath.Glob(filepath.Join(j.Repository, "*.jfr"))
		require.NoError(t, err)
		for _, path := range files {
			rec, err := mmapjfr.Open(path)
			require.NoError(t, err)
			for _, err := range rec.Select(mmapjfr.Types("Tick")).Events() {
				if err == nil { // it is not finished
					n++
				}
			}
			require.NoError(t, rec.Close())
		}
		assert.Len(t, document.Recording.Events, n)
	})
}

// TestTailOfAJVMWithoutFollowing ends at once, by its process and its directories.
func TestTailOfAJVMWithoutFollowing(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major})
		j.Send("burst 100")
		j.Send("rotate")
		j.Send("burst 20")
		j.Send("flush")
		for _, source := range []string{strconv.Itoa(j.PID), j.Repository, j.Base} {
			assert.Len(t, ticksOf(t, tailed(t, "--events", "Tick", "--ndjson", source)), 120, source)
		}
		assert.Len(t, ticksOf(t, tailed(t, "--events", "Tick", "--ndjson", "--from", "-1h", "--to", "1h", j.Base)), 120)
	})
}

func TestTailOfWhatIsNoJVM(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("JVMs cannot be attached to here")
	}
	own := strconv.Itoa(os.Getpid())
	told := refused(t, cli.ExitData, own)
	assert.Equal(t, "mjfr tail: process "+own+": this process is not a HotSpot JVM; mjfr jvms lists running JVMs\n", told)
	told = refused(t, cli.ExitData, "2147483646")
	assert.Contains(t, told, "no such process; mjfr jvms lists running JVMs\n")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("2147483646", nil, 0o600))
	told = refused(t, cli.ExitData, "2147483646")
	assert.Contains(t, told, "no such process; for the file of that name, say ./2147483646\n")
}

// TestTailOfAJVMThatRecordsNothing says what to do.
func TestTailOfAJVMThatRecordsNothing(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true})
		pid := strconv.Itoa(j.PID)
		told := refused(t, cli.ExitData, pid)
		assert.Equal(t, "mjfr tail: process "+pid+" records nothing; mjfr tail -f --settings default "+pid+" makes it record\n", told)
	})
}

// TestTailStartsNoRecordingUnasked follows what a JVM records already.
func TestTailStartsNoRecordingUnasked(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major, Rate: 200})
		vm, err := attach.Open(t.Context(), j.PID)
		require.NoError(t, err)
		before, err := vm.Recordings(t.Context())
		require.NoError(t, err)
		run := jVM(t, "-f", "--wait", "--from", "start", "--events", "Tick", "--ndjson", strconv.Itoa(j.PID))
		run.awaitLines(t, 10)
		during, err := vm.Recordings(t.Context())
		require.NoError(t, err)
		assert.Len(t, during, len(before))
		j.Exit()
		assert.Equal(t, cli.ExitOK, <-run.code, run.told.String())
	})
}

// TestTailStartsARecording makes JVMs that record nothing record one event type, and names
// them by their main class.
func TestTailStartsARecording(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, Rate: 200})
		run := jVM(t, "-f", "--wait", "--set", "mmapjfr.Tick#enabled=true", "--events", "Tick", "--ndjson", strconv.Itoa(j.PID))
		run.awaitLines(t, 100)
		j.Exit()
		assert.Equal(t, cli.ExitOK, <-run.code, run.told.String())
		assert.NotEmpty(t, ticksOf(t, run.String()))
	})
}

// TestTailWaitsForAJVMByName names a JVM by its main class before it is started.
func TestTailWaitsForAJVMByName(t *testing.T) {
	eachTailJVM(t, func(t *testing.T, major int) {
		first := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true})
		mainClass := mainClassOf(t, first.PID)
		first.Exit()
		// Tests of other packages run the same class: one JVM counts, once it has been started.
		var started atomic.Int64
		was := live.ListProcesses
		t.Cleanup(func() { live.ListProcesses = was })
		live.ListProcesses = func() ([]attach.Process, error) {
			list, err := attach.List()
			return slices.DeleteFunc(list, func(p attach.Process) bool { return int64(p.PID) != started.Load() }), err
		}
		run := jVM(t, "-f", "--wait", "--set", "mmapjfr.Tick#enabled=true", "--events", "Tick", "--ndjson", mainClass)
		j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, Rate: 200})
		started.Store(int64(j.PID))
		run.awaitLines(t, 100)
		j.Exit()
		assert.Equal(t, cli.ExitOK, <-run.code, run.told.String())
		assert.Contains(t, run.told.String(), "waiting for "+mainClass)
	})
}

// mainClassOf returns the main class of a JVM without its package.
func mainClassOf(t *testing.T, pid int) string {
	list, err := attach.List()
	require.NoError(t, err)
	for _, p := range list {
		if p.PID == pid {
			names := live.Names(p.Main)
			return names[len(names)-1]
		}
	}
	t.Fatal("the JVM is not listed")
	return ""
}

// TestTailOfANamedPipe reads something that has a name and is no file.
func TestTailOfANamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	go func() { _ = os.WriteFile(path, data, 0) }() // waits until it is read
	assert.Equal(t, offsetsTailed(t, clitest.File("jdk25-kinds.jfr")), offsetsTailed(t, "-f", path))
}

// TestTailOfANamedPipeThatNobodyWritesTo can be given up.
func TestTailOfANamedPipeThatNobodyWritesTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	run := startTail(t, "-f", path)
	run.cancel()
	run.ends(cli.ExitInterrupted)
	w, err := os.OpenFile(path, os.O_RDWR, 0) // so that nothing waits forever
	require.NoError(t, err)
	require.NoError(t, w.Close())
}
