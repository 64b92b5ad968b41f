package attach_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

func list(t *testing.T, m *machine) []attach.Process {
	t.Helper()
	all, err := m.host().List()
	require.NoError(t, err)
	return all
}

func TestListByCounters(t *testing.T) {
	m := newMachine(t)
	m.process(300).counters(perfFile(t, "jdk25.hsperfdata"))
	m.process(40).counters(perfFile(t, "jdk17.hsperfdata"))
	all := list(t, m)
	require.Len(t, all, 2)
	all[0].User, all[1].User = "", ""
	assert.Equal(t, []attach.Process{{
		PID: 40, Main: "Sleeper.java", Command: "Sleeper.java one two three",
		Arguments: "-Xmx64m -Dgreeting=Grüße --add-modules=ALL-DEFAULT",
		Version:   "17.0.15", VM: "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1",
		Container: true, Attachable: true,
	}, {
		PID: 300, Main: "Sleeper.java", Command: "Sleeper.java one two three",
		Arguments: "-Xmx64m -Dgreeting=Grüße --add-modules=ALL-DEFAULT",
		Version:   "25.0.3", VM: "OpenJDK 64-Bit Server VM 25.0.3+9-LTS",
		Container: true, Attachable: true,
	}}, all)
}

func TestListWithoutCounters(t *testing.T) {
	m := newMachine(t)
	f := m.process(40)
	f.set("root/opt/jdk/release", "IMPLEMENTOR=\"Someone\"\nJAVA_VERSION=\"21.0.4\"\n")
	all := list(t, m)
	require.Len(t, all, 1)
	all[0].User = ""
	assert.Equal(t, attach.Process{
		PID: 40, Main: "app.Main", Command: "app.Main one", Arguments: "-Xmx1g", Version: "21.0.4",
		Container: true, Attachable: true,
	}, all[0])
}

// TestListWithDamagedCounters falls back to what the process shows.
func TestListWithDamagedCounters(t *testing.T) {
	for name, spoil := range map[string]func(f *fake){
		"empty":     func(f *fake) { f.counters(nil) },
		"no magic":  func(f *fake) { f.counters([]byte("what is this, 32 bytes or more of it?")) },
		"cut":       func(f *fake) { f.counters(perfFile(t, "jdk17.hsperfdata")[:40]) },
		"not there": func(f *fake) { f.counters(nil); _ = os.Remove(f.path("root/tmp/hsperfdata_app/40")) },
		"a folder": func(f *fake) {
			f.counters(nil)
			_ = os.Remove(f.path("root/tmp/hsperfdata_app/40"))
			f.mkdir(f.path("root/tmp/hsperfdata_app/40"))
		},
		"a link": func(f *fake) {
			f.counters(nil)
			_ = os.Remove(f.path("root/tmp/hsperfdata_app/40"))
			f.set("elsewhere", string(perfFile(t, "jdk17.hsperfdata")))
			require.NoError(t, os.Symlink(f.path("elsewhere"), f.path("root/tmp/hsperfdata_app/40")))
		},
		"of another user": func(f *fake) {
			f.counters(perfFile(t, "jdk17.hsperfdata"))
			f.status(map[string]string{"Uid": "1\t" + strconv.Itoa(os.Geteuid()+1) + "\t1\t1"})
		},
		"too large": func(f *fake) {
			f.counters(perfFile(t, "jdk17.hsperfdata"))
			require.NoError(t, os.Truncate(f.path("root/tmp/hsperfdata_app/40"), 5<<20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			spoil(m.process(40))
			all := list(t, m)
			require.Len(t, all, 1)
			assert.Equal(t, "app.Main", all[0].Main)
			assert.Empty(t, all[0].Version)
		})
	}
}

func TestListLeavesOut(t *testing.T) {
	for name, change := range map[string]func(f *fake){
		"no JVM":                  func(f *fake) { f.set("maps", "1-2 r-xp 0 08:01 2 /bin/cat\n") },
		"a library that is read":  func(f *fake) { f.set("maps", "1-2 r--p 0 08:01 2 /opt/jdk/lib/server/libjvm.so\n") },
		"counters of another":     func(f *fake) { f.set("maps", "1-2 rw-s 0 08:01 2 /tmp/hsperfdata_app/41\n") },
		"a zombie":                func(f *fake) { f.status(map[string]string{"State": "Z (zombie)"}) },
		"a thread":                func(f *fake) { f.status(map[string]string{"Tgid": "7"}) },
		"one that has just ended": func(f *fake) { _ = os.Remove(f.path("status")) },
		"one that shows nothing":  func(f *fake) { hide(f) },
		"nothing but counters of another user": func(f *fake) {
			hide(f)
			f.status(map[string]string{"Uid": "1\t" + strconv.Itoa(os.Geteuid()+1) + "\t1\t1"})
			f.write(filepath.Join(f.tmp, "hsperfdata_app", "40"), string(perfFile(t, "jdk17.hsperfdata")))
		},
		"maps that are not text":   func(f *fake) { f.set("maps", "\x00\xff\n\n/\n /libjvm.so\n") },
		"a kernel thread, no maps": func(f *fake) { f.set("maps", "") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			change(m.process(40))
			assert.Empty(t, list(t, m))
		})
	}
}

// hide makes the mappings of a process unreadable, also for root.
func hide(f *fake) {
	require.NoError(f.t, os.Remove(f.path("maps")))
	f.mkdir(f.path("maps"))
}

func TestListKnowsJVMs(t *testing.T) {
	for name, change := range map[string]func(f *fake){
		"an upgraded library": func(f *fake) {
			f.set("maps", "1-2 r-xp 0 08:01 2 /opt/j d k/lib/server/libjvm.so (deleted)\n")
		},
		"one that is linked in": func(f *fake) {
			f.set("maps", "1-2 r-xp 0 08:01 2 /opt/app\n3-4 rw-s 0 08:01 2 /tmp/hsperfdata_app/40\n")
		},
		"one of an old kernel": func(f *fake) { f.status(map[string]string{"NSpid": ""}) },
		"one that shows nothing but counters": func(f *fake) {
			hide(f)
			f.write(filepath.Join(f.tmp, "hsperfdata_app", "40"), string(perfFile(t, "jdk17.hsperfdata")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			change(m.process(40))
			all := list(t, m)
			require.Len(t, all, 1)
			assert.True(t, all[0].Attachable)
		})
	}
}

// TestListLeavesOutStaleCounters has a process that got the number of a JVM which
// was killed.
func TestListLeavesOutStaleCounters(t *testing.T) {
	m := newMachine(t)
	f := m.process(40)
	hide(f)
	file := filepath.Join(m.tmp, "hsperfdata_app", "40")
	m.write(file, string(perfFile(t, "jdk17.hsperfdata")))
	m.write(filepath.Join(m.tmp, "hsperfdata_app", "41"), "of a process that is no more")
	// The process began 50 s after the machine did.
	began := time.Unix(1000000050, 0)
	require.NoError(t, os.Chtimes(file, began, began.Add(-time.Minute)))
	assert.Empty(t, list(t, m))
	require.NoError(t, os.Chtimes(file, began, began.Add(time.Minute)))
	assert.Len(t, list(t, m), 1)
	f.set("stat", "40 (java) S")
	assert.Empty(t, list(t, m), "not known since when it runs")
}

func TestListTellsContainers(t *testing.T) {
	m := newMachine(t)
	// The first has our files, the second has not, and the third has process numbers
	// of its own.
	ours, err := os.Readlink(filepath.Join(m.proc, "self", "root"))
	require.NoError(t, err)
	for _, pid := range []int{1, 3} {
		f := m.process(pid)
		require.NoError(t, os.RemoveAll(f.path("root")))
		require.NoError(t, os.Symlink(ours, f.path("root")))
	}
	m.process(2)
	third := m.process(4)
	third.inner = 1
	third.status(map[string]string{"NSpid": "4\t1"})
	require.NoError(t, os.RemoveAll(third.path("root")))
	require.NoError(t, os.Symlink(ours, third.path("root")))
	var got []bool
	for _, p := range list(t, m) {
		got = append(got, p.Container)
	}
	assert.Equal(t, []bool{false, true, false, true}, got)
}

func TestListAttachable(t *testing.T) {
	m := newMachine(t)
	theirs := strconv.Itoa(os.Geteuid() + 12345)
	m.process(40).status(map[string]string{"Uid": "1\t" + theirs + "\t1\t1"})
	m.process(41).set("cmdline", "java\x00-XX:+DisableAttachMechanism\x00app.Main\x00")
	m.process(42).set("cmdline", "java\x00-XX:+DisableAttachMechanism\x00-XX:-DisableAttachMechanism\x00app.Main\x00-XX:+DisableAttachMechanism\x00")
	disabled := perfFile(t, "jdk17.hsperfdata")
	at := bytes.Index(disabled, []byte("1100000000000000"))
	disabled[at] = '0'
	m.process(43).counters(disabled)
	attachable := func() (can []bool) {
		for _, p := range list(t, m) {
			can = append(can, p.Attachable)
		}
		return can
	}
	m.euid = os.Geteuid() + 1
	assert.Equal(t, []bool{false, false, false, false}, attachable())
	m.euid = os.Geteuid()
	assert.Equal(t, []bool{m.euid == 0, false, true, false}, attachable())
	assert.Equal(t, theirs, list(t, m)[0].User, "a user without a name")
	m.euid = 0
	assert.Equal(t, []bool{true, false, true, false}, attachable())
}

func TestListWithoutProc(t *testing.T) {
	m := newMachine(t)
	m.proc = filepath.Join(m.proc, "not there")
	_, err := m.host().List()
	assert.ErrorContains(t, err, "cannot list processes")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
