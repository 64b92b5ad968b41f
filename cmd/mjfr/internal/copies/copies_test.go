package copies_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/copies"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/print"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	verifying "github.com/mmapjfr/jfr/mmapjfr/verify"
)

// mjfr runs mjfr with the verbs that the tests use.
var mjfr = clitest.Mjfr(copies.NewScrub, copies.NewSlice, copies.NewMerge, copies.NewAssemble, copies.NewDisassemble,
	copies.NewCompact, copies.NewConvert, print.New)

// output runs mjfr, which must succeed without a word on standard error.
var output = mjfr.Output()

// events returns the events of a file as NDJSON, those that options select.
func events(t *testing.T, file string, options ...string) string {
	t.Helper()
	return output(t, append(append([]string{"print", "--ndjson"}, options...), file)...)
}

// data returns a recording of testdata.
func data(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(clitest.File(name))
	require.NoError(t, err)
	return b
}

// folder is a folder for the files of a test.
func folder(t *testing.T) func(name string) string {
	dir := t.TempDir()
	return func(name string) string { return filepath.Join(dir, name) }
}

func TestScrub(t *testing.T) {
	at := folder(t)
	require.NoError(t, os.WriteFile(at("app.jfr"), data(t, "jdk25-chunks.jfr"), 0o600))
	// What the JDK 25 says, but for the settings.
	assert.Equal(t, `Scrubbed recording file written to:
`+at("app-scrubbed.jfr")+`
Removed events:
gen.Chunks$Always     66/66
gen.Chunks$FromSecond   2/2
`, output(t, "scrub", "--include-events", "gen.Chunks$OnlyFirst", at("app.jfr")))
	assert.Equal(t, 1, strings.Count(events(t, at("app-scrubbed.jfr")), "\n"))
	scrubbed, err := os.ReadFile(at("app-scrubbed.jfr"))
	require.NoError(t, err)
	assert.NotContains(t, string(scrubbed), "FromSecond", "it is gone")

	code, stdout, stderr := mjfr(t, "scrub", "--exclude-events", "Nope", at("app.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, at("app-scrubbed.jfr")+": it exists; use --force to replace it")
	assert.Empty(t, stdout)
	assert.Equal(t, "Warning, no event type matched filter: Nope\nWarning, no event type matched category filter: No,None\nScrubbed recording file written to:\n"+
		at("x.jfr")+"\nNo events removed.\n", output(t, "scrub", "--exclude-events", "Nope", "--exclude-categories", "No,None", at("app.jfr"), at("x.jfr")))
	copied, err := os.ReadFile(at("x.jfr"))
	require.NoError(t, err)
	assert.Equal(t, data(t, "jdk25-chunks.jfr"), copied)

	code, _, stderr = mjfr(t, "scrub", "--include-threads", "nobody", at("app.jfr"), at("y.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "no event is left to write")
	assert.NoFileExists(t, at("y.jfr"))
}

func TestScrubThreads(t *testing.T) {
	at := folder(t)
	file := clitest.File("jdk25-profile.jfr")
	output(t, "scrub", "--exclude-threads", "main,conten*", file, at("x.jfr"))
	kept := events(t, at("x.jfr"))
	of := regexp.MustCompile(`"(?:eventThread|sampledThread|thread)":\{"name":"(?:main|conten[^"]*)"`)
	assert.Equal(t, regexp.MustCompile(`(?m)^.*`+of.String()+`.*\n`).ReplaceAllString(events(t, file), ""), kept)
	assert.Contains(t, kept, "jdk.BooleanFlag", "events without a thread stay")

	output(t, "scrub", "--include-threads", "main", file, at("y.jfr"))
	assert.Equal(t, events(t, file, "--where", "@thread = 'main'"), events(t, at("y.jfr")))
}

func TestSlice(t *testing.T) {
	at := folder(t)
	file := clitest.File("jdk25-profile.jfr")
	for _, options := range [][]string{
		{"--from", "2s", "--to", "4s"}, {"--from", "-3s"}, {"--events", "GC*,ThreadSleep"}, {"--thread", "conten*", "--to", "80%"},
		{"--where", "@duration > 5ms"}, {"--categories", "GC"},
	} {
		told := output(t, append(append([]string{"slice", "--only", "--force"}, options...), file, at("x.jfr"))...)
		assert.Regexp(t, `^`+regexp.QuoteMeta(at("x.jfr"))+`: [\d,]+ bytes in 1 chunk, of 573,690 bytes in 1 chunk: \d+\.\d %\n$`, told)
		assert.Equal(t, events(t, file, options...), events(t, at("x.jfr")), options)
	}
	output(t, "slice", "--events", "*", file, at("all.jfr"))
	all, err := os.ReadFile(at("all.jfr"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data(t, "jdk25-profile.jfr"), all), "it is copied")
	output(t, "slice", "--events", "ThreadSleep", file, at("y.jfr"))
	assert.Contains(t, events(t, at("y.jfr")), "jdk.JVMInformation")

	code, stdout, stderr := mjfr(t, "slice", "--from", "1h", file, at("z.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "of 4,459 events none begins at or after --from 1h")
	assert.Contains(t, stderr, at("z.jfr")+": nothing was written")
	assert.NoFileExists(t, at("z.jfr"))
}

// TestSliceOfSeveralJVMs: the JDK's reader takes types, constants and the clock of one chunk for those of others. So no chunk
// of several virtual machines is copied as it is.
func TestSliceOfSeveralJVMs(t *testing.T) {
	at := folder(t)
	joined := clitest.File("concat-jdk17-jdk25.jfr")
	for _, verb := range [][]string{{"slice", "--from", "0%"}, {"scrub", "--exclude-events", "none"}} {
		output(t, append(verb, "--force", joined, at("copy.jfr"))...)
		copied := opentest.File(t, at("copy.jfr"))
		names := make(map[int64]string)
		for _, c := range copied.Chunks() {
			assert.EqualValues(t, 1_000_000_000, engine.ChunkTicksPerSecond(c))
			types, err := c.Types()
			require.NoError(t, err)
			for _, typ := range types {
				was, known := names[typ.ID()]
				assert.True(t, !known || was == typ.Name(), "%d is %s and %s", typ.ID(), was, typ.Name())
				names[typ.ID()] = typ.Name()
			}
		}
		assert.Equal(t, strings.Count(events(t, joined), "\n"), strings.Count(events(t, at("copy.jfr")), "\n"))
	}
}

// TestVerify has a damaged event in a chunk that stays. It is copied with the others, unless events are looked at first.
func TestVerify(t *testing.T) {
	at := folder(t)
	chunk := func(texts ...any) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		ty := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
		for i, text := range texts {
			b.Emit(ty, 1_000_500+i, text)
		}
		return b
	}
	recording, _ := jfrtest.Concat(chunk("a", "b"), chunk("c", jfrtest.Encoding(77), "d"), chunk("e"))
	require.NoError(t, os.WriteFile(at("app.jfr"), recording, 0o600))
	for _, verb := range [][]string{
		{"slice", "--from", "0%"}, {"slice", "--events", "test.*"}, {"scrub", "--exclude-events", "none"}, {"merge"}, {"assemble"}, {"disassemble", "--max-size", "1kB"},
	} {
		for _, verify := range []bool{false, true} {
			out := at("copies")
			require.NoError(t, os.MkdirAll(out, 0o700))
			args := append(verb, at("app.jfr"), filepath.Join(out, "0.jfr"))
			switch verb[0] {
			case "disassemble":
				args = append(verb, "--output", out, at("app.jfr"))
			case "assemble":
				args = append(verb, at("."), filepath.Join(out, "0.jfr"))
			}
			if verify {
				args = append(args, "--verify")
			}
			code, _, stderr := mjfr(t, args...)
			rec, err := input.Open(t.Context(), []string{out}, input.Options{})
			require.NoError(t, err)
			found := 0
			for _, rec := range rec.Recordings {
				report, err := verifying.Check(t.Context(), rec)
				require.NoError(t, err)
				found += int(report.Count(verifying.Error))
			}
			if verify {
				assert.Equal(t, cli.ExitData, code, args)
				assert.NotEmpty(t, stderr, args)
				assert.Zero(t, found, args)
				assert.Equal(t, 5, strings.Count(events(t, out), "\n"), args)
			} else {
				assert.Equal(t, cli.ExitOK, code, stderr)
				assert.Equal(t, 1, found, args)
			}
			require.NoError(t, rec.Close())
			require.NoError(t, os.RemoveAll(out))
		}
	}
}

// TestDisassembleSeveralJVMs makes files that the JDK reads of one in which chunks of several virtual machines follow one another.
func TestDisassembleSeveralJVMs(t *testing.T) {
	at := folder(t)
	all := clitest.File("concat-jdk17-jdk25.jfr")
	output(t, "disassemble", "--max-size", "1GB", "--max-chunks", "1", "--output", at("."), all)
	want, err := os.ReadFile(all)
	require.NoError(t, err)
	var got []byte
	for _, name := range []string{"concat-jdk17-jdk25_0.jfr", "concat-jdk17-jdk25_1.jfr"} {
		part, err := os.ReadFile(at(name))
		require.NoError(t, err)
		got = append(got, part...)
	}
	assert.True(t, bytes.Equal(want, got), "parts of one machine are copied")
}

func TestJSONAndStandardOutput(t *testing.T) {
	at := folder(t)
	file := clitest.File("jdk17-chunks.jfr")
	var d struct {
		Out           string
		Before, After struct{ Bytes, Chunks int }
		MadeChunks    int
	}
	require.NoError(t, json.Unmarshal([]byte(output(t, "compact", "--json", file, at("x.jfr"))), &d))
	assert.Equal(t, at("x.jfr"), d.Out)
	assert.Less(t, d.After.Bytes, d.Before.Bytes)
	assert.Equal(t, 3, d.MadeChunks)
	assert.Equal(t, 2, d.After.Chunks)

	code, stdout, stderr := mjfr(t, "compact", file, "-")
	assert.Equal(t, cli.ExitOK, code)
	want, err := os.ReadFile(at("x.jfr"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, []byte(stdout)))
	assert.Regexp(t, `^standard output: `, stderr)
	if _, err := os.Stat("/dev/full"); err == nil {
		code, _, stderr = mjfr(t, "compact", file, "/dev/full")
		assert.Equal(t, cli.ExitData, code)
		assert.Contains(t, stderr, "/dev/full: no space left on device")
	}
	code, _, stderr = mjfr(t, "compact", "--force", at("x.jfr"), at("x.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "a recording cannot be written in place")
}

func TestMerge(t *testing.T) {
	at := folder(t)
	one, two := clitest.File("jdk17-profile.jfr"), clitest.File("jdk25-profile.jfr")
	told := output(t, "merge", one, two, at("x.jfr"))
	assert.Regexp(t, `^JVM 1: process \d+, started [-0-9 :]+ \(UTC\), 1 chunk of .*\nJVM 2: process .*\n.*: [\d,]+ bytes in 2 chunks, of `, told)
	assert.Regexp(t, `"eventThread":\{"name":"\[\d+\] main"`, events(t, at("x.jfr")))
	output(t, "merge", "--label", "file", one, two, at("y.jfr"))
	assert.Contains(t, events(t, at("y.jfr")), `"eventThread":{"name":"[jdk17-profile] main"`)
	output(t, "merge", "--label", "none", one, two, at("z.jfr"))
	assert.Contains(t, events(t, at("z.jfr")), `"eventThread":{"name":"main"`)
	names := regexp.MustCompile(`"name":"\[jdk\d\d-profile\] `)
	assert.Equal(t, events(t, at("z.jfr")), names.ReplaceAllString(events(t, at("y.jfr")), `"name":"`))
}

func TestAssembleAndDisassemble(t *testing.T) {
	at := folder(t)
	whole := data(t, "jdk25-chunks.jfr")
	require.NoError(t, os.WriteFile(at("app.jfr"), whole, 0o600))
	require.NoError(t, os.Mkdir(at("parts"), 0o700))
	want := "\nExamining recording " + at("app.jfr") + " ...\n\nFile consists of 3 chunks. The recording will be split into 3 files\n\n" +
		"Writing " + at("parts/app_0.jfr") + " ... 120882\nWriting " + at("parts/app_1.jfr") + " ... 121204\nWriting " + at("parts/app_2.jfr") + " ... 120785\n"
	assert.Equal(t, want, output(t, "disassemble", "--max-chunks", "1", "--output", at("parts"), at("app.jfr")))
	code, _, stderr := mjfr(t, "disassemble", "--max-chunks", "2", "--output", at("parts"), at("app.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, at("parts/app_0.jfr")+": it exists; use --force to replace it")

	require.NoError(t, os.WriteFile(at("parts/none.jfr"), nil, 0o600))
	assert.Equal(t, "\nAssembling files... \n\n "+at("parts/app_0.jfr")+"\n "+at("parts/app_1.jfr")+"\n "+at("parts/app_2.jfr")+"\n\nFinished.\n",
		output(t, "assemble", at("parts"), at("again.jfr")))
	again, err := os.ReadFile(at("again.jfr"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(whole, again))

	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"disassemble", at("app.jfr")}, "number of chunks in recording (3) doesn't exceed max chunks (5)"},
		{[]string{"disassemble", "--output", at("nowhere"), at("app.jfr")}, "directory does not exist, " + at("nowhere")},
		{[]string{"assemble", at("nowhere"), at("x.jfr")}, "directory does not exist, " + at("nowhere")},
		{[]string{"assemble", at("app.jfr"), at("x.jfr")}, "path must be directory, " + at("app.jfr")},
		{[]string{"assemble", t.TempDir(), at("x.jfr")}, "no *.jfr files found at "},
		{[]string{"assemble", at("parts"), at("again.jfr")}, "it exists"},
	} {
		code, _, stderr := mjfr(t, c.args...)
		assert.Equal(t, cli.ExitData, code, c.args)
		assert.Contains(t, stderr, c.says)
	}
	assert.Contains(t, output(t, "disassemble", "--max-size", "1MB", at("app.jfr")), "File size (362871) does not exceed max size (1048576)")
}

func TestAssembleAmongOtherFiles(t *testing.T) {
	at := folder(t)
	require.NoError(t, os.WriteFile(at("a.jfr"), data(t, "jdk25-chunks.jfr"), 0o600))
	require.NoError(t, os.WriteFile(at("b.jfr"), []byte("some notes"), 0o600))
	require.NoError(t, os.Mkdir(at("c.jfr"), 0o700))
	code, stdout, stderr := mjfr(t, "assemble", at("."), at("out"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "\nAssembling files... \n\n "+at("a.jfr")+"\n\nFinished.\n", stdout)
	assert.Contains(t, stderr, at("b.jfr")+": it is not a recording, and was left out")
}

// TestDisassembleThatFails keeps the files that were there before.
func TestDisassembleThatFails(t *testing.T) {
	at := folder(t)
	require.NoError(t, os.WriteFile(at("app.jfr"), data(t, "jdk25-chunks.jfr"), 0o600))
	require.NoError(t, os.WriteFile(at("app_0.jfr"), []byte("mine"), 0o600))
	require.NoError(t, os.Mkdir(at("app_2.jfr"), 0o700))
	code, _, stderr := mjfr(t, "disassemble", "--force", "--max-chunks", "1", "--output", at("."), at("app.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, at("app_2.jfr")+": it is a folder")
	mine, err := os.ReadFile(at("app_0.jfr"))
	require.NoError(t, err)
	assert.Equal(t, "mine", string(mine))
	assert.NoFileExists(t, at("app_1.jfr"))
}

// TestMergeOfPartsOfOneJVM has no event that says of which process the parts are.
func TestMergeOfPartsOfOneJVM(t *testing.T) {
	at := folder(t)
	file := clitest.File("jdk25-chunks.jfr")
	output(t, "disassemble", "--max-chunks", "1", "--output", at("."), file)
	told := output(t, "merge", at("jdk25-chunks_2.jfr"), at("jdk25-chunks_0.jfr"), at("jdk25-chunks_1.jfr"), at("x.jfr"))
	assert.Contains(t, told, "JVM 1: 3 chunks of ")
	merged, err := os.ReadFile(at("x.jfr"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data(t, "jdk25-chunks.jfr"), merged))
}

func TestModeOfAFileThatIsReplaced(t *testing.T) {
	at := folder(t)
	require.NoError(t, os.WriteFile(at("x.jfr"), nil, 0o600))
	output(t, "compact", "--force", clitest.File("jdk25-chunks.jfr"), at("x.jfr"))
	info, err := os.Stat(at("x.jfr"))
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
}

// TestModeOfAPrivateRecording copies one that others may not read.
func TestModeOfAPrivateRecording(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	at := folder(t)
	require.NoError(t, os.WriteFile(at("private.jfr"), data(t, "jdk25-chunks.jfr"), 0o640))
	require.NoError(t, os.Chmod(at("private.jfr"), 0o440))
	output(t, "compact", at("private.jfr"), at("x.jfr"))
	output(t, "merge", clitest.File("jdk17-kinds.jfr"), at("private.jfr"), at("y.jfr"))
	output(t, "compact", clitest.File("jdk17-kinds.jfr"), at("z.jfr"))
	for name, most := range map[string]os.FileMode{"x.jfr": 0o640, "y.jfr": 0o640, "z.jfr": 0o666} {
		info, err := os.Stat(at(name))
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&^most, "%s: %v", name, info.Mode())
		assert.EqualValues(t, 0o600, info.Mode().Perm()&0o600)
	}
}

func TestAssembleAKilledJVM(t *testing.T) {
	at := folder(t)
	require.NoError(t, os.Mkdir(at("repository"), 0o700))
	require.NoError(t, os.WriteFile(at("repository/2026_11_21.jfr"), data(t, "jdk25-killed.jfr"), 0o600))
	code, _, stderr := mjfr(t, "assemble", at("repository"), at("x.jfr"))
	assert.Equal(t, cli.ExitOK, code, stderr)
	code, all, _ := mjfr(t, "print", "--ndjson", at("repository/2026_11_21.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, all, events(t, at("x.jfr")))
}

func TestDisassembleEvery(t *testing.T) {
	at := folder(t)
	file := clitest.File("jdk25-profile.jfr")
	told := output(t, "disassemble", "--every", "2500ms", "--output", at("."), file)
	assert.Equal(t, 4, strings.Count(told, "Writing "))
	sleeps := ""
	for _, name := range []string{"jdk25-profile_0.jfr", "jdk25-profile_1.jfr", "jdk25-profile_2.jfr", "jdk25-profile_3.jfr"} {
		_, some, _ := mjfr(t, "print", "--ndjson", "--events", "ThreadSleep", at(name)) // one has none
		sleeps += some
		assert.Contains(t, events(t, at(name)), "jdk.JVMInformation")
	}
	assert.ElementsMatch(t, strings.SplitAfter(events(t, file, "--events", "ThreadSleep"), "\n"), strings.SplitAfter(sleeps, "\n"))
}

func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"slice", "app.jfr", "x.jfr"}, "say which events to keep"},
		{[]string{"slice", "--limit", "3", "app.jfr", "x.jfr"}, "slice has no --limit and --tail"},
		{[]string{"slice", "--from", "1s", "app.jfr"}, "name a recording and the file to write"},
		{[]string{"scrub"}, "name a recording"},
		{[]string{"scrub", "-"}, "name a file to write, or - for standard output"},
		{[]string{"scrub", "--include-events", ",", "app.jfr"}, `the filter "," has no names`},
		{[]string{"scrub", "a.jfr", "b.jfr", "c.jfr"}, "scrub takes a recording and a file to write, not 3 files"},
		{[]string{"compact", "--chunk-size", "big", "a.jfr", "b.jfr"}, `--chunk-size cannot be "big"`},
		{[]string{"compact", "--chunk-size", "2GB", "a.jfr", "b.jfr"}, "chunks can be at most 1GB"},
		{[]string{"compact", "--chunk-size", "1kB", "a.jfr", "b.jfr"}, "chunks must be at least 64kB"},
		{[]string{"compact", "--json", "a.jfr", "-"}, "both write to standard output"},
		{[]string{"convert", "--to", "1.0", "a.jfr", "b.jfr"}, "the format that can be written is 2.1"},
		{[]string{"convert", "--integers", "short", "a.jfr", "b.jfr"}, "it must be compressed or uncompressed"},
		{[]string{"merge", "--label", "colour", "a.jfr", "b.jfr"}, "it must be pid, file or none"},
		{[]string{"assemble", "a"}, "name the folder and the file to write"},
		{[]string{"disassemble", "--max-chunks", "0", "a.jfr"}, "max chunks must be at least 1"},
		{[]string{"disassemble", "--every", "0s", "a.jfr"}, "give a length of time"},
		{[]string{"disassemble", "--every", "1s", "--max-size", "1MB", "a.jfr"}, "--every cannot be combined with"},
	} {
		code, stdout, stderr := mjfr(t, c.args...)
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, c.says)
	}
}
