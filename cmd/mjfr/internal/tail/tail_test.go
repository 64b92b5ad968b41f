package tail

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	printverb "github.com/mmapjfr/jfr/cmd/mjfr/internal/print"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
var mjfrCommand = clitest.Mjfr(New, printverb.New)

// tailed runs the verb, which must succeed without a word on standard error.
var tailed = mjfrCommand.Output("tail")

// output is the same for any verb.
var output = mjfrCommand.Output()

// asFlushed returns the events of a recording in the order of a stream: what was flushed
// together, in the order in which it ended.
func asFlushed(t *testing.T, path string, rec *mmapjfr.Recording) (list []mmapjfr.Event) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	decoded, err := jfrtest.Decode(data)
	require.NoError(t, err)
	var flushes []uint64
	for _, c := range decoded.Chunks {
		for _, p := range c.Checkpoints {
			if p.Mask&jfrtest.MaskFlush != 0 {
				flushes = append(flushes, uint64(p.Offset))
			}
		}
		flushes = append(flushes, uint64(c.Offset+c.Header.Size))
	}
	slices.Sort(flushes)
	flush := func(ev mmapjfr.Event) int {
		i, _ := slices.BinarySearch(flushes, ev.Offset())
		return i
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		list = append(list, ev.Detached())
	}
	slices.SortStableFunc(list, func(a, b mmapjfr.Event) int {
		return cmp.Or(cmp.Compare(flush(a), flush(b)), cmp.Compare(engine.EventEndTicks(a), engine.EventEndTicks(b)))
	})
	return list
}

// TestTailOfFiles prints files in all formats, and compares that with what is printed of
// their events one by one.
func TestTailOfFiles(t *testing.T) {
	for _, name := range []string{"jdk25-virtual.jfr", "concat-jdk17-jdk25.jfr", "jdk17-chunks.jfr", "jdk25-profile.jfr"}[:longtest.Cases(1, 4)] {
		path := clitest.File(name)
		rec := opentest.File(t, path)
		events := asFlushed(t, path, rec)
		stdin, err := os.ReadFile(path)
		require.NoError(t, err)
		for f, args := range [][]string{
			print.Text:   {},
			print.Exact:  {"--exact"},
			print.JSON:   {"--json"},
			print.XML:    {"--xml"},
			print.NDJSON: {"--ndjson"},
			print.CSV:    {"--csv", "--fields", "@type,@offset,startTime"},
			print.TSV:    {"--tsv", "--fields", "@type,@offset,startTime"},
		} {
			o := print.Options{Format: print.Format(f), StackDepth: print.DefaultStackDepth}
			if o.Format == print.CSV || o.Format == print.TSV {
				o.Fields = []string{"@type", "@offset", "startTime"}
			}
			if o.Format >= print.NDJSON {
				o.StackDepth = math.MaxInt
			}
			p, err := print.NewPrinter(o)
			require.NoError(t, err)
			want := []byte(p.Header())
			for i, ev := range events {
				if i > 0 {
					want = append(want, p.Separator()...)
				}
				want = p.Append(want, ev)
			}
			want = append(want, p.Footer()...)
			requireSameText(t, string(want), tailed(t, append(args, path)...))
			if o.Format != print.JSON && o.Format != print.XML {
				requireSameText(t, string(want), tailed(t, append(args, "-f", path)...))
			}
			var out, told bytes.Buffer
			a := &cli.App{Root: clitest.Verbs(New), Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &told}
			require.Equal(t, cli.ExitOK, a.Run(t.Context(), append([]string{"tail", "-"}, args...)), told.String())
			if !bytes.Contains(want, []byte("jdk.ClassLoaderStatistics")) { // see stream.OpenReader
				requireSameText(t, string(want), out.String())
			}
		}
	}
}

// requireSameText compares long texts, of which it shows the first line that differs.
func requireSameText(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		require.Equal(t, a[i], b[i], "line %d", i+1)
	}
	require.Equal(t, len(a), len(b), "lines")
}

// offsetsTailed returns where the events begin that mjfr tail prints.
func offsetsTailed(t *testing.T, args ...string) (list []string) {
	t.Helper()
	out := tailed(t, append([]string{"--csv", "--fields", "@offset"}, args...)...)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Equal(t, "@offset", lines[0])
	return lines[1:]
}

// TestTailFilters selects what mjfr print selects.
func TestTailFilters(t *testing.T) {
	for i, args := range [][]string{
		nil,
		{"--events", "CPULoad"},
		{"--events", " jdk.CPULoad,, GCPhase* ,"},
		{"--categories", "GC,Compiler"},
		{"--categories", "GC", "--events", "*Pause*"},
		{"--thread", "main"},
		{"--thread", "G1*", "--thread", "contender ?"},
		{"--thread", "#3"},
		{"--where", "duration>1ms"},
		{"--where", "duration>1ms", "--where", "thread~^C2 || stackTrace~^java"},
		{"--events", "Compilation", "--where", "method.type~lang.String", "--thread", "C2*"},
		{"--from", "2s"},
		{"--to", "+1500ms"},
		{"--from", "-1s"},
		{"--from", "1s", "--to", "-1s"},
		{"--from", "50%", "--to", "100%"},
		{"--from", "2s", "--thread", "main", "--where", "stackTrace!=null"},
	} {
		if !longtest.Every(i, 3) {
			continue
		}
		want := printedOffsets(t, append(args, clitest.File("jdk25-profile.jfr"))...)
		require.NotEmpty(t, want, args)
		assert.ElementsMatch(t, want, offsetsTailed(t, append(args, clitest.File("jdk25-profile.jfr"))...), args)
	}
	all := offsetsTailed(t, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, all, offsetsTailed(t, "--from", "start", clitest.File("jdk25-profile.jfr")))
	assert.Equal(t, all[:7], offsetsTailed(t, "--limit", "7", clitest.File("jdk25-profile.jfr")))
	assert.Empty(t, offsetsTailed(t, "-f", "--from", "now", clitest.File("jdk25-profile.jfr")))
}

// TestTailTimesOfTheRecording is about points in time that nobody knows before the first
// event has come: of a directory, and of standard input.
func TestTailTimesOfTheRecording(t *testing.T) {
	dir := clitest.Repository(t)
	path := filepath.Join(dir, "1.jfr")
	chunk := clitest.NewChunk(t, path, []int{0, 1, 2}, []int{3, 4})
	chunk.Finish(true)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, tc := range []struct {
		args string
		want string
	}{
		{"", "0 1 2 3 4"},
		{"--from start", "0 1 2 3 4"},
		{"--from 2s", "2 3 4"},
		{"--from +1s --to 3s", "1 2"},
		{"--to 1s", "0"},
		{"--from 23:30:02", "2 3 4"},
		{"--from 21:30:02 --utc", "2 3 4"},
		{"--from 2026-05-01T21:30:03Z", "3 4"},
		{"--from 2026-05-01T23:30:03", "3 4"},
		{"--from 2026-05-01T21:30:03 --utc", "3 4"},
		{"--from -1h", ""},
		{"--to -1h", "0 1 2 3 4"}, // it might go on
		{"--from 0% --to 100%", "0 1 2 3 4"},
		{"--where startTime>'2026-05-01T23:30:02'", "3 4"},
		{"--where startTime>'2026-05-01T21:30:02' --utc", "3 4"},
	} {
		args := append([]string{"tail", "--tsv", "--fields", "n", "--events", "Tick"}, strings.Fields(tc.args)...)
		for _, source := range []string{dir, "-"} {
			var out, told bytes.Buffer
			a := &cli.App{Root: clitest.Verbs(New), Stdin: bytes.NewReader(data), Stdout: &out, Stderr: &told}
			require.Equal(t, cli.ExitOK, a.Run(t.Context(), append(args, source)), told.String())
			assert.Equal(t, tc.want, strings.Join(strings.Fields(out.String())[1:], " "), "%s %s", tc.args, source)
		}
	}
	told := refused(t, cli.ExitUsage, "--from", "3s", "--to", "2s", dir)
	assert.Contains(t, told, "--to 2s is before --from 3s")
}

// TestTailOfJoinedRecordings names the time of all of them, in whatever order they come.
func TestTailOfJoinedRecordings(t *testing.T) {
	older, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	newer, err := os.ReadFile(clitest.File("jdk17-profile.jfr"))
	require.NoError(t, err)
	for _, joined := range [][]byte{slices.Concat(older, newer), slices.Concat(newer, older), slices.Concat(older, newer, older)} {
		var told bytes.Buffer
		a := &cli.App{Root: clitest.Verbs(New), Stdin: bytes.NewReader(joined), Stdout: io.Discard, Stderr: &told}
		require.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"tail", "--utc", "--from", "10h", "-"}), told.String())
		assert.Contains(t, told.String(), "; the recording runs from 2026-11-21 00:48:59.201 to 2026-11-21 00:49:13.827\n")
	}
}

// refused runs mjfr tail, which must fail, and returns what it said.
func refused(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, out, told := mjfrCommand(t, append([]string{"tail"}, args...)...)
	require.Equal(t, want, code, told)
	require.Empty(t, out)
	return told
}

func TestTailRowsOfOneType(t *testing.T) {
	want := output(t, "print", "--csv", "--order", "file", "--events", "CPULoad", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, want, tailed(t, "--csv", "--events", "CPULoad", clitest.File("jdk25-profile.jfr")))
	assert.Equal(t, want, tailed(t, "--csv", "--where", "machineTotal>=0", clitest.File("jdk25-profile.jfr")))
	_, none, told := mjfrCommand(t, "tail", "--tsv", "--events", "ZPageAllocation", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "mjfr tail: no jdk.ZPageAllocation events: the recording has those of 1 ms and more; record with jdk.ZPageAllocation#threshold=0ms for all\n", told)
	assert.Regexp(t, "^startTime\t[^\n]*\n$", none, "no event, and one type: titles alone")
	code, out, _ := mjfrCommand(t, "tail", "--tsv", "--events", "NoSuch*", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, out, "nobody knows the columns")
	told = refused(t, cli.ExitUsage, "--csv", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, told, "events of several types have different columns: ")
	assert.Contains(t, told, "give one type by --events, or the columns by --fields")
	told = refused(t, cli.ExitUsage, "--csv", "--events", "CPULoad,ZPageAllocation", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, told, "jdk.CPULoad and jdk.ZPageAllocation", "nobody knows whether there will be events of both")
}

// TestTailRowsOfATypeThatComes has a type in the second chunk that the first has not.
func TestTailRowsOfATypeThatComes(t *testing.T) {
	chunk := func(names ...string) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		for i, name := range names {
			b.Emit(b.Event(name, jfrtest.Of("n", "int")), 0, i)
		}
		return b
	}
	data, _ := jfrtest.Concat(chunk("other.Other"), chunk("test.One", "other.Other"), chunk("test.Two", "test.One"))
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	code, out, told := mjfrCommand(t, "tail", "--csv", "--events", "test.*", path)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Equal(t, 2, strings.Count(out, "\n"), "titles, and one row: %s", out)
	assert.Contains(t, told, "no event type so far matches --events test.*\n")
	assert.Contains(t, told, "events of several types have different columns: test.One and test.Two")
	code, out, told = mjfrCommand(t, "tail", "--csv", "--events", "test.One", path)
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 3, strings.Count(out, "\n"), out)
	assert.Empty(t, told, "the type has come")
	code, out, told = mjfrCommand(t, "tail", "--csv", "--events", "test.Four", path)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Empty(t, out)
	assert.Contains(t, told, "no event type so far matches --events test.Four")
	assert.Equal(t, 2, strings.Count(told, "\n"), "once: %s", told)
}

// TestTailTellsOfMistakes prints what it can, and reports mistakes at the end: what is
// missing may still come.
func TestTailTellsOfMistakes(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
		some bool // that events are printed
	}{
		{[]string{"--events", "CPULaod"}, "no event type so far matches --events CPULaod; did you mean jdk.CPULoad?", false},
		{[]string{"--events", "CPULoad,NoSuchThing"}, "no event type so far matches --events NoSuchThing\n", true},
		{[]string{"--categories", "GG"}, "no event type so far matches --categories GG; did you mean GC", false},
		{[]string{"--where", "durtion>1ms"}, "has a field durtion; did you mean duration?", false},
		{[]string{"--events", "CPULoad", "--where", "duration>1ms"}, "condition duration>1ms: no event type that is selected has a field duration", false},
		{[]string{"--csv", "--fields", "startTime,machinTotal", "--events", "CPULoad"}, "type jdk.CPULoad has no field machinTotal", true},
	} {
		for _, source := range []string{clitest.File("jdk25-profile.jfr"), clitest.File("jdk17-profile.jfr")} {
			code, out, told := mjfrCommand(t, append([]string{"tail", source}, tc.args...)...)
			assert.Equal(t, cli.ExitUsage, code)
			assert.Contains(t, told, tc.want)
			assert.Equal(t, 2, strings.Count(told, "\n"), told)
			assert.Equal(t, tc.some, strings.Count(out, "\n") > 1, out)
		}
	}
}

func TestTailLook(t *testing.T) {
	dir := clitest.Repository(t)
	clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0}).Finish(true)
	assert.Contains(t, tailed(t, dir), "startTime = 23:30:00.000 (2026-05-01)")
	assert.Contains(t, tailed(t, "--utc", dir), "startTime = 21:30:00.000 (2026-05-01)")
	assert.Contains(t, tailed(t, "--ndjson", dir), `"startTime":"2026-05-01T21:30:00.000000000Z"`)
	frames := func(args ...string) (most int) {
		rows, err := csv.NewReader(strings.NewReader(tailed(t, append(args, "--csv", "--fields", "stackTrace", clitest.File("jdk25-profile.jfr"))...))).ReadAll()
		require.NoError(t, err)
		for _, row := range rows[1:] {
			most = max(most, 1+strings.Count(row[0], ";"))
		}
		return most
	}
	assert.Equal(t, 2, frames("--stack-depth", "2"))
	assert.Equal(t, 512, frames(), "all of them")
}

func TestTailRefusesWrongUsage(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "name a process, a directory, a file or -, as in mjfr tail 4711"},
		{[]string{"a", "b"}, "tail takes one source, not 2"},
		{[]string{"--from", "now", "x.jfr"}, "--from now has nothing to print without -f"},
		{[]string{"--json", "--xml", "x.jfr"}, "only one format can be specified at a time"},
		{[]string{"--limit", "-1", "x.jfr"}, "--limit cannot be \"-1\": it must be 1 or more"},
		{[]string{"--where", "duration>", "x.jfr"}, `condition "duration>", character 10: a value is missing`},
		{[]string{"--fields", "duration", "x.jfr"}, "--fields is for --ndjson, --csv and --tsv"},
		{[]string{"--tail", "-3", "x.jfr"}, "--tail cannot be \"-3\": it must be 1 or more"},
		{[]string{"--from", "soon", clitest.File("jdk25-profile.jfr")}, `"soon" is not a point in time`},
		{[]string{"--from", "soon", clitest.File("")}, `"soon" is not a point in time`},
		{[]string{"--to", "soon", "-"}, `"soon" is not a point in time`},
		{[]string{"--from", "3s", "--to", "2s", clitest.File("jdk25-profile.jfr")}, "--to 2s is before --from 3s"},
		{[]string{"--from", "-3s", "--to", "-4s", "-"}, "--to -4s is before --from -3s"},
	} {
		assert.Contains(t, refused(t, cli.ExitUsage, tc.args...), "mjfr tail: "+tc.want)
	}
	told := refused(t, cli.ExitData, "--csv", "--fields", "a..b", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, told, "a field name is missing")
}

// TestTailOfWhatCannotBeFollowed says what to do.
func TestTailOfWhatCannotBeFollowed(t *testing.T) {
	temp := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(temp, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	gzip := file("a.jfr.gz", "\x1f\x8b\x08\x00")
	zip := file("a.zip", "PK\x03\x04")
	page := file("a.html", "<!doctype html>")
	folder := filepath.Join(temp, "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for source, want := range map[string]string{
		filepath.Join(temp, "no.jfr"): "no.jfr: no such file; check the path",
		gzip:                          gzip + ": it is not a Flight Recorder file, but packed by gzip; unpack it through a pipe, as in gzip -dc FILE | mjfr tail -",
		zip:                           zip + ": it is not a Flight Recorder file, but a zip archive; unpack it through a pipe, as in unzip -p FILE | mjfr tail -",
		page:                          page + ": it is not a Flight Recorder file, but a web page",
		folder:                        folder + ": nothing has been recorded into this directory",
		file("empty.jfr", ""):         "empty.jfr: nothing has been written to this file yet",
	} {
		told := refused(t, cli.ExitData, "--json", source)
		assert.Contains(t, told, want)
		assert.Equal(t, 1, strings.Count(told, "\n"), told)
	}
}

// TestTailOfDamage reports damage, and goes on.
func TestTailOfDamage(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data[:len(data)-100], 0o600))
	code, out, told := mjfrCommand(t, "tail", "--ndjson", path)
	want, printedOut, _ := mjfrCommand(t, "print", "--ndjson", path)
	assert.Equal(t, want, code, told)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "mjfr tail: "+path+": ")
	assert.Equal(t, strings.Count(printedOut, "\n"), strings.Count(out, "\n"))
}

func TestTailIntoABrokenPipe(t *testing.T) {
	for _, args := range [][]string{{"--json"}, {"-f", "--ndjson"}, {"--events", "CPULoad"}} {
		var told bytes.Buffer
		broken := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
		a := &cli.App{Root: clitest.Verbs(New), Stdin: new(bytes.Buffer), Stdout: &clitest.FailingWriter{Left: 100, Err: broken}, Stderr: &told}
		assert.Equal(t, cli.ExitOK, a.Run(t.Context(), append([]string{"tail", clitest.File("jdk25-profile.jfr")}, args...)))
		assert.Empty(t, told.String())
	}
}

// TestTailOfStandardInputThatStops gives up a pipe that nobody writes to any more.
func TestTailOfStandardInputThatStops(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-kinds.jfr"))
	require.NoError(t, err)
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = w.Write(data) }() // and no end
	ctx, cancel := context.WithCancel(t.Context())
	var told bytes.Buffer
	out := &cancelling{after: 100, cancel: cancel}
	a := &cli.App{Root: clitest.Verbs(New), Stdin: r, Stdout: out, Stderr: &told}
	assert.Equal(t, cli.ExitInterrupted, a.Run(ctx, []string{"tail", "--ndjson", "-"}))
	assert.Equal(t, "mjfr: interrupted\n", told.String())
	r.Close()
}

// cancelling cancels when n bytes have been written.
type cancelling struct {
	bytes.Buffer
	after  int
	cancel func()
}

func (c *cancelling) Write(p []byte) (int, error) {
	if c.Len()+len(p) > c.after {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// TestTailTimesAreThoseOfPrint has a zone and a start that a file tells at once.
func TestTailTimesAreThoseOfPrint(t *testing.T) {
	file := clitest.Hour(t, time.Date(2026, 5, 1, 21, 30, 0, 0, time.UTC), 0, 20*time.Minute, 40*time.Minute)
	for _, args := range []string{"--from 23:40", "--from 00:00", "--from 21:40 --utc", "--to 23:55", "--from -25m", "--from 50%", "--from 10m --to 30m"} {
		list := append(strings.Fields(args), file)
		want := printedOffsets(t, list...)
		assert.Less(t, len(want), 3)
		assert.Equal(t, want, offsetsTailed(t, list...), args)
	}
	assert.Equal(t, fmt.Sprint(printedOffsets(t, file)), fmt.Sprint(offsetsTailed(t, file)))
}

// printedOffsets returns where the events begin that mjfr print prints.
func printedOffsets(t *testing.T, args ...string) []string {
	t.Helper()
	out := output(t, append([]string{"print", "--csv", "--fields", "@offset", "--order", "file"}, args...)...)
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")[1:]
}
