package columns_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// memory is a sink that keeps files in memory.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (m *memory) sink(table string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[table] = b.Bytes()
	return nil
}

// TestSaysOnceWhyFilesCannotBeMade has sinks that refuse all tables, at once and when they are full.
func TestSaysOnceWhyFilesCannotBeMade(t *testing.T) {
	rec := open(t, "../../testdata/jdk25-kinds.jfr")
	full := errors.New("no space left")
	for name, sink := range map[string]columns.Sink{
		"at once": func(string, func(io.Writer) error) error { return full },
		"later":   func(_ string, fill func(io.Writer) error) error { return errors.Join(fill(io.Discard), full) },
	} {
		_, err := columns.Export(t.Context(), []*mmapjfr.Recording{rec}, columns.CSV, sink, columns.Options{})
		require.ErrorIs(t, err, full, name)
		assert.Equal(t, full.Error(), err.Error(), name)
	}
}

// export returns the files of recordings.
func export(t testing.TB, f columns.Format, o columns.Options, recs ...*mmapjfr.Recording) map[string][]byte {
	t.Helper()
	m := memory{files: make(map[string][]byte)}
	_, err := columns.Export(t.Context(), recs, f, m.sink, o)
	require.NoError(t, err)
	return m.files
}

// recordings are those of testdata, and some that other producers made.
func recordings(t testing.TB) []string {
	return longtest.Recordings(t)
}

var open = opentest.File

// sums is what a test compares of a column: how many values are not null, and their sum; texts count their bytes.
type sums struct {
	n       int
	sum     float64 // of doubles
	i       int64   // of all else
	endless int     // how many are the greatest or the least long, which may be a length of time without end
	limits  int64   // their sum
	floats  bool
	skip    bool // the two forms differ
}

func (s *sums) add(v any) {
	switch v := v.(type) {
	case nil:
		return
	case bool:
		if v {
			s.i++
		}
	case string:
		s.i += int64(len(v))
	case int64:
		s.i += v
	case float64:
		s.floats = true
		s.sum += v
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			s.i += n
			if n == math.MaxInt64 || n <= math.MinInt64+1 {
				s.endless++
				s.limits += n
			}
		} else if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			s.i += int64(n)
		} else if f, err := v.Float64(); err == nil {
			s.sum += f
		}
	}
	s.n++
}

// table is the number of rows, and the sums of the columns.
type table struct {
	rows    int
	columns map[string]*sums
}

func (t *table) add(name string, v any) {
	if t.columns == nil {
		t.columns = make(map[string]*sums)
	}
	if t.columns[name] == nil {
		t.columns[name] = new(sums)
	}
	t.columns[name].add(v)
}

// printed returns the tables that the NDJSON of the printer makes.
func printed(t testing.TB, o print.Options, recs ...*mmapjfr.Recording) map[string]*table {
	var b bytes.Buffer
	o.Format = print.NDJSON
	require.NoError(t, print.Write(t.Context(), &b, recs, o))
	tables := make(map[string]*table)
	for s := bufio.NewReader(&b); ; {
		line, err := s.ReadBytes('\n')
		if err != nil {
			return tables
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var ev map[string]any
		require.NoError(t, d.Decode(&ev))
		name := ev["@type"].(string)
		if tables[name] == nil {
			tables[name] = new(table)
		}
		tables[name].rows++
		for field, v := range ev {
			tables[name].addField(field, v)
		}
	}
}

// addField adds a field as the columns have it.
func (t *table) addField(field string, v any) {
	object, isObject := v.(map[string]any)
	text, isText := v.(string)
	switch {
	case field == "startTime":
		at, err := time.Parse(time.RFC3339Nano, text)
		if err == nil {
			t.add("start_ns", at.UnixNano())
		}
	case field == "stackTrace":
		if isObject {
			t.add("stack_id", "")
		}
	case field == "eventThread":
		if isObject {
			t.add("thread", object["name"])
			t.add("thread_id", object["javaId"])
			t.add("os_tid", object["osId"])
		}
	case field == "@type" || field == "sampledThread":
	case isText && len(text) > 20 && strings.Contains(text, "T") && strings.HasSuffix(text, "Z"), // a time
		isObject && object["virtual"] != nil || isObject && object["frames"] != nil:
		t.add(field, nil)
		t.columns[field].skip = true
	case isObject:
		for name, inner := range object {
			t.addField(field+"."+name, inner)
		}
	default:
		t.add(field, v)
	}
}

// read returns what parquet-go reads of a file, flat columns only.
func read(t testing.TB, data []byte) *table {
	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	tab := &table{rows: int(f.NumRows())}
	paths := f.Schema().Columns()
	rows := pq.NewReader(f)
	defer rows.Close()
	buf := make([]pq.Row, 64)
	for {
		n, err := rows.ReadRows(buf)
		for _, row := range buf[:n] {
			row.Range(func(i int, values []pq.Value) bool {
				if len(paths[i]) == 1 {
					tab.add(paths[i][0], plain(values[0], paths[i][0]))
				}
				return true
			})
		}
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return tab
		}
	}
}

func plain(v pq.Value, name string) any {
	switch {
	case v.IsNull():
		return nil
	case name == "stack_id":
		return ""
	case v.Kind() == pq.ByteArray:
		return string(v.ByteArray())
	case v.Kind() == pq.Boolean:
		return v.Boolean()
	case v.Kind() == pq.Double:
		return v.Double()
	}
	return v.Int64()
}

// compare compares the columns that both have. It returns how many.
func compare(t *testing.T, name string, want, got *table) (n int) {
	t.Helper()
	require.NotNil(t, got, name)
	require.Equal(t, want.rows, got.rows, name)
	for field, w := range want.columns {
		g := got.columns[field]
		if g == nil || w.skip || g.n == 0 && w.n == 0 {
			continue
		}
		if w.endless > 0 && g.n == w.n-w.endless { // they are null
			w.n, w.i = w.n-w.endless, w.i-w.limits
		}
		assert.Equal(t, w.n, g.n, "%s.%s", name, field)
		if g.floats {
			assert.InDelta(t, w.sum+float64(w.i), g.sum, 1e-6*math.Abs(g.sum), "%s.%s", name, field)
		} else {
			assert.Equal(t, w.i, g.i, "%s.%s", name, field)
		}
		n++
	}
	return n
}

func TestEqualsWhatIsPrinted(t *testing.T) {
	compared := 0
	for _, path := range recordings(t) {
		rec := open(t, path)
		want := printed(t, print.Options{}, rec)
		files := export(t, columns.Parquet, columns.Options{}, rec)
		events := 0
		for name, file := range files {
			if !strings.HasPrefix(name, "_") {
				events++
				require.NotNil(t, want[name], name)
				compared += compare(t, filepath.Base(path)+" "+name, want[name], read(t, file))
			}
		}
		assert.Len(t, want, events, path)
	}
	assert.Greater(t, compared, longtest.Cases(300, 2000), "columns")
}

func TestSelections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rec := open(t, "../../testdata/jdk25-profile.jfr")
	types, err := rec.Types()
	require.NoError(t, err)
	for range 10 {
		chosen := make(map[string]bool)
		for range 5 {
			chosen[types[r.IntN(len(types))].Name()] = true
		}
		from := rec.Start().Add(time.Duration(r.Int64N(int64(rec.Duration()))))
		filters := []mmapjfr.Filter{mmapjfr.TypesFunc(func(ty mmapjfr.Type) bool { return chosen[ty.Name()] }), mmapjfr.Between(from, time.Time{})}
		where := func(ev mmapjfr.Event) bool { return ev.Offset()%3 != 0 }
		want := printed(t, print.Options{Filters: filters, Where: where}, rec)
		for name, file := range export(t, columns.Parquet, columns.Options{Filters: filters, Where: where}, rec) {
			if !strings.HasPrefix(name, "_") {
				compare(t, name, want[name], read(t, file))
				delete(want, name)
			}
		}
		assert.Empty(t, want)
	}
}

func TestWorkersMakeNoDifference(t *testing.T) {
	for i, name := range []string{"concat-jdk17-jdk25", "jdk25-profile", "jdk25-virtual", "jdk17-chunks"} {
		if !longtest.Every(i, 4) {
			continue
		}
		rec := open(t, "../../testdata/"+name+".jfr")
		for _, f := range []columns.Format{columns.Parquet, columns.CSV, columns.NDJSON} {
			one := export(t, f, columns.Options{Workers: 1, InlineStacks: true}, rec)
			for range 2 {
				assert.Equal(t, one, export(t, f, columns.Options{Workers: 4, InlineStacks: true}, rec), name)
			}
		}
	}
}

func TestRowsAreInOrder(t *testing.T) {
	for _, path := range recordings(t) {
		m := memory{files: make(map[string][]byte)}
		report, err := columns.Export(t.Context(), []*mmapjfr.Recording{open(t, path)}, columns.Parquet, m.sink, columns.Options{})
		require.NoError(t, err)
		for _, c := range report.Tables {
			assert.Zero(t, c.Late, c.Name)
			f, err := pq.OpenFile(bytes.NewReader(m.files[c.Name]), int64(len(m.files[c.Name])))
			require.NoError(t, err)
			assert.Equal(t, c.Rows, f.NumRows())
			if strings.HasPrefix(c.Name, "_") {
				continue
			}
			last := int64(0)
			rows := pq.NewReader(f)
			buf := make([]pq.Row, 1)
			for n, _ := rows.ReadRows(buf); n == 1; n, _ = rows.ReadRows(buf) {
				start := buf[0][1].Int64()
				require.LessOrEqual(t, last, start, c.Name)
				last = start
			}
		}
	}
}

// TestDamage exports what can be read, as the printer does.
func TestDamage(t *testing.T) {
	whole, err := os.ReadFile("../../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	for _, cut := range []int{len(whole) / 3, len(whole) / 2, len(whole) - 100} {
		rec, err := mmapjfr.OpenBytes(whole[:cut])
		require.NoError(t, err)
		want := printed(t, print.Options{}, rec)
		damage := 0
		files := export(t, columns.Parquet, columns.Options{OnError: func(*mmapjfr.Recording, error) { damage++ }}, rec)
		assert.NotZero(t, damage)
		for name, tab := range want {
			compare(t, name, tab, read(t, files[name]))
		}
	}
}

// TestTypesThatChange merges columns by name.
func TestTypesThatChange(t *testing.T) {
	make := func(start int64, fields []jfrtest.Field, values ...any) *mmapjfr.Recording {
		b := jfrtest.NewChunk()
		b.Header.StartNanos = start
		typ := b.Event("test.Changing", fields...)
		b.Emit(typ, append([]any{int64(0)}, values...)...)
		data, _ := b.Build()
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, rec.Close()) })
		return rec
	}
	one := make(1_000_000_000, []jfrtest.Field{jfrtest.Of("a", "int"), jfrtest.Of("b", "long"), jfrtest.Of("c", "int"), jfrtest.Of("old", "boolean")}, 1, int64(2), 3, true)
	two := make(2_000_000_000, []jfrtest.Field{jfrtest.Of("a", "long"), jfrtest.Of("b", "double"), jfrtest.Of("c", jfrtest.StringClass), jfrtest.Of("new", "int")}, int64(4), 5.5, "six", 7)
	files := export(t, columns.NDJSON, columns.Options{}, one, two)
	assert.Equal(t, fmt.Sprintf(`{"start_time":"1970-01-01T00:00:00.999000Z","start_ns":999000000,"a":1,"b":2,"c":"3","old":true,"new":null,"recording_id":%q}
{"start_time":"1970-01-01T00:00:01.999000Z","start_ns":1999000000,"a":4,"b":5.5,"c":"six","old":null,"new":7,"recording_id":%q}
`, columns.RecordingID(one), columns.RecordingID(two)), string(files["test.Changing"]))
	assert.Equal(t, 2, read(t, export(t, columns.Parquet, columns.Options{}, one, two)["test.Changing"]).rows)
}

// TestNastyNames exports types and fields that have names which no program has.
func TestNastyNames(t *testing.T) {
	for seed := range uint64(longtest.Cases(2, 5)) {
		for _, b := range []*jfrtest.Builder{jfrtest.NastyNames(seed, 30, true), jfrtest.NastyEvents(seed, 100)} {
			data, _ := b.Build()
			rec, err := mmapjfr.OpenBytes(data)
			require.NoError(t, err)
			dir := t.TempDir()
			for _, f := range []columns.Format{columns.Parquet, columns.CSV, columns.NDJSON} {
				_, err = columns.Export(t.Context(), []*mmapjfr.Recording{rec}, f, columns.Folder(dir, f, true), columns.Options{InlineStacks: true})
				require.NoError(t, err)
			}
			paths, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
			require.NoError(t, err)
			for _, path := range paths {
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				read(t, file)
			}
			require.NoError(t, rec.Close())
		}
	}
}

func TestStackID(t *testing.T) {
	frame := columns.Frame{Method: &columns.Method{Class: "a.B", Name: "run", Descriptor: "()V"}, Type: "Interpreted", Line: 7, BCI: 3}
	// printf 'a.B\0run\0()V\0Interpreted\0007\0003\0' | sha256sum
	assert.Equal(t, int64(-3894840212030792963), columns.StackID([]columns.Frame{frame}, false))
	assert.NotEqual(t, columns.StackID([]columns.Frame{frame}, false), columns.StackID([]columns.Frame{frame}, true))
	hidden, other := frame, frame
	hidden.Method = &columns.Method{Class: "a.B$$Lambda.0x000000007f05bda8", Name: "run", Descriptor: "()V"}
	other.Method = &columns.Method{Class: "a.B$$Lambda.0x0000000000000001", Name: "run", Descriptor: "()V"}
	assert.Equal(t, columns.StackID([]columns.Frame{hidden}, false), columns.StackID([]columns.Frame{other}, false))
}

// TestStackIDsAreAsSpecified computes them from the table of frames, as docs/COLUMNS.md says.
func TestStackIDsAreAsSpecified(t *testing.T) {
	type frame struct {
		StackID                         json.Number `json:"stack_id"`
		Class, Method, Descriptor, Type string
		Line, BCI                       *int64
	}
	hidden := regexp.MustCompile(`(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$`)
	for _, path := range recordings(t) {
		hashes, truncated := make(map[json.Number][]byte), make(map[json.Number]bool)
		files := export(t, columns.NDJSON, columns.Options{}, open(t, path))
		for d := json.NewDecoder(bytes.NewReader(files["_frames"])); d.More(); {
			var f frame
			require.NoError(t, d.Decode(&f))
			line, bci := int64(0), int64(-1)
			if f.Line != nil {
				line = *f.Line
			}
			if f.BCI != nil {
				bci = *f.BCI
			}
			hashes[f.StackID] = fmt.Appendf(hashes[f.StackID], "%s\x00%s\x00%s\x00%s\x00%d\x00%d\x00", hidden.ReplaceAllString(f.Class, ""), f.Method, f.Descriptor, f.Type, line, bci)
		}
		for d := json.NewDecoder(bytes.NewReader(files["_stacks"])); d.More(); {
			var s struct {
				StackID   json.Number `json:"stack_id"`
				Truncated bool
			}
			require.NoError(t, d.Decode(&s))
			truncated[s.StackID] = s.Truncated
		}
		assert.LessOrEqual(t, len(hashes), len(truncated))
		for id, b := range hashes {
			if truncated[id] {
				b = append(b, 1)
			}
			sum := sha256.Sum256(b)
			require.Equal(t, id.String(), strconv.FormatInt(int64(binary.BigEndian.Uint64(sum[:])), 10), path)
		}
	}
}

func TestCancelledExportLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "out")
	_, err := columns.Export(ctx, []*mmapjfr.Recording{open(t, "../../testdata/jdk25-profile.jfr")}, columns.CSV, columns.Folder(dir, columns.CSV, false), columns.Options{})
	assert.ErrorIs(t, err, context.Canceled)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	assert.Empty(t, files)
}

// TestReferencesAlone writes the tables that events refer to as they are beside those of events.
func TestReferencesAlone(t *testing.T) {
	for _, path := range recordings(t) {
		rec := open(t, path)
		all, alone := export(t, columns.CSV, columns.Options{}, rec), export(t, columns.CSV, columns.Options{References: true}, rec)
		maps.DeleteFunc(all, func(name string, _ []byte) bool { return !strings.HasPrefix(name, "_") })
		for name, data := range all {
			assert.Equal(t, slices.Sorted(strings.Lines(string(data))), slices.Sorted(strings.Lines(string(alone[name]))), "%s %s", path, name)
		}
		assert.Len(t, alone, len(all), path)
	}
}

// TestDamageOfOtherChunks reports events of unknown types in a chunk that describes no event type of the table: some may
// have been of it.
func TestDamageOfOtherChunks(t *testing.T) {
	one, other := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Emit(one.Event("test.E", jfrtest.Of("n", "int")), int64(0), 7)
	other.EmitRaw(jfrtest.EventOptions{}, 987, []byte{1, 2, 3})
	rec, err := mmapjfr.OpenBytes(append(one.Bytes(), other.Bytes()...))
	require.NoError(t, err)
	defer func() { assert.NoError(t, rec.Close()) }()
	var reported []error
	o := columns.Options{OnError: func(_ *mmapjfr.Recording, err error) { reported = append(reported, err) }}
	assert.Contains(t, string(export(t, columns.NDJSON, o, rec)["test.E"]), `"n":7`)
	require.Len(t, reported, 1)
	assert.ErrorContains(t, reported[0], "unknown event type 987")
}
