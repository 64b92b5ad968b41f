package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/overview"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
)

func TestChunks(t *testing.T) {
	code, out, told := mjfrCommand(t, "chunks", clitest.File("jdk25-chunks.jfr"))
	require.Equal(t, cli.ExitOK, code, told)
	assert.Equal(t, `Chunk	Offset (bytes)	Size (bytes)	Start	Duration (ns)	Events	Checkpoints	Pools	Constants	Metadata (bytes)	State	Ticks/s	Version
0	0	120882	2026-11-21T00:49:03.971051993Z	313677987	27	8	30	618	109583	finished	1000000000	2.1
1	120882	121204	2026-11-21T00:49:04.28472998Z	310173571	32	7	29	621	109851	finished	1000000000	2.1
2	242086	120785	2026-11-21T00:49:04.594903551Z	204092987	10	7	29	621	109851	finished	1000000000	2.1
`, out)
	_, out, _ = mjfrCommand(t, "chunks", "--color", "always", clitest.File("jdk25-chunks.jfr"))
	assert.Contains(t, out, "\n    1  120,882  118.4 kB  2026-11-21 00:49:04.284     310ms      32            7     29        621  107.3 kB  finished  1000000000      2.1\n")
}

func TestChunksOfSeveralFiles(t *testing.T) {
	code, out, _ := mjfrCommand(t, "chunks", clitest.File("jdk25-chunks.jfr"), clitest.File("jdk17-kinds.jfr"))
	require.Equal(t, cli.ExitOK, code)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 5)
	assert.True(t, strings.HasPrefix(lines[0], "Chunk\tFile\tOffset (bytes)\t"))
	files := make(map[string]int)
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		assert.Equal(t, string(rune('0'+i)), cells[0])
		files[cells[1]]++
	}
	assert.Equal(t, map[string]int{clitest.File("jdk25-chunks.jfr"): 3, clitest.File("jdk17-kinds.jfr"): 1}, files)
}

func TestChunksJSON(t *testing.T) {
	file := clitest.File("jdk17-chunks.jfr")
	rec := opentest.File(t, file)
	d := documentOf[overview.ChunksDocument](t, "chunks", file)
	require.Len(t, d.Chunks, 3)
	for i, c := range rec.Chunks() {
		got := d.Chunks[i]
		assert.Equal(t, i, got.Number)
		assert.Equal(t, file, got.File)
		assert.Equal(t, c.Offset(), got.OffsetBytes)
		assert.Equal(t, c.Size(), got.SizeBytes)
		assert.Equal(t, c.Start(), got.Start.Time)
		assert.Equal(t, c.Duration().Nanoseconds(), got.DurationNanos)
		assert.Equal(t, engine.ChunkTicksPerSecond(c), got.TicksPerSecond)
		assert.Equal(t, engine.ChunkFinal(c), got.Final)
		assert.True(t, got.Finished)
		assert.Equal(t, "2.1", got.Version)
		assert.Positive(t, got.Constants)
		assert.Equal(t, got.SizeBytes, 68+got.EventBytes+got.ConstantBytes+got.MetadataBytes)
	}
}

func TestStateOfChunks(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Header.Flags |= jfrtest.FlagFinal
	final := filepath.Join(t.TempDir(), "final.jfr")
	require.NoError(t, os.WriteFile(final, b.Bytes(), 0o600))
	for file, want := range map[string]string{
		clitest.File("jdk25-kinds.jfr"): "finished", clitest.File("jdk25-killed.jfr"): "unfinished", final: "final",
	} {
		_, out, _ := mjfrCommand(t, "chunks", file)
		cells := strings.Split(strings.Split(out, "\n")[1], "\t")
		assert.Equal(t, want, cells[10], file)
	}
}
