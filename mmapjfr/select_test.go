package mmapjfr_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestSelectionsOfARealRecording compares selections with what is left when all
// events are looked at one by one.
func TestSelectionsOfARealRecording(t *testing.T) {
	under := func(names ...string) func(mmapjfr.Type) bool {
		return func(typ mmapjfr.Type) bool {
			return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(typ.Category(), n) })
		}
	}
	named := func(names ...string) func(mmapjfr.Type) bool {
		return func(typ mmapjfr.Type) bool { return slices.Contains(names, typ.Name()) }
	}
	types, categories := mmapjfr.Types, mmapjfr.Categories
	rec := openFile(t, "jdk25-profile.jfr")
	events := all(t, rec)
	for _, c := range []struct {
		name    string
		filters []mmapjfr.Filter
		want    func(mmapjfr.Type) bool
	}{
		{"all", nil, func(mmapjfr.Type) bool { return true }},
		{"full name", []mmapjfr.Filter{types("jdk.ExecutionSample")}, named("jdk.ExecutionSample")},
		{"simple name", []mmapjfr.Filter{types("ExecutionSample")}, named("jdk.ExecutionSample")},
		{"simple name of an inner class", []mmapjfr.Filter{types("Loaders$Loaded")}, named("gen.Loaders$Loaded")},
		{"two names", []mmapjfr.Filter{types("ExecutionSample", "jdk.JavaMonitorEnter")}, named("jdk.ExecutionSample", "jdk.JavaMonitorEnter")},
		{"star", []mmapjfr.Filter{types("*")}, func(mmapjfr.Type) bool { return true }},
		{"package", []mmapjfr.Filter{types("jdk.*")}, func(typ mmapjfr.Type) bool { return strings.HasPrefix(typ.Name(), "jdk.") }},
		{"end", []mmapjfr.Filter{types("*Sample")}, func(typ mmapjfr.Type) bool { return strings.HasSuffix(typ.Name(), "Sample") }},
		{"middle", []mmapjfr.Filter{types("*Monitor*")}, func(typ mmapjfr.Type) bool { return strings.Contains(typ.Name(), "Monitor") }},
		{"question mark", []mmapjfr.Filter{types("GCPhasePauseLevel?")}, func(typ mmapjfr.Type) bool { return strings.HasPrefix(typ.Name(), "jdk.GCPhasePauseLevel") }},
		{"other case", []mmapjfr.Filter{types("executionsample")}, nil},
		{"brackets are no sets", []mmapjfr.Filter{types("[a-z]*")}, nil},
		{"part of a name", []mmapjfr.Filter{types("Execution")}, nil},
		{"no such type", []mmapjfr.Filter{types("jdk.Nothing")}, nil},
		{"category", []mmapjfr.Filter{categories("Java Application")}, under("Java Application")},
		{"inner category", []mmapjfr.Filter{categories("Phases")}, under("Phases")},
		{"acronym", []mmapjfr.Filter{categories("JVM")}, under("Java Virtual Machine")},
		{"glob of a category", []mmapjfr.Filter{categories("Java*")}, under("Java Application", "Java Virtual Machine", "Java Development Kit")},
		{"two categories", []mmapjfr.Filter{categories("GC", "Operating System")}, under("GC", "Operating System")},
		{"category in other case", []mmapjfr.Filter{categories("jvm")}, nil},
		{"both", []mmapjfr.Filter{types("*GC*"), categories("JVM")}, func(typ mmapjfr.Type) bool {
			return strings.Contains(typ.Name(), "GC") && under("Java Virtual Machine")(typ)
		}},
		{"three", []mmapjfr.Filter{types("*GC*"), categories("JVM"), types("*Summary")}, func(typ mmapjfr.Type) bool {
			return strings.Contains(typ.Name(), "GC") && strings.HasSuffix(typ.Name(), "Summary")
		}},
		{"nothing is both", []mmapjfr.Filter{types("jdk.ExecutionSample"), types("jdk.CPULoad")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want []uint64
			for _, ev := range events {
				if c.want != nil && c.want(ev.Type()) {
					want = append(want, ev.Offset())
				}
			}
			assert.Equal(t, c.want == nil, len(want) == 0, "the test itself")
			sel := rec.Select(c.filters...)
			for range 2 {
				got, errs := walk(t, sel)
				assert.Empty(t, errs)
				assert.Equal(t, want, offsetsOf2(got))
			}
			cur, n := sel.Cursor(), 0
			for cur.Next() {
				n++
			}
			require.NoError(t, cur.Err())
			assert.Len(t, want, n)
		})
	}
}

// offsetsOf2 is nil for no events.
func offsetsOf2(events []mmapjfr.Event) []uint64 {
	if len(events) == 0 {
		return nil
	}
	return offsetsOf(events)
}

func TestCategories(t *testing.T) {
	b := jfrtest.NewChunk()
	category := func(names ...string) jfrtest.Annotation {
		a := jfrtest.Annotation{Class: "jdk.jfr.Category"}
		for i, n := range names {
			a.Values = append(a.Values, jfrtest.Attribute{Name: "value-" + string(rune('0'+i)), Value: n})
		}
		return a
	}
	for name, path := range map[string][]string{
		"test.One": {"Garbage Collector", "Phases"}, "test.Two": {"garbage Collector of"},
		"test.Three": {"GC"}, "test.Four": {"a/b"}, "test.None": nil,
	} {
		ty := b.Event(name)
		if path != nil {
			ty.Annotate(category(path...))
		}
		b.Emit(ty, start)
	}
	rec, _ := openBuilt(t, b)
	for glob, want := range map[string][]string{
		"Garbage Collector": {"test.One"},
		"Phases":            {"test.One"},
		"GC":                {"test.One", "test.Three"},
		"C":                 {"test.Two"},
		"G*":                {"test.One", "test.Three"},
		"a/b":               {"test.Four"},
		"a*":                {"test.Four"},
		"a?b":               {"test.Four"},
		"Uncategorized":     {"test.None"},
		"*":                 {"test.Four", "test.None", "test.One", "test.Three", "test.Two"},
		"P":                 nil,
	} {
		events, errs := walk(t, rec.Select(mmapjfr.Categories(glob)))
		assert.Empty(t, errs)
		var got []string
		for _, ev := range events {
			got = append(got, ev.Type().Name())
		}
		slices.Sort(got)
		assert.Equal(t, want, got, glob)
	}
}

func TestSelectRejects(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	for _, c := range []struct {
		name    string
		filters []mmapjfr.Filter
		want    string
	}{
		{"no category", []mmapjfr.Filter{mmapjfr.Categories()}, "a selection by category names none"},
		{"empty type", []mmapjfr.Filter{mmapjfr.Types("a", "")}, "a selection by type has an empty name"},
		{"empty category", []mmapjfr.Filter{mmapjfr.Types("*"), mmapjfr.Categories("")}, "a selection by category has an empty name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sel := rec.Select(c.filters...)
			events, errs := walk(t, sel)
			assert.Empty(t, events)
			require.Len(t, errs, 1)
			assert.ErrorContains(t, errs[0], c.want)
			cur := sel.Cursor()
			assert.False(t, cur.Next())
			assert.ErrorContains(t, cur.Err(), c.want)
			assert.False(t, cur.Next())
			assert.NoError(t, cur.Err())
		})
	}
}

func TestSelectionOfAChunk(t *testing.T) {
	rec := openFile(t, "jdk25-chunks.jfr")
	var whole, parts, parallel []uint64
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		whole = append(whole, ev.Offset())
	}
	for _, c := range rec.Chunks() {
		for ev, err := range c.Select().Events() {
			require.NoError(t, err)
			require.Equal(t, c.Number(), ev.Chunk().Number())
			parts = append(parts, ev.Offset())
		}
		sum, err := mmapjfr.Fold(t.Context(), c.Select(),
			func(sum *[]uint64, ev mmapjfr.Event) error { *sum = append(*sum, ev.Offset()); return nil },
			func(sum, next *[]uint64) { *sum = append(*sum, *next...) })
		require.NoError(t, err)
		parallel = append(parallel, sum...)
	}
	require.NotEmpty(t, whole)
	assert.Equal(t, whole, parts)
	assert.Equal(t, whole, parallel)
}

func TestSelectionOfAChunkLeavesTheTrailToTheRecording(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-chunks.jfr")
	require.NoError(t, err)
	rec := opentest.Bytes(t, append(data, "after"...))
	chunks := rec.Chunks()
	last := chunks[len(chunks)-1].Select()
	for _, err := range last.Events() {
		require.NoError(t, err)
	}
	nothing := func(int, mmapjfr.Event) error { return nil }
	require.NoError(t, last.Parallel(t.Context(), nothing))
	require.ErrorIs(t, rec.Select().Parallel(t.Context(), nothing), mmapjfr.ErrTrailing)
}
