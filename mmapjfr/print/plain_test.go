package print_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestLeastIntegersAreNumbers is about the least int and long, which stand for something
// missing only in fields of times.
func TestLeastIntegersAreNumbers(t *testing.T) {
	of := func(name, class string, as ...jfrtest.Annotation) jfrtest.Field {
		return jfrtest.Of(name, class).With(as...)
	}
	b := jfrtest.NewChunk()
	event := b.Event("test.Least",
		of("i", "int"), of("l", "long"), of("u", "long", unsigned), of("amount", "long", bytesUnit), of("list", "long").Array(),
		of("span", "long", nanosUnit), of("spanOfInt", "int", nanosUnit), of("time", "long", millisTime))
	least := int64(math.MinInt64)
	b.Emit(event, 1_000_000, int32(math.MinInt32), least, least, least, []int64{least}, least, int32(math.MinInt32), least)
	lines := textOf(t, b, print.Options{Format: print.NDJSON})
	assert.Equal(t, `{"@type":"test.Least","startTime":"2023-11-14T22:13:20.000000000Z","i":-2147483648,"l":-9223372036854775808,`+
		`"u":9223372036854775808,"amount":-9223372036854775808,"list":[-9223372036854775808],`+
		`"span":null,"spanOfInt":-2147483648,"time":null}`+"\n", lines)
	rows := textOf(t, b, print.Options{Format: print.CSV})
	assert.Equal(t, "startTime,i,l,u,amount,list,span,spanOfInt,time\n"+
		"2023-11-14T22:13:20.000000000Z,-2147483648,-9223372036854775808,"+
		"9223372036854775808,-9223372036854775808,[-9223372036854775808],,-2147483648,\n", rows)
}

// TestEqualEndTimesComeAsInJSON has events that end together, in clocks that are finer and
// coarser than nanoseconds, and two chunks that begin together.
func TestEqualEndTimesComeAsInJSON(t *testing.T) {
	for _, rate := range []int64{1_000_000, 1_000_000_000, 3_000_000_000} {
		equalEndTimes(t, rate)
	}
}

func equalEndTimes(t *testing.T, rate int64) {
	t.Helper()
	chunk := func(first int) []byte {
		b := jfrtest.NewChunk()
		b.Header.TickRate = rate
		a := b.Event("test.A", jfrtest.Duration(), jfrtest.Of("n", "int"))
		c := b.Event("test.B", jfrtest.Duration(), jfrtest.Of("n", "int"))
		for i := range 300 {
			// Ends are spread over a few ticks, in no order.
			end, duration := 1_000_000+i*7919%11, i*31%5
			b.Emit([]*jfrtest.Class{a, c}[i%2], end-duration, duration, first+i)
		}
		return b.Bytes()
	}
	data := chunk(0)
	var doc struct {
		Recording struct {
			Events []struct{ Values struct{ N int } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(bytesOf(t, data, print.Options{Format: print.JSON})), &doc))
	var want []int
	for _, ev := range doc.Recording.Events {
		want = append(want, ev.Values.N)
	}
	require.Len(t, want, 300)
	assert.Equal(t, want, numbersIn(t, data))

	// Of two chunks what ended together comes in their order.
	both := numbersIn(t, append(chunk(0), chunk(300)...))
	var first, second []int
	for _, n := range both {
		if n < 300 {
			first = append(first, n)
		} else {
			second = append(second, n-300)
		}
	}
	assert.Equal(t, want, first)
	assert.Equal(t, want, second)
}

// numbersIn returns the field n of events as NDJSON has them; CSV and TSV must have the same.
func numbersIn(t *testing.T, data []byte) (numbers []int) {
	t.Helper()
	for line := range strings.Lines(bytesOf(t, data, print.Options{Format: print.NDJSON})) {
		var ev struct{ N int }
		require.NoError(t, json.Unmarshal([]byte(line), &ev))
		numbers = append(numbers, ev.N)
	}
	for format, sep := range map[print.Format]rune{print.CSV: ',', print.TSV: '\t'} {
		r := csv.NewReader(strings.NewReader(bytesOf(t, data, print.Options{Format: format, Fields: []string{"n"}})))
		r.Comma = sep
		rows, err := r.ReadAll()
		require.NoError(t, err)
		for i, row := range rows[1:] {
			text, _ := json.Marshal(numbers[i])
			require.Equal(t, string(text), row[0])
		}
	}
	return numbers
}

// TestSpreadsheetSafe is about cells that a spreadsheet would run as formulas.
func TestSpreadsheetSafe(t *testing.T) {
	cells := map[string]string{
		"=1+1": "'=1+1", "+1-1": "'+1-1", "-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)", "-cmd|x": "'-cmd|x",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "\uff1d1": "'\uff1d1", "=": "'=", "-": "'-", "--1": "'--1",
		"-1": "-1", "+2.5E3": "+2.5E3", "-1e-9": "-1e-9", "'=1": "'=1", "a=1": "a=1", " =1": " =1", "": "", "-1\n": "'-1\n",
	}
	for cell, want := range cells {
		b := jfrtest.NewChunk()
		emit(b, []any{jfrtest.UTF16(cell), int64(-5), math.Copysign(2.5e-9, -1)},
			jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("n", "long"), jfrtest.Of("d", "double"))
		o := print.Options{Format: print.CSV, Fields: []string{"text", "n", "d", "@type", "@size"}}
		assert.Equal(t, []string{cell, "-5", "-2.5e-09", "test.Event"}, cellsOf(t, b, o)[1][:4], "as it is, unless asked for")
		o.SpreadsheetSafe = true
		rows := cellsOf(t, b, o)
		assert.Equal(t, []string{"text", "n", "d", "'@type", "'@size"}, rows[0])
		assert.Equal(t, []string{want, "-5", "-2.5e-09", "test.Event"}, rows[1][:4])
	}
	b := jfrtest.NewChunk()
	emit(b, []any{"\t=1"}, field(jfrtest.StringClass))
	assert.Equal(t, "f\n'\\t=1\n", textOf(t, b, print.Options{Format: print.TSV, Fields: []string{"f"}, SpreadsheetSafe: true}))
}

// cellsOf returns the cells of CSV.
func cellsOf(t *testing.T, b *jfrtest.Builder, o print.Options) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(textOf(t, b, o))).ReadAll()
	require.NoError(t, err)
	return rows
}
