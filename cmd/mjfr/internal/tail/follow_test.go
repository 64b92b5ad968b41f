package tail

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// numbers print just the number of each event.
var numbers = []string{"--tsv", "--fields", "n", "--events", "Tick"}

// TestTailFollowsARepository prints what each flush has as it comes, from chunk to chunk,
// and ends by itself.
func TestTailFollowsARepository(t *testing.T) {
	dir := clitest.Repository(t)
	first := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{3, 2}, []int{4})
	first.Flush()
	run := startTail(t, append(numbers, "-f", "--from", "start", dir)...)
	run.expect("n", "0", "1")
	first.Flush()
	run.expect("2", "3") // in the order in which they ended
	second := clitest.NewChunk(t, filepath.Join(dir, "2.jfr"), []int{5}, []int{6, 7})
	first.Finish(false)
	run.expect("4")
	second.Flush()
	run.expect("5")
	second.Finish(true)
	run.expect("6", "7")
	run.ends(cli.ExitOK)
	assert.Empty(t, run.stderr.String())
}

// TestTailFollowsFromNow is about what was there before, which is only printed if it is
// asked for.
func TestTailFollowsFromNow(t *testing.T) {
	for _, args := range [][]string{{"-f"}, {"--follow", "--from", "now"}} {
		dir := clitest.Repository(t)
		chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{2, 3}, []int{4})
		chunk.Flush()
		run := startTail(t, append(args, "--wait", "--tsv", "--fields", "n", "--events", "Tick,NoSuch", dir)...)
		run.told("no event type so far matches --events NoSuch") // so it has begun
		chunk.Flush()
		run.expect("n", "2", "3")
		chunk.Finish(true)
		run.expect("4")
		run.ends(cli.ExitOK)
	}
}

// TestTailFollowsAFile begins at its start, as there is nothing else to be seen of it.
func TestTailFollowsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.jfr")
	chunk := clitest.NewChunk(t, path, []int{0}, []int{1}, []int{2})
	chunk.Flush()
	run := startTail(t, append(numbers, "-f", path)...)
	run.expect("n", "0")
	chunk.Flush()
	run.expect("1")
	chunk.Finish(true)
	run.expect("2")
	run.ends(cli.ExitOK)
}

// TestTailDoesNotFollow ends at what has been flushed.
func TestTailDoesNotFollow(t *testing.T) {
	base := clitest.Repository(t)
	dir := filepath.Join(base, "2026_05_01_21_30_00_1")
	require.NoError(t, os.Mkdir(dir, 0o700))
	path := filepath.Join(dir, "1.jfr")
	clitest.NewChunk(t, path, []int{0, 1}, []int{2}, []int{3}).Flush()
	for _, source := range []string{path, dir, base} {
		run := startTail(t, append(numbers, source)...)
		run.expect("n", "0", "1")
		run.ends(cli.ExitOK)
	}
}

// TestTailInterrupted ends documents as they have to.
func TestTailInterrupted(t *testing.T) {
	for _, format := range []string{"--json", "--xml", "--ndjson", "--exact"} {
		dir := clitest.Repository(t)
		chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{2})
		chunk.Flush()
		run := startTail(t, format, "-f", "--from", "start", "--events", "Tick", dir)
		require.True(t, run.lines.Scan())
		out := run.lines.Text() + "\n"
		run.cancel()
		for run.lines.Scan() {
			out += run.lines.Text() + "\n"
		}
		assert.Equal(t, cli.ExitInterrupted, <-run.code)
		assert.Equal(t, "mjfr: interrupted\n", run.stderr.String())
		_, want, _ := mjfrCommand(t, "print", format, "--order", "file", "--events", "Tick", filepath.Join(dir, "1.jfr"))
		assert.Equal(t, strings.TrimSuffix(want, "\n"), strings.TrimSuffix(out, "\n"))
		switch format {
		case "--json":
			assert.True(t, json.Valid([]byte(out)))
		case "--xml":
			requireXML(t, out)
		}
	}
}

func requireXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
	}
}

// TestTailInterruptedBeforeAnything has nothing to print and prints it well.
func TestTailInterruptedBeforeAnything(t *testing.T) {
	dir := clitest.Repository(t)
	run := startTail(t, "--json", "-f", dir)
	run.told("nothing has been recorded into this directory")
	run.cancel()
	run.expect("{", `  "recording": {`, `    "events": []`, "  }", "}")
	run.ends(cli.ExitInterrupted)
}

// TestTailEndsBehindATime ends at the first flush after it.
func TestTailEndsBehindATime(t *testing.T) {
	dir := clitest.Repository(t)
	chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{2, 3, 4}, []int{5})
	chunk.Flush()
	run := startTail(t, append(numbers, "-f", "--from", "1s", "--to", "2026-05-01 23:30:03", dir)...)
	run.expect("n", "1")
	chunk.Flush()
	run.expect("2")
	run.ends(cli.ExitOK)

	run = startTail(t, append(numbers, "-f", "--from", "2026-05-01T21:30:01Z", "--to", "2026-05-01T21:30:03Z", dir)...)
	run.expect("n", "1", "2")
	run.ends(cli.ExitOK)
}

func TestTailLimitEndsFollowing(t *testing.T) {
	dir := clitest.Repository(t)
	chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{2, 3, 4}, []int{5})
	chunk.Flush()
	run := startTail(t, append(numbers, "-f", "--from", "start", "--limit", "3", dir)...)
	run.expect("n", "0", "1")
	chunk.Flush()
	run.expect("2")
	run.ends(cli.ExitOK)
}

// TestTailWaitsForAJVM waits for the first chunk in a directory.
func TestTailWaitsForAJVM(t *testing.T) {
	dir := clitest.Repository(t)
	run := startTail(t, append(numbers, "-f", "--limit", "1", dir)...)
	run.told("nothing has been recorded into this directory")
	clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}).Flush()
	run.expect("n", "0")
	run.ends(cli.ExitOK)
}

// TestTailOfWhatComesAtOnce: where nothing was, all that comes is new, also what is there
// before the directory is looked at again.
func TestTailOfWhatComesAtOnce(t *testing.T) {
	dir := clitest.Repository(t)
	var out bytes.Buffer
	told := clitest.OnWrite(func(text string) {
		if strings.Contains(text, "nothing has been recorded into this directory") {
			clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}).Flush()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := &cli.App{Root: clitest.Verbs(New), Stdin: new(bytes.Buffer), Stdout: &out, Stderr: told}
	assert.Equal(t, cli.ExitOK, a.Run(ctx, append(append([]string{"tail"}, numbers...), "-f", "--limit", "1", dir)))
	assert.Equal(t, "n\n0\n", out.String())
}

// TestTailOfAnAbandonedChunk is about a virtual machine that was killed. Its process is
// one that cannot be, which takes ten seconds to know.
func TestTailOfAnAbandonedChunk(t *testing.T) {
	longtest.Long(t, "it takes long")
	dir := filepath.Join(t.TempDir(), "2026_05_01_21_30_00_2147483646")
	require.NoError(t, os.Mkdir(dir, 0o700))
	clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1}, []int{2}).Flush()
	run := startTail(t, append(numbers, "-f", "--from", "start", dir)...)
	run.expect("n", "0", "1")
	run.ends(cli.ExitOK)
	assert.Contains(t, run.stderr.String(), "the JVM has ended without finishing its recording; all that it had flushed has been read")
}

// TestTailFollowsTheLastEvents begins with the last of those that are there.
func TestTailFollowsTheLastEvents(t *testing.T) {
	dir := clitest.Repository(t)
	chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1, 2}, []int{3, 4}, []int{5, 6, 7}, []int{8})
	chunk.Flush()
	chunk.Flush()
	run := startTail(t, append(numbers, "-f", "--tail", "2", dir)...)
	run.expect("n", "3", "4")
	chunk.Flush()
	run.expect("5", "6", "7")
	chunk.Finish(true)
	run.expect("8")
	run.ends(cli.ExitOK)
	assert.Empty(t, run.stderr.String())
}

// TestTailRefusesTypesThatAJVMLacks ends at once: a JVM knows its types. With --wait it waits for those of the program.
func TestTailRefusesTypesThatAJVMLacks(t *testing.T) {
	dir := clitest.Repository(t)
	chunk := clitest.NewChunk(t, filepath.Join(dir, "1.jfr"), []int{0, 1})
	chunk.Flush()
	run := startTail(t, "-f", "--events", "Tikc", dir)
	run.ends(cli.ExitUsage)
	assert.Contains(t, run.stderr.String(), "no event type so far matches --events Tikc; did you mean")
	assert.Contains(t, run.stderr.String(), "If the program registers it later, use --wait.")
}
