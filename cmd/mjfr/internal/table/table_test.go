package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// result returns a result of rows.
func result(columns []query.Column, rows ...[]query.Value) *query.Result {
	return &query.Result{Title: "Some Rows", Columns: columns, Rows: each(rows, nil)}
}

func each(rows [][]query.Value, err error) iter.Seq2[[]query.Value, error] {
	return func(yield func([]query.Value, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// column returns a column of a kind.
func column(name string, k query.Kind, unit mmapjfr.Unit) query.Column {
	return query.Column{Name: name, Title: strings.ToUpper(name), Field: name, Kind: k, Unit: unit, Layout: query.LayoutOf(k, unit)}
}

// mixed is a result with a value of each kind, and one without values.
func mixed(t testing.TB) *query.Result {
	share := column("share", query.Int, mmapjfr.NoUnit)
	share.Format.Normalized = true
	stack, _, array, _ := table.Recorded(t)
	row := []query.Value{
		query.NewValue("a|b <c>\n& \x1b*_@x"), query.NewValue(int64(-1500)), query.NewValue(3.0625), query.NewValue(uint64(math.MaxUint64)), query.NewValue(true),
		query.NewValue(1500 * time.Microsecond), query.NewValue(time.Unix(1e9, 5)), query.NewValue(int64(3 << 20)), query.NewValue(0.125), stack,
		array, query.NewValue([]query.Value{query.NewValue("x"), query.NewValue(nil)}), query.NewValue(int64(3)),
	}
	none := make([]query.Value, len(row))
	none[12] = query.NewValue(int64(1))
	return result([]query.Column{
		column("text", query.Text, 0), column("int", query.Int, 0), column("float", query.Float, 0), column("unsigned", query.Unsigned, 0), column("bool", query.Bool, 0),
		column("span", query.Timespan, 0), column("time", query.Timestamp, 0), column("bytes", query.Int, mmapjfr.Bytes), column("percent", query.Float, mmapjfr.Percentage),
		column("stack", query.Stack, 0), column("class", query.Class, 0), column("text", query.List, 0), share,
	}, row, none)
}

func TestRowsForPrograms(t *testing.T) {
	assert.Equal(t, `{"text":"a|b <c>\n& \u001b*_@x","int":-1500,"float":3.0625,"unsigned":18446744073709551615,"bool":true,"span":1500000,`+
		`"time":"2001-09-09T01:46:40.000000005Z","bytes":3145728,"percent":0.125,"stack":["a.B.run(int, String):7","a.B.main()"],`+
		`"class":"java.lang.String[]","text_2":["x",null],"share":0.75}`+"\n"+
		`{"text":null,"int":null,"float":null,"unsigned":null,"bool":null,"span":null,"time":null,"bytes":null,"percent":null,"stack":null,`+
		`"class":null,"text_2":null,"share":0.25}`+"\n", show(t, mixed(t), table.Options{Format: table.NDJSON}))

	rows, err := csv.NewReader(strings.NewReader(show(t, mixed(t), table.Options{Format: table.CSV, SpreadsheetSafe: true}))).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"text", "int", "float", "unsigned", "bool", "span", "time", "bytes", "percent", "stack", "class", "text_2", "share"}, rows[0])
	assert.Equal(t, []string{"a|b <c>\n& \x1b*_@x", "-1500", "3.0625", "18446744073709551615", "true", "1500000", "2001-09-09T01:46:40.000000005Z",
		"3145728", "0.125", "a.B.run(int, String):7;a.B.main()", "java.lang.String[]", `["x",null]`, "0.75"}, rows[1])
	tsv := show(t, mixed(t), table.Options{Format: table.TSV})
	assert.Equal(t, 3, strings.Count(tsv, "\n"))
	assert.Equal(t, 3*12, strings.Count(tsv, "\t"))
}

func TestDocuments(t *testing.T) {
	var one struct {
		Title   string
		Columns []map[string]string
		Rows    []map[string]any
		Notes   []string
	}
	r := mixed(t)
	r.Notes = []string{"no jdk.X"}
	require.NoError(t, json.Unmarshal([]byte(show(t, r, table.Options{Format: table.JSON})), &one))
	assert.Equal(t, "Some Rows", one.Title)
	assert.Equal(t, map[string]string{"name": "bytes", "title": "BYTES", "kind": "integer", "unit": "bytes"}, one.Columns[7])
	assert.Len(t, one.Rows, 2)
	assert.Equal(t, r.Notes, one.Notes)
	for n := range 3 {
		var b bytes.Buffer
		w := table.New(&b, table.Options{Format: table.JSON, Array: true})
		for range n {
			require.NoError(t, w.Write(result([]query.Column{column("x", query.Int, 0)})))
		}
		require.NoError(t, w.Close())
		var list []any
		require.NoError(t, json.Unmarshal(b.Bytes(), &list), b.String())
		assert.Len(t, list, n)
	}
}

func TestPages(t *testing.T) {
	r := result([]query.Column{column("path_x", query.Text, 0), column("n", query.Int, 0)}, firstRow(t)[:2])
	assert.Equal(t, "### Some Rows\n\n| PATH\\_X | N |\n| --- | ---: |\n| a\\|b &lt;c&gt; &amp; \\\\x1b\\*\\_&#64;x | -1,500 |\n", show(t, r, table.Options{Format: table.Markdown}))
	page := show(t, r, table.Options{Format: table.HTML})
	assert.Contains(t, page, `<tr><th>PATH_X</th><th class="r">N</th></tr>`+"\n"+`<tr><td>a|b &lt;c&gt; &amp; \x1b*_@x</td><td class="r">-1,500</td></tr>`)
	assert.Contains(t, page, "<title>Some Rows</title>")
	assert.True(t, strings.HasSuffix(page, "</table>\n</body>\n</html>\n"), page)
	assert.NotContains(t, page, "http")

	stacks := result([]query.Column{column("s", query.Stack, 0)}, firstRow(t)[9:10])
	assert.Contains(t, show(t, stacks, table.Options{Format: table.Markdown}), "| a.B.run(int, String) |\n")
	assert.Contains(t, show(t, stacks, table.Options{Format: table.Markdown, CellHeight: 2}), "| a.B.run(int, String)<br>a.B.main() |\n")
	stacks.Form = true
	assert.Contains(t, show(t, stacks, table.Options{Format: table.HTML}), "<tr><th>S</th><td>a.B.run(int, String)</td></tr>\n")
	assert.Contains(t, show(t, stacks, table.Options{Format: table.Markdown}), "| S | a.B.run(int, String) |\n")
	assert.Contains(t, show(t, result(nil), table.Options{Format: table.Markdown}), "No events.\n")
	assert.Contains(t, show(t, result(nil), table.Options{Format: table.HTML}), "<p>No events.</p>\n")
}

func TestNarrowCells(t *testing.T) {
	columns := []query.Column{column("class", query.Class, 0), column("n", query.Int, 0)}
	_, _, _, class := table.Recorded(t)
	r := result(columns, []query.Value{class, query.NewValue(int64(1e6))})
	for width, want := range map[int]string{
		1: "\nToo many columns to fit width.\n",
		4: "\nSome Rows\n\n. N\n- -\n. .\n",
		6: "\nSome Rows\n\n.   N\n-- --\n.  . \n",
	} {
		assert.Equal(t, want, show(t, r, table.Options{Width: width}), width)
	}
	assert.Equal(t, "\n         Some Rows\n\nCLASS                     N\n----------------- ---------\nConcurrentHashMap 1,000,000\n", show(t, r, table.Options{Width: 28}))
	assert.Equal(t, "\n       Some Rows\n\nCLASS                 N\n------------- ---------\n...entHashMap 1,000,000\n", show(t, r, table.Options{Width: 24, Truncate: table.Beginning}))
	assert.Contains(t, show(t, r, table.Options{Width: 24, CellHeight: 3}), "java.util.con 1,000,000\ncurrent.Concu          \nrrentHashMap           \n")
}

// TestTerminals fits tables into terminals, however narrow these are.
func TestTerminals(t *testing.T) {
	var columns []query.Column
	var row []query.Value
	for i := range 7 {
		columns = append(columns, column(fmt.Sprintf("column %d", i), query.Text, 0))
		row = append(row, query.NewValue(strings.Repeat("x", 5*i)))
	}
	for width := 7 * 4; width < 200; width++ {
		for line := range strings.Lines(show(t, result(columns, row), table.Options{MaxWidth: width})) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), width)
		}
	}
}

func TestErrorsOfRowsAreReported(t *testing.T) {
	lost := errors.New("lost")
	for f := table.Text; f <= table.TSV; f++ {
		r := mixed(t)
		r.Rows = each([][]query.Value{firstRow(t)}, lost)
		w := table.New(new(bytes.Buffer), table.Options{Format: f})
		require.ErrorIs(t, w.Write(r), lost, f)
		w = table.New(full{}, table.Options{Format: f})
		require.ErrorIs(t, errors.Join(w.Write(mixed(t)), w.Close()), errFull, f)
	}
}

var errFull = errors.New("full")

// full is a writer that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestLimits(t *testing.T) {
	r := result([]query.Column{column("n", query.Int, 0)}, []query.Value{query.NewValue(int64(1))}, []query.Value{query.NewValue(int64(12345))})
	r.All, r.Title = r.Rows, ""
	r.Rows = each([][]query.Value{{query.NewValue(int64(1))}}, nil)
	assert.Equal(t, strings.Repeat(" ", 38)+"N\n"+strings.Repeat("-", 39)+"\n"+strings.Repeat(" ", 38)+"1\n", show(t, r, table.Options{}))
	assert.Equal(t, "n\n1\n", show(t, r, table.Options{Format: table.CSV}))
	assert.Empty(t, show(t, &query.Result{Rows: each(nil, nil)}, table.Options{}))
	assert.Equal(t, "\nNo events found for 'Some Rows'.\n", show(t, result(nil, nil), table.Options{}))
}

func TestStatements(t *testing.T) {
	var b bytes.Buffer
	w := table.New(&b, table.Options{Width: 20})
	require.NoError(t, w.WriteStatement("SELECT nothing"))
	require.NoError(t, w.Write(result([]query.Column{column("n", query.Int, 0)}, []query.Value{query.NewValue(nil)})))
	b.Reset()
	require.NoError(t, w.WriteStatement("COLUMN 'one  two','x' SELECT a, aVeryLongNameThatIsCut FROM E WHERE when='Before GC'"))
	assert.Equal(t, "\nCOLUMN 'one  two',\n'x' SELECT a, aVeryL\nongNameThatIsCut\nFROM E WHERE when =\n'Before GC'\n", b.String())
}

// firstRow returns the first row of mixed.
func firstRow(t testing.TB) []query.Value {
	for row := range mixed(t).Rows {
		return row
	}
	return nil
}

// TestLongTextsInTables shows of a long text what it shows of a shorter one that does not fit either, without its middle in memory.
func TestLongTextsInTables(t *testing.T) {
	shown := func(n int) (string, uint64) {
		b := jfrtest.NewChunk()
		text := b.Constant("java.lang.String", 7, strings.Repeat("aé\n", n)+"end")
		ty := b.Event("test.Text", jfrtest.Of("n", "int"), jfrtest.Const("text", "java.lang.String"))
		for i := range 50 {
			b.Emit(ty, 1_000_000, i, text)
		}
		rec := opentest.Bytes(t, b.Bytes(), mmapjfr.Workers(1))
		r := ask(t, rec, "", "COLUMN 'n', 't', 'e' FORMAT none, none, truncate-beginning SELECT n, text, text FROM test.Text")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		shows := show(t, r, table.Options{})
		runtime.ReadMemStats(&after)
		return shows, after.TotalAlloc - before.TotalAlloc
	}
	want, _ := shown(500)
	got, allocated := shown(300_000)
	assert.Contains(t, got, "end")
	assert.Equal(t, want, got)
	assert.Less(t, allocated, uint64(12_000_000))
}
