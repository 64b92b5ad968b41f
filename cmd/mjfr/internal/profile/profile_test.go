package profile

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

var mjfr = clitest.Mjfr(New)

// noted returns a profile, which may have notes.
func noted(t testing.TB, args ...string) string {
	t.Helper()
	code, out, errs := mjfr(t, append([]string{"profile"}, args...)...)
	require.Equal(t, cli.ExitOK, code, errs)
	for line := range strings.Lines(errs) {
		require.True(t, strings.HasPrefix(line, "mjfr profile: note"), line)
	}
	return out
}

// table returns the rows of the table, and fails if there are errors.
func table(t *testing.T, args ...string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(noted(t, args...)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	require.NotEmpty(t, rows)
	return rows[1:]
}

func TestTop(t *testing.T) {
	rows := table(t, "--rows", "2", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, [][]string{
		{"11", "0.305556", "11", "0.305556", "gen.Loaders$Loaded.run"},
		{"10", "0.277778", "10", "0.277778", "gen.Stacks.hash"},
	}, rows)
	rows = table(t, "-t", "lock", "--by", "object", "--count", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, []string{"23", "0.958333", "23", "0.958333", "java.lang.Object"}, rows[0])
	rows = table(t, "--by", "package", "--java-only", "--include", "Loaders", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "gen", rows[0][4])
	rows = table(t, "--by", "path", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "127.0.0.1:53956", rows[0][4])
	assert.Equal(t, rows, table(t, "--by", "object", "-t", "io", clitest.File("jdk25-profile.jfr")))
	for _, by := range profile.AllBy {
		assert.NotEmpty(t, table(t, "--by", string(by), clitest.File("jdk25-profile.jfr")))
	}
	_, out, _ := mjfr(t, "profile", "--color", "always", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, out, "Samples of running threads: 36; -t also has native, alloc, live, lock, park, exceptions, io, gc\n")
	_, out, _ = mjfr(t, "profile", "--color", "always", "-t", "alloc", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, out, "Allocated memory: ")
	assert.Contains(t, out, " rows more; --rows 0 shows all")
}

// TestTopTitles names the type and the unit of numbers for programs.
func TestTopTitles(t *testing.T) {
	for want, args := range map[string][]string{
		"Self (running samples)\tShare\tTotal (running samples)\tShare\tMethod\n":         nil,
		"Self (alloc bytes)\tShare\tTotal (alloc bytes)\tShare\tClass\n":                  {"-t", "alloc", "--by", "class"},
		"Self (lock contentions)\tShare\tTotal (lock contentions)\tShare\tMethod\n":       {"-t", "lock", "--count"},
		"Self (jdk.FileRead events)\tShare\tTotal (jdk.FileRead events)\tShare\tMethod\n": {"--event", "FileRead"},
	} {
		out := noted(t, append(args, clitest.File("jdk25-profile.jfr"))...)
		title, _, _ := strings.Cut(out, "\n")
		assert.Equal(t, want, title+"\n")
	}
}

// TestWarnings says on standard error that samples were lost, whatever is written, and of a single
// type where its numbers are from.
func TestWarnings(t *testing.T) {
	file := clitest.File("jdk25-cputime.jfr")
	for _, args := range [][]string{nil, {"--json"}, {"--csv"}, {"--format", "collapsed"}, {"--format", "pprof"}, {"--format", "otlp"}, {"-t", "cpu"}} {
		code, _, errs := mjfr(t, append(append([]string{"profile"}, args...), file)...)
		assert.Equal(t, cli.ExitOK, code)
		assert.Equal(t, "mjfr profile: note: cpu: 2 samples are missing, as jdk.CPUTimeSamplesLost says\n", errs, "%v", args)
	}
	_, _, errs := mjfr(t, "profile", "-t", "alloc", file)
	assert.NotContains(t, errs, "missing")
	for _, args := range [][]string{{"profile"}, {"profile", "-t", "cpu"}} {
		_, _, errs = mjfr(t, append(args, file, clitest.File("jdk25-profile.jfr"))...)
		assert.Contains(t, errs, "events measure no CPU time", "CPU time covers one of two recordings")
	}
	_, _, errs = mjfr(t, "profile", "--format", "collapsed", "--diff", file, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "mjfr profile: note of "+file+": cpu: 2 samples are missing, as jdk.CPUTimeSamplesLost says\n", errs)
	b := jfrtest.NewChunk()
	b.Emit(b.Event("jdk.CPUTimeSamplesLost", jfrtest.Of("lostSamples", "int")), 1, 7)
	all := filepath.Join(t.TempDir(), "lost.jfr")
	require.NoError(t, os.WriteFile(all, b.Bytes(), 0o600))
	_, _, errs = mjfr(t, "profile", all)
	assert.Contains(t, errs, "cpu: 7 samples are missing", "although there are no others")
	for _, args := range [][]string{{"--color", "always"}, {"--color", "never"}, {"--json"}, {"--format", "collapsed"}} {
		_, _, errs = mjfr(t, append([]string{"profile", "-t", "alloc", clitest.File("jdk25-profile.jfr")}, args...)...)
		assert.Contains(t, errs, "note: alloc: jdk.ObjectAllocationSample is left out", args)
	}
}

// TestTopForPrograms has the same rows as JSON and CSV.
func TestTopForPrograms(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	var d topDocument
	require.NoError(t, json.Unmarshal([]byte(mjfr.Output("profile")(t, "--json", "--rows", "0", file)), &d))
	rows, err := csv.NewReader(strings.NewReader(mjfr.Output("profile")(t, "--csv", "--rows", "0", file))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(d.Rows)+1)
	assert.Equal(t, []string{"method", "self", "total"}, rows[0])
	sum := int64(0)
	for i, r := range d.Rows {
		assert.Equal(t, r.Name, rows[i+1][0])
		sum += r.Self
	}
	assert.Equal(t, d.Sum, sum)
	assert.Equal(t, profile.Count, d.Unit)
}

// TestTimestamps writes the time of each sample.
func TestTimestamps(t *testing.T) {
	without := mjfr.Output("profile")(t, "--format", "otlp", clitest.File("jdk25-profile.jfr"))
	with := mjfr.Output("profile")(t, "--format", "otlp", "--timestamps", clitest.File("jdk25-profile.jfr"))
	assert.Greater(t, len(with), len(without)+1000)
}

// TestFiles writes each format, chosen by name and by option.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, f := range formats {
		if f.Single && f.Name != "top" {
			code, _, errs := mjfr(t, "profile", "-t", "cpu,alloc", "--format", f.Name, clitest.File("jdk25-profile.jfr"))
			assert.Equal(t, cli.ExitUsage, code)
			assert.Contains(t, errs, "shows one type")
		}
		for _, end := range f.Endings[:longtest.Cases(1, len(f.Endings))] {
			out := filepath.Join(dir, "p"+end)
			assert.Empty(t, noted(t, "-t", "alloc", "-o", out, clitest.File("jdk25-profile.jfr")))
			written, err := os.ReadFile(out)
			require.NoError(t, err)
			if end == ".firefox.json.gz" { // packed because of its name
				z, err := gzip.NewReader(bytes.NewReader(written))
				require.NoError(t, err)
				written, err = io.ReadAll(z)
				require.NoError(t, err)
			}
			assert.Equal(t, noted(t, "-t", "alloc", "--format", f.Name, clitest.File("jdk25-profile.jfr")), string(written))
			assert.Equal(t, f.Binary, bytes.IndexByte(written, 0) >= 0, end)
		}
	}
}

// TestSplit writes a file for each type.
func TestSplit(t *testing.T) {
	dir := t.TempDir()
	names := func(pattern string) (list []string) {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, f := range files {
			list = append(list, filepath.Base(f))
		}
		return list
	}
	mjfr.Output("profile")(t, "-t", "running,alloc", "--split", "-o", filepath.Join(dir, "a.pb.gz"), clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, []string{"a.alloc.pb.gz", "a.running.pb.gz"}, names("a.*"))
	code, _, errs := mjfr(t, "profile", "--grafana", "-o", filepath.Join(dir, "g.pprof"), clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "mjfr profile: note: process_cpu: the time is an estimate: jdk.ExecutionSample is taken of a few threads at a time, however many run\n", errs)
	assert.Equal(t, []string{"g.alloc_in_new_tlab.pprof", "g.alloc_outside_tlab.pprof", "g.alloc_sample.pprof", "g.block.pprof", "g.mutex.pprof", "g.process_cpu.pprof"}, names("g.*"))
	mjfr.Output("profile")(t, "--event", "JavaMonitorWait", "--value", "duration", "--split", "-o", filepath.Join(dir, "e.pb.gz"), clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, []string{"e.jdk.JavaMonitorWait_duration.pb.gz"}, names("e.*"))
	assert.Equal(t, table(t, clitest.File("jdk25-profile.jfr")), table(t, filepath.Join(dir, "a.running.pb.gz")))
	assert.Equal(t, table(t, "-t", "alloc", clitest.File("jdk25-profile.jfr")), table(t, filepath.Join(dir, "a.alloc.pb.gz")))
}

// TestSplitAllOrNothing leaves no file if one of them cannot be written.
func TestSplitAllOrNothing(t *testing.T) {
	for _, kind := range []string{"running", "alloc", "io"} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "a."+kind+".pb.gz"), 0o700))
		code, _, errs := mjfr(t, "profile", "-t", "running,alloc,io", "--split", "-o", filepath.Join(dir, "a.pb.gz"), clitest.File("jdk25-profile.jfr"))
		assert.Equal(t, cli.ExitData, code)
		assert.Equal(t, "mjfr profile: "+filepath.Join(dir, "a."+kind+".pb.gz")+": it is a folder; name a file\n", errs)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, left, 1)
	}
}

// TestWindows splits the samples by what happened meanwhile.
func TestWindows(t *testing.T) {
	sum := func(args ...string) int64 {
		var d topDocument
		require.NoError(t, json.Unmarshal([]byte(noted(t, append(args, "-t", "alloc", "--json", clitest.File("jdk25-profile.jfr"))...)), &d))
		return d.Sum
	}
	assert.Equal(t, sum(), sum("--gc-pauses", "out"))
	code, _, errs := mjfr(t, "profile", "--gc-pauses", "in", "-t", "alloc", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "leave no sample")
	code, _, errs = mjfr(t, "profile", "--latency", "1ms", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 1, strings.Count(errs, "\n"), "one line for one reason")
	assert.Contains(t, errs, "nothing took 1ms")
	within := sum("--latency", "1us", "--latency-event", "RetransformClasses")
	assert.Positive(t, within)
	assert.Less(t, within, sum())
	for want, args := range map[string][]string{
		"leave no sample":                                           {"--latency-event", "ThreadSleep", "--latency", "1ms", "-t", "alloc"},
		"has no such jdk.JavaMonitorWait\n":                         {"--latency-event", "JavaMonitorWait", "--latency", "1h"},
		"requests have a duration and a thread":                     {"--latency-event", "CPULoad", "--latency", "1ms"},
		"no event type \"NoSuch\"":                                  {"--latency-event", "NoSuch", "--latency", "1ms"},
		"--tag and --latency-event need it":                         {"--latency-event", "CPULoad"},
		"--tag selects spans":                                       {"--latency-event", "CPULoad", "--latency", "1ms", "--tag", "x"},
		"name the event type of your requests with --latency-event": {"--latency", "1h"},
	} {
		_, _, errs := mjfr(t, append(append([]string{"profile"}, args...), clitest.File("jdk25-profile.jfr"))...)
		assert.Contains(t, errs, want)
	}
}

// TestEvent makes a profile of any event.
func TestEvent(t *testing.T) {
	rows := table(t, "--event", "JavaMonitorWait", "--value", "duration", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, rows[0][4], "java.lang.Object.wait")
	for event, values := range map[string][]string{"FileRead": {"stackTrace", "startTime", "path", "eventThread"}, "CPULoad": {"machineTotal"}, "ThreadPark": {"until", "address"}} {
		for _, value := range values {
			code, _, errs := mjfr(t, "profile", "--event", event, "--value", value, clitest.File("jdk25-profile.jfr"))
			assert.Equal(t, cli.ExitUsage, code)
			assert.Contains(t, errs, "--value "+value+": it cannot be added up; the fields of jdk."+event+" that are amounts: ")
		}
	}
	_, _, errs := mjfr(t, "profile", "--event", "FileRead", "--value", "path", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, errs, "amounts: duration, bytesRead\n")
	for _, value := range []string{"eventThread.javaThreadId", "@duration"} {
		mjfr.Output("profile")(t, "--event", "FileRead", "--value", value, clitest.File("jdk25-profile.jfr"))
	}
}

// TestTimelines writes the events and samples of two recordings, as far as options choose them. The
// tests of the format look into the files.
func TestTimelines(t *testing.T) {
	one, other := clitest.File("jdk25-profile.jfr"), clitest.File("jdk17-profile.jfr")
	size := func(args ...string) int {
		return len(mjfr.Output("profile")(t, append([]string{"--format", "perfetto"}, args...)...))
	}
	all := size(one)
	assert.Greater(t, size(one, other), all)
	assert.Less(t, size("--exclude", "gen.Stacks", one), all)
	thread := size("--thread", "main", one)
	assert.Less(t, thread, all)
	assert.Less(t, size("--thread", "main", "-t", "cpu", one), thread)
	assert.Less(t, size("--where", "@duration > 10ms", one), all)
	assert.NotZero(t, size(clitest.File("jdk17-empty.jfr")))
	code, _, errs := mjfr(t, "profile", "--color", "always", "--format", "perfetto", one)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "perfetto is binary")
}

// TestWrongUsage names what is wrong, and what to do.
func TestWrongUsage(t *testing.T) {
	for want, args := range map[string][]string{
		`trace, gc; did you mean cpu?`:                       {"-t", "cpus"},
		"no format has this ending; flame graphs are .html":  {"-o", "x.svg"},
		`collapsed; did you mean pprof?`:                     {"--format", "pproff"},
		"--gc-pauses is in or out":                           {"--gc-pauses", "off"},
		"--tag and --latency-event need it":                  {"--tag", "x"},
		"--value needs --event":                              {"--value", "duration"},
		"--timestamps is for the format otlp":                {"--timestamps"},
		"say how they begin with -o":                         {"--split"},
		"--grafana has types of its own":                     {"--grafana", "-o", "x.pb.gz", "-t", "cpu"},
		"-t needs a type of profile:  cpu, ":                 {"-t", ""},
		"--service is for the format otlp, not for pprof":    {"--service", "a", "-o", "x.pb.gz"},
		"--split and --grafana cannot be used together":      {"--split", "--grafana", "-o", "x.pb.gz"},
		"--value and --count cannot be used together":        {"--event", "FileRead", "--value", "bytesRead", "--count"},
		`--event cannot be "ThreadPark": it was FileRead`:    {"--event", "FileRead", "--event", "ThreadPark"},
		"--by is for the table":                              {"--by", "class", "-o", "x.pb.gz"},
		"--by cannot be":                                     {"--by", "color"},
		"--by path is for -t io":                             {"--by", "path", "-t", "cpu"},
		"use --from and --to":                                {"--limit", "3"},
		"--bci and --lines cannot be used together":          {"--bci", "--lines"},
		"--include: error parsing regexp":                    {"--include", "("},
		"no event type \"JavaMonitorWaits\"":                 {"--event", "JavaMonitorWaits"},
		"--value length: ":                                   {"--event", "JavaMonitorWait", "--value", "length"},
		"the recording has no events of jdk.CPUTimeSample, ": {"-t", "malloc,cpu", "--from", "1h", "--rows", "1"},
	} {
		code, _, errs := mjfr(t, append(append([]string{"profile"}, args...), clitest.File("jdk25-profile.jfr"))...)
		if !strings.HasPrefix(want, "the recording has no events") {
			assert.Equal(t, cli.ExitUsage, code, "%v", args)
			assert.Contains(t, errs, want)
			continue
		}
		assert.NotEmpty(t, errs)
	}
	code, _, errs := mjfr(t, "profile", "-t", "malloc", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "the recording has no events of profiler.Malloc")
}

// TestFlameGraph writes pages: of one recording, and of two. Package flamegraph tests what is in them.
func TestFlameGraph(t *testing.T) {
	out := filepath.Join(t.TempDir(), "app.html")
	file, base := clitest.File("jdk25-profile.jfr"), clitest.File("jdk17-profile.jfr")
	mjfr.Output("profile")(t, "-o", out, file)
	alone, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(alone), "<title>jdk25-profile.jfr</title>")
	code, _, stderr := mjfr(t, "profile", "-o", out, file)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, out+": it exists; use --force to replace it")
	mjfr.Output("profile")(t, "--force", "-o", out, "--title", "a <b>", "--diff", base, file)
	both, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(both), "<title>a &lt;b&gt;</title>")
	assert.Greater(t, len(both), len(alone))
	code, _, stderr = mjfr(t, "profile", "--json", "--diff", base, file)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "only flame graphs, collapsed stacks and the table")
	collapsed := filepath.Join(t.TempDir(), "a.collapsed")
	require.NoError(t, os.WriteFile(collapsed, []byte("a;b 1\n"), 0o600))
	code, _, stderr = mjfr(t, "profile", "-o", out+".heatmap.html", collapsed)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "which the format heatmap needs")
}

// TestDiffNames compares lambdas of two runs under one name, unless asked not to.
func TestDiffNames(t *testing.T) {
	args := []string{"-t", "running", "--format", "collapsed", "--diff", clitest.File("jdk17-profile.jfr"), clitest.File("jdk25-profile.jfr")}
	assert.NotContains(t, mjfr.Output("profile")(t, args...), "Lambda/0x")
	assert.Contains(t, mjfr.Output("profile")(t, append(args, "--norm=false")...), "Lambda/0x")
}

// TestNoCPUTime shows samples of running threads in the place of CPU time that nothing guarantees, and says so.
func TestNoCPUTime(t *testing.T) {
	jdk, exact := clitest.File("jdk25-profile.jfr"), clitest.File("jdk25-cputime.jfr")
	code, out, errs := mjfr(t, "profile", "-t", "cpu", "--rows", "1", jdk)
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "Self (running samples)\tShare\tTotal (running samples)\tShare\tMethod\n11\t0.305556\t11\t0.305556\tgen.Loaders$Loaded.run\n", out)
	assert.Equal(t, "mjfr profile: note: the recording does not measure CPU time; these are samples of running threads, which give shares but no time\n", errs)
	_, out, _ = mjfr(t, "profile", "--color", "always", "-t", "cpu", exact)
	assert.Contains(t, out, "CPU time: 370ms in 37 samples\n")
	_, out, _ = mjfr(t, "profile", "--color", "always", exact)
	assert.Contains(t, out, "CPU time: 370ms in 37 samples; -t also has running")
	code, _, errs = mjfr(t, "profile", "-t", "cpu", "--diff", jdk, exact)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "have no type in common: these are samples of type cpu, and "+jdk+" has those of type running")
	assert.Equal(t, "Base (running samples)\tNow (running samples)\tChange (running samples)\tMethod", strings.Join(strings.SplitN(mjfr.Output("profile")(t, "-t", "running", "--diff", jdk, exact), "\n", 2)[:1], ""))
}

// TestNoneOfTheFirstType says that none of the samples that people look for is selected, and of what type the table is instead.
func TestNoneOfTheFirstType(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	for _, args := range [][]string{{"--latency", "1us", "--latency-event", "jdk.FileRead"}, {"--events", "ObjectAllocation*"}} {
		code, out, errs := mjfr(t, append(append([]string{"profile"}, args...), file)...)
		assert.Equal(t, cli.ExitOK, code)
		assert.NotEmpty(t, out)
		assert.Regexp(t, "(?m)^mjfr profile: note: no jdk.ExecutionSample( or jdk.NativeMethodSample)? is selected, so this shows type (io|alloc); -t chooses another type\n$", errs)
	}
	_, _, errs := mjfr(t, "profile", "-t", "running", "--latency", "1us", "--latency-event", "jdk.FileRead", file)
	assert.Contains(t, errs, "--latency and --gc-pauses leave no sample")
}

// TestObjectsWithoutSizes counts objects of a JVM that does not record their sizes; samples of allocations are no objects.
func TestObjectsWithoutSizes(t *testing.T) {
	_, out, errs := mjfr(t, "profile", "--color", "always", "-t", "live", clitest.File("jdk17-profile.jfr"))
	assert.Contains(t, out, "Objects that are still alive: 3\n")
	assert.Contains(t, out, "Thread.run")
	assert.Equal(t, "mjfr profile: note: live: no sizes were recorded, so that objects are counted\n", errs)
	_, out, _ = mjfr(t, "profile", "--color", "always", "-t", "alloc", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, out, "Allocated memory: 52.9 MB in 494 samples\n")
}
