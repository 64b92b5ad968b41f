package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// runVerify runs the command.
func runVerify(args ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	a := &cli.App{Root: newMjfr, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	code = a.Run(context.Background(), append([]string{"verify"}, args...))
	return code, stdout.String(), stderr.String()
}

func sample(name string) string { return clitest.File(name + ".jfr") }

// file writes a recording whose events have what is wrong with them.
func file(t *testing.T, change func(b *jfrtest.Builder, ty *jfrtest.Class)) string {
	t.Helper()
	b := jfrtest.NewChunk()
	ty := b.Event("test.Event", jfrtest.EventThread(), jfrtest.Of("text", jfrtest.StringClass))
	b.Constant("java.lang.Thread", 1, "os", 1, "main", 1, 0, false)
	b.Emit(ty, 1_000_500, 1, "x")
	if change != nil {
		change(b, ty)
	}
	path := filepath.Join(t.TempDir(), "app.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// worse has two errors, twelve warnings and a note.
func worse(b *jfrtest.Builder, ty *jfrtest.Class) {
	b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
	b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
	for i := range 12 {
		b.Emit(ty, 1_000_500, 100+i, "x")
	}
	b.Checkpoint(0x80)
}

func TestVerifySound(t *testing.T) {
	path := sample("jdk25-flushed")
	code, out, err := runVerify(path)
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, path+": sound: 1 chunk, 95 events, 651 constants checked\n", out)
	assert.Empty(t, err)

	path = sample("jdk25-live")
	code, out, err = runVerify(path)
	assert.Equal(t, cli.ExitOK, code, "a chunk that is being written is no damage")
	assert.Equal(t, "note     unfinished-chunk  chunk 0  0x0  its last flush ends at 0x1db69; the recorder is still writing or was killed; the JDK's readers refuse the file\n"+
		path+": sound: 1 chunk, 46 events, 623 constants checked, 1 note\n", out)
	assert.Empty(t, err)
}

func TestVerifyDamaged(t *testing.T) {
	path := file(t, worse)
	code, out, err := runVerify(path)
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, err)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 2+10+1+1+1)
	assert.Regexp(t, `^error    unknown-type       chunk 0  0x[0-9a-f]+  its type 4711 is not described; readers leave the event out$`, lines[0])
	assert.Regexp(t, `^error    short-event        chunk 0  0x[0-9a-f]+  test\.Event: startTime does not fit into the 0 bytes that are left; `, lines[1])
	assert.Regexp(t, `^warning  dangling-constant  chunk 0  0x[0-9a-f]+  test\.Event: eventThread refers to java\.lang\.Thread 100; no pool`, lines[2])
	assert.Regexp(t, `^warning  dangling-constant  chunk 0 +and 2 more$`, lines[12])
	assert.Regexp(t, `^note     checkpoint-mask    chunk 0  0x[0-9a-f]+  mask 0x80`, lines[13])
	assert.Equal(t, path+": damaged: 2 errors, 12 warnings, 1 note", lines[14])
	for _, line := range lines[:14] {
		assert.Equal(t, strings.Index(lines[0], "chunk"), strings.Index(line, "chunk"), "aligned: %s", line)
	}
}

func TestVerifyStrict(t *testing.T) {
	path := sample("jdk25-kinds")
	code, out, _ := runVerify(path)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out, ": sound: 1 chunk, 646 events, 666 constants checked, 2 warnings\n")
	code, out, _ = runVerify("--strict", path)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, out, ": damaged: 2 warnings\n")
	code, _, _ = runVerify("--strict", sample("jdk25-strings"))
	assert.Equal(t, cli.ExitOK, code, "notes are no damage")
}

// TestVerifySeveral has a verdict for each file, also where one cannot be opened.
func TestVerifySeveral(t *testing.T) {
	sound, bad := sample("jdk17-empty"), file(t, worse)
	old := filepath.Join(t.TempDir(), "old.jfr")
	b := jfrtest.NewChunk()
	b.Header.Major, b.Header.Minor = 0, 9
	require.NoError(t, os.WriteFile(old, b.Bytes(), 0o600))
	code, out, err := runVerify("--max", "0", bad, "nosuch.jfr", old, sound)
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, err)
	var verdicts []string
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "  chunk 0  ") {
			verdicts = append(verdicts, line)
		}
	}
	assert.Equal(t, []string{
		bad + ": damaged: 2 errors, 12 warnings, 1 note\n",
		"nosuch.jfr: cannot be read: no such file; check the path\n",
		old + ": cannot be read: 1 error\n",
		sound + ": sound: 1 chunk, 0 events, 539 constants checked\n",
	}, verdicts)
	assert.Contains(t, out, "unsupported-version  chunk 0  0x0  format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later; what it holds was not checked\n")
}

func TestVerifyUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"--max", "-1", "x.jfr"}, {"--max", "x", "x.jfr"}, {"--nosuch"}} {
		code, out, err := runVerify(args...)
		assert.Equal(t, cli.ExitUsage, code, "%q", args)
		assert.Empty(t, out)
		assert.Contains(t, err, "mjfr verify: ")
	}
}

func TestVerifyJSON(t *testing.T) {
	path := file(t, worse)
	code, out, err := runVerify("--json", "--max", "2", path, "nosuch.jfr", sample("jdk25-flushed"))
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, err)
	assert.True(t, strings.HasPrefix(out, "{\n  \"files\": [\n    {\n      \"file\": "), out)
	var got struct {
		Files []struct {
			File, Verdict, Reason                            string
			SizeBytes, Events, Constants, References, Chunks int64
			Errors, Warnings, Notes, Checkpoints             int64
			Kinds, Groups, Findings                          []map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Len(t, got.Files, 3)
	f := got.Files[0]
	info, statErr := os.Stat(path)
	require.NoError(t, statErr)
	assert.Equal(t, fmt.Sprint(path, " damaged  ", info.Size(), 14, 1, 13, 1, 2, 12, 1, 2), fmt.Sprint(f.File, " ", f.Verdict, " ", f.Reason, " ",
		f.SizeBytes, f.Events, f.Constants, f.References, f.Chunks, f.Errors, f.Warnings, f.Notes, f.Checkpoints))
	assert.Equal(t, map[string]any{"kind": "dangling-constant", "severity": "warning", "count": 12.0, "meaning": "no pool has it, so readers take it for null"}, f.Kinds[2])
	assert.Equal(t, map[string]any{"kind": "dangling-constant", "chunk": 0.0, "count": 12.0, "listed": 2.0}, f.Groups[2])
	require.Len(t, f.Findings, 5)
	delete(f.Findings[3], "offset")
	assert.Equal(t, map[string]any{
		"severity": "warning", "kind": "dangling-constant", "chunk": 0.0, "type": "test.Event", "text": "eventThread refers to java.lang.Thread 101",
	}, f.Findings[3])
	assert.Equal(t, "cannot be read", got.Files[1].Verdict)
	assert.Equal(t, "no such file; check the path", got.Files[1].Reason)
	assert.Equal(t, "sound", got.Files[2].Verdict)
	assert.Equal(t, []map[string]any{}, got.Files[2].Findings)
}
