package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/guardpage"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestReadAllocatesNothing reads all batches of each recording again and again.
func TestReadAllocatesNothing(t *testing.T) {
	if guardpage.Enabled {
		t.Skip("builds that check themselves allocate")
	}
	if !stringsAlias {
		t.Skip("strings are copies with this tag")
	}
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			rec, err := mmapjfr.Open(file, mmapjfr.Workers(1))
			require.NoError(t, err)
			defer rec.Close()
			var r reader
			err = engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
				if engine.BatchType(b).Name() != "gen.Strings$Text" { // it has strings that are too long to be kept
					assert.Zero(t, testing.AllocsPerRun(1, func() { r.batch(b) }), engine.BatchType(b).Name())
				}
				return nil
			})
			if err != nil {
				assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
			}
		})
	}
}

// TestStagesAllocateNothingPerEvent reads a recording with enough events that
// what a stage allocates once, for each type or worker, does not count. The sweep
// and the blocks are left out: what these make is kept, per class and chunk, and
// this recording has many of both for its events.
func TestStagesAllocateNothingPerEvent(t *testing.T) {
	if guardpage.Enabled {
		t.Skip("builds that check themselves allocate")
	}
	if !stringsAlias {
		t.Skip("strings are copies with this tag")
	}
	long := filepath.Join(t.TempDir(), "long.jfr")
	code, _, stderr := command("gen", "-size", "20MB", long)
	require.Equal(t, exitOK, code, stderr)
	res, err := bench(long, 0)
	require.NoError(t, err)
	require.Greater(t, res.events, uint64(150_000))
	for _, s := range res.stages {
		if s.name != "sweep" && s.name != "blocks" {
			assert.Less(t, float64(s.mallocs)/float64(res.events), 0.2, s.name)
		}
	}
}

// sumOf reads a recording and returns the checksum.
func sumOf(t *testing.T, data []byte, workers int) (events, sum uint64) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Workers(workers))
	require.NoError(t, err)
	defer rec.Close()
	events, sum, err = readAll(rec)
	require.NoError(t, err)
	return events, sum
}

func TestReadIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	for _, file := range recordings(t) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		if rec.Select().Parallel(t.Context(), func(int, mmapjfr.Event) error { return nil }) != nil {
			continue // it is damaged, or was never finished
		}
		events, sum := sumOf(t, data, 1)
		for _, workers := range []int{2, 5} {
			n, other := sumOf(t, data, workers)
			assert.Equal(t, events, n)
			assert.Equal(t, sum, other, file)
		}
	}
}

// TestReadDependsOnEveryField changes the fields of an event one by one.
func TestReadDependsOnEveryField(t *testing.T) {
	point := func(x int32, y float64) jfrtest.Inline { return jfrtest.Inline{x, y} }
	values := [][2]any{
		{int64(1), int64(2)}, {true, false}, {int8(5), int8(6)}, {int16(7), int16(8)}, {'x', 'y'}, {int32(9), int32(-9)},
		{int64(1) << 60, int64(1)<<60 + 1}, {1.5, 1.25}, {2.5, -2.5}, {"text", "next"}, {"", nil},
		{jfrtest.UTF16("größer"), jfrtest.UTF16("kleine")}, {point(1, 2), point(1, 3)}, {point(1, 2), point(2, 2)},
		{[]any{point(1, 2), point(3, 4)}, []any{point(1, 2), point(3, 5)}}, {[]any{int64(1), int64(2)}, []any{int64(2), int64(1)}},
		{[]any{"a", "b"}, []any{"a", "c"}}, {1, 2}, {1, 99}, {1, 0}, {7, 8}, {[]any{1, 2}, []any{1, 1}}, {[]any{7}, []any{8}},
	}
	build := func(change int) []byte {
		b := jfrtest.NewChunk()
		b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "double"))
		b.Class("test.Name", jfrtest.Of("string", jfrtest.StringClass)).Simple()
		b.Class("test.Node", jfrtest.Const("name", "test.Name"), jfrtest.Const("next", "test.Node"), jfrtest.Of("n", "int"))
		b.Constant("test.Name", 7, "seven")
		b.Constant("test.Name", 8, "eighty")
		b.Constant("test.Node", 1, 7, 2, int32(10))
		b.Constant("test.Node", 2, 7, 1, int32(20))
		ev := b.Event("test.All",
			jfrtest.Of("yes", "boolean"), jfrtest.Of("b", "byte"), jfrtest.Of("s", "short"), jfrtest.Of("c", "char"), jfrtest.Of("i", "int"),
			jfrtest.Of("l", "long"), jfrtest.Of("f", "float"), jfrtest.Of("d", "double"), jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("null", jfrtest.StringClass),
			jfrtest.Of("utf16", jfrtest.StringClass), jfrtest.Of("point", "test.Point"), jfrtest.Of("other", "test.Point"),
			jfrtest.Of("points", "test.Point").Array(), jfrtest.Of("longs", "long").Array(), jfrtest.Of("texts", jfrtest.StringClass).Array(),
			jfrtest.Const("node", "test.Node"), jfrtest.Const("missing", "test.Node"), jfrtest.Const("nothing", "test.Node"), jfrtest.Const("name", "test.Name"),
			jfrtest.Const("nodes", "test.Node").Array(), jfrtest.Const("names", "test.Name").Array())
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v[0]
			if i == change {
				list[i] = v[1]
			}
		}
		b.Emit(ev, list...)
		return b.Bytes()
	}
	_, base := sumOf(t, build(-1), 1)
	for i, v := range values {
		_, sum := sumOf(t, build(i), 1)
		if v == [2]any{"", nil} {
			assert.Equal(t, base, sum, "null reads as an empty string")
			continue
		}
		assert.NotEqual(t, base, sum, "value %d: %v", i, v)
	}
}

// TestReadEndsInRings reads constants that refer to one another.
func TestReadEndsInRings(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Node", jfrtest.Const("next", "test.Node").Array(), jfrtest.Of("n", "int"))
	b.Constant("test.Node", 0, []any{0, 0, 0}, int32(20))
	ev := b.Event("test.Ring", jfrtest.Const("node", "test.Node"), jfrtest.Const("nodes", "test.Node").Array())
	b.Emit(ev, int64(1), 0, []any{0, 0})
	events, _ := sumOf(t, b.Bytes(), 1)
	assert.Equal(t, uint64(1), events)
}

func TestReadTakesLongStrings(t *testing.T) {
	sum := func(text string) uint64 {
		b := jfrtest.NewChunk()
		b.Emit(b.Event("test.Text", jfrtest.Of("texts", jfrtest.StringClass).Array()), int64(1), []any{jfrtest.UTF16(text)})
		_, sum := sumOf(t, b.Bytes(), 1)
		return sum
	}
	long := strings.Repeat("é", 3*maxStr)
	assert.NotEqual(t, sum(long), sum(long+"é"))
	assert.NotEqual(t, sum("a"), sum("b"))
	assert.NotEqual(t, sum(""), sum("a"))
}
