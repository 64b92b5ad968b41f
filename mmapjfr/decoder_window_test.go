package mmapjfr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestNoTrapsWithoutAMap: bytes in memory cannot be taken away.
func TestNoTrapsWithoutAMap(t *testing.T) {
	path := "../testdata/jdk25-profile.jfr"
	mapped := opentest.File(t, path)
	copied := opentest.File(t, path, mmapjfr.CopyOnOpen())
	assert.Equal(t, mapped.Mapped(), mapped.Traps())
	assert.False(t, copied.Traps())
	assert.False(t, openBytes(t, profile(t)).Traps())
}

// TestASavedIndexIsATrap: where constants lie is read from it.
func TestASavedIndexIsATrap(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, sizable(t))
	save(t, file)
	rec := openSaved(t, file, mmapjfr.CopyOnOpen())
	assert.Equal(t, openFile(t, "jdk25-profile.jfr").Mapped(), rec.Traps())
}

// TestWindowsOfAllSizes reads events that are smaller and larger than what is copied, one
// after another and with others between them.
func TestWindowsOfAllSizes(t *testing.T) {
	b := jfrtest.NewChunk()
	wanted := b.Event("Wanted", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("last", "long"))
	other := b.Event("Other", jfrtest.Of("text", jfrtest.StringClass))
	text := func(i int) string { return string(make([]byte, i*i%3000)) + "x" }
	const many = 1000
	for i := range many {
		b.Emit(wanted, start+i, i, text(i), 2*i)
		for j := range i % 4 {
			b.Emit(other, start+i, text(i*j))
		}
	}
	n, str, last := mmapjfr.Path("n"), mmapjfr.Path("text"), mmapjfr.Path("last")
	data := b.Bytes()
	for _, rec := range []*mmapjfr.Recording{openBytes(t, data), openPlaced(t, data)} {
		i := 0
		for ev, err := range rec.Select(mmapjfr.Types("Wanted")).Events() {
			require.NoError(t, err)
			raw := rec.Data()[ev.Offset():][:ev.Size()]
			require.Equal(t, raw, engine.EventBytes(ev))
			d := ev.Detached()
			require.Equal(t, int64(i), ev.Int(n))
			require.Equal(t, text(i), ev.Str(str))
			require.Equal(t, text(i), ev.Get(str).Str())
			require.Equal(t, text(i), ev.StrView(str))
			require.Equal(t, int64(2*i), ev.Get(last).Int())
			require.Equal(t, ev.Int(last), d.Int(last))
			require.Equal(t, ev.Get(last), d.Get(last))
			require.Equal(t, ev.Get(str), d.Get(str))
			i++
		}
		require.Equal(t, many, i)
	}
}

// openPlaced opens the recording as a file.
func openPlaced(t *testing.T, data []byte) *mmapjfr.Recording {
	t.Helper()
	rec := opentest.File(t, placed(t, data))
	return rec
}

// TestValuesAreTheSame however their event was found: all fields of all events of a real
// recording, from the window and from the map.
func TestValuesAreTheSame(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		d := ev.Detached()
		want := make(map[string]mmapjfr.Value)
		for f, v := range d.Fields() {
			want[f.Name()] = v
		}
		for f, v := range ev.Fields() {
			require.Equal(t, want[f.Name()], v)
			p := pathOf(f)
			require.Equal(t, v, ev.Get(p))
			require.Equal(t, v, d.Get(p))
			require.Equal(t, d.Int(p), ev.Int(p))
			require.Equal(t, d.Str(p), ev.Str(p))
			require.InDelta(t, d.Float(p), ev.Float(p), 0)
		}
	}
}

var pathByName = map[string]*mmapjfr.FieldPath{}

func pathOf(f mmapjfr.Field) *mmapjfr.FieldPath {
	p := pathByName[f.Name()]
	if p == nil {
		p = mmapjfr.Path(f.Name())
		pathByName[f.Name()] = p
	}
	return p
}

// TestAClosedRecordingHasNoNumbers: not even those that have been decoded.
func TestAClosedRecordingHasNoNumbers(t *testing.T) {
	skipIfChecked(t, "it panics")
	n := mmapjfr.Path("n")
	b := jfrtest.NewChunk()
	b.Emit(b.Event("E", jfrtest.Of("n", "int"), jfrtest.Of("f", "double")), start, 7, 1.5)
	rec := openPlaced(t, b.Bytes())
	cur := rec.Select().Cursor()
	require.True(t, cur.Next())
	ev := cur.Event()
	v, f := ev.Get(n), ev.Get(mmapjfr.Path("f"))
	require.Equal(t, int64(7), v.Int())
	require.InDelta(t, 1.5, f.Float(), 0)
	require.NoError(t, rec.Close())
	assert.Zero(t, v.Int())
	assert.Zero(t, f.Float())
	assert.Zero(t, ev.Int(n))
	assert.Empty(t, engine.EventBytes(ev))
	assert.True(t, ev.Get(n).IsAbsent())
}
