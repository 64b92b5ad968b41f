package attach_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// machine is a system as it looks to attach: a /proc and a /tmp.
type machine struct {
	t         testing.TB
	proc, tmp string
	euid      int
	patience  time.Duration
	// quit is what becomes of SIGQUIT. Without it the test fails if it is sent.
	quit func(pid int)
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	// The paths of sockets have to be short.
	dir, err := os.MkdirTemp("", "host")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	m := &machine{t: t, proc: filepath.Join(dir, "proc"), tmp: filepath.Join(dir, "tmp"), euid: os.Geteuid(), patience: 20 * time.Second}
	m.mkdir(m.tmp)
	m.mkdir(filepath.Join(dir, "root"))
	m.mkdir(filepath.Join(m.proc, "self"))
	require.NoError(t, os.Symlink(filepath.Join(dir, "root"), filepath.Join(m.proc, "self", "root")))
	m.write(filepath.Join(m.proc, "stat"), "cpu 1 2 3\nbtime 1000000000\n")
	m.write(filepath.Join(m.proc, "meminfo"), "MemTotal: 1 kB\n")
	return m
}

func (m *machine) host() *attach.Host {
	return attach.NewHost(m.proc, m.tmp, m.euid, func(p *os.Process) error {
		if assert.NotNil(m.t, m.quit, "SIGQUIT was sent to process %d", p.Pid) {
			m.quit(p.Pid)
		}
		return nil
	}, m.patience)
}

func (m *machine) mkdir(path string) {
	m.t.Helper()
	require.NoError(m.t, os.MkdirAll(path, 0o777))
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(path))
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o600))
}

// fake is a process of a machine that passes for a JVM.
type fake struct {
	*machine
	pid, inner int
	version    string // that it tells
	flag       string // the one of Flight Recorder

	// answers are what the JVM says to a command of jcmd; other is for those that
	// are not in it.
	answers map[string]string
	other   func(line string) string
	// protocol is the highest that it speaks.
	protocol int

	mu   sync.Mutex
	raw  func(net.Conn) // what it does with a connection, if not what JVMs do
	said []string       // the lines that it was given
}

// process adds a process that is a JVM. Its socket is opened by this test, which
// therefore has to be the process if it is to be connected to.
func (m *machine) process(pid int) *fake {
	m.t.Helper()
	f := &fake{machine: m, pid: pid, inner: pid, version: "25", protocol: 2, answers: map[string]string{}}
	f.status(map[string]string{})
	f.set("maps", "55d0-55d1 r--p 00000000 08:01 1 /opt/jdk/bin/java\n"+
		"7f00-7f01 r--p 00000000 08:01 2 /opt/jdk/lib/server/libjvm.so\n"+
		"7f01-7f02 r-xp 00000000 08:01 2 /opt/jdk/lib/server/libjvm.so\n"+
		"7f02-7f03 rw-p 00000000 00:00 0 \n")
	f.set("cmdline", "java\x00-Xmx1g\x00app.Main\x00one\x00")
	f.set("stat", strconv.Itoa(pid)+" (ja) va) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 30 0 5000 1 1\n")
	m.mkdir(f.path("root/tmp"))
	m.mkdir(f.path("cwd"))
	return f
}

func (f *fake) path(name string) string { return filepath.Join(f.proc, strconv.Itoa(f.pid), name) }

func (f *fake) set(name, text string) { f.write(f.path(name), text) }

// status writes what /proc shows of the process, with some lines changed.
func (f *fake) status(changed map[string]string) {
	lines := map[string]string{
		"Name": "java", "State": "S (sleeping)", "Tgid": strconv.Itoa(f.pid),
		"Uid": fmt.Sprintf("7\t%d\t7\t7", os.Geteuid()), "Gid": fmt.Sprintf("7\t%d\t7\t7", os.Getegid()),
		"NSpid": strconv.Itoa(f.pid), "SigIgn": "0000000000001000", "SigCgt": "2000000181005ccf",
	}
	var text strings.Builder
	for key, value := range lines {
		if other, ok := changed[key]; ok {
			value = other
		}
		if value != "" {
			text.WriteString(key + ":\t" + value + "\n")
		}
	}
	f.set("status", text.String())
}

// counters gives the process a file of counters, as one that it has mapped.
func (f *fake) counters(b []byte) {
	name := "/tmp/hsperfdata_app/" + strconv.Itoa(f.inner)
	f.set("root"+name, string(b))
	maps, err := os.ReadFile(f.path("maps"))
	require.NoError(f.t, err)
	f.set("maps", string(maps)+"7f10-7f18 rw-s 00000000 08:01 3 "+name+"\n")
}

func (f *fake) socket() string { return f.path("root/tmp/.java_pid" + strconv.Itoa(f.inner)) }

// listen opens the socket of the process, until the test ends.
func (f *fake) listen() {
	f.t.Helper()
	l, err := net.Listen("unix", f.socket())
	require.NoError(f.t, err)
	require.NoError(f.t, os.Chmod(f.socket(), 0o600))
	var serving sync.WaitGroup
	f.t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer c.Close()
				f.mu.Lock()
				raw := f.raw
				f.mu.Unlock()
				if raw != nil {
					raw(c)
					return
				}
				f.serve(c)
			})
		}
	})
}

// misbehave makes it do something else with connections.
func (f *fake) misbehave(raw func(net.Conn)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raw = raw
}

// serve does with a request what a JVM does.
func (f *fake) serve(c net.Conn) {
	var texts []string
	wanted := 5
	for len(texts) < wanted {
		text := readText(c)
		texts = append(texts, text)
		switch {
		case len(texts) == 1 && text == "2" && f.protocol == 2:
			size, err := strconv.Atoi(readText(c))
			assert.NoError(f.t, err)
			body := make([]byte, size)
			_, err = io.ReadFull(c, body)
			assert.NoError(f.t, err)
			texts = strings.Split(strings.TrimSuffix(string(body), "\x00"), "\x00")
			wanted = 0
		case len(texts) == 1 && text != "1":
			_, _ = io.WriteString(c, "101\nunknown version\n")
			return
		}
	}
	if wanted > 0 {
		for _, arg := range texts[2:] {
			if len(arg) > attach.MaxArgument1 {
				return
			}
		}
		texts = texts[1:]
	}
	_, _ = io.WriteString(c, f.answer(texts))
}

func (f *fake) answer(texts []string) string {
	f.mu.Lock()
	f.said = append(f.said, strings.TrimRight(strings.Join(texts, " "), " "))
	f.mu.Unlock()
	switch texts[0] {
	case "getversion":
		if f.protocol == 2 {
			return "0\n2 streaming\n"
		}
		return "1\nOperation getversion not recognized!"
	case "properties":
		return "0\n#now\njava.vm.specification.version=" + f.version + "\n" + f.answers["properties"]
	case "printflag":
		if f.flag == "" || texts[1] != "FlightRecorder" {
			return "1\nflag '" + texts[1] + "' not found\n"
		}
		return "0\n" + f.flag + "\n"
	case "agentProperties":
		return "0\nsun.java.command=app.Main one\n"
	}
	for line, answer := range f.answers {
		if strings.HasPrefix(texts[1], line) {
			return answer
		}
	}
	if f.other != nil {
		return f.other(texts[1])
	}
	return "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n"
}

// lines returns what the JVM was told by jcmd.
func (f *fake) lines() (lines []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.said {
		if line, ok := strings.CutPrefix(s, "jcmd "); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

// requests returns the operations that it was asked for.
func (f *fake) requests() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.said {
		name, _, _ := strings.Cut(s, " ")
		names = append(names, name)
	}
	return slices.Compact(names)
}

func readText(r io.Reader) string {
	var text bytes.Buffer
	one := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r, one); err != nil || one[0] == 0 {
			return text.String()
		}
		text.WriteByte(one[0])
	}
}

// self adds a JVM that is this process, and can be connected to.
func (m *machine) self() *fake {
	m.t.Helper()
	return m.process(os.Getpid())
}

// open opens a JVM that listens.
func (f *fake) open() *attach.VM {
	f.t.Helper()
	f.listen()
	vm, err := f.host().Open(f.t.(*testing.T).Context(), f.pid)
	require.NoError(f.t, err)
	return vm
}
