package main

import (
	"bytes"
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

	pq "github.com/parquet-go/parquet-go"
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
	// asJDK is set if the JDK decides on how structs look that are no constants, where texts end
	// that lead back to themselves, and that its views have groups by keys: these keep their shape.
	asJDK bool
	// keepsStacks is set if stack traces keep their shape: tables are in the order in which these are met, and those
	// that lie in events are met before constants.
	keepsStacks bool
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
		{args: []string{"print", "FILE"}, same: linesOf, asJDK: true},
		{args: []string{"print", "--exact", "--stack-depth", "64", "FILE"}, same: linesOf, asJDK: true},
		{args: []string{"print", "--json", "--stack-depth", "64", "FILE"}, same: anyOrder, asJDK: true},
		{args: []string{"print", "--xml", "FILE"}, same: linesOf, asJDK: true},
		{args: []string{"print", "--ndjson", "FILE"}, same: anyOrder},
		{args: []string{"print", "--csv", "--fields", "@type,@thread,@top,@duration,@class,startTime,stackTrace.frames[0].method.name,eventThread.javaName", "FILE"}, same: asIs},
		{args: []string{"print", "--csv", "--events", "jdk.ExecutionSample", "FILE"}, same: rowsOf},
		{args: []string{"events", "FILE"}, same: asIs, inOrder: true},
		{args: []string{"at", "FILE", "#0", "#1", "#2", "#3", "#4"}},
		{args: []string{"at", "--hex", "FILE", "#0"}},
		{args: []string{"at", "--json", "FILE", "#0", "#1", "#2", "#3", "#4"}},
		{args: []string{"summary", "FILE"}},
		{args: []string{"types", "FILE"}},
		{args: []string{"constants", "FILE"}},
		{args: []string{"settings", "FILE"}, same: asIs},
		{args: []string{"view", "all-views", "FILE"}, same: linesOf, asJDK: true, inOrder: true},
		{args: []string{"view", "all-events", "FILE"}},
		{args: []string{"report", "--markdown", "FILE"}, same: linesOf, asJDK: true},
		{args: []string{"report", "FILE"}},
		{args: []string{"query", "--csv", "select startTime, @thread, @top, @weight, stackTrace from ExecutionSample order by startTime", "FILE"}, same: asIs},
		{args: []string{"query", "--csv", "select stackTrace.topFrame.method.name, count(*) from * group by stackTrace.topFrame.method.name order by 2 desc, 1", "FILE"}, same: asIs},
		{args: []string{"query", "--csv", "select @thread, count(*) from * group by @thread order by 2 desc, 1", "FILE"}, same: asIs},
		{args: []string{"query", "--csv", "select count(*), min(startTime) from * within JavaMonitorEnter", "FILE"}, same: asIs},
		{args: []string{"query", "--csv", "select count(*), max(startTime) from * during JavaMonitorEnter", "FILE"}, same: asIs},
		{args: []string{"verify", "FILE"}},
		{args: []string{"export", "--csv", "OUT", "FILE"}, same: rowsOf},
		{args: []string{"export", "--ndjson", "OUT", "FILE"}, same: anyOrder},
		{args: []string{"export", "--ndjson", "OUT", "--inline-stacks", "FILE"}, same: anyOrder},
		{args: []string{"export", "--parquet", "OUT", "FILE"}},
		{args: []string{"export", "--parquet", "OUT", "--inline-stacks", "FILE"}},
	}
	for _, kind := range []string{"", "cpu", "alloc", "lock", "io", "gc", "exceptions", "park"} {
		args := []string{"profile", "FILE"}
		if kind != "" {
			args = append(args, "-t", kind)
		}
		list = append(list, shapeQuestion{args: args, same: asIs})
	}
	list = append(list, shapeQuestion{args: []string{"profile", "--event", "test.Arrays", "FILE"}, same: asIs})
	for _, format := range []string{"collapsed", "tree", "speedscope.json", "cpuprofile"} {
		list = append(list, shapeQuestion{args: []string{"profile", "-o", "OUT." + format, "FILE"}, same: asIs})
	}
	for _, format := range []string{"html", "pb.gz", "otlp", "pftrace"} {
		list = append(list, shapeQuestion{args: []string{"profile", "-o", "OUT." + format, "FILE"}})
	}
	list = append(list, shapeQuestion{args: []string{"profile", "-o", "OUT.firefox.json", "FILE"}, same: anyOrder, inOrder: true, keepsStacks: true})
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
var sizes = regexp.MustCompile(`\(id = -?\d+\)|[0-9.]+ (B|kB|MB|KiB|MiB|bytes)\b|"offset": ?\d+|0x[0-9a-f]+|recording_id"?[=:]"[0-9a-f]+"|bytes"?[=:]"?\d+"?`)

// shapeContents are what the recordings of the tests of shapes say.
func shapeContents(t *testing.T) map[string]*jfrtest.Content {
	t.Helper()
	contents := map[string]*jfrtest.Content{}
	made, err := jfrtest.NewContent(jfrtest.Shapely().Bytes(), 100)
	require.NoError(t, err)
	contents["made"] = made
	if longtest.Enabled() {
		for name, content := range recordedContents(t) {
			contents[name] = content
		}
	}
	return contents
}

// recordedContents are those of contents that virtual machines have written.
func recordedContents(t *testing.T) map[string]*jfrtest.Content {
	t.Helper()
	contents := map[string]*jfrtest.Content{}
	for _, name := range []string{"jdk25-kinds.jfr", "jdk17-oldobjects.jfr", "jdk25-virtual.jfr", "jdk25-profile.jfr"} {
		if !longtest.Enabled() && len(contents) > 0 {
			break
		}
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		require.NoError(t, err)
		contents[name], err = jfrtest.NewContent(data, 3)
		require.NoError(t, err)
	}
	return contents
}

// entities are the classes whose values the JDK has classes for.
var entities = []string{
	"java.lang.Thread", "java.lang.Class", "jdk.types.StackTrace", "jdk.types.StackFrame", "jdk.types.Method",
	"jdk.types.ThreadGroup", "jdk.types.ClassLoader", "jdk.types.Module", "jdk.types.Package", "jdk.types.OldObject",
	"jdk.types.OldObjectGcRoot", "jdk.types.Reference", "jdk.types.OldObjectArray", "jdk.types.OldObjectField",
}

// TestShapes asks all verbs that read about recordings that say the same in different shapes.
func TestShapes(t *testing.T) {
	for name, content := range shapeContents(t) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shape.jfr")
			write := func(shape jfrtest.Shape) {
				require.NoError(t, os.WriteFile(file, content.As(shape), 0o600))
			}
			for i, q := range shapeQuestions() {
				if !longtest.Every(i, 3) {
					continue
				}
				write(jfrtest.Shape{})
				want, panicked := q.answer(t, file)
				require.Nil(t, panicked, q.args)
				if strings.Contains(want, "has no event type") {
					continue
				}
				require.NotContains(t, want, "check the path", q.args)
				require.NotContains(t, want, "exit code 2", q.args)
				for seed := range uint64(longtest.Cases(1, 6)) {
					shape := jfrtest.Shape{Seed: seed + 2, InOrder: seed%2 == 1 || q.inOrder, Odd: seed%3 == 2}
					shape.Only = func(class, field string) bool {
						// Text has those of all events as such; views have groups of them.
						own := (field == "eventThread" || field == "stackTrace") && q.args[0] == "print"
						return !(q.asJDK && !own && content.Has(class, field, entities...) || q.keepsStacks && field == "stackTrace")
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
			for seed := range uint64(longtest.Cases(1, 25)) { // others have a GiB of JSON
				shape := jfrtest.Shape{Seed: seed + 1, Odd: true, Spoilt: true}
				require.NoError(t, os.WriteFile(file, content.As(shape), 0o600))
				for i, q := range shapeQuestions() {
					if !longtest.Every(i, 2) {
						continue
					}
					q.same = nil
					if _, panicked := q.answer(t, file); panicked != nil {
						t.Errorf("%q: %+v: panic: %v", q.args, shape, panicked)
					}
				}
			}
		})
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
	ask("export", "--parquet", out, "--force", file)
	parquet := parquetRow(t, filepath.Join(out, "test.Numbers.parquet"))
	exported := func(name string) string {
		data, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		return string(data)
	}
	printed, rows := ask("print", "--events", "test.Numbers", file), ask("print", "--ndjson", "--events", "test.Numbers", file)
	csvRows, ndjsonRows := exported("test.Numbers.csv"), exported("test.Numbers.ndjson")
	for _, c := range []struct{ name, text, json, parquet string }{
		{"byte", "255", "255", "255 INT(64,true)"},
		{"short", "65535", "65535", "65535 INT(64,true)"},
		{"int", "4294967295", "4294967295", "4294967295 INT(64,true)"},
		{"long", "18446744073709551615", "18446744073709551615", "-1 INT(64,false)"}, // the same bits
		{"span", "1.50 s", "1500000000", "1500000000 INT(64,true)"},
		{"size", "4.0 kB", "4096", "4096 INT(64,true)"},
		{"when", "12:26:40.000 (2020-09-13)", `"2020-09-13T12:26:40.000000000Z"`, "1600000000000000 TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)"},
	} {
		for _, kind := range []string{"", "In", "Of", "At"} {
			name := c.name + kind
			require.Contains(t, printed, "  "+name+" = "+c.text+"\n")
			require.Contains(t, rows, `"`+name+`":`+c.json)
			exact := strings.Replace(c.json, "000Z", "Z", 1) // exports have microseconds
			require.Contains(t, ndjsonRows, `"`+name+`":`+exact)
			require.Equal(t, strings.Count(csvRows, strings.Trim(exact, `"`)), 4, name)
			require.Equal(t, c.parquet, parquet[name], name)
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

// parquetRow returns the values of a file of one row, with their types.
func parquetRow(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	rows, err := pq.Read[any](bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Len(t, rows, 1)
	row := map[string]string{}
	for _, field := range f.Schema().Fields() {
		row[field.Name()] = fmt.Sprint(rows[0].(map[string]any)[field.Name()], " ", field.Type())
	}
	return row
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestJDKReadsCopiesOfShapes copies recordings of all shapes, most of which the JDK refuses: of the copies it prints what
// it prints of the recording as its writer wrote it.
func TestJDKReadsCopiesOfShapes(t *testing.T) {
	longtest.JVM(t)
	for name, content := range recordedContents(t) { // it cannot print arrays of classes, as others have them
		t.Run(name, func(t *testing.T) {
			in, out := filepath.Join(t.TempDir(), "shape.jfr"), filepath.Join(t.TempDir(), "copy.jfr")
			plain := content.As(jfrtest.Shape{})
			want := map[string]string{}
			for _, q := range []string{"print --json", "print", "summary"} {
				want[q] = said.Now(t, plain, strings.Fields(q)...)
			}
			for seed := range uint64(2) {
				shape := jfrtest.Shape{Seed: seed + 2, InOrder: seed%2 == 1}
				// It prints threads and stack traces as such only where they are constants.
				shape.Only = func(class, field string) bool { return !content.Has(class, field, entities...) }
				require.NoError(t, os.WriteFile(in, content.As(shape), 0o600))
				for _, verb := range [][]string{{"convert"}, {"slice", "--from", "0%"}, {"compact"}, {"scrub", "--exclude-events", "none"}, {"merge"}, {"repair"}} {
					code, _, told := mjfrCommand(t, append(verb, "--force", in, out)...)
					require.Zero(t, code, "%s: %s", verb, told)
					data, err := os.ReadFile(out)
					require.NoError(t, err)
					got := said.Now(t, data, "print", "--json")
					if a, b := anyOrder(want["print --json"]), anyOrder(got); a != b {
						t.Fatalf("%s: %+v: %s", verb, shape, firstDifference(a, b))
					}
					if a, b := counts(want["summary"]), counts(said.Now(t, data, "summary")); a != b {
						t.Errorf("%s: %+v: %s", verb, shape, firstDifference(a, b))
					}
					if a, b := linesOf(sizes.ReplaceAllString(want["print"], "N")), linesOf(sizes.ReplaceAllString(said.Now(t, data, "print"), "N")); a != b {
						t.Errorf("%s: %+v: %s", verb, shape, firstDifference(a, b))
					}
				}
			}
		})
	}
}

// counts returns how many events of each type a summary of the JDK has, but for those that hold the constants.
func counts(summary string) string {
	lines := regexp.MustCompile(`(?m)^ (\S+) +(\d+) `).FindAllString(summary, -1)
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, " jdk.Checkpoint ") })
	return linesOf(strings.Join(lines, "\n"))
}
