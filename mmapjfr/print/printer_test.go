package print_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// document puts together what is written of single events.
func document(p *print.Printer, events []mmapjfr.Event) []byte {
	out := []byte(p.Header())
	for i, ev := range events {
		if i > 0 {
			out = append(out, p.Separator()...)
		}
		out = p.Append(out, ev)
	}
	return append(out, p.Footer()...)
}

// eventsOf returns the events of a recording in the order of the file.
func eventsOf(t *testing.T, rec *mmapjfr.Recording, filters ...mmapjfr.Filter) (list []mmapjfr.Event) {
	t.Helper()
	for ev, err := range rec.Select(filters...).Events() {
		require.NoError(t, err)
		list = append(list, ev.Detached())
	}
	return list
}

// TestPrinter puts together what is written of single events and compares it with what
// is written of all at once.
func TestPrinter(t *testing.T) {
	rec := opentest.Bytes(t, said.Recording(t, "jdk25-cputime.jfr"))
	fields := []string{"@type", "startTime", "@size"}
	for f := print.Text; f <= print.TSV; f++ {
		o := print.Options{Format: f, StackDepth: 3, Order: print.ByFile}
		if f >= print.CSV {
			o.Fields = fields
		}
		for _, filters := range [][]mmapjfr.Filter{nil, {mmapjfr.Types("jdk.CPULoad")}, {mmapjfr.Types("no.Such")}} {
			p, err := print.NewPrinter(o)
			require.NoError(t, err)
			o.Filters = filters
			events := eventsOf(t, rec, filters...)
			if len(filters) == 0 {
				require.Greater(t, len(events), 1)
			}
			assert.Equal(t, string(writtenOf(t, rec, o)), string(document(p, events)), "format %d", f)
		}
	}
}

// TestPrinterOfOneType writes rows of a type's own fields.
func TestPrinterOfOneType(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	for _, f := range []print.Format{print.CSV, print.TSV} {
		for _, name := range []string{"gen.KindEvents$Primitives", "jdk.ExecutionSample", "jdk.GCHeapSummary"} {
			typ, ok := rec.Type(name)
			require.True(t, ok)
			p, err := print.NewPrinter(print.Options{Format: f, Fields: print.DefaultFields(typ)})
			require.NoError(t, err)
			o := print.Options{Format: f, Order: print.ByFile, Filters: []mmapjfr.Filter{mmapjfr.Types(name)}}
			assert.Equal(t, string(writtenOf(t, rec, o)), string(document(p, eventsOf(t, rec, o.Filters...))))
		}
	}
	heap, _ := rec.Type("jdk.GCHeapSummary")
	fields := print.DefaultFields(heap, heap)
	assert.Contains(t, fields, "heapSpace.committedSize", "of a struct each field")
	assert.Len(t, fields, len(slices.Compact(slices.Sorted(slices.Values(fields)))), "each once")
}

// TestPrinterOfSeveralChunks goes to and fro between machines of other versions.
func TestPrinterOfSeveralChunks(t *testing.T) {
	rec := open(t, "concat-jdk17-jdk25.jfr")
	require.Greater(t, len(rec.Chunks()), 1)
	events := eventsOf(t, rec)
	slices.SortStableFunc(events, func(a, b mmapjfr.Event) int { return int(a.Offset()%3) - int(b.Offset()%3) })
	for f := print.Text; f <= print.NDJSON; f++ {
		p, err := print.NewPrinter(print.Options{Format: f, StackDepth: 2})
		require.NoError(t, err)
		for _, ev := range events {
			fresh, err := print.NewPrinter(print.Options{Format: f, StackDepth: 2})
			require.NoError(t, err)
			require.Equal(t, string(fresh.Append(nil, ev)), string(p.Append(nil, ev)))
		}
	}
}

// heapInUse returns how many bytes are in use.
func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestPrinterForgetsTextsOfConstants writes chunks whose constants take more than a megabyte each,
// at other keys in every chunk: nothing that was looked up keeps those of earlier chunks alive.
func TestPrinterForgetsTextsOfConstants(t *testing.T) {
	p, err := print.NewPrinter(print.Options{Format: print.NDJSON})
	require.NoError(t, err)
	const constants, size = 100, 12 << 10
	text := strings.Repeat("x", size)
	var data, buf []byte
	for chunk := range 13 {
		b := jfrtest.NewChunk()
		b.Class("test.Text", jfrtest.Of("text", "java.lang.String"))
		class := b.Event("test.Event", jfrtest.Const("text", "test.Text"))
		for i := range constants {
			key := chunk*constants + i + 1
			b.Constant("test.Text", key, text)
			b.Emit(class, 0, key)
			b.Emit(class, 0, key) // the second time the text is looked up
		}
		data = append(data, b.Bytes()...)
	}
	rec := opentest.Bytes(t, data)
	var before uint64
	for i, c := range rec.Chunks() {
		for ev, err := range c.Select().Events() {
			require.NoError(t, err)
			buf = p.Append(buf[:0], ev)
		}
		if i == 0 {
			before = heapInUse()
		}
	}
	assert.Less(t, int64(heapInUse()-before), int64(2*constants*size))
	runtime.KeepAlive(p)
	runtime.KeepAlive(data)
}

func TestPrinterNeedsFieldsForRows(t *testing.T) {
	for _, f := range []print.Format{print.CSV, print.TSV} {
		_, err := print.NewPrinter(print.Options{Format: f})
		assert.ErrorContains(t, err, "need Options.Fields")
		_, err = print.NewPrinter(print.Options{Format: f, Fields: []string{"startTime", "a..b"}})
		assert.ErrorContains(t, err, "a field name is missing")
	}
}

func TestCheckFields(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	load, _ := rec.Type("jdk.CPULoad")
	park, _ := rec.Type("jdk.ThreadPark")
	both := []mmapjfr.Type{load, park}
	assert.NoError(t, print.CheckFields([]string{"@end", "jvmUser", "parkedClass"}, both))
	assert.ErrorContains(t, print.CheckFields([]string{"jvmUser", "parkdClass"}, both), "no event type has a field parkdClass; did you mean parkedClass?")
	assert.ErrorContains(t, print.CheckFields([]string{"parkedClass"}, both[:1]), "it has startTime, jvmUser")
	assert.NoError(t, print.CheckFields([]string{"anything"}, nil), "types may come")
	assert.Error(t, print.CheckFields([]string{"a..b"}, nil))
}
