package export_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/export"
	"github.com/mmapjfr/jfr/docs"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

var (
	mjfr   = clitest.Mjfr(export.New)
	output = mjfr.Output("export")
)

func TestWritesFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	assert.Equal(t, dir+": 4,459 events of 97 types\n", output(t, "--parquet", dir, clitest.File("jdk25-profile.jfr")))
	assert.FileExists(t, filepath.Join(dir, "jdk.GCPhasePause.parquet"))
	assert.FileExists(t, filepath.Join(dir, "_stacks.parquet"))

	code, _, stderr := mjfr(t, "export", "--parquet", dir, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, "it exists; use --force to replace it")
	output(t, "--parquet", dir, "--force", clitest.File("jdk25-profile.jfr"))
}

func TestSelects(t *testing.T) {
	dir := t.TempDir()
	var d struct {
		Folders []struct {
			Tables []struct {
				File string
				Rows int
			}
		}
	}
	out := output(t, "--csv", dir, "--json", "--events", "JavaMonitorEnter", "--where", "duration > 400ms", clitest.File("jdk25-profile.jfr"))
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	csv, err := os.ReadFile(filepath.Join(dir, "jdk.JavaMonitorEnter.csv"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
	assert.True(t, strings.HasPrefix(lines[0], "start_time,start_ns,duration,thread,thread_id,os_tid,virtual,monitorClass,"), lines[0])
	for _, table := range d.Folders[0].Tables {
		if table.File == "jdk.JavaMonitorEnter.csv" {
			assert.Equal(t, len(lines)-1, table.Rows)
		}
	}
}

func TestPartitions(t *testing.T) {
	root := t.TempDir()
	data, err := os.ReadFile(clitest.File("jdk25-chunks.jfr"))
	require.NoError(t, err)
	for i, path := range []string{"shop/2026-01-01/a/1.jfr", "shop/2026-01-01/b/2.jfr", "b=i:ll/2026-01-02/a/1.jfr"} {
		path = filepath.Join(root, "in", path)
		data := bytes.Repeat(data, i+1) // no copies
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	out := filepath.Join(root, "out")
	code, stdout, _ := mjfr(t, "export", "--ndjson", out, "--labels", "{service}/{day}/{host}/*.jfr", "--partition", "service={service}/day={day}",
		filepath.Join(root, "in/*/*/*/*.jfr"))
	require.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 2, strings.Count(stdout, "\n"))
	assert.FileExists(t, filepath.Join(out, "service=shop/day=2026-01-01/_recording.ndjson"))
	assert.FileExists(t, filepath.Join(out, "service=b%3Di%3All/day=2026-01-02/_recording.ndjson"))
	recordings, err := os.ReadFile(filepath.Join(out, "service=shop/day=2026-01-01/_recording.ndjson"))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(recordings), "\n"))
}

func TestLabelsOfPropertiesAndFolders(t *testing.T) {
	root := t.TempDir()
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	path := filepath.Join(root, "zone=eu", "a.jfr")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	out := filepath.Join(root, "out")
	output(t, "--ndjson", out, "--labels", "{file}.jfr", "--labels", "vm=prop:java.vm.specification.version", "--labels", "env:NO_SUCH",
		"--partition", "zone={zone}/vm={vm}/none={NO_SUCH}/file={file}", path)
	recordings, err := os.ReadFile(filepath.Join(out, "zone=eu/vm=25/none=__HIVE_DEFAULT_PARTITION__/file=a", "_recording.ndjson"))
	require.NoError(t, err)
	assert.Contains(t, string(recordings), `"label_file":"a","label_vm":"25","label_NO_SUCH":null,"label_zone":"eu"}`)
}

// TestLongValuesOfPartitions has values that no name of a folder can have: the folders differ, and messages do not show them.
func TestLongValuesOfPartitions(t *testing.T) {
	root := t.TempDir()
	var paths []string
	for i, value := range []string{strings.Repeat("L", 5000), strings.Repeat("L", 5000) + "M", "short"} {
		b := jfrtest.NewChunk()
		b.Header.StartNanos += int64(i)
		b.Emit(b.Event("jdk.InitialSystemProperty", jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass)), b.Header.StartTicks, "svc", value)
		data, _ := b.Build()
		paths = append(paths, filepath.Join(root, strconv.Itoa(i)+".jfr"))
		require.NoError(t, os.WriteFile(paths[i], data, 0o600))
	}
	out := filepath.Join(root, "out")
	code, _, stderr := mjfr(t, slices.Concat([]string{"export", "--ndjson", out, "--labels", "svc=prop:svc", "--partition", "service={svc}"}, paths)...)
	assert.Equal(t, cli.ExitOK, code, stderr)
	assert.NotContains(t, stderr, "LLL")
	folders, err := filepath.Glob(filepath.Join(out, "*", "_recording.ndjson"))
	require.NoError(t, err)
	require.Len(t, folders, 3)
	whole := 0
	for _, name := range folders {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		whole += strings.Count(string(data), `"label_svc":"`+strings.Repeat("L", 5000))
		assert.LessOrEqual(t, len(filepath.Base(filepath.Dir(name))), 255)
	}
	assert.Equal(t, 2, whole)
}

func TestDamagedRecording(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(clitest.File("jdk25-chunks.jfr"))
	require.NoError(t, err)
	cut := filepath.Join(dir, "cut.jfr")
	require.NoError(t, os.WriteFile(cut, data[:len(data)-100], 0o600))
	code, _, stderr := mjfr(t, "export", "--csv", filepath.Join(dir, "out"), cut)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, stderr, cut)
	assert.FileExists(t, filepath.Join(dir, "out", "_recording.csv"))
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{
		{clitest.File("jdk25-chunks.jfr")},
		{"--csv", "a", "--parquet", "b", "x.jfr"},
		{"--csv", "a"},
		{"--csv", "a", "--partition", "s={nope}", clitest.File("jdk25-chunks.jfr")},
		{"--csv", "a", "--partition", "s={no pe}", "x.jfr"},
		{"--csv", "a", "--labels", "prop:x", "--labels", "x=env:y", "x.jfr"},
		{"--csv", "a", "--labels", "{a}/*.jfr", "--labels", "{b}/*.jfr", "x.jfr"},
		{"--arrow", "a", "x.jfr"},
		{"--csv", "-", "x.jfr"},
		{"--csv", "a", "--partition", "../s={date}", "x.jfr"},
		{"--csv", "a", "--labels", "{service", "x.jfr"},
		{"--csv", "a", "--limit", "3", "x.jfr"},
	} {
		code, _, _ := mjfr(t, append([]string{"export"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, args)
	}
}

func TestAbout(t *testing.T) { assert.Equal(t, docs.Text("COLUMNS.md"), output(t, "--about")) }
