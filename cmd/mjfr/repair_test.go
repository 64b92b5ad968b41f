package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
)

// repairSample returns the path of a recording of testdata, and that of a file that is
// not there.
func repairSample(t *testing.T, name string) (file, out string) {
	return clitest.File(name), filepath.Join(t.TempDir(), "out.jfr")
}

// repairedEvents counts the events of a recording that must be whole.
func repairedEvents(t *testing.T, file string) (n int) {
	t.Helper()
	rec := opentest.File(t, file)
	for _, err := range rec.Events() {
		require.NoError(t, err)
		n++
	}
	return n
}

func TestRepairWhole(t *testing.T) {
	file, out := repairSample(t, "jdk25-chunks.jfr")
	code, told, errs := mjfrCommand(t, "repair", file, out)
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Empty(t, errs)
	lines := strings.Split(told, "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, file+"\t1\t0x1d832\tcopied\t32\t0\t0\t0\t7\town\t0", lines[2])
	assert.Equal(t, out+": 362,871 bytes with 69 events", lines[4])
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got))
}

func TestRepairDamaged(t *testing.T) {
	file, out := repairSample(t, "jdk25-chunks.jfr")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(file, append([]byte("no recording"), data[:300_000]...), 0o600))
	code, told, errs := mjfrCommand(t, "repair", "--json", file, out)
	assert.Equal(t, cli.ExitData, code, errs)
	var d struct {
		Out    string
		Events int
		Whole  bool
		Files  []struct {
			File   string
			Lost   struct{ Bytes uint64 }
			Chunks []struct{ Done, Types string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(told), &d))
	assert.Equal(t, out, d.Out)
	assert.False(t, d.Whole)
	require.Len(t, d.Files, 1)
	assert.Equal(t, file, d.Files[0].File)
	assert.GreaterOrEqual(t, d.Files[0].Lost.Bytes, uint64(12))
	require.Len(t, d.Files[0].Chunks, 3)
	assert.Equal(t, "copied", d.Files[0].Chunks[0].Done)
	assert.Equal(t, "borrowed", d.Files[0].Chunks[2].Types)
	assert.Equal(t, d.Events, repairedEvents(t, out))
	assert.Greater(t, d.Events, 59)
}

// TestRepairTakesItsOwnOutput repairs what has been repaired, from standard output.
func TestRepairTakesItsOwnOutput(t *testing.T) {
	file, out := repairSample(t, "jdk25-killed.jfr")
	_, whole, table := mjfrCommand(t, "repair", file, "-")
	assert.Contains(t, table, "rewritten")
	require.NoError(t, os.WriteFile(out, []byte(whole), 0o600))
	again := filepath.Join(t.TempDir(), "again.jfr")
	code, told, _ := mjfrCommand(t, "repair", out, again)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "copied")
	assert.Positive(t, repairedEvents(t, again))
}

// TestRepairRepository joins the chunk files of a folder.
func TestRepairRepository(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{"jdk25-chunks.jfr": "1.jfr", "jdk25-killed.jfr": "2.jfr"} {
		file, _ := repairSample(t, from)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), data, 0o600))
	}
	out := filepath.Join(t.TempDir(), "out.jfr")
	_, told, errs := mjfrCommand(t, "repair", dir, out)
	assert.Equal(t, 6, strings.Count(told, "\n"), "%s%s", told, errs)
	assert.GreaterOrEqual(t, repairedEvents(t, out), 69+46)
}

func TestRepairKeepsFiles(t *testing.T) {
	file, out := repairSample(t, "jdk25-killed.jfr")
	require.NoError(t, os.WriteFile(out, []byte("mine"), 0o600))
	code, _, errs := mjfrCommand(t, "repair", file, out)
	assert.Equal(t, cli.ExitData, code)
	assert.Equal(t, "mjfr repair: "+out+": it exists; use --force to replace it\n", errs)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(got))

	_, _, errs = mjfrCommand(t, "repair", "--force", file, out)
	assert.Empty(t, errs)
	before := repairedEvents(t, out)
	code, _, errs = mjfrCommand(t, "repair", "--force", out, out)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "cannot be written in place")
	assert.Equal(t, before, repairedEvents(t, out))
}

func TestRepairNothing(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "text"), filepath.Join(dir, "out.jfr")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("no recording "), 100), 0o600))
	code, _, errs := mjfrCommand(t, "repair", file, out)
	assert.Equal(t, cli.ExitData, code)
	assert.NotEmpty(t, errs)
	assert.NoFileExists(t, out)
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func TestRepairUsage(t *testing.T) {
	for _, args := range [][]string{{"repair"}, {"repair", "a.jfr"}, {"repair", "--json", "a.jfr", "-"}} {
		code, _, errs := mjfrCommand(t, args...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, errs, "Try mjfr repair --help.")
	}
}

// TestRepairTellsWhatIsLeftOut: events that mmapjfr reads and the JDK cannot.
func TestRepairTellsWhatIsLeftOut(t *testing.T) {
	b := jfrtest.NewChunk()
	none := b.Class("test.None")
	none.SuperType = jfrtest.EventSuperType
	b.Emit(none)
	b.Emit(none)
	b.Emit(b.Event("test.One"), 1_000_000)
	file, out := filepath.Join(t.TempDir(), "none.jfr"), filepath.Join(t.TempDir(), "out.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	code, told, errs := mjfrCommand(t, "repair", file, out)
	assert.Equal(t, cli.ExitData, code, errs)
	assert.Contains(t, told, "\n"+file+": chunk 0: left out 2 events of test.None: it has no fields; the JDK refuses recordings with such event types\n")
	_, told, _ = mjfrCommand(t, "repair", "--force", "--json", file, out)
	assert.Contains(t, told, `"events": 2,`)
	assert.Contains(t, told, `"why": "it has no fields; the JDK refuses recordings with such event types"`)
}
