package attach_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func TestOpenOneThatListens(t *testing.T) {
	for _, protocol := range []int{1, 2} {
		m := newMachine(t)
		f := m.self()
		f.protocol = protocol
		f.answers["VM.version"] = attach.ToJava("0\nOpenJDK 😀\n")
		vm := f.open()
		assert.Equal(t, os.Getpid(), vm.PID())
		assert.Equal(t, os.Geteuid(), vm.UID())
		assert.Equal(t, protocol, vm.Protocol())
		text, err := vm.Command(t.Context(), "VM.version")
		require.NoError(t, err)
		assert.Equal(t, "OpenJDK 😀\n", text)
		properties, err := vm.AgentProperties(t.Context())
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"sun.java.command": "app.Main one"}, properties)
		properties, err = vm.Properties(t.Context())
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"java.vm.specification.version": "25"}, properties)
		assert.Equal(t, []string{"getversion", "jcmd", "agentProperties", "properties"}, f.requests())
	}
}

// TestOpenWakes has the JVM listen when it gets the signal, and look for the file
// that asks it to.
func TestOpenWakes(t *testing.T) {
	for name, c := range map[string]struct {
		dir    string
		change func(f *fake)
	}{
		"with its working directory":    {"cwd", func(*fake) {}},
		"without its working directory": {"root/tmp", func(f *fake) { require.NoError(t, os.Remove(f.path("cwd"))) }},
		"in a container": {"cwd", func(f *fake) {
			f.inner = 7
			f.status(map[string]string{"NSpid": strconv.Itoa(f.pid) + "\t7"})
		}},
		"while another attaches": {"cwd", func(f *fake) { f.set("cwd/.attach_pid"+strconv.Itoa(f.pid), "") }},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			f := m.self()
			c.change(f)
			request := f.path(filepath.Join(c.dir, ".attach_pid"+strconv.Itoa(f.inner)))
			var sent int
			m.quit = func(pid int) {
				sent++
				assert.Equal(t, f.pid, pid)
				assert.FileExists(t, request)
				f.listen()
			}
			_, err := m.host().Open(t.Context(), f.pid)
			require.NoError(t, err)
			assert.Equal(t, 1, sent)
			assert.NoFileExists(t, request)
			_, err = m.host().Open(t.Context(), f.pid)
			require.NoError(t, err)
			assert.Equal(t, 1, sent, "it listens already")
		})
	}
}

// TestOpenWaitsForTheStart sends nothing to a JVM that does not handle it yet.
func TestOpenWaitsForTheStart(t *testing.T) {
	m := newMachine(t)
	f := m.self()
	for _, not := range []map[string]string{
		{"SigCgt": "2000000181005ccb"}, {"SigIgn": "0000000000000004"}, {"SigCgt": "nonsense"}, {"SigCgt": ""},
	} {
		f.status(not)
		m.patience = 30 * time.Millisecond
		_, err := m.host().Open(t.Context(), f.pid)
		assert.ErrorIs(t, err, attach.ErrNoAnswer)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "does not handle SIGQUIT: it is still starting")
	}
	m.patience = time.Minute
	m.quit = func(int) { f.listen() }
	soon := time.AfterFunc(20*time.Millisecond, func() { f.status(nil) })
	defer soon.Stop()
	_, err := m.host().Open(t.Context(), f.pid)
	assert.NoError(t, err)
}

func TestOpenRejects(t *testing.T) {
	pid := os.Getpid()
	theirs := os.Geteuid() + 12345
	uid := map[string]string{"Uid": strings.Repeat(strconv.Itoa(theirs)+"\t", 4)}
	for name, c := range map[string]struct {
		change func(f *fake)
		is     error
		says   string
	}{
		"no process": {func(f *fake) { require.NoError(t, os.RemoveAll(f.path(""))) }, attach.ErrNoProcess, "process " + strconv.Itoa(pid)},
		"a zombie":   {func(f *fake) { f.status(map[string]string{"State": "Z (zombie)"}) }, attach.ErrNoProcess, "has ended"},
		"a thread":   {func(f *fake) { f.status(map[string]string{"Tgid": "7"}) }, attach.ErrNoProcess, "is a thread of process 7"},
		"no JVM":     {func(f *fake) { f.set("maps", "1-2 r-xp 0 08:01 2 /bin/cat\n") }, attach.ErrNotJVM, "process " + strconv.Itoa(pid)},
		"unknown":    {hide, attach.ErrNotJVM, "cannot examine process"},
		"another user": {func(f *fake) {
			f.euid = theirs + 1
			f.status(uid)
		}, attach.ErrOtherUser, "is of user " + strconv.Itoa(theirs) + ": the JVM belongs to another user; run this as that user, or as root"},
		"another user who shows nothing": {func(f *fake) {
			f.euid = theirs + 1
			f.status(uid)
			hide(f)
		}, attach.ErrOtherUser, "run this as that user, or as root"},
		"disabled": {func(f *fake) {
			f.set("cmdline", "java\x00-XX:+DisableAttachMechanism\x00app.Main\x00")
		}, attach.ErrDisabled, "was started with -XX:+DisableAttachMechanism"},
		"disabled, where another left its socket": {func(f *fake) {
			f.set("cmdline", "java\x00-XX:+DisableAttachMechanism\x00app.Main\x00")
			f.listen()
			stale(t, f.socket())
		}, attach.ErrDisabled, "was started with -XX:+DisableAttachMechanism"},
		"a container that cannot be reached": {func(f *fake) {
			hide(f)
			f.status(map[string]string{"NSpid": strconv.Itoa(pid) + "\t7"})
			f.write(filepath.Join(f.tmp, "hsperfdata_app", "7"), "")
			require.NoError(t, os.RemoveAll(f.path("root")))
		}, fs.ErrPermission, "run this as root, or in the container"},
		"a file in place of the socket": {func(f *fake) { f.write(f.socket(), "") }, attach.ErrNotOurs, "is not a socket; remove it"},
		"a link in place of the socket": {func(f *fake) {
			require.NoError(t, os.Symlink("elsewhere", f.socket()))
		}, attach.ErrNotOurs, "is not a socket"},
		"a socket for all": {func(f *fake) {
			f.listen()
			require.NoError(t, os.Chmod(f.socket(), 0o606))
		}, attach.ErrNotOurs, "other users can access"},
		"a socket for the group": {func(f *fake) {
			f.listen()
			require.NoError(t, os.Chmod(f.socket(), 0o660))
		}, attach.ErrNotOurs, "other users can access"},
		"a socket that nobody listens at": {func(f *fake) {
			f.listen()
			stale(t, f.socket())
		}, attach.ErrNoAnswer, "nothing listens at"},
		"no place for a file": {func(f *fake) {
			require.NoError(t, os.RemoveAll(f.path("cwd")))
			require.NoError(t, os.RemoveAll(f.path("root/tmp")))
		}, fs.ErrNotExist, "cannot ask process"},
		"one that does not wake up": {func(f *fake) {
			f.quit = func(int) {}
			f.patience = 30 * time.Millisecond
		}, attach.ErrNoAnswer, "has made no"},
		"one that ends": {func(f *fake) {
			f.quit = func(int) { _ = os.Remove(f.path("status")) }
		}, attach.ErrNoProcess, "no such process"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			f := m.self()
			c.change(f)
			vm, err := m.host().Open(t.Context(), pid)
			assert.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.says)
			assert.Nil(t, vm)
			left, _ := filepath.Glob(filepath.Join(m.proc, "*", "*", ".attach*"))
			assert.Empty(t, left)
		})
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		_, err := newMachine(t).host().Open(t.Context(), pid)
		assert.ErrorIs(t, err, attach.ErrNoProcess)
	}
}

// stale leaves a socket that nobody listens at.
func stale(t *testing.T, path string) {
	require.NoError(t, os.Remove(path))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	require.NoError(t, os.Chmod(path, 0o600))
}

// TestOpenRejectsAnotherProcess has a process listen in the place of another.
func TestOpenRejectsAnotherProcess(t *testing.T) {
	m := newMachine(t)
	f := m.process(os.Getppid())
	f.listen()
	_, err := m.host().Open(t.Context(), f.pid)
	assert.ErrorIs(t, err, attach.ErrNotOurs)
	assert.ErrorContains(t, err, "belongs to process "+strconv.Itoa(os.Getpid()))
	assert.Empty(t, f.requests())
}

func TestOpenRejectsASocketOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	m := newMachine(t)
	f := m.self()
	f.listen()
	require.NoError(t, os.Chown(f.socket(), 12345, -1))
	_, err := m.host().Open(t.Context(), f.pid)
	assert.ErrorIs(t, err, attach.ErrNotOurs)
	assert.ErrorContains(t, err, "is of user 12345, and the JVM of root")
}

func TestOpenEndsWithItsContext(t *testing.T) {
	m := newMachine(t)
	f := m.self()
	ctx, cancel := context.WithCancel(t.Context())
	m.quit = func(int) { cancel() }
	_, err := m.host().Open(ctx, f.pid)
	assert.ErrorIs(t, err, attach.ErrNoAnswer)
	assert.ErrorIs(t, err, context.Canceled)
}

// TestHostileAnswers are those of a JVM that is broken, or none.
func TestHostileAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		raw  func(net.Conn)
		is   error
		says string
	}{
		"endless": {func(c net.Conn) {
			for chunk := []byte("0\n" + strings.Repeat("x", 1<<20)); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		}, attach.ErrBadReply, "more than 64 MB"},
		"garbage": {func(c net.Conn) { _, _ = io.WriteString(c, "\x00\xff\x1b[2J") }, attach.ErrBadReply, `has answered "\x00\xff\x1b[2J"`},
		"no line": {func(c net.Conn) { _, _ = io.WriteString(c, "0") }, attach.ErrBadReply, "not a result"},
		"nothing": {func(net.Conn) {}, attach.ErrNoAnswer, "takes commands from its own user and group"},
		"half one, and an end with a bang": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1)) // and leaves the rest
			_, _ = io.WriteString(c, "0\nsome")
		}, attach.ErrNoAnswer, "reset"},
		"silence":  {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, attach.ErrNoAnswer, "does not answer"},
		"half one": {func(c net.Conn) { _, _ = io.WriteString(c, "0\nsome"); _, _ = io.Copy(io.Discard, c) }, attach.ErrNoAnswer, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			f := m.self()
			vm := f.open()
			f.misbehave(c.raw)
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if name == "silence" || name == "half one" {
				ctx, cancel = context.WithTimeout(ctx, 30*time.Millisecond)
			}
			defer cancel()
			text, err := vm.Command(ctx, "VM.version")
			assert.Empty(t, text)
			assert.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, "process "+strconv.Itoa(f.pid))
			assert.Equal(t, ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded))
		})
	}
}

// TestRefusalWithoutReading is what a JVM says that knows no such protocol.
func TestRefusalWithoutReading(t *testing.T) {
	m := newMachine(t)
	f := m.self()
	vm := f.open()
	f.misbehave(func(c net.Conn) { _, _ = io.WriteString(c, "101\nunknown version") })
	_, err := vm.Command(t.Context(), "VM.version")
	assert.EqualError(t, err, "the JVM refused VM.version: unknown version")
}

func TestCommandErrors(t *testing.T) {
	m := newMachine(t)
	f := m.self()
	f.answers["quiet"] = "7\n"
	vm := f.open()
	_, err := vm.Command(t.Context(), "nosuch thing")
	var refused *attach.CommandError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, attach.CommandError{Command: "nosuch", Code: 1, Text: "java.lang.IllegalArgumentException: Unknown diagnostic command"}, *refused)
	assert.EqualError(t, err, "the JVM refused nosuch: java.lang.IllegalArgumentException: Unknown diagnostic command")
	_, err = vm.Command(t.Context(), "quiet")
	assert.EqualError(t, err, "the JVM refused quiet with code 7")
	_, err = vm.Command(t.Context(), "VM.version\nVM.flags")
	assert.ErrorContains(t, err, "more than one line")
	_, err = vm.Command(t.Context(), "VM.version\x00")
	assert.ErrorContains(t, err, "zero byte")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = vm.Command(ended, "VM.version")
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPath(t *testing.T) {
	m := newMachine(t)
	f := m.self()
	f.answers["properties"] = "jdk.jfr.repository=/tmp/repository\n"
	vm := f.open()
	f.set("root/tmp/repository/a.jfr", "")
	for path, want := range map[string]string{
		"/tmp/repository":       f.path("root/tmp/repository"),
		"/tmp/repository/b.jfr": f.path("root/tmp/repository/b.jfr"),
		"relative/x":            f.path("cwd/relative/x"),
	} {
		assert.Equal(t, want, vm.Path(path))
	}
	repository, err := vm.Repository(t.Context())
	require.NoError(t, err)
	assert.Equal(t, f.path("root/tmp/repository"), repository)
	f.answers["properties"] = ""
	repository, err = vm.Repository(t.Context())
	require.NoError(t, err)
	assert.Empty(t, repository)
}

// TestPathOfTheSameFiles has a JVM that sees what this process does.
func TestPathOfTheSameFiles(t *testing.T) {
	m := newMachine(t)
	require.NoError(t, os.Remove(filepath.Join(m.proc, "self", "root")))
	require.NoError(t, os.Symlink("/", filepath.Join(m.proc, "self", "root")))
	f := m.self()
	require.NoError(t, os.RemoveAll(f.path("root")))
	require.NoError(t, os.Symlink("/", f.path("root")))
	dir := t.TempDir()
	require.NoError(t, os.RemoveAll(f.path("cwd")))
	require.NoError(t, os.Symlink(dir, f.path("cwd")))
	f.inner = 1 << 30 // so that it has no socket in the real /tmp
	f.status(map[string]string{"NSpid": strconv.Itoa(f.inner)})
	t.Cleanup(func() { _ = os.Remove(f.socket()) })
	vm := f.open()
	for path, want := range map[string]string{
		dir:             dir,
		dir + "/a/b":    dir + "/a/b",
		"relative":      filepath.Join(dir, "relative"),
		"/no/such/path": "/no/such/path",
	} {
		assert.Equal(t, want, vm.Path(path))
	}
}
