package columns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// linesOf returns the values of some columns of a table, a text for each row, sorted.
func linesOf(t testing.TB, table string, names []string, o columns.Options, recs ...*mmapjfr.Recording) (lines []string) {
	t.Helper()
	s, err := columns.Scan(recs, table, names, o)
	require.NoError(t, err)
	return scanned(t, s, names)
}

// scanned returns the same of the rows that a scan reads.
func scanned(t testing.TB, s *columns.Scanner, names []string) (lines []string) {
	t.Helper()
	var mu sync.Mutex
	require.NoError(t, s.Read(t.Context(), func(_ int, rows *columns.Rows) error {
		mu.Lock()
		defer mu.Unlock()
		views := make([]columns.View, len(names))
		for i, name := range names {
			at := slices.IndexFunc(s.Table.Columns, func(c columns.Column) bool { return c.Name == name })
			if at < 0 {
				return fmt.Errorf("no column %s", name)
			}
			views[i] = rows.Column(s.Table, at)
		}
		for row := range rows.N {
			var cells []string
			for i, name := range names {
				at := slices.IndexFunc(s.Table.Columns, func(c columns.Column) bool { return c.Name == name })
				n, text, list, ok := views[i].At(row)
				cell := "null"
				if ok {
					cell = string(columns.AppendText(nil, &s.Table.Columns[at], n, text, list))
				}
				cells = append(cells, name+"="+cell)
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
		return nil
	}))
	slices.Sort(lines)
	return lines
}

// exported returns the same of what Export writes.
func exported(t testing.TB, files map[string][]byte, table *columns.Table, names []string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(files[table.Name])) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var row map[string]json.RawMessage
		require.NoError(t, d.Decode(&row))
		var cells []string
		for _, name := range names {
			cell := string(row[name])
			var text string
			if json.Unmarshal(row[name], &text) == nil && cell != "null" {
				cell = text
			}
			cells = append(cells, name+"="+cell)
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	slices.Sort(lines)
	return lines
}

// TestScanReadsWhatExportWrites compares a column, all columns, no column, and other columns of each thread, of all types.
func TestScanReadsWhatExportWrites(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			rec := open(t, path)
			files := export(t, columns.NDJSON, columns.Options{}, rec)
			tables, err := columns.Tables([]*mmapjfr.Recording{rec}, columns.Options{})
			require.NoError(t, err)
			for _, table := range tables {
				if strings.HasPrefix(table.Name, "_") {
					continue
				}
				var all, threads []string
				for i, c := range table.Columns {
					all = append(all, c.Name)
					if c.Name == "thread" || strings.HasSuffix(c.Name, ".thread_id") {
						threads = append(threads, c.Name)
					}
					if i == len(table.Name)%len(table.Columns) {
						some := []string{c.Name}
						assert.Equal(t, exported(t, files, table, some), linesOf(t, table.Name, some, columns.Options{Workers: 1 + i%3}, rec), "%s %s", table.Name, c.Name)
					}
				}
				if len(threads) > 1 {
					assert.Equal(t, exported(t, files, table, threads), linesOf(t, table.Name, threads, columns.Options{}, rec), table.Name)
				}
				assert.Equal(t, exported(t, files, table, all), linesOf(t, table.Name, all, columns.Options{}, rec), table.Name)
				assert.Len(t, linesOf(t, table.Name, nil, columns.Options{}, rec), strings.Count(string(files[table.Name]), "\n"))
			}
		})
	}
}

// TestScanMergesRecordings reads two recordings with other versions of types as one table.
func TestScanMergesRecordings(t *testing.T) {
	a, b := open(t, "../../testdata/jdk17-kinds.jfr"), open(t, "../../testdata/jdk25-kinds.jfr")
	files := export(t, columns.NDJSON, columns.Options{}, a, b)
	tables, err := columns.Tables([]*mmapjfr.Recording{a, b}, columns.Options{})
	require.NoError(t, err)
	for _, table := range tables {
		if files[table.Name] == nil || strings.HasPrefix(table.Name, "_") {
			continue
		}
		names := []string{"start_time", table.Columns[len(table.Columns)-1].Name}
		assert.Equal(t, exported(t, files, table, names), linesOf(t, table.Name, names, columns.Options{}, a, b), table.Name)
	}
}

// TestScanKeepsRows reads the rows that have or lack a value, by each column of each type.
func TestScanKeepsRows(t *testing.T) {
	a, b := open(t, "../../testdata/jdk17-kinds.jfr"), open(t, "../../testdata/jdk25-profile.jfr")
	recs := []*mmapjfr.Recording{a, b}
	tables, err := columns.Tables(recs, columns.Options{})
	require.NoError(t, err)
	for _, table := range tables {
		if strings.HasPrefix(table.Name, "_") {
			continue
		}
		var names []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		all := linesOf(t, table.Name, names, columns.Options{}, recs...)
		if len(all) == 0 {
			continue
		}
		for i, name := range names[:len(names)-1] { // not recording_id
			value, wanted := strings.Split(all[len(all)/2], "|")[min(i, strings.Count(all[len(all)/2], "|"))], []string(nil)
			for _, line := range all {
				if cells := strings.Split(line, "|"); len(cells) == len(names) && (cells[i] == value) == (i%2 == 0) {
					wanted = append(wanted, line)
				}
			}
			s, err := columns.Scan(recs, table.Name, names, columns.Options{Workers: 1 + i%3})
			require.NoError(t, err)
			at := slices.IndexFunc(s.Table.Columns, func(c columns.Column) bool { return c.Name == name })
			s.Keep([]string{names[(i+1)%(len(names)-1)], name}, func(of []columns.View, from int, keep []bool) {
				for row := range keep {
					n, text, list, ok := of[1].At(from + row)
					cell := "null"
					if ok {
						cell = string(columns.AppendText(nil, &s.Table.Columns[at], n, text, list))
					}
					keep[row] = (name+"="+cell == value) == (i%2 == 0)
				}
			})
			got := scanned(t, s, names)
			got = slices.DeleteFunc(got, func(line string) bool { return strings.Count(line, "|") != len(names)-1 }) // texts with |
			assert.Equal(t, wanted, got, "%s %s", table.Name, name)
		}
	}
}

// TestScanEnds ends a scan by an error of the function that takes rows, and by its context.
func TestScanEnds(t *testing.T) {
	rec := open(t, "../../testdata/jdk25-profile.jfr")
	s, err := columns.Scan([]*mmapjfr.Recording{rec}, "jdk.ClassLoad", []string{"start_ns"}, columns.Options{})
	require.NoError(t, err)
	enough := errors.New("enough")
	assert.Equal(t, enough, s.Read(t.Context(), func(int, *columns.Rows) error { return enough }))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	assert.Equal(t, enough, s.Read(ctx, func(int, *columns.Rows) error { return nil }))

	s, err = columns.Scan([]*mmapjfr.Recording{rec}, "jdk.NoSuchType", []string{"start_ns"}, columns.Options{})
	require.NoError(t, err)
	assert.Empty(t, s.Table.Columns)
	assert.NoError(t, s.Read(t.Context(), func(int, *columns.Rows) error { return enough }))
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

// TestScanReportsDamageOfOtherChunks reports events of unknown types in a chunk that describes no event type of the table: some may
// have been of it.
func TestScanReportsDamageOfOtherChunks(t *testing.T) {
	one, other := jfrtest.NewChunk(), jfrtest.NewChunk()
	one.Emit(one.Event("test.E", jfrtest.Of("n", "int")), int64(0), 7)
	other.EmitRaw(jfrtest.EventOptions{}, 987, []byte{1, 2, 3})
	rec, err := mmapjfr.OpenBytes(append(one.Bytes(), other.Bytes()...))
	require.NoError(t, err)
	defer func() { assert.NoError(t, rec.Close()) }()
	var reported []error
	o := columns.Options{OnError: func(_ *mmapjfr.Recording, err error) { reported = append(reported, err) }}
	assert.Equal(t, []string{"n=7"}, linesOf(t, "test.E", []string{"n"}, o, rec))
	require.Len(t, reported, 1)
	assert.ErrorContains(t, reported[0], "unknown event type 987")
}
