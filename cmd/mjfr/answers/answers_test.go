package answers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// mapped returns what is found in a recording.
func mapped(t *testing.T, asked answers.Asked, name string, key []batch.Label) (found *batch.Partial) {
	t.Helper()
	objects, err := new(batch.Store).List(t.Context(), []string{name})
	require.NoError(t, err)
	items := batch.Plan(asked.Question, objects, batch.PlanOptions{})
	items[0].Key = key
	for p, err := range batch.Map(t.Context(), asked.Question, asked.Note, items, nil) {
		require.NoError(t, err)
		found = p
	}
	return found
}

// TestNotesMakeTheirQuestionAgain maps by the question of a command line, merges by that of the note, and writes.
func TestNotesMakeTheirQuestionAgain(t *testing.T) {
	for _, line := range [][]string{
		{"profile", "-t", "cpu", "--program=x"}, {"view", "--json", "hot-methods"}, {"query", "select count(*) from jdk.*"},
	} {
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		own.String("program", "", "")
		cmd, ask := answers.Command(line[0], own)
		require.NoError(t, cmd.ParseFlags(append(line[1:], "../../../testdata/jdk25-empty.jfr")))
		asked, err := ask(cmd.Flags().Args())
		require.NoError(t, err)
		require.Len(t, asked.Inputs, 1)
		assert.NotContains(t, asked.Note, "--program=x")

		p := mapped(t, asked, asked.Inputs[0], nil)
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		again, err := answers.Question(asked.Note)
		require.NoError(t, err)
		require.Equal(t, asked.Question.Text(), again.Text())
		p, err = batch.Unmarshal(data, again)
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "out.txt")
		if slices.Contains(line, "--json") {
			out = filepath.Join(t.TempDir(), "out.json")
		}
		var messages bytes.Buffer
		for range 2 { // the second replaces what the first has written
			require.NoError(t, answers.Write(t.Context(), &messages, p, nil, out))
		}
		if line[0] == "profile" {
			assert.Contains(t, messages.String(), "mjfr: ", "there is no sample")
		}
		written, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.NotEmpty(t, written)
	}
	cmd, ask := answers.Command("print", pflag.NewFlagSet("", pflag.ContinueOnError))
	assert.Nil(t, cmd)
	assert.Nil(t, ask)
	_, err := answers.Question([]string{"profile", "--type=none", "--"})
	assert.True(t, answers.IsUsage(err))
}

// TestDifferencesOfKeys writes what has changed from one answer to another.
func TestDifferencesOfKeys(t *testing.T) {
	cmd, ask := answers.Command("profile", pflag.NewFlagSet("", pflag.ContinueOnError))
	require.NoError(t, cmd.ParseFlags([]string{"-t", "alloc"}))
	asked, err := ask(nil)
	require.NoError(t, err)
	of := func(name string) *batch.Partial {
		return mapped(t, asked, "../../../testdata/"+name, []batch.Label{{Name: "version", Value: name}})
	}
	out := filepath.Join(t.TempDir(), "out.txt")
	var messages bytes.Buffer
	require.NoError(t, answers.Write(t.Context(), &messages, of("jdk25-profile.jfr"), of("jdk17-profile.jfr"), out))
	written, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(written), "Change")
}
