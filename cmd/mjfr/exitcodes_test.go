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
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestExitCodesOfDamage reads recordings besides a good one: damage that lost events makes the exit code 1 of all verbs, and a last
// chunk that is not finished is no damage.
func TestExitCodesOfDamage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, of string, change func(data []byte) []byte) string {
		data, err := os.ReadFile(clitest.File(of))
		require.NoError(t, err)
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, change(data), 0o600))
		return path
	}
	good := clitest.File("jdk25-kinds.jfr")
	const statement = "select count(*) from ThreadPark"
	for path, want := range map[string]int{
		clitest.File("jdk25-killed.jfr"): cli.ExitOK,
		write("truncated.jfr", "jdk17-chunks.jfr", func(data []byte) []byte { return data[:len(data)*2/3] }):    cli.ExitData,
		write("trailing.jfr", "jdk25-profile.jfr", func(data []byte) []byte { return append(data, "more"...) }): cli.ExitData,
		write("nothing.jfr", "jdk25-killed.jfr", func(data []byte) []byte { return data[:0] }):                  cli.ExitData,
		// That the chunk is not finished is no reason for the metadata that its header names.
		write("cut.jfr", "jdk25-killed.jfr", func(data []byte) []byte { return data[:9000] }): cli.ExitData,
	} {
		for _, args := range [][]string{
			{"summary"}, {"print", "--events", "ThreadPark"}, {"view", "hot-methods"}, {"query", statement}, {"profile"},
			{"export", "--csv", filepath.Join(t.TempDir(), "tables")},
		} {
			code, _, said := mjfrCommand(t, append(args, good, path)...)
			assert.Equal(t, want, code, "%s %s: %s", args[0], filepath.Base(path), said)
			assert.NotEmpty(t, said, "%s %s", args[0], filepath.Base(path))
		}
		for _, args := range [][]string{{"query", statement}, {"profile"}, {"view", "hot-methods"}}[:longtest.Cases(1, 3)] {
			work := t.TempDir()
			code, _, said := mjfrCommand(t, append(append([]string{"batch"}, args...), "--out", work, good, path)...)
			require.Equal(t, cli.ExitOK, code, said)
			code, _, said = mjfrCommand(t, "batch", "merge", work)
			assert.Equal(t, want, code, "batch %s %s: %s", args[0], filepath.Base(path), said)
			if filepath.Base(path) != "cut.jfr" { // which is not finished, besides
				assert.LessOrEqual(t, strings.Count(said, path), 1, "batch %s: %s", args[0], said)
			}
		}
	}
}
