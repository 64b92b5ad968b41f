package jvmtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// patience is how long a JVM may take to answer before the test fails.
const patience = time.Minute

// JVM is a running JVM that commits events.
type JVM struct {
	PID  int
	JDK  jdk.JDK
	Base string // the base folder of the repository
	// Repository is the JVM's own folder in Base; empty without a recording.
	Repository string

	process
	t     testing.TB
	lines chan string // what it says; closed at the end of its output
	wait  func() error

	committed map[string]uint64
}

// Start starts a JVM and returns when it is ready; its events have begun by then.
// It is killed at the end of the test if it still runs.
func Start(t testing.TB, o Options) *JVM {
	t.Helper()
	kit := newest(t, o.Major)
	if o.Base == "" {
		o.Base = folder(t)
	}
	j := &JVM{JDK: kit, Base: o.Base, t: t, lines: make(chan string, 16), committed: map[string]uint64{}}
	j.start(t, kit, o.arguments(t, classes(t, kit)))
	go j.listen()
	j.wait = sync.OnceValue(func() error {
		for range j.lines { // Wait closes the pipe, so all of it is read before
		}
		return j.cmd.Wait()
	})
	t.Cleanup(j.Kill)
	words := strings.SplitN(j.answer(), " ", 3)
	if len(words) != 3 || words[0] != "ready" {
		t.Fatalf("the JVM is not ready but says %q\n%s", words, j.stderr.String())
	}
	var err error
	if j.PID, err = strconv.Atoi(words[1]); err != nil {
		t.Fatal(err)
	}
	j.Repository = words[2]
	return j
}

func newest(t testing.TB, major int) jdk.JDK {
	t.Helper()
	if all := jdk.All(); major == 0 && len(all) > 0 {
		major = all[len(all)-1].Major
	}
	return Need(t, major)
}

// listen passes on what the JVM says, without what JFR says at its start. Counts of
// events are for Committed.
func (j *JVM) listen() {
	defer close(j.lines)
	for j.out.Scan() {
		line := j.out.Text()
		if strings.HasPrefix(line, "[") {
			_, _ = fmt.Fprintln(&j.stderr, line) // never fails
			continue
		}
		if counted, ok := strings.CutPrefix(line, "committed "); ok {
			name, count, _ := strings.Cut(counted, " ")
			n, err := strconv.ParseUint(count, 10, 64)
			if err == nil {
				j.committed[name] = n
			}
			continue
		}
		j.lines <- line
	}
}

// Send gives the JVM a command and returns when it has been obeyed, with the time at
// which it was. The test fails if the JVM fails. The commands are
//
//	rotate            begin a new chunk
//	flush             make all events so far readable
//	gc                collect garbage
//	burst N           commit N mmapjfr.Tick at once
//	register NAME     make an event type: number, text, kind
//	unregister NAME   and end it
//	emit NAME N       commit N of its events
func (j *JVM) Send(command string) time.Time {
	j.t.Helper()
	if _, err := fmt.Fprintln(j.stdin, command); err != nil {
		j.t.Fatalf("the JVM takes no command: %v\n%s", err, j.stderr.String())
	}
	answer := j.answer()
	nanos, ok := strings.CutPrefix(answer, "ok ")
	at, err := strconv.ParseInt(nanos, 10, 64)
	if !ok || err != nil {
		j.t.Fatalf("%s: the JVM says %q\n%s", command, answer, j.stderr.String())
	}
	return time.Unix(0, at)
}

func (j *JVM) answer() string {
	j.t.Helper()
	select {
	case line, ok := <-j.lines:
		if ok {
			return line
		}
		j.t.Fatalf("the JVM has ended: %v\n%s", j.wait(), j.stderr.String())
	case <-time.After(patience):
		j.t.Fatalf("the JVM does not answer\n%s", j.stderr.String())
	}
	return ""
}

// Kill ends the JVM at once, as kill -9 does, and waits for its end. A JVM that has
// ended may be killed again.
func (j *JVM) Kill() {
	_ = j.cmd.Process.Kill() // fails if it has ended
	_ = j.wait()
}

// Hang keeps the JVM, which has been attached to, from answering until the function that it returns
// is called: it waits for the rest of a request.
func (j *JVM) Hang() (release func()) {
	j.t.Helper()
	c, err := net.Dial("unix", fmt.Sprintf("%s/.java_pid%d", os.TempDir(), j.PID))
	if err != nil {
		j.t.Fatal(err)
	}
	return func() { _ = c.Close() }
}

// Suspend stops the process of the JVM until the function that it returns is called. Only Linux
// shows when all of it has stopped: elsewhere the test is skipped.
func (j *JVM) Suspend() (resume func()) {
	j.t.Helper()
	if runtime.GOOS != "linux" {
		j.t.Skip("only Linux shows that a process is stopped")
	}
	err := exec.Command("kill", "-STOP", strconv.Itoa(j.PID)).Run()
	for stat := []byte(nil); err == nil && !bytes.Contains(stat, []byte(") T ")); {
		stat, err = os.ReadFile(fmt.Sprintf("/proc/%d/stat", j.PID))
	}
	if err != nil {
		j.t.Fatal(err)
	}
	return func() { _ = exec.Command("kill", "-CONT", strconv.Itoa(j.PID)).Run() }
}

// Exit ends the JVM as System.exit does, and waits for its end.
func (j *JVM) Exit() {
	j.t.Helper()
	if _, err := fmt.Fprintln(j.stdin, "exit"); err != nil && !errors.Is(err, os.ErrClosed) {
		j.t.Logf("the JVM ended before it was told to: %v", err)
	}
	j.Wait()
}

// Wait waits for the normal end of a JVM. The test fails if it was not.
func (j *JVM) Wait() {
	j.t.Helper()
	late := time.AfterFunc(2*patience, func() { _ = j.cmd.Process.Kill() })
	defer late.Stop()
	if err := j.wait(); err != nil {
		j.t.Fatalf("the JVM failed: %v\n%s", err, j.stderr.String())
	}
}

// Committed returns how many events of each type of its own the program committed. It
// knows only after Wait or Exit.
func (j *JVM) Committed() map[string]uint64 { return j.committed }

// process is a JVM that takes commands and says lines.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *bufio.Scanner
	stderr lockedBuffer
}

func (p *process) start(t testing.TB, kit jdk.JDK, args []string) {
	t.Helper()
	p.cmd = jdk.Command(t.Context(), kit.Home, "java", args...)
	p.cmd.Dir = folder(t) // a JVM that is killed dumps its recording where it runs
	p.cmd.Stderr = &p.stderr
	stdin, inErr := p.cmd.StdinPipe()
	stdout, outErr := p.cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, p.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	p.stdin, p.out = stdin, bufio.NewScanner(stdout)
}

// lockedBuffer can be read while a process still writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Need returns a JDK of a major version, with a compiler, which a JRE has not. It skips the
// test without such a JDK, and unless tests with virtual machines run.
func Need(t testing.TB, major int) jdk.JDK {
	t.Helper()
	longtest.JVM(t)
	for _, j := range jdk.All() {
		if j.Major == major && j.Has("javac") {
			return j
		}
	}
	t.Skipf("no JDK %d: set JAVA%d_HOME, or install it beside the java on PATH", major, major)
	return jdk.JDK{}
}
