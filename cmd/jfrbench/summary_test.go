package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// summaryOf runs jfrbench summary -json on a file.
func summaryOf(t *testing.T, file string) (code int, d summaryDocument) {
	code, stdout, stderr := command("summary", "-json", file)
	require.Empty(t, stderr)
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	return code, d
}

// TestSummaryIsThatOfTheFullReport compares with the report that also measures.
func TestSummaryIsThatOfTheFullReport(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			wantCode, want := report(t, file)
			code, d := summaryOf(t, file)
			require.Equal(t, wantCode, code)
			require.Equal(t, summaryDocument{
				File: want.File, Bytes: want.Bytes, Chunks: want.Chunks, Events: want.Events,
				Types: want.Types, Notes: want.Notes, Errors: want.Errors,
			}, d)
		})
	}
}

// TestSummaryText compares with the beginning of the full report.
func TestSummaryText(t *testing.T) {
	for _, flags := range [][]string{{}, {"-all"}} {
		const file = "../../testdata/jdk25-chunks.jfr"
		code, stdout, stderr := command(append(append([]string{"summary"}, flags...), file)...)
		require.Equal(t, exitOK, code)
		require.Empty(t, stderr)
		_, full, _ := command(append(flags, file)...)
		head, _, ok := strings.Cut(full, "\n  stage ")
		require.True(t, ok)
		require.Equal(t, head, stdout)
	}
}

func TestSummaryTellsOfDamage(t *testing.T) {
	cut := recording(t, "jdk25-chunks.jfr")
	cut = cut[:len(cut)-100]
	broken := recording(t, "jdk25-chunks.jfr")
	rec, err := jfrtest.Decode(broken)
	require.NoError(t, err)
	broken[rec.Chunks[1].Events[1].Offset] = 1 // a size that does not hold the event's own head
	lost := recording(t, "jdk25-profile.jfr")
	copy(lost[24:32], make([]byte, 8)) // where the metadata begins
	for name, data := range map[string][]byte{
		"truncated":   cut,
		"broken":      broken,
		"no metadata": lost,
		"trailing":    append(recording(t, "jdk25-chunks.jfr"), "and more"...),
	} {
		t.Run(name, func(t *testing.T) {
			file := writeFile(t, data)
			_, want := report(t, file)
			code, d := summaryOf(t, file)
			require.Equal(t, exitDamaged, code)
			require.Equal(t, want.Errors, d.Errors)
			require.Equal(t, want.Types, d.Types)
			_, stdout, _ := command("summary", file)
			require.Contains(t, stdout, "\n1 error in the file; everything around was read:\n")
		})
	}
}

func TestSummaryOfNoRecording(t *testing.T) {
	code, stdout, stderr := command("summary", "nosuch.jfr")
	require.Equal(t, exitDamaged, code)
	require.Empty(t, stdout)
	require.Equal(t, "jfrbench: nosuch.jfr: there is no such file; check the path\n", stderr)
	code, _, stderr = command("summary")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "as in jfrbench summary app.jfr\nTry jfrbench summary -help.\n")
}
