package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
)

// TestScriptForDuckDB has views of all tables in the folder, also of those that earlier exports have written.
func TestScriptForDuckDB(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's [here]")
	script := filepath.Join(dir, "duckdb.sql")
	view := func(table string) string {
		return `VIEW "` + table + `" AS FROM read_parquet('` + filepath.Join(filepath.Dir(dir), "it''s [[]here]", table+".parquet") + `', `
	}
	read := func() string {
		data, err := os.ReadFile(script)
		require.NoError(t, err)
		return string(data)
	}
	profile := clitest.File("jdk25-profile.jfr")
	output(t, "--parquet", dir, "--events", "FileRead", profile)
	for _, part := range []string{view("jdk.FileRead"), view("_stacks"), `VIEW "FileRead" AS FROM main."jdk.FileRead"`, "MACRO frames("} {
		assert.Contains(t, read(), part)
	}
	table, err := os.Stat(filepath.Join(dir, "jdk.FileRead.parquet"))
	require.NoError(t, err)
	info, err := os.Stat(script)
	require.NoError(t, err)
	assert.Equal(t, table.Mode(), info.Mode())

	require.NoError(t, os.WriteFile(filepath.Join(dir, ".parquet"), nil, 0o600)) // a hidden file without a name
	output(t, "--parquet", dir, "--events", "Stacks$Here,ExecutionSample", profile)
	assert.Contains(t, read(), view("jdk.FileRead"))
	assert.Contains(t, read(), `VIEW "gen.Stacks$Here" AS FROM read_parquet('`)
	assert.Regexp(t, `VIEW "_stacks" AS FROM \(SELECT DISTINCT \* FROM read_parquet\(\['[^']*''s[^']*_stacks\.[0-9a-f]{16}\.parquet', '`, read())

	// One of the user's own stays.
	require.NoError(t, os.WriteFile(script, []byte("select 1;"), 0o600))
	code, _, stderr := mjfr(t, "export", "--parquet", dir, "--events", "ThreadPark", profile)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "duckdb.sql: it exists; use --force to replace it")
	assert.Equal(t, "select 1;", read())
	output(t, "--parquet", dir, "--force", "--events", "ThreadPark", profile)
	assert.Contains(t, read(), view("jdk.ThreadPark"))

	output(t, "--csv", filepath.Join(dir, "csv"), "--events", "FileRead", profile)
	assert.NoFileExists(t, filepath.Join(dir, "csv", "duckdb.sql"))
}
