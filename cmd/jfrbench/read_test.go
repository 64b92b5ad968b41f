package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestReadAllocatesNothing reads all events of each recording again and again.
func TestReadAllocatesNothing(t *testing.T) {
	if !stringsAlias {
		t.Skip("strings are copies with this tag")
	}
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			rec, err := mmapjfr.Open(file)
			require.NoError(t, err)
			defer rec.Close()
			var r reader
			for ev, err := range rec.Events() {
				if err != nil {
					assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
					continue
				}
				assert.Zero(t, testing.AllocsPerRun(1, func() { r.event(ev) }), ev.Type().Name())
			}
			assert.Zero(t, r.cut)
		})
	}
}

// TestStagesAllocateNothingPerEvent reads a recording with enough events that
// what a stage allocates once does not count. The sweep and the blocks are left
// out: what these make is kept, per class and chunk, and this recording has
// many classes for its events.
func TestStagesAllocateNothingPerEvent(t *testing.T) {
	if !stringsAlias {
		t.Skip("strings are copies with this tag")
	}
	_, d := report(t, "../../testdata/jdk25-profile.jfr")
	require.Greater(t, d.Events, uint64(4000))
	for _, s := range d.Stages {
		if s.Name != "sweep" && s.Name != "blocks" {
			assert.Less(t, *s.AllocsPerEvent, 0.05, s.Name)
		}
	}
}

// values reads the only event of a recording and returns how many values it led to.
func values(t *testing.T, b *jfrtest.Builder) (n int, r *reader) {
	rec, err := mmapjfr.OpenBytes(b.Bytes())
	require.NoError(t, err)
	defer rec.Close()
	cur := rec.Cursor()
	require.True(t, cur.Next(), cur.Err())
	r = new(reader)
	r.event(cur.Event())
	require.False(t, cur.Next())
	require.NoError(t, cur.Err())
	return maxValues - r.left, r
}

func TestReadGoesToTheLeaves(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "double"))
	point := jfrtest.Inline{int32(1), 2.5}
	ev := b.Event("test.Leaves",
		jfrtest.Of("yes", "boolean"), jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("null", jfrtest.StringClass),
		jfrtest.Of("point", "test.Point"), jfrtest.Of("points", "test.Point").Array(), jfrtest.Of("longs", "long").Array())
	b.Emit(ev, int64(1), true, "text", nil, point, []any{point, point}, []any{int64(1), int64(2), int64(3)})
	n, _ := values(t, b)
	assert.Equal(t, 1+1+1+1+(1+2)+2*(1+2)+3, n)
}

// TestReadFollowsOneReference reads the constants of an event, and of theirs
// only those that stand for a plain value.
func TestReadFollowsOneReference(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.Name", jfrtest.Of("string", jfrtest.StringClass)).Simple()
	b.Class("test.Node", jfrtest.Const("name", "test.Name"), jfrtest.Const("next", "test.Node"), jfrtest.Of("n", "int"))
	b.Constant("test.Name", 7, "seven")
	b.Constant("test.Node", 1, 7, 2, int32(10))
	b.Constant("test.Node", 2, 7, 1, int32(20))
	ev := b.Event("test.Linked", jfrtest.Const("node", "test.Node"), jfrtest.Const("nodes", "test.Node").Array(),
		jfrtest.Const("missing", "test.Node"))
	b.Emit(ev, int64(1), 1, []any{1, 2}, 99)
	n, _ := values(t, b)
	assert.Equal(t, 1+(1+3)+2*(1+3)+1, n)
}

func TestReadCutsEventsThatLeadTooFar(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("test.List", jfrtest.Of("bytes", "byte").Array())
	bytes := make([]any, maxValues/4)
	for i := range bytes {
		bytes[i] = int8(i)
	}
	b.Constant("test.List", 1, bytes)
	ev := b.Event("test.Bomb", jfrtest.Const("lists", "test.List").Array())
	b.Emit(ev, int64(1), []any{1, 1, 1, 1, 1, 1, 1, 1})
	_, r := values(t, b)
	assert.Equal(t, uint64(1), r.cut)
	assert.Equal(t, -1, r.left)
}

func TestReadTakesLongStrings(t *testing.T) {
	sum := func(text string) uint64 {
		b := jfrtest.NewChunk()
		b.Emit(b.Event("test.Text", jfrtest.Of("text", jfrtest.StringClass)), int64(1), jfrtest.UTF16(text))
		_, r := values(t, b)
		return r.sum
	}
	long := strings.Repeat("é", 3*maxStr)
	assert.NotEqual(t, sum(long), sum("x"+long[2:]))
	assert.NotEqual(t, sum(long), sum(long+"é"))
	assert.NotEqual(t, sum("a"), sum("b"))
	assert.NotEqual(t, sum(""), sum("a"))
}
