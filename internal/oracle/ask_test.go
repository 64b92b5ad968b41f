package oracle_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

var ask = flag.Bool("ask", false, "ask a JDK 25 about the recordings that have no answers or have changed since")

// needJDK returns the home of a JDK 25, or skips the test.
func needJDK(t *testing.T) string {
	t.Helper()
	return longtest.JDK25(t)
}

// needRecordings returns the recordings of the project with these endings of their names.
func needRecordings(t *testing.T, endings ...string) []string {
	t.Helper()
	var out []string
	for _, ending := range endings {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*"+ending+".jfr"))
		require.NoError(t, err)
		out = append(out, found...)
	}
	require.NotEmpty(t, out, "they are kept with the project")
	return out
}

func TestAnswersFitTheRecordings(t *testing.T) {
	for _, file := range needRecordings(t, "") {
		a, err := oracle.Load(file)
		if err != nil && *ask {
			a, err = oracle.Ask(t.Context(), needJDK(t), file)
			require.NoError(t, err)
			require.NoError(t, a.Save(file))
		}
		if assert.NoError(t, err, "make them again with MMAPJFR_TEST=jvm go test ./internal/oracle -run Fit -ask") {
			text, err := os.ReadFile(oracle.AnswersPath(file))
			require.NoError(t, err)
			assert.Equal(t, string(text), string(a.Text()))
			assert.Equal(t, filepath.Base(file), a.File)
		}
	}
}

func TestAskGivesTheSameAnswers(t *testing.T) {
	home := needJDK(t)
	for _, file := range needRecordings(t, "25-empty", "25-chunks", "25-live") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want, err := oracle.Load(file)
			require.NoError(t, err)
			got, err := oracle.Ask(t.Context(), home, file)
			require.NoError(t, err)
			got.JDK = want.JDK
			assert.Equal(t, string(want.Text()), string(got.Text()))
		})
	}
}

func TestAskRecordsRefusals(t *testing.T) {
	home := needJDK(t)
	file := filepath.Join(t.TempDir(), "no.jfr")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("not a recording "), 10), 0o600))
	a, err := oracle.Ask(t.Context(), home, file)
	require.NoError(t, err)
	assert.Equal(t, "jfr summary: could not read recording at no.jfr. Not a Flight Recorder file", a.Plain.Summary.Refused)
	assert.Equal(t, []oracle.ChunkAnswer{{
		Size:            160,
		PrintRefused:    "jfr print: could not read recording at chunk.jfr. Not a Flight Recorder file",
		MetadataRefused: "jfr metadata: could not read recording at chunk.jfr. Not a Flight Recorder file",
	}}, a.Plain.Chunks)
	assert.Nil(t, a.AsFinished)

	_, err = oracle.Texts(t.Context(), home, file, "jdk.CPULoad")
	assert.ErrorContains(t, err, "Not a Flight Recorder file")
}

func TestEventFilter(t *testing.T) {
	assert.Equal(t, "gen.A_b$1", oracle.EventFilter("gen.A_b$1"))
	assert.Equal(t, "gen.?bung.??", oracle.EventFilter("gen.Übung.😀"))
	assert.Equal(t, "a?b?c??", oracle.EventFilter("a b,c*\""))
}
