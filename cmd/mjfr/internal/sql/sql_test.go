package sql

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cache"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestMain is the program duckdb if it is called so: it notes what it gets, and writes what the test says.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "duckdb") {
		os.Exit(pretend())
	}
	os.Exit(m.Run())
}

// pretend is a duckdb that executes nothing. Its folder has what it writes, and gets its arguments, setup and script.
func pretend() int {
	dir := filepath.Dir(os.Args[0])
	script, _ := io.ReadAll(os.Stdin)
	setup, _ := os.ReadFile(os.Args[2]) // after -init
	for name, data := range map[string][]byte{"script": script, "setup": setup, "args": []byte(strings.Join(os.Args[3:], " "))} {
		_ = os.WriteFile(filepath.Join(dir, name), data, 0o600)
	}
	out, _ := os.ReadFile(filepath.Join(dir, "stdout"))
	said, _ := os.ReadFile(filepath.Join(dir, "stderr"))
	os.Stdout.Write(out)
	os.Stderr.Write(said)
	if strings.Contains(string(said), "Error") {
		return 1
	}
	return 0
}

var (
	mjfr    = clitest.Mjfr(New)
	profile = clitest.File("jdk25-profile.jfr")
)

// fake puts a program that writes these on the PATH, and gives the user an empty cache folder.
func fake(t *testing.T, stdout, stderr string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	name := filepath.Join(dir, "duckdb")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Link(self, name); err != nil {
		data, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, data, 0o700))
	}
	say(t, dir, stdout, stderr)
	t.Setenv("PATH", dir)
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, filepath.Join(dir, "cache"))
	}
	return dir
}

func say(t *testing.T, dir, stdout, stderr string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stdout"), []byte(stdout), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stderr"), []byte(stderr), 0o600))
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(data)
}

// ask runs a statement that succeeds.
func ask(t *testing.T, args ...string) (out string) {
	t.Helper()
	code, out, errs := mjfr(t, append([]string{"sql"}, args...)...)
	require.Equal(t, cli.ExitOK, code, errs)
	return out
}

// cached returns the files of the cache, with when they were made.
func cached(t *testing.T) map[string]time.Time {
	t.Helper()
	root, err := cache.Folder(cache.Tables)
	require.NoError(t, err)
	list := make(map[string]time.Time)
	paths, err := filepath.Glob(filepath.Join(root, "*", "*"))
	require.NoError(t, err)
	for _, path := range paths {
		info, err := os.Stat(path)
		require.NoError(t, err)
		rel, err := filepath.Rel(root, path)
		require.NoError(t, err)
		list[filepath.ToSlash(rel)] = info.ModTime()
	}
	return list
}

// TestHostileRecording gives duckdb no line of a recording.
func TestHostileRecording(t *testing.T) {
	dir := fake(t, "", "")
	const command = "\n.shell touch canary\n--"
	b := jfrtest.NewChunk()
	for i, name := range []string{"jdk.FileRead", "a\x00" + strings.Repeat("B", 298) + "\" WHERE false);" + command} {
		typ := b.Event(name, jfrtest.Of("A\x00"+strings.Repeat("B", 150)+"\" WHERE false);"+command, "int"))
		if typ.Annotate(jfrtest.Note("jdk.jfr.Label", command)); i > 0 { // the SQL of the first has its columns
			b.Emit(typ, int64(i), i)
		}
	}
	data, _ := b.Build()
	file := filepath.Join(t.TempDir(), "hostile.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	for _, statement := range []string{"show tables", "select count(*) from FileRead"} {
		_, _, said := mjfr(t, "sql", "--csv", file, statement)
		setup := read(t, dir, "setup")
		assert.Contains(t, setup, `"A%00BBB`, said)
		assert.NotContains(t, setup, "\x00")
		assert.NotContains(t, setup, "\n.")
	}
}

func TestFormats(t *testing.T) {
	dir := fake(t, "{\"a\":1}\n\n{\"b\":2}\n\n", "")
	for format, want := range map[string]string{
		"--csv": "-csv -nullvalue ", "--tsv": "-csv -separator \t -nullvalue ", "--json": "-json", "--ndjson": "-jsonlines",
		"--markdown": "-markdown", "--html": "-html", "--width=80": "-cmd .maxrows -1 -cmd .maxwidth 80",
	} {
		out := ask(t, format, profile, "select 1")
		assert.Equal(t, "-batch -bail "+want, read(t, dir, "args"))
		assert.Equal(t, format == "--ndjson", out == "{\"a\":1}\n{\"b\":2}\n", "no lines for empty results")
	}
}

// TestWhatDuckDBGets looks at the setup and the script: views of the types that are named, and nothing else.
func TestWhatDuckDBGets(t *testing.T) {
	dir := fake(t, "an answer\n", "")
	const statement = `select * from jdk.FileRead r join "jdk.SocketRead" s on 'ThreadPark' = 'a''b' -- it's a comment
		where NoSuchType.x = 1 or r.path = $$jdk.ClassLoad$$`
	assert.Equal(t, "an answer\n", ask(t, profile, statement))
	setup := read(t, dir, "setup")
	assert.Equal(t, statement+"\n", read(t, dir, "script"))
	for _, name := range []string{"FileRead", "SocketRead", "ThreadPark", "ClassLoad"} {
		assert.Contains(t, setup, `VIEW "jdk.`+name+`" AS FROM `)
		assert.Contains(t, setup, `VIEW "jdk"."`+name+`" AS FROM main."jdk.`+name+`"`)
		assert.Contains(t, setup, `VIEW "`+name+`" AS FROM main."jdk.`+name+`"`)
	}
	assert.NotContains(t, setup, "CPULoad")
	assert.NotContains(t, setup, "_stacks")
	assert.Contains(t, setup, "SET TimeZone = 'UTC'")

	ask(t, profile, `select p99(duration), frame(stack_id, 0) from FileRead`)
	setup = read(t, dir, "setup")
	for _, part := range []string{`VIEW "_stacks" AS FROM read_parquet('`, "MACRO p99(x)", "MACRO frames(id)"} {
		assert.Contains(t, setup, part)
	}
}

// TestFilesStay writes files once, and again if the recording has changed or other events are chosen.
func TestFilesStay(t *testing.T) {
	fake(t, "", "")
	file := filepath.Join(t.TempDir(), "app.jfr")
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	files := func(args ...string) map[string]time.Time {
		t.Helper()
		ask(t, append([]string{file}, args...)...)
		return cached(t)
	}
	one := files("select * from FileRead")
	assert.Len(t, one, 1)
	assert.Equal(t, one, files("from FileRead"))
	two := files("from FileRead, SocketRead, ZAllocationStall")
	assert.Len(t, two, 3)
	for name, at := range one {
		assert.Equal(t, at, two[name], "it was there")
	}
	empty := 0
	for name := range two {
		if strings.HasSuffix(name, "jdk.ZAllocationStall.parquet"+noRows) {
			empty++
		}
	}
	assert.Equal(t, 1, empty)
	three := files("from FileRead", "--from", "1s")
	assert.Len(t, three, 4)

	// A byte changes, and size and time do not.
	info, err := os.Stat(file)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	_, _, _ = mjfr(t, "sql", file, "from FileRead")
	changed := cached(t)
	for name, at := range three {
		assert.Equal(t, at, changed[name])
	}
}

// TestTheTableOfRecordingsIsWrittenAgain says where recordings lie now, whatever was kept.
func TestTheTableOfRecordingsIsWrittenAgain(t *testing.T) {
	dir := fake(t, "", "")
	ask(t, profile, "from _recording join FileRead using (recording_id)")
	assert.Len(t, cached(t), 1, "that of events alone")
	assert.Regexp(t, `VIEW "_recording" AS FROM read_parquet\('[^']*new-[^']*_recording\.parquet'`, read(t, dir, "setup"))
}

// TestDamagedTablesAreWrittenAgain cuts a file that is kept, and writes something else.
func TestDamagedTablesAreWrittenAgain(t *testing.T) {
	dir := fake(t, "", "")
	path := func() string {
		t.Helper()
		ask(t, profile, "from FileRead")
		for name := range cached(t) {
			root, err := cache.Folder(cache.Tables)
			require.NoError(t, err)
			path := filepath.Join(root, name)
			assert.Contains(t, read(t, dir, "setup"), path)
			return path
		}
		return ""
	}
	whole := read(t, path())
	for _, damaged := range []string{whole[:100], "", "something else"} {
		require.NoError(t, os.WriteFile(path(), []byte(damaged), 0o600))
		assert.Equal(t, whole, read(t, path()))
	}
}

// TestNoCache keeps no tables.
func TestNoCache(t *testing.T) {
	dir := fake(t, "", "")
	ask(t, "--no-cache", profile, "from FileRead join _stacks using (stack_id)")
	assert.Empty(t, cached(t))
	path := regexp.MustCompile(`"jdk.FileRead" AS FROM read_parquet\('([^']+)'`).FindStringSubmatch(read(t, dir, "setup"))
	require.NotNil(t, path)
	assert.NoFileExists(t, path[1])
}

// TestDamagedRecordings are reported each time: their files do not stay.
func TestDamagedRecordings(t *testing.T) {
	fake(t, "an answer\n", "")
	file := filepath.Join(t.TempDir(), "cut.jfr")
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data[:len(data)-100_000], 0o600))
	for range 2 {
		code, out, errs := mjfr(t, "sql", "--csv", file, "from FileRead")
		assert.Equal(t, cli.ExitData, code)
		assert.NotEmpty(t, out)
		assert.Contains(t, errs, "cut.jfr")
		assert.Empty(t, cached(t))
	}
}

func TestErrors(t *testing.T) {
	dir := fake(t, "", "")
	for _, one := range []struct{ said, statement, excerpt, want string }{
		{"-- Loading resources from x\n\x1b[1mCatalog Error: Table with name FileRaed does not exist!\nDid you mean \"pg_x\"?\n\nLINE 1: from FileRaed;\n             ^\n", "from FileRaed",
			"  LINE 1: from FileRaed;\n               ^\n", "Catalog Error: Table with name FileRaed does not exist; did you mean FileRead? mjfr sql --tables lists all"},
		{"Catalog Error: Table with name \"jdk.FileRaed\" does not exist because schema \"jdk\" does not exist.\n", "from jdk.FileRaed",
			"", "Catalog Error: Table with name \"jdk.FileRaed\" does not exist because schema \"jdk\" does not exist; did you mean jdk.FileRead? mjfr sql --tables lists all"},
		{"Catalog Error: Table with name hot-methods does not exist!\n", "from \"hot-methods\"",
			"", "Catalog Error: Table with name hot-methods does not exist; mjfr view hot-methods FILE shows the view of that name"},
		{"Binder Error: Referenced column \"a\" not found\nCandidate bindings: \"b\"\n", "select a from FileRead",
			"", "Binder Error: Referenced column \"a\" not found; Candidate bindings: \"b\"; mjfr sql --tables lists columns"},
		{"IO Error: no https://u:p@host/a?sig=1\n\nLINE 1: p@host/a?sig=1'\n        ^\n", "from 'https://u:p@host/a?sig=1'",
			"", "IO Error: no https://host/a?..."},
	} {
		say(t, dir, "", one.said)
		code, out, errs := mjfr(t, "sql", profile, one.statement)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Empty(t, out)
		assert.Equal(t, one.excerpt+"mjfr sql: DuckDB: "+one.want+"\nTry mjfr sql --help.\n", errs)
	}
	for _, args := range [][]string{
		{}, {"select 1"}, {profile, "select 1", "--limit", "3"}, {profile, "select 1", "-f", "x.sql"}, {profile, "--tables", "select 1"},
		{profile, "select 1", "--json", "--csv"}, {"-"}, {profile, "hot-methods"},
	} {
		code, _, _ := mjfr(t, append([]string{"sql"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, args)
	}

	t.Setenv("PATH", t.TempDir())
	code, _, errs := mjfr(t, "sql", profile, "select 1")
	assert.Equal(t, cli.ExitData, code)
	for _, part := range []string{"https://duckdb.org/install", "pip install duckdb-cli", "mjfr query", "mjfr export --parquet"} {
		assert.Contains(t, errs, part)
	}
}

// TestShortNamesOfSeveralTypes lists them.
func TestShortNamesOfSeveralTypes(t *testing.T) {
	dir := fake(t, "", "Catalog Error: Table with name Request does not exist!\n")
	b := jfrtest.NewChunk()
	for _, name := range []string{"a.Request", "b.c.Request"} {
		b.Emit(b.Event(name, jfrtest.Of("n", "int")), int64(0), 1)
	}
	file := filepath.Join(t.TempDir(), "two.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	_, _, errs := mjfr(t, "sql", file, "from Request")
	assert.Contains(t, errs, `several event types have this short name; write "a.Request" or "b.c.Request"`)
	assert.Contains(t, read(t, dir, "setup"), `VIEW "b.c.Request"`)
}

// TestScripts come from standard input and files.
func TestScripts(t *testing.T) {
	dir := fake(t, "", "")
	const script = "create table x as select ';' as a; pragma y; -- the last"
	told := &strings.Builder{}
	a := &cli.App{Root: clitest.Verbs(New), Stdin: strings.NewReader(script), Stdout: told, Stderr: told}
	assert.Equal(t, cli.ExitOK, a.Run(t.Context(), []string{"sql", "--csv", profile}), told)
	assert.Equal(t, script+"\n", read(t, dir, "script"))
	file := filepath.Join(t.TempDir(), "a.sql")
	require.NoError(t, os.WriteFile(file, []byte("from FileRead"), 0o600))
	ask(t, "--csv", "-f", file, profile)
	assert.Equal(t, "from FileRead\n", read(t, dir, "script"))
	assert.Contains(t, read(t, dir, "setup"), `VIEW "jdk.FileRead" AS FROM read_parquet(`)
	require.NoError(t, os.WriteFile(file, []byte(" \n"), 0o600))
	code, _, errs := mjfr(t, "sql", "-f", file, profile)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "give a statement")
}

func TestTablesAndAbout(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out := ask(t, "--tables", "--csv", profile)
	for _, line := range []string{"\njdk.FileRead,bytesRead,BIGINT,bytes,", "\n_stacks,frames,\"STRUCT("} {
		assert.Contains(t, out, line)
	}
	assert.Contains(t, ask(t, "--about"), "## Ten questions")
}
