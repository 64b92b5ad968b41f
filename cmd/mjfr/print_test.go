package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// printed runs the verb, which must succeed without a word on standard error.
var printed = mjfrCommand.Output("print")

// refused runs mjfr print, which must fail, and returns what it said.
func refused(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, _, told := mjfrCommand(t, append([]string{"print"}, args...)...)
	require.Equal(t, want, code, told)
	return told
}

// offsetsPrinted returns where the events begin that mjfr print prints.
func offsetsPrinted(t *testing.T, args ...string) (list []string) {
	t.Helper()
	out := printed(t, append([]string{"--csv", "--fields", "@offset", "--order", "file"}, args...)...)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Equal(t, "@offset", lines[0])
	return lines[1:]
}

// offsetsOf returns where the events begin that are wanted.
func offsetsOf(t *testing.T, name string, wanted func(mmapjfr.Event) bool) (list []string) {
	t.Helper()
	rec := opentest.File(t, name)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if wanted(ev) {
			list = append(list, fmt.Sprint(ev.Offset()))
		}
	}
	require.NotEmpty(t, list, "a filter that wants nothing tests nothing")
	return list
}

func TestPrintIsThatOfTheJDK(t *testing.T) {
	const name = "jdk25-virtual.jfr"
	for _, args := range [][]string{
		nil, {"--exact"}, {"--json"}, {"--xml"}, {"--xml", "--stack-depth", "1"},
		{"--json", "--events", "Virtual*,jdk.CPULoad", "--categories", "Java Application"},
	} {
		want := said.Of(t, name, append([]string{"print"}, args...)...)
		require.Empty(t, want.Refusal)
		said.Same(t, want.Out, []byte(printed(t, append(args, clitest.File(name))...)))
		said.Same(t, want.Out, []byte(printed(t, append([]string{clitest.File(name)}, args...)...)))
	}
}

// TestPrintThreadsOfTheSystem is about a thread that has no number in Java.
func TestPrintThreadsOfTheSystem(t *testing.T) {
	rec := opentest.File(t, clitest.File("jdk25-profile.jfr"))
	for ev := range rec.Select(mmapjfr.Threads("VM Thread")).Events() {
		id := ev.Thread().OSThreadID()
		require.Zero(t, ev.Thread().JavaThreadID())
		want := offsetsOf(t, clitest.File("jdk25-profile.jfr"), func(ev mmapjfr.Event) bool { return ev.Thread().OSThreadID() == id })
		assert.Equal(t, want, offsetsPrinted(t, "--thread", fmt.Sprint("#", id), clitest.File("jdk25-profile.jfr")))
		return
	}
	t.Fatal("no event of such a thread")
}

func TestPrintFromTo(t *testing.T) {
	rec := opentest.File(t, clitest.File("jdk25-profile.jfr"))
	start, end := rec.Start(), rec.End()
	half := start.Add(end.Sub(start) / 2)
	for _, tc := range []struct {
		from, to   string
		begin, end time.Time
	}{
		{"2s", "", start.Add(2 * time.Second), end.Add(time.Hour)},
		{"", "+1500ms", start.Add(-time.Hour), start.Add(1500 * time.Millisecond)},
		{"-1s", "", end.Add(-time.Second), end.Add(time.Hour)},
		{"1s", "-1s", start.Add(time.Second), end.Add(-time.Second)},
		{"50%", "", half, end.Add(time.Hour)},
		{half.Format(time.RFC3339Nano), "100%", half, end},
		{half.Format("2006-01-02 15:04:05.999999999"), "", half, end.Add(time.Hour)}, // the zone is UTC
		{"", half.Format("15:04:05.999999999"), start.Add(-time.Hour), half},
	} {
		var args []string
		if tc.from != "" {
			args = append(args, "--from", tc.from)
		}
		if tc.to != "" {
			args = append(args, "--to", tc.to)
		}
		want := offsetsOf(t, clitest.File("jdk25-profile.jfr"), func(ev mmapjfr.Event) bool {
			return !ev.Start().Before(tc.begin) && ev.Start().Before(tc.end)
		})
		assert.Equal(t, want, offsetsPrinted(t, append(args, clitest.File("jdk25-profile.jfr"))...), args)
	}
}

func TestPrintOrder(t *testing.T) {
	const fields = "@offset,startTime,duration"
	inFile := strings.Split(printed(t, "--csv", "--fields", fields, "--order", "file", clitest.File("jdk25-profile.jfr")), "\n")
	inTime := strings.Split(printed(t, "--csv", "--fields", fields, clitest.File("jdk25-profile.jfr")), "\n")
	assert.NotEqual(t, inFile, inTime)
	assert.ElementsMatch(t, inFile, inTime)
	out := printed(t, "--csv", "--fields", "@end", clitest.File("jdk25-profile.jfr"))
	ends := strings.Split(strings.TrimSpace(out), "\n")[1:]
	assert.True(t, slices.IsSorted(ends), "by when they ended")
	assert.Equal(t, out, printed(t, "--csv", "--fields", "@end", "--order", "time", clitest.File("jdk25-profile.jfr")))
}

func TestPrintStackDepth(t *testing.T) {
	frames := func(args ...string) (most int) {
		for line := range strings.Lines(printed(t, append(args, "--ndjson", clitest.File("jdk25-profile.jfr"))...)) {
			var ev struct{ StackTrace struct{ Frames []string } }
			require.NoError(t, json.Unmarshal([]byte(line), &ev))
			most = max(most, len(ev.StackTrace.Frames))
		}
		return most
	}
	assert.Equal(t, 512, frames(), "all of them")
	assert.Equal(t, 5, frames("--stack-depth", "5"))
	assert.Equal(t, 0, frames("--stack-depth=0"))
	assert.Equal(t, 3, 1+strings.Count(strings.Split(printed(t, "--tsv", "--fields", "stackTrace", "--events", "ThreadPark", "--stack-depth", "3", clitest.File("jdk25-profile.jfr")), "\n")[1], ";"))
	assert.Equal(t, printed(t, "--json", "--events", "ThreadPark", clitest.File("jdk25-profile.jfr")), printed(t, "--json", "--events", "ThreadPark", "--stack-depth", "5", clitest.File("jdk25-profile.jfr")), "as the JDK's jfr")
	assert.Equal(t, printed(t, "--xml", "--events", "ThreadPark", clitest.File("jdk25-profile.jfr")), printed(t, "--xml", "--events", "ThreadPark", "--stack-depth", "5", clitest.File("jdk25-profile.jfr")))
	assert.Equal(t, printed(t, "--events", "ThreadPark", clitest.File("jdk25-profile.jfr")), printed(t, "--events", "ThreadPark", "--stack-depth", "5", clitest.File("jdk25-profile.jfr")))
}

func TestPrintFormats(t *testing.T) {
	first := func(args ...string) string {
		line, _, _ := strings.Cut(printed(t, append(args, "--events", "ThreadPark", clitest.File("jdk25-profile.jfr"))...), "\n")
		return line
	}
	assert.Equal(t, "jdk.ThreadPark {", first())
	assert.Equal(t, "jdk.ThreadPark {", first("--exact"))
	assert.Contains(t, printed(t, "--exact", "--events", "ThreadPark", clitest.File("jdk25-profile.jfr")), "startTime = 00:49:20.368713447 (2026-11-21)")
	assert.Equal(t, "{", first("--json"))
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>`, first("--xml"))
	assert.True(t, strings.HasPrefix(first("--ndjson"), `{"@type":"jdk.ThreadPark",`))
	assert.Equal(t, "startTime,duration,eventThread,stackTrace,parkedClass,timeout,until,address", first("--csv"))
	assert.Equal(t, "startTime\tduration\teventThread\tstackTrace\tparkedClass\ttimeout\tuntil\taddress", first("--tsv"))
	assert.Equal(t, "duration,eventThread.javaName", first("--csv", "--fields", " duration, eventThread.javaName,"))
}

// TestPrintUTC is about a recording of another zone, two hours ahead.
func TestPrintUTC(t *testing.T) {
	file := clitest.Hour(t, time.Date(2026, 5, 1, 21, 30, 0, 0, time.UTC), 0, 20*time.Minute, 40*time.Minute)
	assert.Contains(t, printed(t, "--limit", "1", file), "startTime = 23:30:00.000 (2026-05-01)")
	assert.Contains(t, printed(t, "--limit", "1", "--utc", file), "startTime = 21:30:00.000 (2026-05-01)")
	for _, format := range []string{"--json", "--xml"} {
		assert.Contains(t, printed(t, format, file), "2026-05-01T23:30+02:00")
		assert.Contains(t, printed(t, format, "--utc", file), "2026-05-01T21:30Z")
	}
	assert.Contains(t, printed(t, "--ndjson", file), `"startTime":"2026-05-01T21:30:00.000000000Z"`, "in UTC anyway")

	// What is asked for by the clock is in the zone of what is printed.
	after := func(args ...string) int { return len(offsetsPrinted(t, append(args, file)...)) }
	assert.Equal(t, 2, after("--from", "23:40"))
	assert.Equal(t, 1, after("--from", "00:00"), "after midnight")
	assert.Equal(t, 2, after("--from", "21:40", "--utc"))
	assert.Equal(t, 1, after("--from", "22:00", "--utc"))
	assert.Equal(t, 2, after("--where", "startTime>'2026-05-01 23:40'"))
	assert.Equal(t, 2, after("--where", "startTime>'2026-05-01 21:40'", "--utc"))
	assert.Equal(t, 2, after("--where", "startTime > 23:40"), "as --from 23:40")
	assert.Equal(t, 2, after("--where", "@start > 21:40:00", "--utc"))
	assert.Equal(t, 1, after("--where", "startTime > 00:00"), "after midnight")
	assert.Equal(t, 3, after("--where", "startTime>'2026-05-01 21:20'"), "all begin later than that")
}

// TestPrintSeveralRecordings prints two files as one recording.
func TestPrintSeveralRecordings(t *testing.T) {
	earlier, later := clitest.File("jdk25-oldobjects.jfr"), clitest.File("jdk25-kinds.jfr")
	rows := func(args ...string) [][]string {
		args = append([]string{"print", "--csv", "--fields", "startTime,@type", "--events", "OldObjectSample,*Primitives"}, args...)
		code, out, _ := mjfrCommand(t, args...)
		require.Equal(t, cli.ExitOK, code)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rows), 1)
		return rows[1:]
	}
	both := slices.Concat(rows(earlier), rows(later))
	assert.Equal(t, both, rows(earlier, later))
	assert.Equal(t, both, rows(later, earlier), "in the order of time")
}

func TestPrintTellsOfFiltersThatFitNothing(t *testing.T) {
	code, out, told := mjfrCommand(t, "print", "--json", "--events", "CPULoad,NoSuch*", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "no event type of the recording matches --events NoSuch*\n")
	assert.True(t, json.Valid([]byte(out)))
	assert.Contains(t, out, "jdk.CPULoad")
	code, out, told = mjfrCommand(t, "print", "--events", "NoSuch*", "--where", "duration>1ms", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, out)
	assert.Equal(t, 1, strings.Count(told, "\n"), told)
}

func TestPrintRefusesWrongUsage(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "no recording given"},
		{[]string{"--foo", "x.jfr"}, "unknown flag: --foo"},
		{[]string{"--event", "X", "x.jfr"}, "did you mean --events?"},
		{[]string{"--json", "--xml", "x.jfr"}, "only one format can be specified at a time"},
		{[]string{"--exact", "--csv", "x.jfr"}, "only one format can be specified at a time"},
		{[]string{"--stack-depth", "-1", "x.jfr"}, "stack depth must be zero or a positive integer"},
		{[]string{"--stack-depth", "many", "x.jfr"}, "it must be a whole number"},
		{[]string{"--limit", "-1", "x.jfr"}, "it must be 1 or more"},
		{[]string{"--tail", "-1", "x.jfr"}, "it must be 1 or more"},
		{[]string{"--order", "size", "x.jfr"}, `--order cannot be "size"; choose time or file`},
		{[]string{"--fields", "duration", "x.jfr"}, "--fields is for --ndjson, --csv and --tsv"},
		{[]string{"--csv", "--fields", ",", "x.jfr"}, "--fields names no field"},
		{[]string{"--events", "A", "--events", "B", "x.jfr"}, "use --events event1,event2,event3"},
		{[]string{"--categories", "A", "--categories", "B", "x.jfr"}, "use --categories category1,category2"},
		{[]string{"--events", " , ", "x.jfr"}, `the filter " , " has no names`},
		{[]string{"--thread", "", "x.jfr"}, "--thread names no thread"},
		{[]string{"--events", clitest.File("jdk25-kinds.jfr"), clitest.File("jdk25-profile.jfr")}, "is a file; wildcards should be quoted"},
		{[]string{"--categories", clitest.File("jdk25-kinds.jfr"), clitest.File("jdk25-profile.jfr")}, "is a file; wildcards should be quoted"},
		{[]string{"--where", "duration>", "x.jfr"}, "a value is missing"},
		{[]string{"--events"}, "flag needs an argument"},
		{[]string{"--from", "soon", clitest.File("jdk25-profile.jfr")}, `"soon" is not a point in time`},
		{[]string{"--from", "3s", "--to", "2s", clitest.File("jdk25-profile.jfr")}, "--to 2s is before --from 3s"},
	} {
		told := refused(t, cli.ExitUsage, tc.args...)
		assert.Contains(t, told, "mjfr print: ")
		assert.Contains(t, told, tc.want)
		assert.Contains(t, told, "Try mjfr print --help.")
	}
}

func TestPrintRefusesWhatTheRecordingDoesNotHave(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--events", "CPULaod", clitest.File("jdk25-profile.jfr")}, "no event type of the recording matches --events CPULaod; did you mean jdk.CPULoad?"},
		{[]string{"--events", "CPULoad,NoSuchThing", clitest.File("jdk25-profile.jfr")}, "no event type of the recording matches --events NoSuchThing\n"},
		{[]string{"--categories", "GG", clitest.File("jdk25-profile.jfr")}, "no event type of the recording matches --categories GG; did you mean GC"},
		{[]string{"--csv", clitest.File("jdk25-profile.jfr")}, "give one type by --events, or the columns by --fields"},
		{[]string{"--csv", "--fields", "nmae", clitest.File("jdk25-profile.jfr")}, "no event type has a field nmae; did you mean name?"},
		{[]string{"--tsv", "--events", "CPULoad", "--fields", "jvm", clitest.File("jdk25-profile.jfr")}, "it has startTime, jvmUser, jvmSystem, machineTotal"},
		{[]string{"--where", "durtion>1ms", clitest.File("jdk25-profile.jfr")}, "did you mean duration?"},
		{[]string{"--events", "CPULoad", "--where", "duration>1ms", clitest.File("jdk25-profile.jfr")}, "no event type that is selected has a field duration"},
	} {
		assert.Contains(t, refused(t, cli.ExitUsage, tc.args...), tc.want)
	}
	told := refused(t, cli.ExitData, "nofile.jfr")
	assert.Contains(t, told, "nofile.jfr: no such file")
	assert.NotContains(t, told, "--help")
}

// TestPrintToNobody is what happens if the output goes to head.
func TestPrintToNobody(t *testing.T) {
	for _, format := range []string{"--json", "--exact"} {
		var told bytes.Buffer
		a := &cli.App{Root: newMjfr, Stdin: strings.NewReader(""), Stdout: &clitest.FailingWriter{Left: 100 << 10, Err: io.ErrClosedPipe}, Stderr: &told}
		assert.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"print", format, clitest.File("jdk25-profile.jfr")}))
		assert.Empty(t, told.String())
		a = &cli.App{Root: newMjfr, Stdin: strings.NewReader(""), Stdout: &clitest.FailingWriter{Left: 100 << 10, Err: errors.New("the disk is full")}, Stderr: &told}
		assert.Equal(t, cli.ExitData, a.Run(t.Context(), []string{"print", format, clitest.File("jdk25-profile.jfr")}))
		assert.Contains(t, told.String(), "the disk is full")
	}
}
