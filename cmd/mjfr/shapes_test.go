package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// shapeQuestion is what is asked of a recording. A FILE among its arguments is the recording, and
// OUT a folder or file that it writes.
type shapeQuestion struct {
	args []string
	// same makes answers comparable that differ by the order of fields alone.
	same func(string) string
	// asJDK is set if the JDK decides on how structs look that are no constants, and where texts end
	// that lead back to themselves: these keep their shape.
	asJDK bool
	// inOrder is set if the order of fields shows.
	inOrder bool
}

// linesOf sorts the lines of a text: fields that have another order are in other lines.
func linesOf(text string) string {
	lines := strings.Split(text, "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// anyOrder writes JSON documents anew, with sorted keys.
func anyOrder(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var b strings.Builder
	for {
		var d any
		if dec.Decode(&d) != nil {
			break
		}
		line, err := json.Marshal(d)
		if err != nil {
			return err.Error()
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// rowsOf puts the columns of CSV into the order of their names.
func rowsOf(text string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, row := range rows {
		var cells []string
		for i, cell := range row {
			cells = append(cells, fmt.Sprintf("%s=%q", rows[0][i], cell))
		}
		sort.Strings(cells)
		fmt.Fprintln(&b, strings.Join(cells, " "))
	}
	return b.String()
}

func asIs(text string) string { return text }

func shapeQuestions() []shapeQuestion {
	list := []shapeQuestion{
		{[]string{"print", "FILE"}, linesOf, true, false},
		{[]string{"print", "--exact", "--stack-depth", "64", "FILE"}, linesOf, true, false},
		{[]string{"print", "--json", "--stack-depth", "64", "FILE"}, anyOrder, true, false},
		{[]string{"print", "--xml", "FILE"}, linesOf, true, false},
		{[]string{"print", "--ndjson", "FILE"}, anyOrder, false, false},
		{[]string{"print", "--csv", "--fields", "@type,@thread,@top,@duration,@class,startTime,stackTrace.frames[0].method.name,eventThread.javaName", "FILE"}, asIs, false, false},
		{[]string{"print", "--csv", "--events", "jdk.ExecutionSample", "FILE"}, rowsOf, false, false},
		{[]string{"events", "FILE"}, asIs, false, true},
		{[]string{"at", "FILE", "#0", "#1", "#2", "#3", "#4"}, nil, false, false},
		{[]string{"at", "--hex", "FILE", "#0"}, nil, false, false},
		{[]string{"at", "--json", "FILE", "#0", "#1", "#2", "#3", "#4"}, nil, false, false},
		{[]string{"summary", "FILE"}, nil, false, false},
		{[]string{"types", "FILE"}, nil, false, false},
		{[]string{"constants", "FILE"}, nil, false, false},
		{[]string{"settings", "FILE"}, asIs, false, false},
		{[]string{"view", "all-views", "FILE"}, linesOf, false, false},
		{[]string{"view", "all-events", "FILE"}, nil, false, false},
		{[]string{"report", "--markdown", "FILE"}, linesOf, false, false},
		{[]string{"report", "FILE"}, nil, false, false},
		{[]string{"query", "--csv", "select startTime, @thread, @top, @weight, stackTrace from ExecutionSample order by startTime", "FILE"}, asIs, false, false},
		{[]string{"query", "--csv", "select stackTrace.topFrame.method.name, count(*) from * group by stackTrace.topFrame.method.name order by 2 desc, 1", "FILE"}, asIs, false, false},
		{[]string{"verify", "FILE"}, nil, false, false},
		{[]string{"export", "--csv", "OUT", "FILE"}, rowsOf, false, false},
		{[]string{"export", "--ndjson", "OUT", "FILE"}, anyOrder, false, false},
		{[]string{"export", "--ndjson", "OUT", "--inline-stacks", "FILE"}, anyOrder, false, false},
		{[]string{"export", "--parquet", "OUT", "FILE"}, nil, false, false},
		{[]string{"export", "--parquet", "OUT", "--nested", "--inline-stacks", "FILE"}, nil, false, false},
		{[]string{"export", "--arrow", "OUT", "FILE"}, nil, false, false},
	}
	for _, kind := range []string{"", "cpu", "alloc", "lock", "io", "gc", "exceptions", "park"} {
		args := []string{"profile", "FILE"}
		if kind != "" {
			args = append(args, "-t", kind)
		}
		list = append(list, shapeQuestion{args, asIs, false, false})
	}
	list = append(list, shapeQuestion{[]string{"profile", "--event", "test.Arrays", "FILE"}, asIs, false, false})
	for _, format := range []string{"collapsed", "tree", "speedscope.json", "cpuprofile"} {
		list = append(list, shapeQuestion{[]string{"profile", "-o", "OUT." + format, "FILE"}, asIs, false, false})
	}
	for _, format := range []string{"html", "pb.gz", "otlp", "pftrace"} {
		list = append(list, shapeQuestion{[]string{"profile", "-o", "OUT." + format, "FILE"}, nil, false, false})
	}
	list = append(list, shapeQuestion{[]string{"profile", "-o", "OUT.firefox.json", "FILE"}, anyOrder, false, true})
	return list
}

// answer returns the exit code and all that a verb says of a recording, and whether it panicked.
func (q shapeQuestion) answer(t *testing.T, file string) (text string, panicked any) {
	t.Helper()
	defer func() {
		if panicked = recover(); panicked != nil {
			panicked = fmt.Sprintf("%v\n%s", panicked, debug.Stack())
		}
	}()
	out := filepath.Join(t.TempDir(), "out")
	args := slices.Clone(q.args)
	for i, arg := range args {
		if arg == "FILE" {
			args[i] = file
		} else if rest, ok := strings.CutPrefix(arg, "OUT"); ok {
			args[i] = out + rest
		}
	}
	code, said, told := mjfrCommand(t, args...)
	same := q.same
	if same == nil {
		same = asIs
	}
	var b strings.Builder
	if !slices.ContainsFunc(q.args, func(arg string) bool { return strings.HasPrefix(arg, "OUT") }) {
		b.WriteString(same(said))
	}
	fmt.Fprintf(&b, "exit code %d\n%s", code, strings.ReplaceAll(strings.ReplaceAll(told, file, "FILE"), out, "OUT"))
	found, err := filepath.Glob(out + "*")
	require.NoError(t, err)
	if len(found) == 1 {
		require.NoError(t, filepath.WalkDir(found[0], func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%s:\n%s", strings.TrimPrefix(path, out), same(string(data)))
			return err
		}))
	}
	text = b.String()
	for structs.MatchString(text) { // from the innermost on
		text = structs.ReplaceAllStringFunc(text, func(text string) string {
			parts := strings.Split(text[1:len(text)-1], ", ")
			sort.Strings(parts)
			return "<" + strings.Join(parts, ", ") + ">"
		})
	}
	return strings.ReplaceAll(text, file, "FILE"), nil
}

// structs matches structs as cells have them.
var structs = regexp.MustCompile(`\{\w+: [^{}"]*\}`)

// sizes are what shapes may change of the things that verbs say.
var sizes = regexp.MustCompile(`[0-9.]+ (B|kB|MB|KiB|MiB|bytes)\b|"offset": ?\d+|0x[0-9a-f]+|recording_id"?[=:]"[0-9a-f]+"|bytes"?[=:]"?\d+"?`)

// shapeContents are what the recordings of the tests of shapes say.
func shapeContents(t *testing.T) map[string]*jfrtest.Content {
	t.Helper()
	contents := map[string]*jfrtest.Content{}
	add := func(name string, data []byte, perType int) {
		content, err := jfrtest.NewContent(data, perType)
		require.NoError(t, err)
		contents[name] = content
	}
	add("made", jfrtest.Shapely().Bytes(), 100)
	if longtest.Enabled() {
		for _, name := range []string{"jdk17-oldobjects.jfr"} {
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
			require.NoError(t, err)
			add(name, data, 3)
		}
	}
	return contents
}

// entities are fields of threads, classes and the like, besides those that all events have.
var entities = []string{
	"sampledThread", "objectClass", "monitorClass", "previousOwner", "threads", "classes", "stacks", "classLoader", "module",
	"type", "package", "group", "parent", "thread", "parentThread", "method", "class", "loadedClass", "definingClassLoader",
	"initiatingClassLoader", "newParkClass", "parkedClass", "thrownClass", "object", "caller", "carrierThread",
	"parentClassLoader", "topFrame", "implementor", "definedClass", "referrer", "root", "array", "field", "superType",
}

// TestShapes asks all verbs that read about recordings that say the same in different shapes.
func TestShapes(t *testing.T) {
	for name, content := range shapeContents(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shape.jfr")
			write := func(shape jfrtest.Shape) {
				require.NoError(t, os.WriteFile(file, content.As(shape), 0o600))
			}
			for _, q := range shapeQuestions() {
				write(jfrtest.Shape{})
				want, panicked := q.answer(t, file)
				require.Nil(t, panicked, q.args)
				require.NotContains(t, want, "check the path", q.args)
				require.NotContains(t, want, "exit code 2", q.args)
				for seed := range uint64(longtest.Cases(1, 40)) {
					shape := jfrtest.Shape{Seed: seed + 2, InOrder: seed%2 == 1 || q.inOrder, Odd: seed%3 == 2}
					if q.asJDK {
						shape.Only = func(_, field string) bool { return !slices.Contains(entities, field) }
					}
					write(shape)
					got, panicked := q.answer(t, file)
					if panicked != nil {
						t.Errorf("%q: %+v: panic: %v", q.args, shape, panicked)
						break
					}
					if q.same == nil {
						continue
					}
					if a, b := sizes.ReplaceAllString(want, "N"), sizes.ReplaceAllString(got, "N"); a != b {
						t.Errorf("%q: %+v: %s", q.args, shape, firstDifference(a, b))
						break
					}
				}
			}
		})
	}
}

// TestSpoiltShapes asks all verbs that read about recordings whose fields are missing or of other kinds
// than usual.
func TestSpoiltShapes(t *testing.T) {
	for name, content := range shapeContents(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shape.jfr")
			for seed := range uint64(longtest.Cases(1, 60)) {
				shape := jfrtest.Shape{Seed: seed + 1, Odd: true, Spoilt: true}
				require.NoError(t, os.WriteFile(file, content.As(shape), 0o600))
				for _, q := range shapeQuestions() {
					if _, panicked := q.answer(t, file); panicked != nil {
						t.Errorf("%q: %+v: panic: %v", q.args, shape, panicked)
					}
				}
			}
		})
	}
}

// TestArraysOfTextsAreExported has arrays of texts in events and in structs, in place and as constants.
func TestArraysOfTextsAreExported(t *testing.T) {
	content, err := jfrtest.NewContent(jfrtest.Shapely().Bytes(), 3)
	require.NoError(t, err)
	file, out := filepath.Join(t.TempDir(), "texts.jfr"), filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(file, content.As(jfrtest.Shape{}), 0o600))
	code, _, told := mjfrCommand(t, "export", "--ndjson", out, "--events", "test.Arrays", file)
	require.Zero(t, code, told)
	rows, err := os.ReadFile(filepath.Join(out, "test.Arrays.ndjson"))
	require.NoError(t, err)
	for _, want := range []string{
		`"tags":["a","b b"]`, `"symbols":["com/acme/Main","run"]`, `"box.names":["app","com/acme/Main"]`,
	} {
		require.Contains(t, string(rows), want)
	}
}

// firstDifference returns where two texts begin to differ.
func firstDifference(want, got string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(0, i-300)
	return fmt.Sprintf("at %d\nwant ...%s\n got ...%s", i, want[from:min(i+200, len(want))], got[from:min(i+200, len(got))])
}

// TestNumbersOfSimpleTypes: what a field says of a number holds, too, if that lies in a simple type or is a constant,
// for every verb. The JDK prints such constants so.
func TestNumbersOfSimpleTypes(t *testing.T) {
	b := jfrtest.NewChunk()
	var fields, constants []jfrtest.Field
	values, keys := []any{b.Header.StartTicks}, []any{b.Header.StartTicks}
	add := func(name, kind string, note jfrtest.Annotation, n int64) {
		wrapper := "test.Of." + kind
		if b.Lookup(wrapper) == nil {
			b.Class(wrapper, jfrtest.Of("value", kind)).Simple()
		}
		key := len(values) // not -1, which the JDK finds no constant by
		b.Constant(kind, key, n)
		b.Constant(wrapper, key, n)
		lone := []jfrtest.Field{
			jfrtest.Of(name, kind).With(note), jfrtest.Const(name+"Of", kind).With(note),
			jfrtest.Const(name+"At", wrapper).With(note),
		}
		constants, keys = append(constants, lone...), append(keys, n, key, key)
		fields, values = append(append(fields, lone...), jfrtest.Of(name+"In", wrapper).With(note)), append(values, n, key, key, n)
	}
	for _, kind := range []string{"byte", "short", "int", "long"} {
		add(kind, kind, jfrtest.Mark("jdk.jfr.Unsigned"), -1)
	}
	add("span", "long", jfrtest.Note("jdk.jfr.Timespan", "MICROSECONDS"), 1_500_000)
	add("size", "long", jfrtest.Note("jdk.jfr.DataAmount", "BYTES"), 4096)
	add("when", "long", jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH"), 1_600_000_000_000)
	known := b.Event("test.Constants", constants...)
	b.Emit(known, keys...)
	read := b.Bytes() // by the JDK, which refuses simple types in place
	b.Emit(b.Event("test.Numbers", fields...), values...)
	file, out := filepath.Join(t.TempDir(), "numbers.jfr"), filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(file, read, 0o600))
	t.Run("as the JDK", func(t *testing.T) {
		for _, args := range [][]string{{"print"}, {"print", "--json"}, {"print", "--xml"}} {
			want := said.Now(t, read, args...)
			_, text, _ := mjfrCommand(t, append(args, file)...)
			said.Same(t, []byte(want), []byte(text))
		}
	})
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	ask := func(args ...string) string {
		code, text, told := mjfrCommand(t, args...)
		require.Zero(t, code, told)
		return text
	}
	ask("export", "--csv", out, file)
	ask("export", "--ndjson", out, "--force", file)
	exported := func(name string) string {
		data, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		return string(data)
	}
	printed, rows := ask("print", "--events", "test.Numbers", file), ask("print", "--ndjson", "--events", "test.Numbers", file)
	csvRows, ndjsonRows := exported("test.Numbers.csv"), exported("test.Numbers.ndjson")
	for _, c := range []struct{ name, text, json string }{
		{"byte", "255", "255"}, {"short", "65535", "65535"}, {"int", "4294967295", "4294967295"},
		{"long", "18446744073709551615", "18446744073709551615"},
		{"span", "1.50 s", "1500000000"}, {"size", "4.0 kB", "4096"},
		{"when", "12:26:40.000 (2020-09-13)", `"2020-09-13T12:26:40.000000000Z"`},
	} {
		for _, kind := range []string{"", "In", "Of", "At"} {
			name := c.name + kind
			require.Contains(t, printed, "  "+name+" = "+c.text+"\n")
			require.Contains(t, rows, `"`+name+`":`+c.json)
			exact := strings.Replace(c.json, "000Z", "Z", 1) // exports have microseconds
			require.Contains(t, ndjsonRows, `"`+name+`":`+exact)
			require.Equal(t, strings.Count(csvRows, strings.Trim(exact, `"`)), 4, name)
			answer := func(what string) string { return ask("query", "--csv", "select "+what+" from Numbers", file) }
			require.Equal(t, lastLine(answer(c.name)), lastLine(answer(name)))
			require.Equal(t, lastLine(answer("max("+c.name+")")), lastLine(answer("max("+name+")")), name)
			if c.name != "when" {
				require.Equal(t, lastLine(answer("sum("+c.name+")")), lastLine(answer("sum("+name+")")), name)
				where := name + " = " + c.json
				if c.name == "span" {
					where = name + " = 1500ms"
				}
				require.Contains(t, ask("print", "--where", where, file), name, where)
			}
		}
	}
	require.Contains(t, lastLine(ask("query", "--csv", "select byteIn, sum(intIn) from Numbers group by byteIn", file)), "255,4294967295")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
