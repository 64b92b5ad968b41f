package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/sqlverb"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
)

// mjfr is the program, which TestMain builds.
var mjfr string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mjfr-*")
	if err != nil {
		panic(err)
	}
	mjfr = filepath.Join(dir, "mjfr")
	build := exec.Command("go", "build", "-o", mjfr, "./cmd/mjfr")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// execute runs this program.
func execute(t testing.TB, stdin string, args ...string) (out, said string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = sqlverb.Run(t.Context(), "mjfr-duckdb", new(engine), args, strings.NewReader(stdin), &o, &e)
	return o.String(), e.String(), code
}

// answer runs this program, which must not fail. What recordings lack is no failure.
func answer(t testing.TB, args ...string) string {
	t.Helper()
	out, said, code := execute(t, "", args...)
	require.LessOrEqual(t, code, 1, "%v: %s", args, said)
	return out
}

// asks runs mjfr.
func asks(t testing.TB, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), mjfr, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		require.NoError(t, err, "%v: %s", args, said.String())
	}
	return out.String()
}

// programs are this program, and mjfr sql if there is a duckdb.
func programs(t testing.TB) map[string]func(t testing.TB, args ...string) string {
	list := map[string]func(t testing.TB, args ...string) string{"mjfr-duckdb": answer}
	if _, err := exec.LookPath("duckdb"); err == nil {
		list["mjfr sql"] = func(t testing.TB, args ...string) string { return asks(t, append([]string{"sql"}, args...)...) }
	} else {
		t.Log("there is no duckdb: mjfr sql is left out")
	}
	return list
}

// rowsOf returns rows of CSV without the heading: numbers as Go writes them, and times in microseconds.
func rowsOf(t testing.TB, text string, heading bool) (rows [][]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err, text)
	if heading && len(rows) > 0 {
		rows = rows[1:]
	}
	for _, row := range rows {
		for i, cell := range row {
			row[i] = plain(cell)
		}
	}
	return rows
}

func plain(cell string) string {
	if n, err := strconv.ParseInt(cell, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	if f, err := strconv.ParseFloat(cell, 64); err == nil && f == 0 {
		return "0"
	}
	if f, err := strconv.ParseFloat(cell, 64); err == nil {
		return strconv.FormatFloat(f, 'g', 12, 64)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999-07"} {
		if at, err := time.Parse(layout, cell); err == nil {
			return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
		}
	}
	return unknown.Replace(cell)
}

// unknown are the places of frames in CSV that are not known.
var unknown = strings.NewReplacer(`"line":0,`, `"line":null,`, `"bci":-1,`, `"bci":null,`)

// question is one of docs/SQL.md: a statement, a command of mjfr, and the answer of both.
var question = regexp.MustCompile("(?s)### ([^\n]+)\n\n```sql\n(.*?)\n```\n\n    mjfr (query|view) '?([^\n]*?)'?\n\n```csv\n(.*?)```\n")

// TestPageIsTrue asks the questions of docs/SQL.md.
func TestPageIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/SQL.md")
	require.NoError(t, err)
	questions := question.FindAllStringSubmatch(string(page), -1)
	require.Len(t, questions, 10)
	const file = "../../testdata/jdk25-profile.jfr"
	for _, q := range questions {
		title, statement, verb, asked, want := q[1], q[2], q[3], q[4], rowsOf(t, q[5], false)
		require.NotEmpty(t, want, title)
		assert.Equal(t, want, rowsOf(t, asks(t, verb, "--csv", asked, file), true), "%s: mjfr %s", title, verb)
		for name, program := range programs(t) {
			assert.Equal(t, want, rowsOf(t, program(t, "--csv", file, statement), true), "%s: %s", title, name)
		}
	}
}

// recordingsOf are those of testdata.
func recordingsOf(t testing.TB) []string {
	paths, err := filepath.Glob("../../testdata/*.jfr")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// TestTablesAreThoseOfExport compares all rows of all tables of all recordings with those that mjfr export writes, which
// the tests of package columns compare with mjfr print.
func TestTablesAreThoseOfExport(t *testing.T) {
	for _, path := range recordingsOf(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rec, err := mmapjfr.Open(path)
			require.NoError(t, err)
			defer rec.Close()
			tables, _ := columns.Tables([]*mmapjfr.Recording{rec}, columns.Options{})
			files := make(map[string]*bytes.Buffer)
			var mu sync.Mutex
			o := columns.Options{Name: func(*mmapjfr.Recording) string { return path }}
			_, err = columns.Export(t.Context(), []*mmapjfr.Recording{rec}, columns.CSV, func(name string, fill func(io.Writer) error) error {
				var file bytes.Buffer
				err := fill(&file)
				mu.Lock()
				defer mu.Unlock()
				files[name] = &file
				return err
			}, o)
			require.NoError(t, err)
			var script []string
			for _, table := range tables {
				script = append(script, statementOf(table))
			}
			for name, program := range programs(t) {
				results := strings.Split(program(t, "--ndjson", path, strings.Join(script, ";\n")), `{"end":1}`+"\n")
				require.Len(t, results, len(tables)+1, name)
				for i, table := range tables {
					want := []string{}
					if file := files[table.Name]; file != nil {
						for _, row := range rowsOf(t, file.String(), true) {
							want = append(want, strings.Join(row, "|"))
						}
					}
					got := []string{}
					for line := range strings.Lines(results[i]) {
						got = append(got, lineOf(t, line))
					}
					slices.Sort(want)
					slices.Sort(got)
					assert.Equal(t, want, got, "%s: %s", name, table.Name)
				}
			}
		})
	}
}

// statementOf returns a statement for all rows of a table, with what CSV has in one column, and one that ends them.
func statementOf(t *columns.Table) string {
	var list []string
	for i := range t.Columns {
		c := names.Quote(t.Columns[i].Name)
		switch k := t.Columns[i].Kind; {
		case k == columns.Time:
			c = "strftime(" + c + ", '%Y-%m-%dT%H:%M:%S.%fZ')"
		case k == columns.Frames || k == columns.List:
			c = "CAST(to_json(" + c + ") AS VARCHAR)"
		default:
			c = "CAST(" + c + " AS VARCHAR)"
		}
		list = append(list, c)
	}
	return "SELECT [" + strings.Join(list, ", ") + "] AS r FROM " + names.Quote(t.Name) + "; SELECT 1 AS \"end\""
}

// lineOf returns the row of such a statement as text.
func lineOf(t testing.TB, line string) string {
	t.Helper()
	var row struct{ R []*string }
	require.NoError(t, json.Unmarshal([]byte(line), &row), line)
	var cells []string
	for _, c := range row.R {
		text := ""
		if c != nil {
			text = plain(*c)
		}
		cells = append(cells, text)
	}
	return strings.Join(cells, "|")
}

// differing are views whose rows may differ from those of mjfr view, see docs/SQL.md.
var differing = map[string]string{
	"contention-by-site": "a stack trace is its top frame", "blocked-by-system-gc": "a stack trace is its top frame", "thread-start": "a stack trace is its top frame",
	"hot-methods": "methods of classes of one name", "deoptimizations-by-site": "methods of classes of one name", "class-loaders": "loaders of one name",
	"memory-leaks-by-site": "of values of one moment any is the last",
}

// TestViewsAreThose compares the views with those of mjfr view.
func TestViewsAreThose(t *testing.T) {
	same := 0
	for _, path := range []string{"jdk17-kinds.jfr", "jdk25-kinds.jfr", "jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-cputime.jfr"} {
		path = filepath.Join("../../testdata", path)
		rec, err := mmapjfr.Open(path)
		require.NoError(t, err)
		c, _ := names.NewCatalog([]*mmapjfr.Recording{rec}, columns.Options{})
		list := c.All().Views
		require.NoError(t, rec.Close())
		for _, view := range list {
			if differing[view.Name] != "" {
				continue
			}
			want := rowsOf(t, strings.ReplaceAll(asks(t, "view", "--csv", view.Name, path), strconv.Itoa(math.MaxInt64), ""), true) // without end
			for name, program := range programs(t) {
				got := rowsOf(t, program(t, "--csv", path, "from "+names.Quote(view.Name)), true)
				assert.ElementsMatch(t, want, got, "%s: %s of %s", name, view.Name, path)
			}
			if len(want) > 0 {
				same++
			}
		}
	}
	assert.Greater(t, same, 100)
}

// TestOwnViews compares views of a user's file with those of mjfr view.
func TestOwnViews(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.views")
	const text = `view: slow-files
from FileRead where duration > ${threshold=10us} and path ~ 'a' select path as "Path", count(*), max(duration) as m group by path order by m desc

view: by-second
from JavaMonitorEnter select time(1s) as second, count(*), sum(duration), p99(duration), unique(eventThread) group by second

view: rates
from FileRead where duration > 0ns select sum(bytesRead) / sum(duration), max(bytesRead / duration), max(startTime) - min(startTime), sum(duration) / 3, sum(duration) * 2.5

view: seven
from FileRead select time(7s) as t, package(stackTrace.topApplicationFrame) as p, simple(stackTrace.topFrame) as q, bucket(bytesRead, 1000) as b, count(*) as n group by t, p, q, b having not n < 1 order by t, p, q, b

view: first-and-last
from GCHeapSummary select gcId, first(heapUsed), last(heapUsed), diff(heapUsed), arg_max(when, heapUsed) group by gcId order by gcId limit 4
`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for _, view := range []string{"slow-files", "by-second", "rates", "seven", "first-and-last"} {
		var parameters []string
		if view == "slow-files" {
			parameters = []string{"-p", "threshold=20us"}
		}
		want := rowsOf(t, asks(t, append([]string{"view", "--csv", "-f", file, view, profile}, parameters...)...), true)
		require.NotEmpty(t, want, view)
		for name, program := range programs(t) {
			got := rowsOf(t, program(t, append([]string{"--csv", "--views", file, profile, "from " + names.Quote(view)}, parameters...)...), true)
			assert.ElementsMatch(t, want, got, "%s: %s", name, view)
		}
	}
}

// TestViewsOfTypesThatChanged shows fields that only one of two recordings has, whichever of them is named first.
func TestViewsOfTypesThatChanged(t *testing.T) {
	files := []string{"../../testdata/jdk25-profile.jfr", "../../testdata/jdk17-profile.jfr"}
	for range files {
		slices.Reverse(files)
		for _, view := range []string{"compiler-configuration", "gc-configuration", "heap-configuration", "gc"} {
			want := rowsOf(t, asks(t, "view", "--csv", view, files[0], files[1]), true)
			for name, program := range programs(t) {
				got := rowsOf(t, program(t, "--csv", files[0], files[1], "from "+names.Quote(view)), true)
				assert.ElementsMatch(t, want, got, "%s: %s of %v", name, view, files)
			}
		}
	}
}

// TestFloats are written in one way by both programs, and by mjfr query.
func TestFloats(t *testing.T) {
	const statement = "select 2.559e-05::double, 1e20::double, 1e21::double, 1e15::double, 1::double, 0.1::float, 1e-7::float, 'nan'::double"
	for name, program := range programs(t) {
		out := program(t, "--tsv", profile, statement)
		assert.Equal(t, "0.00002559\t100000000000000000000\t1e+21\t1000000000000000\t1\t0.1\t1e-07\t", out[strings.Index(out, "\n")+1:len(out)-len("nan\n")], name)
		_, want, _ := strings.Cut(asks(t, "query", "--csv", "select machineTotal * 1e-4 as x from CPULoad order by x", profile), "\n")
		_, got, _ := strings.Cut(program(t, "--csv", profile, "select machineTotal * 1e-4::double as x from CPULoad order by x"), "\n")
		assert.Equal(t, want, got, name)
	}
}

// TestLongTextsAreCutByDuckDB shows the beginnings of texts of 64 MiB, of which this program makes no copy. One is computed
// when the statement is planned.
func TestLongTextsAreCutByDuckDB(t *testing.T) {
	for _, one := range []string{"repeat('ab', (32 << 20) + gcId)", "repeat('ab', 32 << 20)", "[repeat('ab', (32 << 20) + gcId)]"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := answer(t, "--width", "40", profile, "select "+one+" as a, gcId from GarbageCollection order by gcId limit 1")
		runtime.ReadMemStats(&after)
		assert.Contains(t, out, "ababababababababa...", one)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), one)
	}
}

// TestTablesInPipesAreWhole cuts no cell of a table that is as wide as it needs, unless the user says how wide.
func TestTablesInPipesAreWhole(t *testing.T) {
	const statement = "select * from GarbageCollection order by gcId limit 1"
	for name, program := range programs(t) {
		assert.Contains(t, program(t, profile, statement), " 1795222156206451437 ", name)
		assert.Contains(t, program(t, "--width", "120", profile, statement), "...", name)
	}
}
