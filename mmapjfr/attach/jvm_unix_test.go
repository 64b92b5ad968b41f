//go:build linux || darwin

package attach_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// sleeper is a JVM that runs testdata/Sleeper.java.
type sleeper struct {
	pid int
	dir string // that it works in
	out output // what it has said
}

// output keeps what a process says.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// eachJDK runs a test with those that this project knows.
func eachJDK(t *testing.T, test func(t *testing.T, kit jdk.JDK)) {
	for _, major := range []int{17, 25} {
		t.Run(strconv.Itoa(major), func(t *testing.T) { test(t, jvmtest.Need(t, major)) })
	}
}

// sleep starts a JVM and waits until it is there. It ends with the test.
func sleep(t *testing.T, kit jdk.JDK, change func(*exec.Cmd), options ...string) *sleeper {
	t.Helper()
	// Everybody may work in it and read what is there, for JVMs of other users.
	dir, err := os.MkdirTemp("", "sleeper")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	source := filepath.Join(dir, "Sleeper.java")
	text, err := os.ReadFile("testdata/Sleeper.java")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, text, 0o644))
	args := append([]string{"-Xmx64m", "-XX:+UseSerialGC"}, options...)
	args = append(args, "-Djava.io.tmpdir="+dir) // where the repository goes, and all of it goes away
	cmd := exec.Command(filepath.Join(kit.Home, "bin", "java"), append(args, source, "one", "two three")...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	if change != nil {
		change(cmd)
	}
	require.NoError(t, cmd.Start())
	s := &sleeper{pid: cmd.Process.Pid, dir: cmd.Dir}
	// A JVM of another user cannot remove what a killed JVM with the same number has left behind.
	_ = os.Remove(filepath.Join(os.TempDir(), ".java_pid"+strconv.Itoa(s.pid)))
	ready := make(chan bool, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			s.out.mu.Lock()
			s.out.text.WriteString(lines.Text() + "\n")
			s.out.mu.Unlock()
			if lines.Text() == "ready" {
				ready <- true
			}
		}
		close(ready)
	})
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		reading.Wait()
		_ = cmd.Wait()
		// What a JVM that is killed leaves behind.
		_ = os.Remove(filepath.Join(os.TempDir(), ".java_pid"+strconv.Itoa(s.pid)))
		counters, _ := filepath.Glob(filepath.Join(os.TempDir(), "hsperfdata_*", strconv.Itoa(s.pid)))
		for _, file := range counters {
			_ = os.Remove(file)
		}
	})
	require.True(t, <-ready, "java did not start")
	return s
}

func (s *sleeper) open(t *testing.T) *attach.VM {
	t.Helper()
	vm, err := attach.Open(t.Context(), s.pid)
	require.NoError(t, err)
	return vm
}

// settings reads the event settings that a recording was made with.
func settings(t *testing.T, file string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	rec := openRecording(t, file)
	names := map[int64]string{}
	types, err := rec.Types()
	require.NoError(t, err)
	for _, typ := range types {
		names[typ.ID()] = typ.Name()
	}
	id, name, value := mmapjfr.Path("id"), mmapjfr.Path("name"), mmapjfr.Path("value")
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ActiveSetting")).Events() {
		require.NoError(t, err)
		all[names[ev.Int(id)]+"#"+strings.Clone(ev.Str(name))] = strings.Clone(ev.Str(value))
	}
	return all
}

var openRecording = opentest.File

// counts returns how many events of each type a recording has.
func counts(t *testing.T, file string) map[string]int {
	t.Helper()
	n := make(map[string]int)
	for ev, err := range openRecording(t, file).Events() {
		require.NoError(t, err)
		n[ev.Type().Name()]++
	}
	return n
}

// TestJVM asks one JVM everything.
func TestJVM(t *testing.T) {
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		s := sleep(t, kit, nil)
		t.Run("commands", func(t *testing.T) { s.takesCommands(t, kit) })
		t.Run("recording", s.records)
		t.Run("settings", s.takesSettings)
		t.Run("options", func(t *testing.T) { s.takesOptions(t, kit) })
	})
}

func (s *sleeper) takesCommands(t *testing.T, kit jdk.JDK) {
	all, err := attach.List()
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(p attach.Process) bool { return p.PID == s.pid })
	require.GreaterOrEqual(t, at, 0)
	p := all[at]
	assert.Equal(t, "Sleeper.java", filepath.Base(p.Main))
	assert.True(t, strings.HasSuffix(p.Command, "Sleeper.java one two three"), p.Command)
	assert.True(t, strings.HasPrefix(p.Arguments, "-Xmx64m -XX:+UseSerialGC"), p.Arguments)
	assert.Equal(t, kit.Version, p.Version)
	assert.Contains(t, p.VM, "64-Bit Server VM "+kit.Version)
	assert.False(t, p.Container)
	assert.True(t, p.Attachable)

	vm := s.open(t)
	assert.Equal(t, map[int]int{17: 1, 25: 2}[kit.Major], vm.Protocol())
	left, _ := filepath.Glob(filepath.Join(s.dir, ".attach*"))
	assert.Empty(t, left)
	text, err := vm.Command(t.Context(), "VM.version")
	require.NoError(t, err)
	assert.Contains(t, text, "JDK "+strconv.Itoa(kit.Major))
	properties, err := vm.Properties(t.Context())
	require.NoError(t, err)
	assert.Equal(t, strconv.Itoa(kit.Major), properties["java.specification.version"])
	assert.Equal(t, "\n", properties["line.separator"])
	agent, err := vm.AgentProperties(t.Context())
	require.NoError(t, err)
	assert.Contains(t, agent["sun.java.command"], "Sleeper.java one two three")
	_, err = vm.Command(t.Context(), "nosuch")
	assert.EqualError(t, err, "the JVM refused nosuch: java.lang.IllegalArgumentException: Unknown diagnostic command")
	assert.NotContains(t, s.out.String(), "Full thread dump", "it was asked in the right way")
}

// records needs a JVM that has not recorded before.
func (s *sleeper) records(t *testing.T) {
	vm := s.open(t)
	ctx := t.Context()
	repository, err := vm.Repository(ctx)
	require.NoError(t, err)
	assert.Empty(t, repository)
	recordings, err := vm.Recordings(ctx)
	require.NoError(t, err)
	assert.Empty(t, recordings)
	repository, err = vm.Repository(ctx)
	require.NoError(t, err)
	assert.Empty(t, repository)
	// Methods of other threads may have JFR in their names: the first event of a
	// program registers its class.
	const recorder = "\n\"JFR Recorder Thread\" "
	threads, err := vm.Command(ctx, "Thread.print")
	require.NoError(t, err)
	assert.Contains(t, threads, "\n\"Signal Dispatcher\" ")
	assert.NotContains(t, threads, recorder, "asking starts nothing")

	asked := map[string]string{
		"jdk.ActiveSetting#enabled":              "true",
		"jdk.CPULoad#period":                     "100 ms",
		"jdk.JavaMonitorEnter#threshold":         "5 ms",
		"jdk.JavaMonitorEnter#stackTrace":        "false",
		"jdk.ObjectAllocationSample#throttle":    "100/s",
		"jdk.OldObjectSample#cutoff":             "10 ms",
		"jdk.GarbageCollection#enabled":          "false",
		"jdk.ClassLoadingStatistics#period":      "everyChunk",
		"jdk.ThreadAllocationStatistics#enabled": "true",
	}
	var events []attach.EventSetting
	byEvent := make(map[string]bool)
	for text, value := range asked {
		e, err := attach.ParseEventSetting(text + "=" + value)
		require.NoError(t, err)
		events = append(events, e)
	}
	id, err := vm.StartRecording(ctx, attach.RecordingOptions{
		Name: "it's é😀 (running)", Events: events, MaxAge: 90 * time.Minute, MaxSize: 12 << 20, FlushInterval: 100 * time.Millisecond,
	})
	require.NoError(t, err)
	threads, err = vm.Command(ctx, "Thread.print")
	require.NoError(t, err)
	assert.Contains(t, threads, recorder)
	recordings, err = vm.Recordings(ctx)
	require.NoError(t, err)
	assert.Equal(t, []attach.Recording{{
		ID: id, Name: "it's é😀 (running)", State: "running", MaxAge: 90 * time.Minute, MaxSize: 12 << 20,
	}}, recordings)
	repository, err = vm.Repository(ctx)
	require.NoError(t, err)
	chunks, err := filepath.Glob(filepath.Join(repository, "*.jfr"))
	require.NoError(t, err)
	assert.NotEmpty(t, chunks)

	file := filepath.Join(s.dir, "my dump é.jfr")
	require.Eventually(t, func() bool {
		require.NoError(t, vm.Dump(ctx, id, file))
		n := counts(t, file)
		return n["jdk.CPULoad"] >= 2 && n["test.Tick"] > 0
	}, time.Minute, 100*time.Millisecond)
	used := settings(t, file)
	for key, value := range asked {
		assert.Equal(t, value, used[key], key)
		event, _, _ := strings.Cut(key, "#")
		byEvent[event] = asked[event+"#enabled"] != "false"
		assert.Equal(t, strconv.FormatBool(byEvent[event]), used[event+"#enabled"], event)
	}
	for name := range counts(t, file) {
		assert.True(t, byEvent[name] || name == "test.Tick", "%s was not asked for", name)
	}
	assert.NoError(t, vm.Stop(ctx, id))
	assert.EqualError(t, vm.Stop(ctx, id), `the JVM refused JFR.stop: Could not stop recording "`+strconv.Itoa(id)+`".`)
	recordings, err = vm.Recordings(ctx)
	require.NoError(t, err)
	assert.Empty(t, recordings)
}

// takesSettings is about sets of settings with events over them, of which some have
// to go by a file.
func (s *sleeper) takesSettings(t *testing.T) {
	vm := s.open(t)
	var many []attach.EventSetting
	for _, name := range []string{
		"ActiveSetting", "CPULoad", "ThreadCPULoad", "ThreadContextSwitchRate", "NetworkUtilization", "JavaThreadStatistics",
		"ClassLoadingStatistics", "ClassLoaderStatistics", "ThreadAllocationStatistics", "ExecutionSample", "NativeMethodSample",
		"PhysicalMemory", "ExceptionStatistics", "CompilerStatistics", "DirectBufferStatistics", "SymbolTableStatistics",
		"StringTableStatistics", "ModuleExport", "ModuleRequire", "NativeLibrary",
	} {
		many = append(many, attach.EventSetting{Event: "jdk." + name, Setting: "period", Value: "77ms"})
	}
	few := []attach.EventSetting{{"jdk.ActiveSetting", "enabled", "true"}, {"jdk.CPULoad", "period", "123 ms"}}
	for name, c := range map[string]struct {
		o    attach.RecordingOptions
		want map[string]string
	}{
		"default": {attach.RecordingOptions{Settings: []string{"default"}, Events: few}, map[string]string{
			"jdk.CPULoad#period": "123 ms", "jdk.JavaMonitorEnter#threshold": "20 ms",
		}},
		"both": {attach.RecordingOptions{Settings: []string{"default", "profile"}, Events: few}, map[string]string{
			"jdk.CPULoad#period": "123 ms", "jdk.JavaMonitorEnter#threshold": "10 ms",
		}},
		"none": {attach.RecordingOptions{Settings: []string{"none"}, Events: many}, map[string]string{
			"jdk.CPULoad#period": "77 ms", "jdk.NativeLibrary#period": "77 ms", "jdk.NativeLibrary#enabled": "true",
		}},
		"many": {attach.RecordingOptions{Settings: []string{"profile"}, Events: many}, map[string]string{
			"jdk.CPULoad#period": "77 ms", "jdk.NativeLibrary#period": "77 ms", "jdk.JavaMonitorEnter#threshold": "10 ms",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := vm.StartRecording(t.Context(), c.o)
			require.NoError(t, err)
			file := filepath.Join(s.dir, name+".jfr")
			require.NoError(t, vm.Dump(t.Context(), id, file))
			used := settings(t, file)
			for key, value := range c.want {
				assert.Equal(t, value, used[key], key)
			}
			assert.Equal(t, !slices.Contains(c.o.Settings, "none"), used["jdk.GarbageCollection#enabled"] == "true")
			require.NoError(t, vm.Stop(t.Context(), id))
		})
	}
	own, err := vm.SettingsOf(t.Context(), "profile")
	require.NoError(t, err)
	assert.Contains(t, own, attach.EventSetting{Event: "jdk.JavaMonitorEnter", Setting: "threshold", Value: "10 ms"})
	_, err = vm.SettingsOf(t.Context(), "nonesuch")
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = vm.StartRecording(t.Context(), attach.RecordingOptions{Settings: []string{"nonesuch"}})
	var refused *attach.CommandError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Text, "'nonesuch'")
}

func (s *sleeper) takesOptions(t *testing.T, kit jdk.JDK) {
	vm := s.open(t)
	ctx := t.Context()
	written := filepath.Join(s.dir, "written.jfr")
	id, err := vm.StartRecording(ctx, attach.RecordingOptions{Settings: []string{"default"}, InMemory: true, Filename: written, Duration: time.Hour})
	require.NoError(t, err)
	recordings, err := vm.Recordings(ctx)
	require.NoError(t, err)
	assert.Equal(t, []attach.Recording{{ID: id, Name: strconv.Itoa(id), State: "running", Duration: time.Hour}}, recordings)
	require.NoError(t, vm.Stop(ctx, id))
	assert.FileExists(t, written)

	percent := filepath.Join(s.dir, "100%p%%.jfr")
	id, err = vm.StartRecording(ctx, attach.RecordingOptions{Settings: []string{"default"}})
	require.NoError(t, err)
	err = vm.Dump(ctx, id, percent)
	if kit.Major < 20 {
		assert.ErrorContains(t, err, "is too old for")
	} else {
		assert.NoError(t, err)
		assert.FileExists(t, percent)
	}
	assert.ErrorContains(t, vm.Dump(ctx, id, "/no/such/dir/a.jfr"), "the JVM refused JFR.dump: Dump failed.")
	assert.ErrorContains(t, vm.Dump(ctx, 99, written), "the JVM refused JFR.dump: Could not find 99.")
}

// TestJVMWithoutCounters is one that jps does not see.
func TestJVMWithoutCounters(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("such JVMs are only found on Linux")
	}
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		s := sleep(t, kit, nil, "-XX:-UsePerfData")
		all, err := attach.List()
		require.NoError(t, err)
		at := slices.IndexFunc(all, func(p attach.Process) bool { return p.PID == s.pid })
		require.GreaterOrEqual(t, at, 0)
		assert.Equal(t, "Sleeper.java", filepath.Base(all[at].Main))
		assert.True(t, strings.HasPrefix(all[at].Arguments, "-Xmx64m -XX:+UseSerialGC -XX:-UsePerfData "), all[at].Arguments)
		assert.Equal(t, kit.Version, all[at].Version)
		s.open(t)
	})
}

func TestJVMThatRefuses(t *testing.T) {
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		s := sleep(t, kit, nil, "-XX:+DisableAttachMechanism")
		_, err := attach.Open(t.Context(), s.pid)
		assert.ErrorIs(t, err, attach.ErrDisabled)
		all, err := attach.List()
		require.NoError(t, err)
		at := slices.IndexFunc(all, func(p attach.Process) bool { return p.PID == s.pid })
		require.GreaterOrEqual(t, at, 0)
		assert.False(t, all[at].Attachable)
		assert.Equal(t, "ready\n", s.out.String(), "it was not sent SIGQUIT, at which it tells all its stacks")
	})
}

// TestJVMWithoutSignals listens from the start.
func TestJVMWithoutSignals(t *testing.T) {
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		s := sleep(t, kit, nil, "-Xrs")
		text, err := s.open(t).Command(t.Context(), "VM.uptime")
		require.NoError(t, err)
		assert.NotEmpty(t, text)
	})
}

// TestJVMOfAnotherUser is attached to as root, and cannot attach to one of root.
func TestJVMOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of other users")
	}
	eachJDK(t, func(t *testing.T, kit jdk.JDK) {
		const nobody = 65534
		s := sleep(t, kit, func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		})
		vm := s.open(t)
		// Event settings go by a file with several sets of settings.
		id, err := vm.StartRecording(t.Context(), attach.RecordingOptions{
			Settings: []string{"default", "profile"}, Events: []attach.EventSetting{{"jdk.CPULoad", "period", "1s"}},
		})
		require.NoError(t, err)
		repository, err := vm.Repository(t.Context())
		require.NoError(t, err)
		assert.DirExists(t, repository)
		assert.NoError(t, vm.Stop(t.Context(), id))
	})
}
