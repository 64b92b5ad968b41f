package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// settled returns a recording of settings: one event type is disabled, one has a threshold and an event, one has
// a threshold, and of one nothing happened, under a name of JDK 9. The settings of one are not known.
func settled(t *testing.T) string {
	b := jfrtest.NewChunk()
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
	read := b.Event("jdk.FileRead", jfrtest.Duration(), jfrtest.Of("path", jfrtest.StringClass))
	write := b.Event("jdk.FileWrite", jfrtest.Duration(), jfrtest.Of("path", jfrtest.StringClass))
	enter := b.Event("jdk.JavaMonitorEnter", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.StackTrace())
	gc := b.Event("com.oracle.jdk.GarbageCollection", jfrtest.Duration(), jfrtest.Of("gcId", "int"))
	b.Event("test.Unset")
	for _, s := range []struct {
		of          *jfrtest.Class
		name, value string
	}{
		{read, "enabled", "true"}, {read, "threshold", "20 ms"}, {write, "enabled", "false"},
		{enter, "enabled", "true"}, {enter, "threshold", "10 ms"}, {gc, "enabled", "true"}, {gc, "threshold", "0 ns"},
	} {
		b.Emit(setting, int64(1), s.of.ID, s.name, s.value)
	}
	b.Emit(read, int64(10), int64(30_000_000), "/a")
	file := filepath.Join(t.TempDir(), "settled.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

func TestAnEmptyAnswerSaysWhatTheSettingsExplain(t *testing.T) {
	file := settled(t)
	const (
		disabled = "no jdk.FileWrite events: the recording has it disabled; record with jdk.FileWrite#enabled=true\n"
		short    = "not all jdk.FileRead events: the recording has those of 20 ms and more"
		locks    = "no jdk.JavaMonitorEnter events: the recording has those of 10 ms and more"
		none     = "no jdk.GarbageCollection events: the recording has it enabled, and none happened\n"
	)
	for _, c := range []struct {
		want string
		args []string
	}{
		{disabled, []string{"query", "select path from FileWrite"}},
		{disabled, []string{"query", "select count(*) from FileWrite"}},
		{disabled, []string{"view", "FileWrite"}},
		{disabled, []string{"print", "--events", "FileWrite"}},
		{disabled, []string{"tail", "--events", "FileWrite"}},
		{disabled, []string{"tail", "--events", "FileWrite", "--where", "duration > 1ms"}},
		{short, []string{"tail", "--events", "FileRead", "--where", "duration < 20ms"}},
		{disabled, []string{"query", "--where", "duration > 1ms", "select path from FileWrite"}},
		{short, []string{"query", "select path from FileRead where duration < 20ms"}},
		{short, []string{"print", "--events", "FileRead", "--where", "duration < 20ms"}},
		{short, []string{"query", "--where", "duration < 20ms", "select path from FileRead"}},
		{locks, []string{"profile", "-t", "lock"}},
		{none, []string{"query", "select gcId from GarbageCollection"}},
		{none, []string{"view", "GarbageCollection"}},
		{none, []string{"view", "gc"}},
		{"", []string{"query", "select path from FileRead"}},
		{"", []string{"query", "select count(*) from FileRead"}},
		{"", []string{"query", "select count(*) from test.Unset"}},
		{"", []string{"print", "--events", "FileRead"}},
	} {
		code, _, stderr := mjfrCommand(t, append(c.args, file)...)
		assert.Zero(t, code, "%q: %s", c.args, stderr)
		if c.want == "" {
			assert.Empty(t, stderr, "%q", c.args)
		} else {
			assert.Equal(t, 1, strings.Count(stderr, c.want), "%q: %s", c.args, stderr)
		}
	}
}

// TestAnEmptyAnswerHasOneReason asks questions without an answer: each gets one reason, the most specific one.
// TestAViewSaysWhatItCannotCount has a view with a column for each of its types, some of which are disabled.
func TestAViewSaysWhatItCannotCount(t *testing.T) {
	_, out, told := mjfrCommand(t, "view", "files-by-time", settled(t))
	assert.Contains(t, out, "/a")
	assert.Contains(t, told, "no jdk.FileWrite events: the recording has it disabled; record with jdk.FileWrite#enabled=true\n")
}

func TestAnEmptyAnswerHasOneReason(t *testing.T) {
	quiet := settled(t)
	for _, c := range []struct{ want, line string }{
		{"the recording has it disabled", "print --events FileWrite --thread nosuch"},
		{"the recording has it disabled", "print --events FileWrite --from 2000-01-01 --to 2000-01-02"},
		{"the recording has it disabled", "query --to 10h --from 9h select|count(*)|from|FileWrite"},
		{"--thread leaves out", "query --thread nosuch select|count(*)|from|FileWrite"},
		{"the recording has it disabled", "query --from 10h select|*|from|FileWrite"},
		{"the recording has those of 10 ms", "profile -t lock"},
		{"the recording has those of 10 ms", "profile -t lock --thread nosuch"},
		{"and none happened", "view GarbageCollection --from 10h"},
		{"--thread leaves out", "view gc --thread nosuch"},
		{"no rows: no event meets the conditions", "query select|*|from|ActiveSetting|where|name='b'"},
		{"begins at or after --from 2000-01-01", "events --from 2000-01-01 --to 2000-01-02"},
		{"no thread matches --thread nosuch; no thread is described", "print --thread nosuch"},
		{"no view or event type NoSuch", "view NoSuch"},
		{"urls-by-time: no event type that is selected has a field url", "view urls-by-time"},
		{"no event type of the recording matches --events NoSuch", "types --events NoSuch"},
		{"no event type of the recording matches --categories NoSuch", "events --categories NoSuch --from 10h"},
		{"no thread matches --thread nosuch", "events --thread nosuch --events FileRead --where duration>1h"},
	} {
		args := strings.Fields(c.line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		_, _, told := mjfrCommand(t, append(args, quiet)...)
		told, _, _ = strings.Cut(told, "Try mjfr")
		assert.Contains(t, told, c.want, c.line)
		assert.Equal(t, 1, strings.Count(told, "mjfr "+args[0]+": "), "%s: %s", c.line, told)
	}
	_, _, told := mjfrCommand(t, "query", "select * from FileRead limit 0", quiet)
	assert.Empty(t, told, "no rows were asked for")
}

// TestSettingsThatDifferExplainNothing asks of types that were enabled only at times, or whose settings one of
// several recordings does not have.
func TestSettingsThatDifferExplainNothing(t *testing.T) {
	of := func(values ...string) string {
		b := jfrtest.NewChunk()
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
		write := b.Event("jdk.FileWrite", jfrtest.Duration(), jfrtest.Of("path", jfrtest.StringClass))
		for i, value := range values {
			b.Emit(setting, int64(i+1), write.ID, "enabled", value)
		}
		file := filepath.Join(t.TempDir(), "set.jfr")
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
		return file
	}
	off, on, both, unknown := of("false"), of("true"), of("false", "true"), of()
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"has it disabled", []string{off}},
		{"has it disabled", []string{off, off}},
		{"has it enabled", []string{on}},
		{"", []string{off, on}},
		{"", []string{on, off}},
		{"", []string{both}},
		{"", []string{off, unknown}},
		{"", []string{unknown, off}},
	} {
		args := append([]string{"query", "--csv", "select path from FileWrite"}, c.files...)
		code, out, stderr := mjfrCommand(t, args...)
		assert.Zero(t, code, stderr)
		assert.Equal(t, "path\n", out)
		if assert.Contains(t, stderr, c.want); c.want == "" {
			assert.NotContains(t, stderr, "no jdk.FileWrite events")
		}
	}
}

// TestSumsSayWhatAThrottleCanHaveLeftOut has 25 events, 20 of which are of a fifth of a second, or of a whole one.
func TestSumsSayWhatAThrottleCanHaveLeftOut(t *testing.T) {
	of := func(name, throttle string, apart int64) string {
		b := jfrtest.NewChunk()
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass))
		event := b.Event(name, jfrtest.Of("weight", "long"), jfrtest.Of("bytesRead", "long"))
		event.Settings = []jfrtest.Setting{{Name: "throttle", Class: jfrtest.StringClass, Default: "off"}}
		b.Emit(setting, int64(1), event.ID, "throttle", throttle)
		for i := range int64(25) {
			b.Emit(event, 100_000_000+i*apart, int64(1), int64(1))
		}
		file := filepath.Join(t.TempDir(), "throttled.jfr")
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
		return file
	}
	const read, often, seldom = "jdk.FileRead", 10_000_000, 50_000_000
	for _, c := range []struct {
		want string
		file string
		args []string
	}{
		{"at most 100/s of jdk.FileRead: ", of(read, "100/s", often), []string{"query", "select count(*) from FileRead"}},
		{"at most 100/s of jdk.FileRead: ", of(read, "100/s", often), []string{"query", "select sum(bytesRead) from FileRead"}},
		{"at most 100/s of jdk.FileRead: ", of(read, "100/s", often), []string{"view", "file-reads-by-path"}},
		{"at most 100/s of jdk.FileRead: ", of(read, "100/s", often), []string{"profile", "-t", "io"}},
		{"at most 100/s of jdk.FileRead: ", of(read, "100/s", often), []string{"report", "--markdown", "-o", "-"}},
		{"at most 6/s of jdk.FileRead: ", of(read, "6/s", seldom), []string{"query", "select count(*) from FileRead"}},
		{"", of(read, "100/s", often), []string{"query", "select max(bytesRead) from FileRead"}},
		{"", of(read, "100/s", seldom), []string{"query", "select count(*) from FileRead"}},
		{"", of(read, "off", often), []string{"query", "select count(*) from FileRead"}},
		{"", of("jdk.ObjectAllocationSample", "100/s", often), []string{"query", "select sum(weight) from ObjectAllocationSample"}},
	} {
		code, out, stderr := mjfrCommand(t, append(c.args, c.file)...)
		assert.Zero(t, code, stderr)
		if said := out + stderr; c.want == "" {
			assert.NotContains(t, said, "at most", c.args)
		} else {
			assert.Contains(t, said, c.want, c.args)
		}
	}
}

// TestAViewOfCollectionsSaysThatTheyAreDisabled asks a recording of a JDK, which has all four types of the view.
func TestAViewOfCollectionsSaysThatTheyAreDisabled(t *testing.T) {
	code, _, stderr := mjfrCommand(t, "view", "gc", clitest.File("jdk25-kinds.jfr"))
	assert.Zero(t, code)
	assert.Contains(t, stderr, "no jdk.GCHeapSummary, jdk.GarbageCollection or 2 more events: the recording has them disabled")
}

func TestViewOfTypesHasRowsInEveryFormat(t *testing.T) {
	for format, want := range map[string]string{
		"--json": `{"type":"jdk.FileRead","events":1}`, "--ndjson": `{"type":"jdk.FileRead","events":1}` + "\n", "--csv": "\njdk.FileRead,1\n",
		"--markdown": "| jdk.FileRead | 1 |", "--html": "<td>jdk.FileRead</td>",
	} {
		code, out, stderr := mjfrCommand(t, "view", format, "types", settled(t))
		assert.Zero(t, code, stderr)
		assert.Contains(t, out, want, format)
	}
}

// TestFramesOfACellStandInTheirOrder compares cells with what print says.
func TestFramesOfACellStandInTheirOrder(t *testing.T) {
	_, out, _ := mjfrCommand(t, "print", "--events", "ExecutionSample", "--limit", "1", "--stack-depth", "64", profiled)
	var want []string
	for _, line := range regexp.MustCompile(`(?m)^    (.*\))`).FindAllStringSubmatch(out, -1) {
		want = append(want, line[1])
	}
	require.Greater(t, len(want), 5)
	require.NotEqual(t, "jdk", want[len(want)-1][:3], "the order is not that of the alphabet")
	statement := "select stackTrace from ExecutionSample order by startTime limit 1"
	_, table, _ := mjfrCommand(t, "query", "--cell-height", "64", "--width", "400", statement, profiled)
	_, row, _ := mjfrCommand(t, "query", "--csv", statement, profiled)
	for _, text := range []string{table, row} {
		at := 0
		for _, frame := range want {
			next := strings.Index(text[at:], frame)
			require.GreaterOrEqual(t, next, 0, "%s in %s", frame, text)
			at += next + len(frame)
		}
	}
}
