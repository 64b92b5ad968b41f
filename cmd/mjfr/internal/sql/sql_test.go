package sql

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	all, _ := io.ReadAll(os.Stdin)
	setup, script, found := strings.Cut(string(all), between)
	if found {
		script = between + script
	}
	_ = os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600)
	_ = os.WriteFile(filepath.Join(dir, "setup"), []byte(setup), 0o600)
	out, _ := os.ReadFile(filepath.Join(dir, "stdout"))
	said, _ := os.ReadFile(filepath.Join(dir, "stderr"))
	os.Stdout.Write(out)
	os.Stderr.Write(said)
	if len(said) > 0 {
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

// cached returns the files of the cache, with when they were made.
func cached(t *testing.T) map[string]time.Time {
	t.Helper()
	root, err := cacheRoot()
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

// answered is what duckdb writes about one statement.
const answered = `0
[{"column_name":"path","column_type":"VARCHAR","null":"YES"},
{"column_name":"n","column_type":"HUGEINT"},{"column_name":"l","column_type":"BIGINT[]"},{"column_name":"d","column_type":"DOUBLE"}]
0
[{"path":"a \"b\"\n","n":"12345678901234567890","l":[1,null],"d":NaN},
{"path":null,"n":null,"l":null,"d":1.50},{"path":"","n":"2","l":[],"d":-Infinity}]
0
`

// TestLinesOfTheSetup refuses a setup in which the shell would find commands.
func TestLinesOfTheSetup(t *testing.T) {
	for _, setup := range []string{"CREATE VIEW \"a\x00b\"", "a\n.shell x", "a\n  .shell x", "a\r.shell x", "#x", "/", "!x", "a\x7f"} {
		assert.Error(t, checkLines(setup), "%q", setup)
	}
	assert.NoError(t, checkLines("SET TimeZone = 'UTC';\nCREATE VIEW \"é.#!/\" AS\n  FROM x;\n"))
}

// TestHostileRecording gives duckdb no line of a recording.
func TestHostileRecording(t *testing.T) {
	dir := fake(t, "0\n0\n0\n", "")
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
	fake(t, answered, "")
	ask := func(format string) string {
		code, out, errs := mjfr(t, "sql", format, profile, "select path, n from FileRead")
		assert.Equal(t, cli.ExitOK, code, errs)
		return out
	}
	assert.Equal(t, "path,n,l,d\n\"a \"\"b\"\"\n\",12345678901234567890,\"[1,null]\",NaN\n,,,1.5\n,2,[],-Infinity\n", ask("--csv"))
	assert.Equal(t, `{"path":"a \"b\"\n","n":12345678901234567890,"l":[1,null],"d":null}
{"path":null,"n":null,"l":null,"d":1.5}
{"path":"","n":2,"l":[],"d":null}
`, ask("--ndjson"))
	assert.Equal(t, `{
"columns": [{"name":"path","type":"VARCHAR"},{"name":"n","type":"HUGEINT"},{"name":"l","type":"BIGINT[]"},{"name":"d","type":"DOUBLE"}],
"rows": [
{"path":"a \"b\"\n","n":12345678901234567890,"l":[1,null],"d":null},
{"path":null,"n":null,"l":null,"d":1.5},
{"path":"","n":2,"l":[],"d":null}
]
}
`, ask("--json"))
	text := ask("--width=80")
	assert.Contains(t, text, "12345678901234567890")
	assert.Contains(t, text, "NULL")
}

// TestTablesOfText have all of each cell in a pipe, as programs may read them; what a width has no room for is not kept.
func TestTablesOfText(t *testing.T) {
	described := `0
[{"column_name":"a","column_type":"VARCHAR"},{"column_name":"l","column_type":"VARCHAR[]"}]
0
[{"a":"` + strings.Repeat(`\"\u00e9\\`, 1<<20) + `","l":["` + strings.Repeat("x", 10<<20) + `"]},{"a":"b","l":[]}]
0
`
	fake(t, described, "")
	code, out, errs := mjfr(t, "sql", profile, "select a, l from FileRead")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, strings.Repeat(`"é\`, 1<<20)+` ["`+strings.Repeat("x", 10<<20)+`"]`+"\n")
	code, out, errs = mjfr(t, "sql", "--width=24", profile, "select a, l from FileRead")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Equal(t, `a           l          
----------- -----------
"é\"é\"é... ["xxxxxx...
b           []         
`, out)

	for _, tail := range []string{"x", `\n`, `\u00e9`, `\ud83d\ude00`, `\\`} {
		for n := range 40 {
			text := `"` + strings.Repeat("x", n) + strings.Repeat(tail, 30) + `"`
			cell, err := (&results{in: bufio.NewReader(strings.NewReader(text + ","))}).value(36)
			require.NoError(t, err)
			whole := unquoted([]byte(text))
			assert.True(t, strings.HasPrefix(whole, strings.TrimSuffix(unquoted(cell), "\ufffd")), "%s: %s", text, cell)
			assert.LessOrEqual(t, len(cell), 36+6, text)
		}
	}
}

// TestWhatDuckDBGets looks at the setup and the script: views of the types that are named, and nothing else.
func TestWhatDuckDBGets(t *testing.T) {
	dir := fake(t, answered, "")
	code, _, errs := mjfr(t, "sql", profile, `select * from jdk.FileRead r join "jdk.SocketRead" s on 'ThreadPark' = 'a''b' -- CPULoad
		where NoSuchType.x = 1 or r.path = $$jdk.ClassLoad$$`)
	require.Equal(t, cli.ExitOK, code, errs)
	script, setup := read(t, dir, "script"), read(t, dir, "setup")
	assert.True(t, strings.HasPrefix(script, between+"DESCRIBE\nselect * from jdk.FileRead r"), script)
	for _, name := range []string{"FileRead", "SocketRead", "ThreadPark", "ClassLoad"} {
		assert.Contains(t, setup, `CREATE VIEW "jdk.`+name+`" AS FROM read_parquet('`)
		assert.Contains(t, setup, `CREATE VIEW IF NOT EXISTS "jdk"."`+name+`" AS FROM main."jdk.`+name+`"`)
		assert.Contains(t, setup, `CREATE VIEW "`+name+`" AS FROM main."jdk.`+name+`"`)
	}
	assert.NotContains(t, setup, "CPULoad", "a comment")
	assert.Contains(t, setup, "SET TimeZone = 'UTC'")

	code, _, errs = mjfr(t, "sql", profile, `from "hot-methods" where p99(x) > 1 and frames(1) is null`)
	require.Equal(t, cli.ExitOK, code, errs)
	setup = read(t, dir, "setup")
	for _, part := range []string{`CREATE VIEW "hot-methods" AS WITH`, `"jdk.ExecutionSample"`, "CREATE MACRO p99(x)", "CREATE MACRO jdk_quantile(x, p)", "CREATE MACRO jdk_quantile_of(", `CREATE VIEW "_stacks"`} {
		assert.Contains(t, setup, part)
	}
	assert.Less(t, strings.Index(setup, "CREATE MACRO jdk_quantile_of("), strings.Index(setup, "CREATE MACRO p99(x)"))
}

// TestViewAsStatement shows a view by its name alone, unless a file has this name.
func TestViewAsStatement(t *testing.T) {
	dir := fake(t, answered, "")
	code, _, errs := mjfr(t, "sql", profile, "Hot-Methods")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, read(t, dir, "script"), "from \"hot-methods\"\n")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("gc", nil, 0o600))
	files, statement := split([]string{"gc", "gc-pauses", "gc-cpu-time"})
	assert.Equal(t, []string{"gc", "gc-cpu-time"}, files)
	assert.Equal(t, `from "gc-pauses"`, statement)
}

// TestFilesStay makes files once, and again if the recording has changed or other events are chosen.
func TestFilesStay(t *testing.T) {
	fake(t, answered, "")
	file := filepath.Join(t.TempDir(), "app.jfr")
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	ask := func(args ...string) map[string]time.Time {
		t.Helper()
		code, _, errs := mjfr(t, append([]string{"sql", file}, args...)...)
		require.Equal(t, cli.ExitOK, code, errs)
		return cached(t)
	}
	one := ask("select * from FileRead")
	assert.Len(t, one, 1)
	assert.Equal(t, one, ask("from FileRead"))
	two := ask("from FileRead, SocketRead, ZAllocationStall")
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
	three := ask("from FileRead", "--from", "1s")
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

// TestMakingManyTables says why it takes long, and only if it does.
func TestMakingManyTables(t *testing.T) {
	fake(t, answered, "")
	_, all, _ := mjfr(t, "sql", "--tables", "--csv", profile)
	names := regexp.MustCompile(`(?m)^jdk\.\w+`).FindAllString(all, -1)
	slices.Sort(names)
	names = slices.Compact(names)
	require.Greater(t, len(names), many)
	ask := func(n int) string {
		code, _, errs := mjfr(t, "sql", "--csv", profile, "select * from "+strings.Join(names[:n], ", "))
		require.Equal(t, cli.ExitOK, code, errs)
		return errs
	}
	assert.Empty(t, ask(many-1))
	assert.Contains(t, ask(2*many), fmt.Sprintf("making tables of %d event types, which are kept for the next time; --events chooses types", many+1))
	assert.Empty(t, ask(2*many))
}

// TestTheTableOfRecordingsIsMadeAnew says where recordings lie now, whatever was kept.
func TestTheTableOfRecordingsIsMadeAnew(t *testing.T) {
	dir := fake(t, answered, "")
	code, _, errs := mjfr(t, "sql", profile, "from _recording join FileRead using (recording_id)")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Len(t, cached(t), 1, "that of events alone")
	assert.Regexp(t, `CREATE VIEW "_recording" AS FROM read_parquet\('[^']*new-[^']*_recording\.parquet'\)`, read(t, dir, "setup"))
}

// TestDamagedTablesAreMadeAnew changes a byte of a file that is kept, cuts it, and writes something else.
func TestDamagedTablesAreMadeAnew(t *testing.T) {
	dir := fake(t, answered, "")
	ask := func() (path string) {
		t.Helper()
		code, _, errs := mjfr(t, "sql", profile, "from FileRead")
		require.Equal(t, cli.ExitOK, code, errs)
		root, err := cacheRoot()
		require.NoError(t, err)
		paths, err := filepath.Glob(filepath.Join(root, "*", "jdk.FileRead.*"))
		require.NoError(t, err)
		require.Len(t, paths, 1)
		assert.Contains(t, read(t, dir, "setup"), paths[0])
		return paths[0]
	}
	whole := read(t, ask())
	for _, damaged := range []string{whole[:len(whole)/2] + "x" + whole[len(whole)/2+1:], whole[:100], "", "something else"} {
		require.NoError(t, os.WriteFile(ask(), []byte(damaged), 0o600))
		assert.Equal(t, whole, read(t, ask()))
	}
}

// TestNoCache keeps no tables.
func TestNoCache(t *testing.T) {
	dir := fake(t, answered, "")
	code, _, errs := mjfr(t, "sql", "--table-cache", "0", profile, "from FileRead join _stacks using (stack_id)")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Empty(t, cached(t))
	path := regexp.MustCompile(`"jdk.FileRead" AS FROM read_parquet\('([^']+)'`).FindStringSubmatch(read(t, dir, "setup"))
	require.NotNil(t, path)
	assert.NoFileExists(t, path[1])
	code, _, errs = mjfr(t, "sql", "--table-cache", "none", profile, "from FileRead")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "must be a size")
}

// TestDamagedRecordings are reported each time: their files do not stay.
func TestDamagedRecordings(t *testing.T) {
	fake(t, answered, "")
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

// TestPrune removes what was used least recently.
func TestPrune(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	for i, age := range []time.Duration{time.Minute, 3 * time.Hour, time.Hour, 2 * time.Hour} {
		dir := filepath.Join(root, fmt.Sprint(i))
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.parquet"), make([]byte, 100), 0o600))
		require.NoError(t, os.Chtimes(dir, now.Add(-age), now.Add(-age)))
	}
	for name, age := range map[string]time.Duration{"new-1": time.Minute, "new-2": 25 * time.Hour} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
		require.NoError(t, os.Chtimes(filepath.Join(root, name), now.Add(-age), now.Add(-age)))
	}
	left := func(limit int64) (names []string) {
		require.NoError(t, prune(root, limit, now))
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	assert.Equal(t, []string{"0", "1", "2", "3", "new-1"}, left(400))
	assert.Equal(t, []string{"0", "2", "3", "new-1"}, left(399))
	assert.Equal(t, []string{"0", "2", "new-1"}, left(250))
	assert.Equal(t, []string{"0", "new-1"}, left(1), "what was used a minute ago stays")
}

// TestPlaces shows the lines of scripts that are wrong, and not those that are put around them.
func TestPlaces(t *testing.T) {
	dir := fake(t, "", "")
	for _, one := range []struct{ out, said, script, want string }{
		{"0\n", "Parser Error: syntax error at or near \";\"\n\nLINE 3: ;\n        ^\n", "select 1 + ", "  LINE 1: select 1 +\n                    ^\nmjfr sql: DuckDB: Parser Error: syntax error at end of input\n"},
		{"0\n[]0\n[]0\n", "Binder Error: no b\n\nLINE 4:   b from x\n          ^\n", "select 1;\n-- two\nselect a,\n  b from x", "  LINE 4:   b from x\n            ^\nmjfr sql: DuckDB: Binder Error: no b\n"},
		{"0\n[]0\n", "Conversion Error: no\n\nLINE 1: select x\n               ^\n", "select x", "  LINE 1: select x\n                 ^\nmjfr sql: DuckDB: Conversion Error: no\n"},
		{"", "", "select 1,\n 'a''", "  LINE 2:  'a''\n           ^\nmjfr sql: a string of the statement has no end\n"},
		{"", "", "select 1; select E'\\'", "  LINE 1: select E'\\'\n                 ^\nmjfr sql: a string of the statement has no end\n"},
	} {
		say(t, dir, one.out, one.said)
		code, _, errs := mjfr(t, "sql", profile, one.script)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Equal(t, one.want+"Try mjfr sql --help.\n", errs)
	}
}

// TestPlans shows what EXPLAIN writes, which is no JSON.
func TestPlans(t *testing.T) {
	dir := fake(t, "0\n0\n\n│ PLAN │\n│  0   │\n0\n[{\"column_name\":\"a\",\"column_type\":\"INTEGER\"}]\n0\n[{\"a\":1}]\n0\n", "")
	code, out, errs := mjfr(t, "sql", profile, "explain select 1; select E'\\'' as a")
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.True(t, strings.HasPrefix(out, "│ PLAN │\n│  0   │\n"), out)
	assert.Contains(t, out, "1\n")
	assert.Contains(t, read(t, dir, "script"), "\nselect E'''' as a", "duckdb takes \\' for the end of a string")
	code, out, errs = mjfr(t, "sql", "--csv", profile, "explain select 1; select 1 as a")
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "plan\n│ PLAN │\n│  0   │\n")
}

// TestOwnViews are there beside those of the JDK, from files and from the folder of the user's settings, with parameters.
func TestOwnViews(t *testing.T) {
	dir := fake(t, answered, "")
	t.Setenv("XDG_CONFIG_HOME", dir)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "mjfr"), 0o700))
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	write("mjfr/mine.views", "view: slow-files\nfrom FileRead where duration > ${threshold=10ms} select path, max(duration) group by path\n\nview: hot-methods\nfrom FileRead select count(*) as mine\n")
	write("more.views", "view: joined\nfrom FileRead within jdk.ClassLoad as l select l.loadedClass\n\nview: needs\nfrom FileRead where path = ${path} select path\n")
	more := filepath.Join(dir, "more.views")
	ask := func(args ...string) (setup, said string) {
		t.Helper()
		_, _, said = mjfr(t, append([]string{"sql", profile, "--views", more}, args...)...)
		return read(t, dir, "setup"), said
	}
	setup, said := ask(`from "slow-files", "hot-methods", "gc-pauses-by-cause"`)
	assert.Empty(t, said)
	for _, part := range []string{`CREATE VIEW "slow-files" AS WITH`, "> 10000000", `count(*) AS "mine"`, `CREATE VIEW "gc-pauses-by-cause" AS WITH`} {
		assert.Contains(t, setup, part)
	}
	setup, _ = ask(`from "slow-files", needs`, "-p", "threshold=2us", "-p", "path=a b")
	assert.Contains(t, setup, "> 2000\n")
	assert.Contains(t, setup, `CREATE VIEW "needs" AS WITH`)

	say(t, dir, "0\n", "Catalog Error: Table with name joined does not exist!\n")
	_, said = ask("from joined")
	assert.Contains(t, said, "mjfr view joined has it: DURING, WITHIN and ASOF: no SQL over tables says that")
	say(t, dir, "0\n", "Catalog Error: Table with name needs does not exist!\n")
	_, said = ask("from needs")
	assert.Contains(t, said, "the view of this name cannot be made: view needs: the parameter path needs a value")
	_, said = ask("from needs", "-p", "tresholds=2us")
	assert.Contains(t, said, "no view has a parameter tresholds; did you mean threshold?")
	_, said = ask("from needs", "-p", "path")
	assert.Contains(t, said, "-p takes NAME=VALUE")
	write("more.views", "view: all-views\nfrom FileRead select path\n")
	_, said = ask("from needs")
	assert.Contains(t, said, "no view can be called all-views")
}

// TestListsOfTables makes all tables where a statement asks which there are: those that it does not name are empty.
func TestListsOfTables(t *testing.T) {
	dir := fake(t, answered, "")
	for _, statement := range []string{"show tables", "SHOW ALL TABLES", "from information_schema.tables", "select * from duckdb_views()"} {
		code, _, errs := mjfr(t, "sql", profile, statement)
		require.Equal(t, cli.ExitOK, code, errs)
		setup := read(t, dir, "setup")
		for _, part := range []string{`CREATE VIEW "jdk.FileRead" AS FROM (SELECT CAST(NULL AS `, `CREATE VIEW "hot-methods" AS `, `CREATE VIEW "_stacks" AS FROM (SELECT`} {
			assert.Contains(t, setup, part, statement)
		}
		assert.Empty(t, cached(t), "no event is read for that")
	}
	say(t, dir, answered+"[]\n0\n[]\n0\n", "")
	code, _, errs := mjfr(t, "sql", profile, "show tables; from FileRead")
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, read(t, dir, "setup"), `CREATE VIEW "jdk.FileRead" AS FROM read_parquet(`)
}

func TestErrors(t *testing.T) {
	dir := fake(t, "0\n", "-- Loading resources from x\n\x1b[1mCatalog Error: Table with name FileRaed does not exist!\nDid you mean \"pg_x\"?\n\nLINE 2: from FileRaed;\n             ^\n")
	code, out, errs := mjfr(t, "sql", profile, "from FileRaed")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Empty(t, out)
	assert.Equal(t, "  LINE 1: from FileRaed;\n               ^\nmjfr sql: DuckDB: Catalog Error: Table with name FileRaed does not exist; did you mean FileRead? mjfr sql --tables lists all\nTry mjfr sql --help.\n", errs)

	say(t, dir, "0\n", "Catalog Error: Table with name events-by-count does not exist!\n")
	_, _, errs = mjfr(t, "sql", profile, `from "events-by-count"`)
	assert.Contains(t, errs, "mjfr view events-by-count has it")

	say(t, dir, "0\n0\n[{\"a\":1}\nand then it ended", "")
	code, _, errs = mjfr(t, "sql", profile, "select 1")
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, errs, "duckdb has written something that is no result")

	for _, out := range []string{"0\n0\n[{\"a\":1},\n{\"a\":1,\"b\":2}]\n0\n", "[", "0\n[{", "0\n[{\"a\":1", "0\n0\n[{1:2}]", "x", "", "0\n0\n[1]", "0\n0\n[{\"a\":,}]"} {
		say(t, dir, out, "")
		for _, format := range []string{"--csv", "--json", "--width=80"} {
			code, _, errs = mjfr(t, "sql", format, profile, "select 1")
			assert.Equal(t, cli.ExitData, code, "%s: %s", out, errs)
		}
	}

	for _, args := range [][]string{
		{}, {"select 1"}, {profile, "select 1", "--limit", "3"}, {profile, "select 1", "-f", "x.sql"}, {profile, "--tables", "select 1"}, {profile, "select 1", "--json", "--csv"}, {profile, " ; -- nothing"}, {"-"},
	} {
		code, _, _ := mjfr(t, append([]string{"sql"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, args)
	}

	t.Setenv("PATH", t.TempDir())
	code, _, errs = mjfr(t, "sql", profile, "select 1")
	assert.Equal(t, cli.ExitData, code)
	for _, part := range []string{"https://duckdb.org/install", "mjfr-duckdb", "mjfr query"} {
		assert.Contains(t, errs, part)
	}
}

// TestScripts come from standard input and files, and have several results.
func TestScripts(t *testing.T) {
	dir := fake(t, "0\n0\n0\n0\n[{\"a\":1,\"b\":\"x\"}]\n0\n", "")
	var stdout, stderr bytes.Buffer
	a := &cli.App{Root: clitest.Verbs(New), Stdin: strings.NewReader("create table x as select ';' as a; pragma y;"), Stdout: &stdout, Stderr: &stderr}
	code := a.Run(t.Context(), []string{"sql", "--csv", profile})
	out := stdout.String()
	assert.Equal(t, cli.ExitOK, code, stderr.String())
	assert.Equal(t, "a,b\n1,x\n", out)
	assert.Equal(t, between+between+"create table x as select ';' as a"+end+between+"pragma y"+end, read(t, dir, "script"))
	file := filepath.Join(t.TempDir(), "a.sql")
	require.NoError(t, os.WriteFile(file, []byte("pragma z; pragma y -- the last"), 0o600))
	code, again, errs := mjfr(t, "sql", "--csv", "-f", file, profile)
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Equal(t, out, again)
	assert.Contains(t, read(t, dir, "script"), "-- the last\n;\n", "a comment ends with its line")
}

func TestTablesAndAbout(t *testing.T) {
	code, out, errs := mjfr(t, "sql", "--tables", "--csv", profile)
	assert.Equal(t, cli.ExitOK, code, errs)
	for _, line := range []string{"\njdk.FileRead,bytesRead,BIGINT,bytes,", "\n_stacks,frames,\"STRUCT(", "\nhot-methods,,VIEW,"} {
		assert.True(t, strings.Contains(out, line), line)
	}
	code, out, _ = mjfr(t, "sql", "--about")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out, "## Ten questions")
}
