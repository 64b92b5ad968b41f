package mmapjfr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// cuttable maps a copy of a recording that the test may cut.
func cuttable(t *testing.T, data []byte) (rec *mmapjfr.Recording, cut func(size int64)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	return rec, func(size int64) { require.NoError(t, os.Truncate(file, size)) }
}

func TestOpenFileThatIsCutBeforeItIsRead(t *testing.T) {
	crash(t, func(t *testing.T) {
		rec, cut := cuttable(t, profile(t))
		cut(0)
		events, errs := walk(t, rec.Select())
		assert.Empty(t, events)
		require.Len(t, errs, 1)
		assert.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
		_, err := rec.Types()
		assert.ErrorIs(t, err, mmapjfr.ErrTruncated)
		_, err = rec.EventAtOffset(68)
		assert.ErrorIs(t, err, mmapjfr.ErrTruncated)
	})
}

// TestFileIsCutDuringAnIteration cuts at many places after the cursor's frames,
// so that the end falls into heads and into bodies of events, and looks at
// nothing but offsets. It cuts at pages: the rest of one reads as zeros.
func TestFileIsCutDuringAnIteration(t *testing.T) {
	crash(t, func(t *testing.T) {
		data := profile(t)
		want := offsetsOf(all(t, openBytes(t, data)))
		const ahead = 64 // frames are read that many at a time
		for size := int64(want[ahead])&^4095 + 4096; size < int64(len(data)); size += int64(longtest.Cases(16, 2)) * 4096 {
			rec, cut := cuttable(t, data)
			got, errs := cutAt(rec, 0, func() { cut(size) })
			require.Equal(t, want[:len(got)], got, "each event once, and none that is not there")
			require.LessOrEqual(t, len(errs), 1)
			if len(got) < len(want) {
				require.Len(t, errs, 1)
				require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
				require.NoError(t, rec.Close())
			}
		}
	})
}

// cutAt walks over all events and cuts the file at event n.
func cutAt(rec *mmapjfr.Recording, n int, cut func()) (got []uint64, errs []error) {
	for ev, err := range rec.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(got) == n {
			cut()
		}
		got = append(got, ev.Offset())
	}
	return got, errs
}

// manyEvents builds a chunk of n events.
func manyEvents(n int) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("test.Many", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range n {
		b.Emit(ty, start+i, i, "some text")
	}
	return b
}

// TestTextIsCutWhileItIsLookedUp: texts that must be converted are looked up by their
// bytes, among those that were converted before. Nobody may be kept from that by a text
// that has gone.
func TestTextIsCutWhileItIsLookedUp(t *testing.T) {
	crash(t, func(t *testing.T) {
		b := jfrtest.NewChunk()
		b.MetadataFirst = true
		ty := b.Event("E", jfrtest.Of("text", "java.lang.String"))
		const many = 20 // few are compared by their lengths
		for i := range many {
			b.Emit(ty, int64(i), jfrtest.Latin1(fmt.Sprint("kürzer ", i)))
		}
		b.Emit(ty, many, jfrtest.Latin1(strings.Repeat("länger", 10_000)))
		data, layout := b.Build()
		rec, cut := cuttable(t, data)
		events := all(t, rec)
		cut(layout.Events[many].Offset&^4095 + 4096)
		text := mmapjfr.Path("text")
		for i := range many - 1 {
			assert.Equal(t, fmt.Sprint("kürzer ", i), events[i].Str(text))
		}
		assert.Empty(t, events[many].Str(text))
		assert.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
		assert.Equal(t, fmt.Sprint("kürzer ", many-1), events[many-1].Str(text), "which is kept for the next time")
	})
}

// TestTextsOfAFileThatIsCut: a text that was not read before the file was cut is empty, and the
// recording reports why. A text of a constant that was read before stays until Close.
func TestTextsOfAFileThatIsCut(t *testing.T) {
	data := profile(t)
	method := func(ev mmapjfr.Event) mmapjfr.Method { return ev.StackTrace().Frame(0).Method() }
	name := mmapjfr.Path("eventThread.javaName")
	type accessor struct {
		of    func(mmapjfr.Event) func() string // finds the constant, and returns what reads its text
		stays bool
	}
	accessors := map[string]accessor{
		"Thread.Name":      {func(ev mmapjfr.Event) func() string { return ev.Thread().Name }, true},
		"Thread.JavaName":  {func(ev mmapjfr.Event) func() string { return ev.Thread().JavaName }, true},
		"Method.Name":      {func(ev mmapjfr.Event) func() string { return method(ev).Name }, true},
		"Method.Signature": {func(ev mmapjfr.Event) func() string { return method(ev).Signature }, true},
		"Class.Name":       {func(ev mmapjfr.Event) func() string { return method(ev).Class().Name }, true},
		"Class.InternalName": {func(ev mmapjfr.Event) func() string {
			class := method(ev).Class()
			return func() string { return engine.ClassInternalName(class) }
		}, true},
		"Value.StrView": {func(ev mmapjfr.Event) func() string {
			return engine.ThreadValue(ev.Thread()).Get(mmapjfr.Path("javaName")).StrView
		}, false},
		"Event.StrView": {func(ev mmapjfr.Event) func() string { return func() string { return ev.StrView(name) } }, false},
	}
	crash(t, func(t *testing.T) {
		for what, text := range accessors {
			for _, before := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, read before: %v", what, before), func(t *testing.T) {
					testTextOfAFileThatIsCut(t, data, text.of, before, before && text.stays)
				})
			}
		}
	})
}

func testTextOfAFileThatIsCut(t *testing.T, data []byte, of func(mmapjfr.Event) func() string, before, stays bool) {
	t.Helper()
	rec, cut := cuttable(t, data)
	cur := rec.Select(mmapjfr.Types("jdk.JavaMonitorWait")).Cursor()
	require.True(t, cur.Next())
	read, want := of(cur.Event()), ""
	if before {
		first := strings.Clone(read()) // a view of the file becomes invalid
		require.NotEmpty(t, first)
		if stays {
			want = first
		}
	}
	cut(4096)
	assert.Equal(t, want, read())
	require.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
	assert.Equal(t, want, read(), "also when it is known")
	for cur.Next() {
	}
	require.ErrorIs(t, cur.Err(), mmapjfr.ErrTruncated)
	if !wire.Debug { // such builds panic
		require.NoError(t, rec.Close())
		assert.Empty(t, read())
	}
}
