package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

const profile = "../../testdata/jdk25-profile.jfr"

// count returns the answer to a statement with one number.
func count(t testing.TB, args ...string) string {
	t.Helper()
	rows := rowsOf(t, answer(t, append([]string{"--csv"}, args...)...), true)
	require.Len(t, rows, 1)
	require.Len(t, rows[0], 1)
	return rows[0][0]
}

// TestSelections chooses events by options, and by arguments of jfr, as mjfr query does.
func TestSelections(t *testing.T) {
	other := "../../testdata/jdk17-profile.jfr"
	for _, one := range []struct {
		options []string
		named   string
	}{
		{nil, ""},
		{nil, `, "from" := NULL, "to" := NULL, "where" := NULL, thread := NULL`},
		{[]string{"--from", "2s"}, `, "from" := '2s'`},
		{[]string{"--to", "50%"}, `, "to" := '50%'`},
		{[]string{"--from", "-5s", "--to", "-1s"}, `, "from" := '-5s', "to" := '-1s'`},
		{[]string{"--where", "bytesRead > 100"}, `, "where" := 'bytesRead > 100'`},
		{[]string{"--thread", "main"}, `, thread := 'main'`},
		{[]string{"--from", "1s", "--where", "bytesRead > 10", "--thread", "*"}, `, "from" := '1s', "where" := 'bytesRead > 10', thread := '*'`},
	} {
		for _, file := range []string{profile, other} {
			want := rowsOf(t, asks(t, append([]string{"query", "--csv", "select count(*) from FileRead", file}, one.options...)...), true)[0][0]
			for name, program := range programs(t) {
				got := rowsOf(t, program(t, append([]string{"--csv", file, "select count(*) from FileRead"}, one.options...)...), true)[0][0]
				assert.Equal(t, want, got, "%s %v", name, one.options)
			}
			assert.Equal(t, want, count(t, profile, fmt.Sprintf("select count(*) from jfr('%s', 'FileRead'%s)", file, one.named)), one.named)
		}
	}
	assert.Equal(t, "0", count(t, profile, "select count(*) from FileRead", "--events", "SocketRead"))
	assert.Equal(t, count(t, profile, "select count(*) from _stacks"), count(t, other, fmt.Sprintf("select count(*) from jfr('%s', '_stacks')", profile)))
}

// TestSeveralRecordings reads recordings as the same tables.
func TestSeveralRecordings(t *testing.T) {
	for name, program := range programs(t) {
		rows := rowsOf(t, program(t, "--csv", "../../testdata/jdk17-kinds.jfr", profile, "select count(*), sum(duration) from ThreadSleep union all select count(*), sum(chunks) from _recording"), true)
		want := rowsOf(t, asks(t, "query", "--csv", "select count(*), sum(duration) from ThreadSleep", "../../testdata/jdk17-kinds.jfr", profile), true)
		require.Len(t, rows, 2, name)
		assert.Equal(t, want[0], rows[0], name)
		assert.Equal(t, "2", rows[1][0], name)
	}
}

// TestCollectionsOfTheRecording asks macros about collections of two JVMs, whose numbers are the same.
func TestCollectionsOfTheRecording(t *testing.T) {
	other := "../../testdata/jdk17-profile.jfr"
	const short = "select gcId, heap_before_gc(gcId), heap_after_gc(gcId), gc_id_before(start_ns), gc_id_after(start_ns), since_last_gc(start_ns) from GarbageCollection where gcId < 3 order by all"
	long := strings.NewReplacer("(gcId)", "(g.gcId, g.recording_id)", "(start_ns)", "(g.start_ns, recording_id)", "GarbageCollection", "GarbageCollection g join _recording h using (recording_id)").Replace(short)
	joined := filepath.Join(t.TempDir(), "both.jfr")
	var both []byte
	for _, name := range []string{profile, other} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		both = append(both, data...)
	}
	require.NoError(t, os.WriteFile(joined, both, 0o600))
	for name, program := range programs(t) {
		one, two := rowsOf(t, program(t, "--csv", profile, short), true), rowsOf(t, program(t, "--csv", other, short), true)
		require.NotEmpty(t, two)
		assert.NotEqual(t, one[0], two[0])
		assert.Equal(t, []string{"1", "0", "2"}, []string{one[1][0], one[1][3], one[1][4]}, name)
		assert.ElementsMatch(t, append(one, two...), rowsOf(t, program(t, "--csv", profile, other, long), true), name)
		assert.Equal(t, [][]string{{joined, "2", "", "", ""}}, rowsOf(t, program(t, "--csv", joined, "select source, jvms, host, jvm_pid, jvm_start_time from _recording"), true), name)
	}
	for _, macro := range []string{"heap_before_gc(gcId", "heap_after_gc(gcId", "gc_id_before(start_ns", "gc_id_after(start_ns", "last_gc_before(start_ns", "since_last_gc(start_ns"} {
		_, said, code := execute(t, "", profile, other, "select "+macro+") from GarbageCollection")
		assert.Equal(t, 2, code, macro)
		assert.Contains(t, said, "with recording_id as the second argument", macro)
		_, said, code = execute(t, "", joined, "select "+macro+") from GarbageCollection")
		assert.Equal(t, 2, code, macro)
		assert.Contains(t, said, "needs recordings of one JVM", macro)
		_, said, code = execute(t, "", joined, "select "+macro+", recording_id) from GarbageCollection")
		assert.Equal(t, 2, code, macro)
		assert.Contains(t, said, "needs recordings of one JVM", macro)
	}
}

// TestTypeWithAReservedName keeps the table of stacks and what reads it, beside events of a type that is called so.
func TestTypeWithAReservedName(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("_stacks", jfrtest.Of("frames", jfrtest.StringClass)), int64(0), "mine")
	b.Emit(b.Event("_other", jfrtest.Of("n", "int")), int64(0), 7)
	own, _ := b.Build()
	more, err := os.ReadFile(profile)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "own.jfr")
	require.NoError(t, os.WriteFile(file, append(own, more...), 0o600))
	const stacks = "select count(*), min(stack_text(stack_id)) from _stacks"
	for name, program := range programs(t) {
		assert.Equal(t, program(t, "--csv", profile, stacks), program(t, "--csv", file, stacks), name)
		rows := rowsOf(t, program(t, "--csv", file, `select frames, n from "._stacks", "_other"`), true)
		assert.Equal(t, [][]string{{"mine", "7"}}, rows, name)
		assert.Contains(t, program(t, "--csv", file, "show tables"), "._stacks\n", name)
	}
}

// TestCopies joins events of a recording and of its copy, each with one row.
func TestCopies(t *testing.T) {
	other := filepath.Join(t.TempDir(), "copy.jfr")
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other, data, 0o600))
	n := count(t, profile, "select 2 * count(*) from FileRead")
	for name, program := range programs(t) {
		rows := rowsOf(t, program(t, "--csv", profile, other, "select source, count(*) from FileRead join _recording using (recording_id) group by all"), true)
		assert.Equal(t, [][]string{{profile, n}}, rows, name)
	}
}

// TestWhichHost counts events by host, which labels of paths say.
func TestWhichHost(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for host, name := range map[string]string{"a": "jdk17-profile.jfr", "b": "jdk25-profile.jfr", "c": "jdk25-profile.jfr"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		require.NoError(t, err)
		if host == "c" { // as if the same JVM had been recorded longer
			more, err := os.ReadFile("../../testdata/jdk25-kinds.jfr")
			require.NoError(t, err)
			data = append(data, more...)
		}
		require.NoError(t, os.Mkdir(filepath.Join(dir, host), 0o700))
		files = append(files, filepath.Join(dir, host, "app.jfr"))
		require.NoError(t, os.WriteFile(filepath.Join(dir, host, "app.jfr"), data, 0o600))
	}
	var want [][]string
	for _, host := range []string{"a", "b", "c"} {
		n := rowsOf(t, asks(t, "query", "--csv", "select count(*) from ThreadSleep", filepath.Join(dir, host, "app.jfr")), true)[0][0]
		want = append(want, []string{host, host, filepath.Join(dir, host, "app.jfr"), n})
	}
	for name, program := range programs(t) {
		args := append([]string{"--csv", "--labels", "{host}/*.jfr", "select host, label_host, source, count(*) from ThreadSleep join _recording using (recording_id) group by all order by 1"}, files...)
		assert.Equal(t, want, rowsOf(t, program(t, args...), true), name)
	}
}

// TestFilesOfJFR opens in statements what the command line takes: packed recordings, patterns, URLs, archives, lists.
func TestFilesOfJFR(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.jfr"), data, 0o600))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	other, err := os.ReadFile("../../testdata/jdk17-profile.jfr")
	require.NoError(t, err)
	_, err = z.Write(other)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "two.jfr.gz"), packed.Bytes(), 0o600))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	one := count(t, profile, "select count(*) from FileRead")
	two := count(t, "../../testdata/jdk17-profile.jfr", "select count(*) from FileRead")
	both := count(t, profile, "../../testdata/jdk17-profile.jfr", "select count(*) from FileRead")
	for files, want := range map[string]string{
		"'" + dir + "/one.jfr'": one, "'" + dir + "/two.jfr.gz'": two, "'" + dir + "/*.jfr*'": both, "'" + dir + "'": both, "'" + server.URL + "/one.jfr'": one, "'" + server.URL + "/two.jfr.gz'": two,
		"['" + dir + "/one.jfr', '" + server.URL + "/two.jfr.gz']": both, "'-'": one,
	} {
		out, said, code := execute(t, string(data), "--csv", profile, "select count(*) from jfr("+files+", 'FileRead')")
		assert.LessOrEqual(t, code, 1, said)
		assert.Equal(t, [][]string{{want}}, rowsOf(t, out, true), "%s: %s", files, said)
	}
	for files, want := range map[string]string{"'" + dir + "/*.nothing'": "no file", "NULL": "names no recording", "''": "names no recording", "[]": "names no recording", "7": "the name of a recording", "{'a': 1}": "the name of a recording"} {
		_, said, code := execute(t, "", profile, "select count(*) from jfr("+files+", 'FileRead')")
		assert.Equal(t, 2, code, files)
		assert.Contains(t, said, want, files)
	}
}

// TestScansEnd reads only a part, the same table in several places, and tables again.
func TestScansEnd(t *testing.T) {
	n := count(t, profile, "select count(*) from ClassLoad")
	assert.Equal(t, "3", count(t, profile, "select count(*) from (from ClassLoad limit 3)"))
	assert.Equal(t, n, count(t, profile, "select count(*) from ClassLoad a join ClassLoad b on a.start_ns = b.start_ns and a.loadedClass = b.loadedClass and a.thread = b.thread"))
	assert.Equal(t, n, count(t, profile, "select count(*) from events('jdk.ClassLoad')"))
	assert.Equal(t, "5", count(t, profile, "with recursive r as (select 1 as i union all select i + 1 from r, (from ClassLoad limit 1) where i < 5) select max(i) from r"))
	out, said, code := execute(t, strings.Repeat("from ClassLoad limit 1; select count(*) from ClassLoad;", 20), "--ndjson", profile)
	assert.Zero(t, code, said)
	assert.Equal(t, 40, strings.Count(out, "\n"))
}

func TestWrongStatements(t *testing.T) {
	for statement, want := range map[string]string{
		"selec 1":                                                         "  LINE 1: selec 1\n          ^\nmjfr-duckdb: DuckDB: Parser Error: syntax error at or near \"selec\"",
		"from FileRaed":                                                   "did you mean FileRead",
		"select nothing from FileRead":                                    "--tables lists columns",
		`from "events-by-name"`:                                           "mjfr view events-by-name has it",
		"from jfr('nothing.jfr', 'x')":                                    "nothing.jfr",
		"from jfr('" + profile + "', 'FileRaed')":                         "the recording has no event type FileRaed; did you mean",
		"select 1; from FileRead where error('stop')":                     "stop",
		"from jfr('" + profile + "', 'FileRead', \"from\" := 'soon')":     "soon",
		"from jfr('" + profile + "', 'FileRead', \"where\" := 'a & b c')": "condition",
	} {
		_, said, code := execute(t, "", profile, statement)
		assert.Equal(t, 2, code, statement)
		assert.Contains(t, said, want, statement)
	}
}

// TestWhatIsNoQuery shows plans, lists of tables and descriptions, and what strings have with backslashes.
func TestWhatIsNoQuery(t *testing.T) {
	for name, program := range programs(t) {
		assert.Contains(t, program(t, profile, "explain select count(*) from FileRead"), "┌──", name)
		assert.Contains(t, program(t, "--csv", profile, "show tables"), "\njdk.FileRead\n", name)
		assert.Contains(t, program(t, "--csv", profile, "describe FileRead"), "\nbytesRead,BIGINT,", name)
		assert.Equal(t, "n\n1\n", program(t, "--csv", profile, "select count(*) as n from information_schema.tables where table_name = 'hot-methods'"), name)
		assert.Equal(t, "a\n..'..\n", program(t, "--csv", profile, `select E'..\'..' as a`), name)
		assert.Equal(t, "1 as a,b\n1,2\n", program(t, "--csv", profile, `select 1 as "1 as a", 2 as b -- the end`), name)
	}
}

// TestInterrupt ends a statement.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	var out, said strings.Builder
	code := sqlverb.Run(ctx, "mjfr-duckdb", new(engine), []string{profile, "select count(*) from ClassLoad a, ClassLoad b, ClassLoad c, ClassLoad d, ClassLoad e"}, strings.NewReader(""), &out, &said)
	assert.Equal(t, 130, code, said.String())
}

// TestDamage reports what cannot be read, and answers with the rest.
func TestDamage(t *testing.T) {
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(file, data[:len(data)-100_000], 0o600))
	out, said, code := execute(t, "", "--csv", file, "select count(*) from FileRead")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "cut.jfr")
	assert.NotEmpty(t, rowsOf(t, out, true))
}

func TestMicroseconds(t *testing.T) {
	for ns, us := range map[int64]int64{0: 0, 999: 0, 1000: 1, -1: -1, -1000: -1, -1001: -2, math.MaxInt64: math.MaxInt64 / 1000, math.MinInt64: math.MinInt64/1000 - 1} {
		assert.Equal(t, us, microseconds(ns), ns)
	}
}
