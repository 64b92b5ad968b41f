package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// loads are what an index has been asked for before its chunk grows.
var loads = []struct {
	name string
	load func(x *index.Index)
}{
	{"nothing", func(*index.Index) {}},
	{"types", func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.Types()
		}
	}},
	{"blocks", func(x *index.Index) {
		for _, c := range x.Chunks() {
			_ = c.Blocks()
		}
	}},
	{"constants", func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.Constants()
		}
	}},
	{"everything", func(x *index.Index) {
		for _, c := range x.Chunks() {
			_, _ = c.Types()
			_, _ = c.Constants()
			_, _ = c.AllTypes()
			_ = c.Blocks()
		}
	}},
}

func message(err error) string {
	if err == nil {
		return "fine"
	}
	return err.Error()
}

// sameIndex checks that an index knows all that a new one does.
func sameIndex(t *testing.T, want, got *index.Index) {
	t.Helper()
	require.Len(t, got.Chunks(), len(want.Chunks()))
	require.Equal(t, message(want.TrailingErr()), message(got.TrailingErr()))
	for i, w := range want.Chunks() {
		sameChunk(t, w, got.Chunks()[i])
	}
}

func sameChunk(t *testing.T, want, got *index.Chunk) {
	t.Helper()
	require.Equal(t, want.Number(), got.Number())
	require.Equal(t, want.Offset(), got.Offset())
	require.Equal(t, want.Header(), got.Header())
	require.Equal(t, want.IntEncoding(), got.IntEncoding())
	require.Equal(t, len(want.Data()), len(got.Data()))
	if len(want.Data()) > 0 {
		require.Same(t, &want.Data()[0], &got.Data()[0], "the chunk lies in the new bytes")
	}
	require.Equal(t, message(want.LeadingErr()), message(got.LeadingErr()))
	require.Equal(t, message(want.TrailingErr()), message(got.TrailingErr()))

	// Blocks and records, before anything else brings something up to date.
	require.Equal(t, want.Blocks().Events(), got.Blocks().Events())
	require.Equal(t, message(want.Blocks().Err()), message(got.Blocks().Err()))
	wantAll, wantNext, wantErr := walk(want)
	gotAll, gotNext, gotErr := walk(got)
	require.True(t, slices.Equal(wantAll, gotAll), "%d records, not %d", len(gotAll), len(wantAll))
	require.Equal(t, wantNext, gotNext)
	require.Equal(t, message(wantErr), message(gotErr))
	for i, rec := range wantAll {
		if !longtest.Every(i, 7) {
			continue
		}
		w, wn, wErr := want.EventAt(rec.Offset)
		g, gn, gErr := got.EventAt(rec.Offset)
		if w != g || wn != gn || message(wErr) != message(gErr) {
			require.Fail(t, "another event", "%+v %d %v, not %+v %d %v", g, gn, gErr, w, wn, wErr)
		}
	}

	wantTypes, wantErr := want.Types()
	gotTypes, gotErr := got.Types()
	require.Equal(t, message(wantErr), message(gotErr))
	if wantErr != nil {
		return
	}
	wantK, wantErr := want.Constants()
	gotK, gotErr := got.Constants()
	require.NoError(t, wantErr)
	require.NoError(t, gotErr)
	require.Equal(t, message(wantK.Err()), message(gotK.Err()))
	require.Equal(t, wantK.Checkpoints(), gotK.Checkpoints())
	require.Equal(t, wantK.Pools(), gotK.Pools())
	for i := range wantTypes.Types {
		w := wantTypes.Types[i]
		g := gotTypes.ByID(w.ID)
		require.NotNil(t, g, w.Name)
		require.NotNil(t, gotTypes.Named(w.Name), w.Name)
		if dw, dg := unnamed(description(w)), unnamed(description(g)); !reflect.DeepEqual(dw, dg) {
			require.Equal(t, dw, dg)
		}
		sameConstants(t, wantK, gotK, w, g)
	}
	wantTypes, err := want.AllTypes()
	require.NoError(t, err)
	gotTypes, err = got.AllTypes()
	require.NoError(t, err)
	require.Len(t, gotTypes.Types, len(wantTypes.Types))
	for i := range wantTypes.Types {
		w := wantTypes.Types[i]
		sameConstants(t, wantK, gotK, w, gotTypes.ByID(w.ID))
	}
}

func sameConstants(t *testing.T, wantK, gotK *index.Constants, w, g *schema.Type) {
	t.Helper()
	require.NotNil(t, g, w.Name)
	require.Equal(t, wantK.Len(w), gotK.Len(g), w.Name)
	all := map[int64]uint64{}
	wantK.All(w, func(key int64, offset uint64) bool { all[key] = offset; return true })
	checkPool(t, gotK, g, all)
}

// growth is a chunk and how much of it there was after each flush.
type growth struct {
	data   []byte
	layout *jfrtest.Layout
	states [][]byte
}

// flush adds what the file looked like when the header named the n-th checkpoint
// and the m-th metadata event, which lie before the chunk's end at that time.
func (g *growth) flush(end int64, checkpoint, metadata int, state byte) {
	data := append([]byte(nil), g.data[:end]...)
	data = put(data, sizeAt, uint64(end))
	data = put(data, checkpointAt, uint64(g.layout.Checkpoints[checkpoint].Offset))
	data = put(data, metadataAt, uint64(g.layout.Metadata[metadata].Offset))
	g.states = append(g.states, setState(data, state))
}

// grow makes a chunk that grows in every way there is.
func grow(b *jfrtest.Builder) *growth {
	basic := b.Classes()
	const symbol = "jdk.types.Symbol"
	class := b.Event("test.First", jfrtest.Const("name", symbol))
	gone := b.Event("test.Gone", jfrtest.Of("n", "int"))
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(basic[:len(basic):len(basic)], class, gone)})
	for i := range 30 {
		b.Emit(class, i, i)
		b.Emit(gone, i, i)
	}
	cp := b.Checkpoint(jfrtest.MaskFlush)
	for i := range 20 {
		cp.Add(symbol, 100+i, fmt.Sprint("symbol ", i))
	}
	cp.Add("test.Gone", 1, 2, 3)

	// New events and constants: some go on where the keys ended, some do not.
	for i := range 1500 {
		b.Emit(class, 1000+i, i)
	}
	cp = b.Checkpoint(jfrtest.MaskFlush)
	for i := range 20 {
		cp.Add(symbol, 120+i, "dense still")
	}
	cp.Add(symbol, 100, "newer, and not to count")
	cp.Add("java.lang.Thread", int64(1)<<40, "os", 1, "java", 2, 0, false)

	// A new type, and one forgotten.
	late := b.Event("test.Late", jfrtest.Of("first", "test.First"), jfrtest.Const("own", "test.Own"))
	own := b.Class("test.Own", jfrtest.Of("text", jfrtest.StringClass))
	b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], late, own, class)})
	for i := range 50 {
		b.Emit(late, i, jfrtest.Inline{i, i}, i)
		b.Emit(gone, i, i)
	}
	b.Checkpoint(0).Add(symbol, 3, "before the first key")
	cp = b.Checkpoint(jfrtest.MaskFlush)
	cp.Add("test.Own", 7, "own")
	cp.Add("test.Gone", 5, 6, 7)
	cp.Add(symbol, -1, "far away")

	for i := range 10 {
		b.Emit(late, i, jfrtest.Inline{i, i}, i)
	}
	cp = b.Checkpoint(0)
	for i := range 500 {
		cp.Add(symbol, int64(i)<<33, "sparse")
	}
	g := &growth{}
	g.data, g.layout = b.Build()
	return g
}
