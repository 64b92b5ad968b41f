package events

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
var mjfrCommand = clitest.Mjfr(New)

// events runs mjfr events, which must succeed, and returns the fields of each line
// but the first.
func events(t *testing.T, args ...string) (rows [][]string) {
	t.Helper()
	code, out, told := mjfrCommand(t, append([]string{"events"}, args...)...)
	require.Equal(t, cli.ExitOK, code, told)
	assert.Empty(t, told)
	for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		row := strings.Split(line, "\t")
		if i > 0 {
			require.Len(t, row, len(rows[0]))
		}
		rows = append(rows, row)
	}
	return rows[1:]
}

func TestEventsAreListedInTheOrderOfTheFile(t *testing.T) {
	rows := events(t, "--offsets", clitest.File("jdk25-profile.jfr"))
	rec := opentest.File(t, clitest.File("jdk25-profile.jfr"))
	i := 0
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		duration := ""
		if ev.Has(mmapjfr.Path("duration")) {
			duration = strconv.FormatInt(int64(ev.Duration()), 10)
		}
		thread := ev.Thread().Name()
		want := []string{
			fmt.Sprintf("#%d", i), fmt.Sprintf("%#x", ev.Offset()), ev.Start().Format(time.RFC3339Nano), duration, ev.Type().Name(), thread,
		}
		require.Equal(t, want, rows[i][:6])
		i++
	}
	assert.Len(t, rows, i)
}

func TestEventsSayWhatIsMostTelling(t *testing.T) {
	summaries := make(map[string]string)
	for _, row := range events(t, clitest.File("jdk25-profile.jfr")) {
		if _, ok := summaries[row[2]]; !ok {
			summaries[row[2]] = row[4]
		}
	}
	assert.Equal(t, `at jdk.jfr.internal.MetadataWriter.makeSettingElement:189 state="STATE_RUNNABLE"`, summaries["jdk.ExecutionSample"])
	assert.Equal(t, `thread="process reaper" parentThread="main"`, summaries["jdk.ThreadStart"])
	assert.Equal(t, `objectClass=java.lang.StringBuilder allocationSize=24 bytes tlabSize=170.7 kB`, summaries["jdk.ObjectAllocationInNewTLAB"])
	assert.Equal(t, 3, strings.Count(summaries["jdk.GCHeapSummary"], "="), "three things")
	// Three things, the frame among them.
	assert.Equal(t, `at jdk.jfr.internal.periodic.PeriodicEvents.doPeriodic:120 objectClass=java.util.ArrayList weight=92.0 kB`,
		summaries["jdk.ObjectAllocationSample"])
}

func TestEventsWithFilters(t *testing.T) {
	all := events(t, clitest.File("jdk25-profile.jfr"))
	count := func(wants func(row []string) bool) (n int) {
		for _, row := range all {
			if wants(row) {
				n++
			}
		}
		return n
	}
	for _, test := range []struct {
		args  []string
		wants func(row []string) bool
	}{
		{[]string{"--events", "ExecutionSample, jdk.GCPhase*"}, func(row []string) bool {
			return row[2] == "jdk.ExecutionSample" || strings.HasPrefix(row[2], "jdk.GCPhase")
		}},
		{[]string{"--thread", "main"}, func(row []string) bool { return row[3] == "main" }},
		{[]string{"--thread", "main", "--thread", "JFR*"}, func(row []string) bool { return row[3] == "main" || strings.HasPrefix(row[3], "JFR") }},
		{[]string{"--thread", "main", "--events", "ExecutionSample"}, func(row []string) bool {
			return row[3] == "main" && row[2] == "jdk.ExecutionSample"
		}},
	} {
		want := count(test.wants)
		require.Positive(t, want, test.args)
		rows := events(t, append(test.args, clitest.File("jdk25-profile.jfr"))...)
		assert.Len(t, rows, want, test.args)
		for _, row := range rows {
			assert.True(t, test.wants(row), row)
		}
	}
	heap := events(t, "--categories", "GC", clitest.File("jdk25-profile.jfr"))
	require.NotEmpty(t, heap)
	assert.Less(t, len(heap), len(all))
	rec := opentest.File(t, clitest.File("jdk25-profile.jfr"))
	for _, row := range heap {
		typ, ok := rec.Type(row[2])
		require.True(t, ok)
		assert.Contains(t, typ.Category(), "GC")
	}
	code, out, told := mjfrCommand(t, "events", "--events", "NoSuchType*", clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 1, strings.Count(out, "\n"), "the titles")
	assert.Contains(t, told, "no event type of the recording matches --events NoSuchType*\n")
}

func TestEventsEndAtALimit(t *testing.T) {
	all := events(t, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, all[:7], events(t, "--limit", "7", clitest.File("jdk25-profile.jfr")))
	assert.Len(t, events(t, "--limit", "600", clitest.File("jdk25-kinds.jfr"), clitest.File("jdk25-chunks.jfr")), 600)
}

func TestEventsOfSeveralRecordings(t *testing.T) {
	one, two := clitest.File("jdk25-chunks.jfr"), clitest.File("jdk25-kinds.jfr")
	rows := events(t, "--offsets", one, two)
	for i, row := range rows {
		require.Equal(t, fmt.Sprintf("#%d", i), row[1])
	}
	assert.Len(t, rows, len(events(t, one))+len(events(t, two)))
	assert.NotEqual(t, rows[0][0], rows[len(rows)-1][0], "the files")
	assert.Contains(t, []string{one, two}, rows[0][0])
}

func TestEventsOnATerminal(t *testing.T) {
	code, out, _ := mjfrCommand(t, "events", "--color", "always", "--offsets", clitest.File("jdk25-profile.jfr"))
	require.Equal(t, cli.ExitOK, code)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	titles := lines[0]
	for _, title := range []string{"Ordinal", "Offset", "Time", "Duration", "Type", "Thread", "Summary"} {
		assert.Contains(t, titles, title)
	}
	assert.NotContains(t, out, "\t")
	at := strings.Index(titles, "Summary")
	for _, line := range lines[1:] {
		if runewidth.StringWidth(line) <= at {
			continue
		}
		before := runewidth.Truncate(line, at, "")
		require.True(t, strings.HasSuffix(before, "  "), "%s", line)
		require.NotEqual(t, " ", line[len(before):len(before)+1], "%s", line)
	}
	cut := Align(Columns, []terminal.Cell{{}, {}, {Text: strings.Repeat("T", 50)}, {}, {Text: "x\x1b"}}, 70)
	assert.Equal(t, 70, runewidth.StringWidth(cut+strings.Repeat(" ", 70-runewidth.StringWidth(cut))))
	assert.Contains(t, cut, strings.Repeat("T", 27)+"…")
	assert.NotContains(t, cut, "\x1b")
	assert.Equal(t, 40, runewidth.StringWidth(Align(Columns, titleCells(Columns), 40)))
}

func TestEventsForProgramsAreOneLineEach(t *testing.T) {
	cells := []terminal.Cell{terminal.Plain("a\tb\n"), terminal.Plain(`\`), {Text: "shown", Raw: "raw"}}
	assert.Equal(t, `a\tb\n`+"\t"+`\\`+"\traw", separateCells(cells))
}

func TestEventsTellOfDamage(t *testing.T) {
	code, out, told := mjfrCommand(t, "events", clitest.File("jdk25-live.jfr"))
	assert.Equal(t, cli.ExitOK, code, "it is only not finished")
	assert.Contains(t, told, "unfinished chunk")
	assert.NotEmpty(t, out)
}

func TestEventsMisused(t *testing.T) {
	for _, args := range [][]string{{}, {"--events", ",", clitest.File("jdk25-kinds.jfr")}, {"--categories", " , ", clitest.File("jdk25-kinds.jfr")}, {"--limit", "x", clitest.File("jdk25-kinds.jfr")}} {
		code, _, told := mjfrCommand(t, append([]string{"events"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, "%q", args)
		assert.NotEmpty(t, told)
	}
}

func TestEventsEndWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	written := 0
	out := clitest.OnWrite(func(text string) {
		cancel()
		written += len(text)
	})
	var told bytes.Buffer
	a := &cli.App{Root: clitest.Verbs(New), Stdin: strings.NewReader(""), Stdout: out, Stderr: &told}
	assert.Equal(t, cli.ExitInterrupted, a.Run(ctx, []string{"events", clitest.File("jdk25-profile.jfr")}))
	_, all, _ := mjfrCommand(t, "events", clitest.File("jdk25-profile.jfr"))
	assert.Less(t, written, len(all)/2)
}

func TestEventsEndWhenNobodyReads(t *testing.T) {
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	var told bytes.Buffer
	a := &cli.App{Root: clitest.Verbs(New), Stdin: strings.NewReader(""), Stdout: w, Stderr: &told}
	assert.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"events", clitest.File("jdk25-profile.jfr")}))
	assert.Empty(t, told.String())
}
