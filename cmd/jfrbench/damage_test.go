package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// write keeps a recording in a file.
func writeFile(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "test.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func recording(t *testing.T, file string) []byte {
	data, err := os.ReadFile("../../testdata/" + file)
	require.NoError(t, err)
	return data
}

func TestUnfinishedIsANote(t *testing.T) {
	code, stdout, _ := command("../../testdata/jdk25-killed.jfr")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stdout, "\nnote: chunk 0, offset 0x0: chunk header: unfinished chunk")
	assert.NotContains(t, stdout, "error")
}

func TestTruncatedIsAnError(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	file := writeFile(t, data[:len(data)-100])
	code, stdout, _ := command(file)
	assert.Equal(t, exitDamaged, code)
	assert.Regexp(t, `\n1 error in the file; everything around was read:\n  chunk 2, offset 0x[0-9a-f]+: .*truncated`, stdout)

	code, d := report(t, file)
	assert.Equal(t, exitDamaged, code)
	require.Len(t, d.Errors, 1)
	assert.Equal(t, 2, *d.Errors[0].Chunk)
	assert.NotZero(t, *d.Errors[0].Offset)
	assert.Contains(t, d.Errors[0].Message, "truncated")
	assert.Len(t, d.Stages, len(stageNames))
}

// TestDamageInsideIsReadAround breaks the second of three chunks.
func TestDamageInsideIsReadAround(t *testing.T) {
	data := recording(t, "jdk25-chunks.jfr")
	_, whole := report(t, writeFile(t, data))
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	second := rec.Chunks[1]
	broken := second.Events[1]
	data[broken.Offset] = 1 // a size that does not hold the event's own head
	code, d := report(t, writeFile(t, data))
	assert.Equal(t, exitDamaged, code)
	require.Len(t, d.Errors, 1)
	assert.Equal(t, uint64(broken.Offset), *d.Errors[0].Offset)
	assert.Equal(t, whole.Events-uint64(len(second.Events)-1), d.Events)
}

func TestManyErrorsAreCounted(t *testing.T) {
	b := jfrtest.NewChunk()
	ev := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	for range 50 {
		b.EmitRaw(jfrtest.EventOptions{}, ev.ID, []byte{1, 3, 100}) // a string beyond the event's end
	}
	file := writeFile(t, b.Bytes())
	code, d := report(t, file)
	assert.Equal(t, exitDamaged, code)
	assert.Len(t, d.Errors, maxListed)
	assert.Equal(t, 30, d.More)
	assert.Equal(t, typeJSON{50, 300}, d.Types["test.Event"])
	_, stdout, _ := command(file)
	assert.Contains(t, stdout, "\n50 errors in the file")
	assert.Contains(t, stdout, "\n  and 30 more\n")
}

func TestTypesWithoutMetadata(t *testing.T) {
	chunk := func(id int64, name string) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		b.Emit(b.Event(name), int64(1))
		b.EmitRaw(jfrtest.EventOptions{}, id, []byte{1})
		return b
	}
	data, _ := jfrtest.Concat(chunk(9001, "test.A"), chunk(9002, "test.B"), chunk(9001, "test.A"))
	code, d := report(t, writeFile(t, data))
	assert.Equal(t, exitDamaged, code)
	assert.Len(t, d.Errors, 3)
	assert.Equal(t, uint64(3), d.Events) // those of unknown types are none
	for name, n := range map[string]uint64{
		"9001 (missing event metadata)": 2, "9002 (missing event metadata)": 1,
		"test.A": 2, "test.B": 1, metadataName: 3,
	} {
		assert.Equal(t, n, d.Types[name].Count, name)
	}
}

// TestSameIDsOfOtherTypes joins chunks in which an id stands for other types.
func TestSameIDsOfOtherTypes(t *testing.T) {
	chunk := func(events int, names ...string) *jfrtest.Builder {
		b := jfrtest.NewChunk()
		for i, name := range names {
			class := b.Event(name)
			class.ID = int64(500 + i)
			for range events * (i + 1) {
				b.Emit(class, int64(1))
			}
		}
		return b
	}
	data, _ := jfrtest.Concat(chunk(1, "test.A", "test.B"), chunk(10, "test.B", "test.A"))
	code, d := report(t, writeFile(t, data))
	assert.Equal(t, exitOK, code)
	assert.Equal(t, uint64(1+20), d.Types["test.A"].Count)
	assert.Equal(t, uint64(2+10), d.Types["test.B"].Count)
}

// TestAnyPrefixEnds reads what is left of a recording that was cut anywhere.
func TestAnyPrefixEnds(t *testing.T) {
	data := recording(t, "jdk25-live-1.jfr")
	for n := 1; n < len(data); n += longtest.Cases(25_013, 5003) {
		code, _, stderr := command("-json", writeFile(t, data[:n]))
		assert.Contains(t, []int{exitOK, exitDamaged}, code, fmt.Sprint(n, stderr))
	}
}

// TestFileThatShrinks cuts a file that is mapped.
func TestFileThatShrinks(t *testing.T) {
	file := writeFile(t, recording(t, "jdk25-profile.jfr"))
	b := &bencher{result: result{file: file}}
	require.NoError(t, b.stage("open", b.open))
	defer b.rec.Close()
	if os.Truncate(file, 10_000) != nil || runtime.GOOS != "linux" {
		t.Skip("files that are mapped cannot be cut here, or are not mapped")
	}
	assert.ErrorContains(t, b.stage("walk", b.walk), "the file was cut while it was read")
}
