package print_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// knots are constants of two fields that lead to others: for each key its two.
func knots(t *testing.T, keys int, next func(key int) (a, b int)) *mmapjfr.Recording {
	t.Helper()
	b := jfrtest.NewChunk()
	b.Class("test.Knot", jfrtest.Of("n", "int"), jfrtest.Const("a", "test.Knot"), jfrtest.Const("b", "test.Knot"))
	class := b.Event("test.Event", jfrtest.Const("knot", "test.Knot"))
	for key := 1; key <= keys; key++ {
		a, bb := next(key)
		b.Constant("test.Knot", key, key, a, bb)
	}
	for key := 1; key <= min(keys, 3); key++ {
		b.Emit(class, 0, key)
	}
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec
}

// plainFormats are the formats that hold whatever constants lead to.
var plainFormats = map[string]print.Options{
	"JSON":   {Format: print.JSON},
	"NDJSON": {Format: print.NDJSON},
	"XML":    {Format: print.XML},
	"CSV":    {Format: print.CSV, Fields: []string{"knot"}},
}

func requireWellFormed(t *testing.T, o print.Options, out []byte) {
	t.Helper()
	switch o.Format {
	case print.JSON:
		require.True(t, json.Valid(out))
	case print.NDJSON:
		for line := range bytes.Lines(out) {
			require.True(t, json.Valid(line))
		}
	case print.XML:
		dec := xml.NewDecoder(bytes.NewReader(out))
		for {
			if _, err := dec.Token(); err != nil {
				require.ErrorContains(t, err, "EOF")
				require.Equal(t, int64(len(out)), dec.InputOffset())
				return
			}
		}
	}
}

func TestConstantsInsideThemselves(t *testing.T) {
	rec := knots(t, 3, func(key int) (a, b int) { return key%3 + 1, 0 })
	for name, o := range plainFormats {
		o.StackDepth = math.MaxInt
		out := writtenOf(t, rec, o)
		requireWellFormed(t, o, out)
		// Whatever has been written before, each event begins with its own constant.
		var want string
		switch name {
		case "JSON":
			want = "\"knot\": {\n          \"n\": 2, \n          \"a\": {\n            \"n\": 3, \n            \"a\": {\n              \"n\": 1, \n              \"a\": null, "
		case "NDJSON":
			want = `"knot":{"n":2,"a":{"n":3,"a":{"n":1,"a":null,"b":null},"b":null},"b":null}}`
		case "XML":
			want = "<value name=\"n\">2</value>\n        <struct name=\"a\">\n          <value name=\"n\">3</value>\n          <struct name=\"a\">\n            <value name=\"n\">1</value>\n            <struct name=\"a\" xsi:nil=\"true\"/>"
		case "CSV":
			want = `"{""n"":2,""a"":{""n"":3,""a"":{""n"":1,""a"":null,""b"":null},""b"":null},""b"":null}"`
		}
		assert.Contains(t, string(out), want, name)
	}
}

// TestConstantsInALongRow is about as many constants inside one another as a file has. It does not take more memory to write
// one that lies deeper.
func TestConstantsInALongRow(t *testing.T) {
	keys := longtest.Cases(300, 100_000)
	rec := knots(t, keys, func(key int) (a, b int) { return (key + 1) % (keys + 1), 0 })
	for _, o := range plainFormats {
		out := writtenOf(t, rec, o)
		requireWellFormed(t, o, out)
		first, err := rec.EventByOrdinal(0)
		require.NoError(t, err)
		assert.Less(t, testing.AllocsPerRun(1, func() {
			p, err := print.NewPrinter(o)
			require.NoError(t, err)
			p.Append(out[:0], first)
		}), 2.0*float64(keys), o.Format)
	}
}

// TestConstantsThatDouble is about texts that are twice as long with each constant.
func TestConstantsThatDouble(t *testing.T) {
	keys := longtest.Cases(14, 60)
	rec := knots(t, keys, func(key int) (a, b int) { return (key + 1) % (keys + 1), (key + 1) % (keys + 1) })
	for name, o := range plainFormats {
		if name != "JSON" && !longtest.Enabled() {
			continue
		}
		out := writtenOf(t, rec, o)
		assert.Less(t, len(out), 200<<20)
		requireWellFormed(t, o, out)
	}
}

// TestLongTextsAreWrittenInParts has groups whose text is far longer than what is kept
// of it, and compares it with that of the events one by one.
func TestLongTextsAreWrittenInParts(t *testing.T) {
	b := jfrtest.NewChunk()
	class := b.Event("test.Long", jfrtest.Of("text", "java.lang.String"))
	text := strings.Repeat("0123456789", longtest.Cases(8_000, 60_000))
	var want strings.Builder
	for i := range 150 {
		b.Emit(class, 0, fmt.Sprint(i, text))
		fmt.Fprintf(&want, "%d%s\n", i, text)
	}
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	out := writtenOf(t, rec, print.Options{Format: print.TSV, Fields: []string{"text"}, Order: print.ByFile, Workers: 3})
	said.Same(t, []byte("text\n"+want.String()), out)

	err = print.Write(t.Context(), &full{longtest.Cases(5, 30) << 20}, []*mmapjfr.Recording{rec}, print.Options{Format: print.NDJSON, Workers: 3})
	require.ErrorIs(t, err, errFull)
}
