package oracle_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

var ask = flag.Bool("ask", false, "ask a JDK 25 about the recordings that have no answers or have changed since")

// needJDK returns the home of a JDK 25, or skips the test.
func needJDK(t *testing.T) string {
	t.Helper()
	return longtest.JDK25(t)
}

// needRecordings returns the recordings of the project with these endings of their
// names.
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

func TestTextsAddUpToTheAnswers(t *testing.T) {
	home := needJDK(t)
	for _, file := range needRecordings(t, "25-chunks", "25-live", "25-kinds") {
		want, err := oracle.Load(file)
		require.NoError(t, err)
		asked := 0
		for name, sum := range want.Truth().Events {
			if strings.HasPrefix(name, "jdk.") && sum.N < 20 || asked == 4 {
				continue
			}
			asked++
			texts, err := oracle.Texts(t.Context(), home, file, name)
			require.NoError(t, err)
			var got oracle.Sum
			for text, n := range texts {
				for range n {
					got.Add([]byte(text))
				}
			}
			assert.Equal(t, sum, got, "%s: %s", file, name)
		}
	}
}

func TestSplitClassesLosesNothing(t *testing.T) {
	home := needJDK(t)
	for _, file := range needRecordings(t, "25-strings") {
		out, err := exec.Command(filepath.Join(home, "bin", "jfr"), "metadata", file).Output()
		require.NoError(t, err)
		var joined bytes.Buffer
		for c, err := range oracle.SplitClasses(bytes.NewReader(out)) {
			require.NoError(t, err)
			joined.Write(c.Text)
			joined.WriteString("\n\n")
			simple := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
			assert.Regexp(t, `(?m)^class `+regexp.QuoteMeta(simple)+`( extends [\w.]+)? \{$`, string(c.Text))
		}
		assert.Equal(t, strings.TrimSpace(string(out)), strings.TrimSpace(joined.String()))
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

func TestAskNeedsAJDK(t *testing.T) {
	_, err := oracle.Ask(t.Context(), t.TempDir(), "x.jfr")
	assert.ErrorIs(t, err, jdk.ErrNone)
	_, err = oracle.Texts(t.Context(), t.TempDir(), "x.jfr", "jdk.CPULoad")
	assert.ErrorIs(t, err, jdk.ErrNone)
}

func TestEventFilter(t *testing.T) {
	assert.Equal(t, "gen.A_b$1", oracle.EventFilter("gen.A_b$1"))
	assert.Equal(t, "gen.?bung.??", oracle.EventFilter("gen.Übung.😀"))
	assert.Equal(t, "a?b?c??", oracle.EventFilter("a b,c*\""))
}
