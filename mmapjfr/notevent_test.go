package mmapjfr_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// framesOfNoEvent builds a recording of several blocks in which frames of events have types
// that are no event types: a primitive, a struct, a class without fields, one that nothing
// // describes. It returns how many events there are, and how many of these have a type
// without fields: none unless they are asked for.
func framesOfNoEvent(empty bool) (data []byte, events, empties int) {
	b := jfrtest.NewChunk()
	many := b.Event("test.Many", jfrtest.Of("n", "int"))
	fieldless := b.Class("test.Empty")
	if empty {
		fieldless.SuperType = jfrtest.EventSuperType
	}
	structure := b.Class("test.Struct", jfrtest.Of("startTime", "long"), jfrtest.Of("n", "int"))
	nothing := b.Class("test.Nothing")
	for i := range 20_000 {
		b.Emit(many, start+i, i)
		events++
		if i%1000 != 0 {
			continue
		}
		if empty {
			b.Emit(fieldless)
			empties++
		}
		b.Emit(structure, start+i, i)
		b.Emit(nothing)
		b.EmitRaw(jfrtest.EventOptions{}, b.Lookup("int").ID, []byte{1, 2, 3})
		b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1, 2, 3})
	}
	return b.Bytes(), events + empties, empties
}

// waysToCount are the ways to ask how many events a recording has.
var waysToCount = []struct {
	name  string
	count func(t *testing.T, rec *mmapjfr.Recording) int
}{
	{"Events", func(t *testing.T, rec *mmapjfr.Recording) int { return countOf(t, rec.Select()) }},
	{"Events with blocks", func(t *testing.T, rec *mmapjfr.Recording) int {
		countOf(t, rec.Select(mmapjfr.Types("*")))
		return countOf(t, rec.Select(mmapjfr.Types("*")))
	}},
	{"Batches", func(t *testing.T, rec *mmapjfr.Recording) int {
		n, err := engine.FoldBatches(t.Context(), rec.Select(), func(n *int, b *mmapjfr.Batch) error { *n += engine.BatchLen(b); return nil }, addUp)
		assert.ErrorIs(t, err, mmapjfr.ErrUnknownType)
		return n
	}},
	{"EventByOrdinal", func(t *testing.T, rec *mmapjfr.Recording) (n int) {
		for i := uint64(0); ; i++ {
			ev, err := rec.EventByOrdinal(i)
			switch {
			case err == nil:
				assert.Equal(t, i, ev.Ordinal())
				at, err := rec.EventAtOffset(ev.Offset())
				assert.NoError(t, err)
				assert.Equal(t, ev, at)
				n++
			case errors.Is(err, mmapjfr.ErrNoEvent):
				return n
			default:
				require.ErrorIs(t, err, mmapjfr.ErrUnknownType)
			}
		}
	}},
	{"summary", func(t *testing.T, rec *mmapjfr.Recording) (n int) {
		s, err := summary.Count(t.Context(), []*mmapjfr.Recording{rec}, nil)
		require.NoError(t, err)
		for _, ty := range s.Types {
			if ty.Type.IsEvent() {
				n += int(ty.Events)
			}
		}
		assert.Equal(t, n, int(s.Events))
		return n
	}},
	{"verify", func(t *testing.T, rec *mmapjfr.Recording) int {
		r, err := verify.Check(t.Context(), rec)
		require.NoError(t, err)
		assert.Positive(t, r.Count(verify.Error))
		return int(r.Events)
	}},
	{"CSV", func(t *testing.T, rec *mmapjfr.Recording) int {
		return printedLines(t, rec, print.Options{Format: print.CSV, Fields: []string{"@type", "n"}}) - 1
	}},
}

func addUp(n, m *int) { *n += *m }

// countOf returns how many events a loop gets. It must be told of each other type once.
func countOf(t *testing.T, s *mmapjfr.Selection) int {
	t.Helper()
	events, errs := walk(t, s)
	assert.Len(t, errs, 4)
	for _, err := range errs {
		assert.ErrorIs(t, err, mmapjfr.ErrUnknownType)
	}
	return len(events)
}

func printedLines(t *testing.T, rec *mmapjfr.Recording, o print.Options) int {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, o))
	return bytes.Count(out.Bytes(), []byte("\n"))
}

// TestFramesOfNoEventType: what has the frame of an event and a type that is no event type
// is no event for anybody, as for the JDK.
func TestFramesOfNoEventType(t *testing.T) {
	data, events, empties := framesOfNoEvent(true)
	for _, way := range waysToCount {
		t.Run(way.name, func(t *testing.T) {
			assert.Equal(t, events, way.count(t, openBytes(t, data)))
		})
	}
	t.Run("repair", func(t *testing.T) {
		var out bytes.Buffer
		_, err := repair.Write(t.Context(), &out, openBytes(t, data))
		require.NoError(t, err)
		assert.Len(t, all(t, openBytes(t, out.Bytes())), events-empties, "the JDK crashes at events without fields")
	})
}

// TestJDKLeavesOutFramesOfNoEventType asks the JDK for what the other tests claim.
func TestJDKLeavesOutFramesOfNoEventType(t *testing.T) {
	home := judge(t)
	data, events, _ := framesOfNoEvent(false)
	file := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	out, refusal, err := oracle.Verbatim(t.Context(), home, file, "print")
	require.NoError(t, err)
	require.Empty(t, refusal)
	assert.Equal(t, events, bytes.Count(out, []byte("{\n")))
	rec := openBytes(t, data)
	s, err := summary.Count(t.Context(), []*mmapjfr.Recording{rec}, nil)
	require.NoError(t, err)
	var ours bytes.Buffer
	require.NoError(t, s.WriteText(&ours))
	theirs, refusal, err := oracle.Verbatim(t.Context(), home, file, "summary")
	require.NoError(t, err)
	require.Empty(t, refusal)
	assert.Equal(t, string(theirs), ours.String())
}
