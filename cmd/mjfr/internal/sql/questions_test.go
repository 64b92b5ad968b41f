package sql

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/export"
	"github.com/mmapjfr/jfr/docs"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// TestQuestions asks the ten questions of docs/SQL.md: by mjfr sql, and by duckdb over an export. It needs a duckdb.
func TestQuestions(t *testing.T) {
	longtest.Long(t, "it runs the duckdb of the PATH")
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("there is no duckdb on the PATH")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	run := clitest.Mjfr(export.New)
	code, _, errs := run(t, "export", "--parquet", dir, profile)
	require.Equal(t, cli.ExitOK, code, errs)
	list := regexp.MustCompile("(?s)\n```sql\n(.*?)\n```\n\n```csv\n(.*?\n)```\n").FindAllStringSubmatch(docs.Text("SQL.md"), -1)
	require.Len(t, list, 10)
	for _, one := range list {
		_, rows, _ := strings.Cut(ask(t, "--csv", profile, one[1]), "\n")
		assert.Equal(t, one[2], rows, one[1])
		out, err := exec.Command(duckdb, "-init", filepath.Join(dir, "duckdb.sql"), "-batch", "-csv", "-nullvalue", "", "-c", one[1]).Output()
		require.NoError(t, err, one[1])
		_, rows, _ = strings.Cut(string(out), "\n")
		assert.Equal(t, one[2], rows, one[1])
	}

	// Errors, results without rows, and several recordings.
	code, _, errs = mjfr(t, "sql", profile, "from FileRaed")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "did you mean FileRead?")
	code, _, errs = mjfr(t, "sql", profile, "from jdk.FileRaed")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "FileRead?")
	assert.Empty(t, ask(t, "--ndjson", profile, "from ZAllocationStall"))
	assert.Equal(t, "{\"n\":2}\n", ask(t, "--ndjson", profile, clitest.File("jdk17-profile.jfr"), "select count(distinct recording_id) as n from ThreadStart"))
}
