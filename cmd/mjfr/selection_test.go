package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/overview"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// selectingVerbs are all verbs that read events, with what makes them print the name of
// the type of each event, or a document with numbers of events.
var selectingVerbs = map[string][]string{
	"print":     {"print", "--tsv", "--fields", "@type"},
	"tail":      {"tail", "--tsv", "--fields", "@type"},
	"events":    {"events"},
	"summary":   {"summary", "--json"},
	"extended":  {"summary", "--json", "--extended"},
	"types":     {"types", "--json"},
	"chunks":    {"chunks", "--json"},
	"constants": {"constants", "--json"},
}

// selectedBy returns how many events of each type a verb selects, or of all types together.
func selectedBy(t *testing.T, verb string, args ...string) map[string]uint64 {
	t.Helper()
	code, out, told := mjfrCommand(t, append(selectingVerbs[verb], args...)...)
	require.Equal(t, cli.ExitOK, code, told)
	counts := make(map[string]uint64)
	switch verb {
	case "print", "tail", "events":
		for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			if cells := strings.Split(line, "\t"); i > 0 && verb == "events" {
				counts[cells[2]]++
			} else if i > 0 {
				counts[line]++
			}
		}
	case "chunks":
		var d overview.ChunksDocument
		require.NoError(t, json.Unmarshal([]byte(out), &d))
		for _, c := range d.Chunks {
			assert.Positive(t, c.Events, "no other chunks are listed")
			counts["all"] += c.Events
		}
	default:
		var d struct{ Types []summary.TypeDocument }
		require.NoError(t, json.Unmarshal([]byte(out), &d))
		for _, typ := range d.Types {
			assert.Positive(t, typ.Count, "no other types are listed")
			counts[typ.Name] += typ.Count
		}
	}
	return counts
}

// reference returns how many events of each type are wanted, by looking at each.
func reference(t *testing.T, files []string, wanted func(ev mmapjfr.Event, start, end time.Time) bool) map[string]uint64 {
	var recs []*mmapjfr.Recording
	var start, end time.Time
	for _, file := range files {
		rec, err := mmapjfr.Open(file)
		require.NoError(t, err)
		t.Cleanup(func() { rec.Close() })
		recs = append(recs, rec)
		if start.IsZero() || rec.Start().Before(start) {
			start = rec.Start()
		}
		if rec.End().After(end) {
			end = rec.End()
		}
	}
	counts := make(map[string]uint64)
	for _, rec := range recs {
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			if wanted(ev, start, end) {
				counts[ev.Type().Name()]++
			}
		}
	}
	return counts
}

func sumOf(counts map[string]uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestOneSelectionOnEveryVerb has each option, and compares each verb with a loop over all
// events.
func TestOneSelectionOnEveryVerb(t *testing.T) {
	simple := func(ev mmapjfr.Event) string { return ev.Type().SimpleName() }
	duration := mmapjfr.Path("duration")
	for i, c := range []struct {
		args   []string
		wanted func(ev mmapjfr.Event, start, end time.Time) bool
	}{
		{[]string{"--events", "jdk.gc*,CLASSLOAD"}, func(ev mmapjfr.Event, _, _ time.Time) bool {
			return strings.HasPrefix(simple(ev), "GC") || simple(ev) == "ClassLoad"
		}},
		{[]string{"--categories", "jvm", "--events", "*LOAD"}, func(ev mmapjfr.Event, _, _ time.Time) bool {
			return strings.HasSuffix(strings.ToLower(simple(ev)), "load") && strings.Contains(strings.Join(ev.Type().Category(), "/"), "Java Virtual Machine")
		}},
		{[]string{"--thread", "#1", "--thread", "G1*"}, func(ev mmapjfr.Event, _, _ time.Time) bool {
			th := ev.Thread()
			return th.JavaThreadID() == 1 || strings.HasPrefix(th.Name(), "G1")
		}},
		{[]string{"--where", "duration > 1ms"}, func(ev mmapjfr.Event, _, _ time.Time) bool {
			return ev.Has(duration) && ev.Timespan(duration) > time.Millisecond
		}},
		{[]string{"--where", "duration BETWEEN 1ms AND 20ms and not @type in (jdk.ThreadPark, jdk.ThreadSleep)"}, func(ev mmapjfr.Event, _, _ time.Time) bool {
			d := ev.Timespan(duration)
			return ev.Has(duration) && d >= time.Millisecond && d <= 20*time.Millisecond && simple(ev) != "ThreadPark" && simple(ev) != "ThreadSleep"
		}},
		{[]string{"--from", "2s", "--to", "-3s"}, func(ev mmapjfr.Event, start, end time.Time) bool {
			return !ev.Start().Before(start.Add(2*time.Second)) && ev.Start().Before(end.Add(-3*time.Second))
		}},
		{[]string{"--from", "50%", "--where", "duration>0ns", "--thread", "main", "--events", "*"}, func(ev mmapjfr.Event, start, end time.Time) bool {
			return !ev.Start().Before(start.Add(end.Sub(start)/2)) && ev.Has(duration) && ev.Timespan(duration) > 0 && ev.Thread().Name() == "main"
		}},
	} {
		for _, files := range [][]string{{clitest.File("jdk25-profile.jfr")}, {clitest.File("jdk25-profile.jfr"), clitest.File("jdk25-chunks.jfr")}} {
			if len(files) > 1 && c.args[0] != "--where" {
				continue // one of the options will do
			}
			want := reference(t, files, c.wanted)
			require.NotEmpty(t, want)
			for j, verb := range slices.Sorted(maps.Keys(selectingVerbs)) {
				if !longtest.Every(i+j, 5) || verb == "tail" && len(files) > 1 || verb == "constants" {
					continue
				}
				got := selectedBy(t, verb, append(c.args, files...)...)
				if verb == "chunks" {
					assert.Equal(t, sumOf(want), got["all"], "%s %s", verb, c.args)
					continue
				}
				assert.Equal(t, want, got, "%s %s", verb, c.args)
			}
		}
	}
}

// TestFirstAndLastOnEveryVerb compares with what print prints of the same files.
func TestFirstAndLastOnEveryVerb(t *testing.T) {
	chunks := clitest.File("jdk25-chunks.jfr")
	for file, list := range map[string][][]string{
		clitest.File("jdk25-profile.jfr"): {{"--tail", "30"}, {"--events", "*GC*", "--limit", "7"}, {"--events", "CPULoad", "--limit", "9223372036854775807"}, {"--events", "CPULoad", "--tail", "9223372036854775807"}},
		chunks:                            {{"--limit", "30"}, {"--tail", "35"}, {"--tail", "30", "--limit", "20"}, {"--limit", "100000"}},
	} {
		for _, limits := range list {
			args := append(limits, file)
			want := selectedBy(t, "print", args...)
			for _, verb := range []string{"summary", "extended", "types"} {
				assert.Equal(t, want, selectedBy(t, verb, args...), "%s %s", verb, args)
			}
			assert.Equal(t, sumOf(want), selectedBy(t, "chunks", args...)["all"], args)
			_, inFile, _ := mjfrCommand(t, append([]string{"print", "--order", "file", "--tsv", "--fields", "startTime,@type"}, args...)...)
			_, listed, _ := mjfrCommand(t, append([]string{"events"}, args...)...)
			require.Equal(t, strings.Count(inFile, "\n"), strings.Count(listed, "\n"))
			for i, line := range strings.Split(inFile, "\n") {
				if _, typ, found := strings.Cut(line, "\t"); i > 0 && found {
					assert.Equal(t, typ, strings.Split(strings.Split(listed, "\n")[i], "\t")[2])
				}
			}
		}
	}
	all := strings.SplitAfter(output(t, "tail", "--ndjson", clitest.File("jdk25-profile.jfr")), "\n")
	all = all[:len(all)-1]
	assert.Equal(t, strings.Join(all[len(all)-9:], ""), output(t, "tail", "--ndjson", "--tail", "9", clitest.File("jdk25-profile.jfr")))
	assert.Equal(t, strings.Join(all[len(all)-9:len(all)-5], ""), output(t, "tail", "--ndjson", "--tail", "9", "--limit", "4", clitest.File("jdk25-profile.jfr")))
	assert.Equal(t, strings.Join(all, ""), output(t, "tail", "--ndjson", "--tail", "99999", clitest.File("jdk25-profile.jfr")))
}

// TestTablesSayWhatIsSelected is about people; tables for programs are tables alone.
func TestTablesSayWhatIsSelected(t *testing.T) {
	for _, verb := range []string{"types", "chunks", "constants"} {
		args := []string{verb, "--events", "cpuload", clitest.File("jdk25-profile.jfr")}
		_, out, told := mjfrCommand(t, append(args, "--color", "always")...)
		assert.Regexp(t, `^Selected: 2 (of 4459 )?events, by --events cpuload\n\n`, out)
		assert.Empty(t, told)
		_, out, told = mjfrCommand(t, args...)
		assert.NotContains(t, out, "elected")
		assert.Empty(t, told)
	}
}

// TestNamesInAnyCase prefers names that fit exactly.
func TestNamesInAnyCase(t *testing.T) {
	b := jfrtest.NewChunk()
	for i, name := range []string{"app.Order", "app.ORDER", "app.Bill"} {
		b.Emit(b.Event(name), int64(i))
	}
	file := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	for filter, want := range map[string]map[string]uint64{
		"Order": {"app.Order": 1}, "ORDER": {"app.ORDER": 1}, "order": {"app.Order": 1, "app.ORDER": 1}, "APP.bill": {"app.Bill": 1},
		"app.O*": {"app.Order": 1, "app.ORDER": 1}, "APP.*": {"app.Order": 1, "app.ORDER": 1, "app.Bill": 1},
	} {
		assert.Equal(t, want, selectedBy(t, "print", "--events", filter, file), filter)
		assert.Equal(t, want, selectedBy(t, "summary", "--events", filter, file), filter)
	}
	for _, filter := range []string{"gc", "Gc", "G*c", "java virtual MACHINE,jvm"} {
		assert.NotEmpty(t, selectedBy(t, "types", "--categories", filter, clitest.File("jdk25-profile.jfr")), filter)
	}
	assert.Equal(t, selectedBy(t, "types", "--categories", "JVM", clitest.File("jdk25-profile.jfr")), selectedBy(t, "types", "--categories", "jvm", clitest.File("jdk25-profile.jfr")))
}

// TestSelectionsThatFitNothing tells why, and what there is, on every verb.
func TestSelectionsThatFitNothing(t *testing.T) {
	for i, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--events", "NoSuch*"}, "no event type of the recording matches --events NoSuch*\n"},
		{[]string{"--events", "Shutdown"}, "no jdk.Shutdown events: the recording has it enabled, and none happened\n"},
		{[]string{"--events", "ZPage*,Shutdown"}, "no jdk.ZPageAllocation events: the recording has those of 1 ms and more"},
		{[]string{"--from", "1h"}, "of 4,459 events none begins at or after --from 1h; the recording runs from 2026-11-21 00:49:16.166 to 2026-11-21 00:49:24.354"},
		{[]string{"--to", "2020-01-01"}, "of 4,459 events none begins before --to 2020-01-01; the recording runs from"},
		{[]string{"--events", "cpuload", "--from", "-1s"}, "of 2 events of jdk.CPULoad none begins at or after --from -1s; the recording runs from 2026-11-21 00:49:16.166 to 2026-11-21 00:49:24.354, and these events begin from 2026-11-21 00:49:17.389 to 2026-11-21 00:49:22.403"},
		{[]string{"--thread", "mian"}, "no thread matches --thread mian; did you mean main?"},
		{[]string{"--thread", "Main"}, "no thread matches --thread Main; did you mean main or "},
		{[]string{"--thread", "#4711", "--thread", "x y"}, "no thread matches --thread '#4711' or --thread 'x y'; mjfr constants FILE Thread lists all, which have"},
		{[]string{"--thread", "main", "--events", "GarbageCollection"}, "none is of a thread that matches --thread main"},
		{[]string{"--events", "cpuload", "--where", "machineTotal > 200%"}, "of 2 events of jdk.CPULoad none matches --where 'machineTotal > 200%'"},
	} {
		for j, verb := range slices.Sorted(maps.Keys(selectingVerbs)) {
			if !longtest.Every(i+j, 3) {
				continue
			}
			args := append([]string{selectingVerbs[verb][0]}, append(c.args, clitest.File("jdk25-profile.jfr"))...)
			code, _, told := mjfrCommand(t, args...)
			assert.Equal(t, cli.ExitOK, code, args)
			if verb != "tail" { // which does not go back to look
				assert.Contains(t, told, c.says, args)
			}
			assert.NotEmpty(t, told, args)
		}
	}
	_, out, _ := mjfrCommand(t, "summary", "--events", "Shutdown", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, out, " Selected: 0 of 4459 events, by --events Shutdown\n")
}

// TestTyposAreWrongUsage has names that there are not, and values that mean nothing.
func TestTyposAreWrongUsage(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	try := func(says string, args ...string) {
		t.Helper()
		code, out, told := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitUsage, code, args)
		if args[0] != "tail" {
			assert.Empty(t, out, args)
		}
		assert.Contains(t, told, says, args)
		assert.Contains(t, told, "--help.\n", args)
	}
	for i, name := range slices.Sorted(maps.Keys(selectingVerbs)) {
		verb := selectingVerbs[name][0]
		for j, c := range []struct {
			says string
			args []string
		}{
			{"matches --events CPULaod; did you mean jdk.CPULoad?", []string{"--events", "CPULaod"}},
			{"matches --events CPULaod", []string{"--events", "CPULoad,CPULaod"}},
			{"matches --categories 'Java Virtul Machine", []string{"--categories", "Java Virtul Machine"}},
			{"did you mean duration?", []string{"--where", "durtion > 1ms"}},
			{"expected AND or OR", []string{"--where", "duration > 1ms with x = 1"}},
			{`"soon" is not a point in time`, []string{"--from", "soon"}},
			{`"12:60" is not a point in time`, []string{"--to", "12:60"}},
			{`--from cannot be "": give a time`, []string{"--from", ""}},
			{"--to 1s is before --from 2s", []string{"--from", "2s", "--to", "1s"}},
			{"--thread #main is not the number of a thread", []string{"--thread", "#main"}},
			{"--thread names no thread", []string{"--thread", ""}},
			{"it must be 1 or more", []string{"--tail", "-1"}},
			{`--limit cannot be "ten"`, []string{"--limit", "ten"}},
			{"is a file; wildcards should be quoted", []string{"--events", file}},
			{"did you mean --thread?", []string{"--thraed", "main"}},
			{"--color cannot be", []string{"--color", "no"}},
		} {
			if !longtest.Every(i+j, 4) {
				continue
			}
			says := strings.ReplaceAll(c.says, "'", "")
			try(says, append(append([]string{verb}, c.args...), file)...)
		}
	}
	for says, args := range map[string][]string{
		"matches --events CPULaod":                           {"metadata", "--events", "CPULaod", file},
		"matches --categories GG":                            {"metadata", "--categories", "GG", file},
		"no type Thraed; did you mean java.lang.T":           {"constants", file, "Thraed"},
		"did you mean machineTotal?":                         {"print", "--csv", "--fields", "machineTotl", file},
		"it has startTime":                                   {"print", "--csv", "--events", "CPULoad", "--fields", "jvm", file},
		"give one type by --events":                          {"print", "--csv", file},
		`--sort cannot be "size"`:                            {"types", "--sort", "size", file},
		`--order cannot be "size"`:                           {"print", "--order", "size", file},
		`--json cannot be "maybe": it must be true or false`: {"types", "--json=maybe", file},
		`"x" is not a position`:                              {"at", file, "x"},
		"unknown verb sumary":                                {"help", "sumary"},
		"unknown verb prnt; did you mean print?":             {"prnt", file},
	} {
		try(says, args...)
	}
}

// TestSelectionsOfDamagedRecordings tell of damage once, and do not take names for typos that
// the damage may have taken away.
func TestSelectionsOfDamagedRecordings(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(cut, data[:4_000], 0o600)) // before any metadata
	for _, words := range selectingVerbs {
		code, _, told := mjfrCommand(t, words[0], "--events", "ActiveSetting", clitest.File("jdk25-killed.jfr"))
		assert.Equal(t, cli.ExitOK, code, words)
		if words[0] != "tail" { // which reads up to the last flush anyway
			assert.Equal(t, 1, strings.Count(told, "unfinished chunk"), "%s: %s", words, told)
		}
		if words[0] == "tail" {
			continue
		}
		code, _, told = mjfrCommand(t, words[0], "--events", "CPULoad", cut)
		assert.Equal(t, cli.ExitData, code, words)
		assert.Contains(t, told, "copy it again, its end is missing; none of its events can be read, ", words)
		assert.NotContains(t, told, "did you mean", words)
		lines := strings.Split(told, "\n")
		slices.Sort(lines)
		assert.Len(t, slices.Compact(lines), strings.Count(told, "\n")+1, told)
	}
}
