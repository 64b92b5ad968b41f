package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestLive profiles JVMs of both versions. They have no recording after that, and no file is left.
func TestLive(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			tmp := t.TempDir()
			j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, Threads: 1, Rate: 100, Busy: true, JVM: []string{"-Djava.io.tmpdir=" + tmp}})
			pid := strconv.Itoa(j.PID)
			output := func(args ...string) string {
				code, out, errs := mjfr(t, append(append([]string{"profile", "--for"}, args...), pid)...)
				require.Equal(t, cli.ExitOK, code, errs)
				for line := range strings.Lines(errs) {
					assert.Regexp(t, "samples? (is|are) missing|note: jdk.ExecutionSample events measure no CPU time and are left out; -t running shows them\\n$", line) // of a busy machine
				}
				return out
			}
			var d topDocument
			require.NoError(t, json.Unmarshal([]byte(output("3s", "--json")), &d))
			// On a busy machine JDK 17 may have sampled no thread that ran.
			assert.Contains(t, []string{"cpu", "running", "native", "alloc"}, d.Type)
			assert.NotEmpty(t, d.Rows)
			assert.True(t, strings.Contains(output("2s", "--format", "perfetto"), "jdk.JVMInformation"), "all else that happens")
			vm, err := attach.Open(t.Context(), j.PID)
			require.NoError(t, err)
			list, err := vm.Recordings(t.Context())
			require.NoError(t, err)
			assert.Empty(t, list)
			left, err := filepath.Glob(filepath.Join(tmp, "mjfr-*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// TestLiveWrongUsage names what a JVM cannot record.
func TestLiveWrongUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"does not record profiles of type wall":       {"--for", "1s", "-t", "wall", "4711"},
		"record one JVM":                              {"--for", "1s", "a", "b"},
		"give one of them":                            {"--for", "1s", "--every", "1s", "4711"},
		"take a length of time":                       {"--for", "-1s", "4711"},
		"jdk25-profile.jfr is a file: leave them out": {"--for", "1s", clitest.File("jdk25-profile.jfr")},
		"such as 30s":                                 {"--for", "0s", "4711"},
	} {
		code, _, errs := mjfr(t, append([]string{"profile"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, errs, want)
	}
}

// TestSettings asks each version for events that it has.
func TestSettings(t *testing.T) {
	names := func(java int, kinds ...string) (list []string) {
		v := &verb{kinds: kinds}
		settings, err := v.settings(java, "linux")
		require.NoError(t, err)
		for _, s := range settings {
			list = append(list, s.String())
		}
		return list
	}
	assert.Equal(t, []string{"jdk.ActiveSetting#enabled=true", "jdk.CPUTimeSample#throttle=10 ms", "jdk.ExecutionSample#period=10 ms"}, names(25, "cpu"))
	assert.Equal(t, []string{"jdk.ActiveSetting#enabled=true", "jdk.ExecutionSample#period=10 ms"}, names(21, "cpu"))
	assert.Contains(t, names(11, "alloc"), "jdk.ObjectAllocationInNewTLAB#enabled=true")
	assert.NotContains(t, names(17), "jdk.OldObjectSample#cutoff=0 ms")
}

// TestRounds separates the tables of --every, and says when they were.
func TestRounds(t *testing.T) {
	var out bytes.Buffer
	v := &verb{App: &cli.App{Stdout: &out, Style: terminal.Style{Aligned: true}}, again: true, by: string(profile.ByMethod)}
	p := profile.New()
	p.AddKind(profile.Kinds()[0])
	start := time.Date(2026, 11, 22, 21, 22, 37, 0, time.Local)
	p.AddSpan(start, start.Add(10*time.Second))
	p.Add("cpu", 0, p.AddLabels(profile.Labels{}), 1, 1e6)
	for range 2 {
		require.NoError(t, v.writeTop(&out, p))
	}
	const line = "2026-11-22 21:22:37 to 21:22:47\nCPU time: "
	assert.True(t, strings.HasPrefix(out.String(), line))
	assert.Equal(t, 1, strings.Count(out.String(), "\n\n"+line))
}

// fakeJVM is a JVM that records a file of testdata.
type fakeJVM struct {
	tmp     string
	records string // "" for a JVM that ends without writing it
	killed  string // what a JVM that is killed leaves in its repository
	ended   bool
	zombie  bool // nobody has waited for its process
	over    bool // the recording ends before it is stopped
	started func()
	others  []attach.EventSetting // of other recordings
	o       attach.RecordingOptions
	stopped int
}

func (f *fakeJVM) Properties(context.Context) (map[string]string, error) {
	return map[string]string{"java.specification.version": "25", "java.io.tmpdir": f.tmp}, nil
}

func (f *fakeJVM) MakeFolder(context.Context) (string, func() error, error) {
	dir := filepath.Join(f.tmp, "mjfr-folder")
	return dir, func() error { return os.RemoveAll(dir) }, os.Mkdir(dir, 0o700)
}

func (f *fakeJVM) Repository(context.Context) (string, error) {
	return filepath.Join(f.tmp, "repository"), nil
}

func (f *fakeJVM) EventSettings(context.Context) ([]attach.EventSetting, error) {
	return f.others, nil
}

func (f *fakeJVM) StartRecording(_ context.Context, o attach.RecordingOptions) (int, error) {
	f.o = o
	if f.started != nil {
		f.started()
	}
	if f.ended {
		return 1, errors.Join(f.write(f.records, o.Filename), f.write(f.killed, filepath.Join(f.tmp, "repository", "1.jfr")))
	}
	return 1, nil
}

// write writes a file of testdata, unless it has no name.
func (f *fakeJVM) write(name, to string) error {
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(clitest.File(name))
	return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
}

func (f *fakeJVM) Stop(context.Context, int) error {
	if f.stopped++; f.ended {
		return attach.ErrNoAnswer
	}
	err := f.write(f.records, f.o.Filename)
	if f.over {
		return errors.Join(err, &attach.CommandError{Command: "JFR.stop", Text: "Could not find 1."})
	}
	return err
}

func (f *fakeJVM) Path(path string) string { return path }
func (f *fakeJVM) hasEnded() bool          { return f.ended && !f.zombie }

// profileOf runs mjfr profile for a JVM, and checks that no file of it is left.
func profileOf(t *testing.T, ctx context.Context, f *fakeJVM, args ...string) (code int, out, errs string) {
	t.Helper()
	f.tmp = t.TempDir()
	was, opened := openJVM, 0
	defer func() { openJVM = was }()
	openJVM = func(context.Context, int) (jvm, error) {
		if opened++; opened > 2 || f.ended && opened > 1 {
			return nil, attach.ErrNoProcess
		}
		return f, nil
	}
	var stdout, stderr bytes.Buffer
	a := &cli.App{Stdout: &stdout, Stderr: &stderr, Root: clitest.Verbs(New)}
	code = a.Run(ctx, append(append([]string{"profile"}, args...), "4711"))
	left, err := filepath.Glob(filepath.Join(f.tmp, "*.jfr"))
	require.NoError(t, err)
	assert.Empty(t, left)
	if !f.ended {
		assert.Equal(t, min(opened, 2), f.stopped)
	}
	return code, stdout.String(), stderr.String()
}

// TestInterrupted ends the recording, and shows what there is.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	code, out, errs := profileOf(t, ctx, &fakeJVM{records: "jdk25-profile.jfr", started: cancel}, "--for", "1h")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out, "gen.Stacks.hash")
	assert.Regexp(t, "interrupted after [^ ]+s: the profile covers that time; press Ctrl-C again to quit without it\n$", errs)
	ctx, cancel = context.WithCancel(t.Context())
	code, out, _ = profileOf(t, ctx, &fakeJVM{records: "jdk25-profile.jfr", started: cancel}, "--every", "1h")
	assert.Equal(t, cli.ExitInterrupted, code, "which ends in no other way")
	assert.Empty(t, out)
}

// TestJVMEnds uses what a JVM leaves that ends or is killed while it records.
func TestJVMEnds(t *testing.T) {
	for _, f := range []*fakeJVM{{records: "jdk25-profile.jfr", ended: true}, {killed: "jdk25-profile.jfr", ended: true}} {
		for _, flag := range []string{"--for", "--every"} {
			code, out, errs := profileOf(t, t.Context(), f, flag, "1h")
			assert.Equal(t, cli.ExitOK, code)
			assert.Contains(t, out, "gen.Stacks.hash")
			assert.Regexp(t, "^mjfr profile: the JVM ended after [^ ]+s: the profile covers that time\n$", errs)
		}
	}
	code, _, errs := profileOf(t, t.Context(), &fakeJVM{killed: "jdk25-profile.jfr", ended: true, zombie: true}, "--for", "1ms")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "the JVM ended after")
	code, _, errs = profileOf(t, t.Context(), &fakeJVM{ended: true}, "--for", "1h")
	assert.Equal(t, cli.ExitData, code)
	assert.Regexp(t, "^mjfr profile: the JVM ended after [^ ]+s, and its recording is gone\n$", errs)
	code, out, errs := profileOf(t, t.Context(), &fakeJVM{records: "jdk25-profile.jfr"}, "--every", "1ms")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 2, strings.Count(out, "Self (running samples)"))
	assert.Equal(t, "mjfr profile: the JVM has ended\n", errs)
}

// TestRecordingEnds shows what the JVM has written of a recording that somebody stopped.
func TestRecordingEnds(t *testing.T) {
	was := openJVM
	defer func() { openJVM = was }()
	f := &fakeJVM{records: "jdk25-profile.jfr", over: true, tmp: t.TempDir()}
	openJVM = func(context.Context, int) (jvm, error) { return f, nil }
	code, out, errs := mjfr(t, "profile", "--for", "1ms", "4711")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out, "gen.Stacks.hash")
	assert.Contains(t, errs, "mjfr profile: the recording ended before ")
	f.records = ""
	code, _, errs = mjfr(t, "profile", "--for", "1ms", "4711")
	assert.Equal(t, cli.ExitData, code)
	assert.Equal(t, "mjfr profile: the JVM refused JFR.stop: Could not find 1.\n", errs)
}

// TestRateOfOthers takes the rate of another recording, as the JDK makes a wrong one of two.
func TestRateOfOthers(t *testing.T) {
	for want, others := range map[string][]attach.EventSetting{
		"10 ms": {{Event: "jdk.ObjectAllocationSample", Setting: "throttle", Value: "150/s"}},
		"500/s": {{Event: "jdk.CPUTimeSample", Setting: "throttle", Value: "500/s"}},
	} {
		f := &fakeJVM{records: "jdk25-profile.jfr", others: others}
		profileOf(t, t.Context(), f, "--for", "1ms")
		assert.Contains(t, f.o.Events, attach.EventSetting{Event: "jdk.CPUTimeSample", Setting: "throttle", Value: want})
	}
}

// TestNothingRecorded says so.
func TestNothingRecorded(t *testing.T) {
	code, out, errs := profileOf(t, t.Context(), &fakeJVM{records: "jdk25-empty.jfr"}, "--for", "1ms", "-t", "lock")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, out)
	assert.Equal(t, "mjfr profile: no sample of type lock was recorded: the JVM was idle, or the time of 1ms is too short\n", errs)
}

// TestJVMNoFile says how to record a JVM that is named as if it were a file.
func TestJVMNoFile(t *testing.T) {
	was := live.ListProcesses
	t.Cleanup(func() { live.ListProcesses = was })
	live.ListProcesses = func() ([]attach.Process, error) { return []attach.Process{{PID: 4711, Main: "com.acme.Shop"}}, nil }
	for _, name := range []string{"4711", "Shop", "com.acme.Shop"} {
		code, _, errs := mjfr(t, "profile", name)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, errs, name+" is a running JVM and no file: say how long to record it, as in mjfr profile --for 30s "+name+"\n")
	}
	_, _, errs := mjfr(t, "profile", "4712")
	assert.Contains(t, errs, "4712: no such file")
}
