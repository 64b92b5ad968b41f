package index_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// What of an index has been asked for before it is extended.
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

// ordinals are the classes of a chunk in their order, if it has been asked.
func ordinals(c *index.Chunk) (ids []schema.TypeID) {
	types, err := c.Types()
	if err != nil {
		return nil
	}
	for i := range types.Types {
		ids = append(ids, types.Types[i].ID)
	}
	return ids
}

func message(err error) string {
	if err == nil {
		return "fine"
	}
	return err.Error()
}

// sameIndex checks that an index that was extended knows all that a new one does.
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

// extendThrough extends an index through snapshots, with more and more loaded.
func extendThrough(t *testing.T, snapshots [][]byte) {
	t.Helper()
	for _, l := range loads {
		if l.name != "nothing" && l.name != "everything" && !longtest.Enabled() {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			for from := 0; from < len(snapshots); from += longtest.Cases(3, 1) {
				// Comparing loads the rest, so once it is done only at the end.
				for _, each := range []bool{false, true}[:1+max(0, 1-from)] {
					x := newIndex(t, snapshots[from])
					l.load(x)
					for i, data := range snapshots[from+1:] {
						var before [][]schema.TypeID
						if l.name == "everything" {
							for _, c := range x.Chunks() {
								before = append(before, ordinals(c))
							}
						}
						require.NoError(t, x.Extend(data))
						for j, ids := range before {
							now := ordinals(x.Chunks()[j])
							require.GreaterOrEqual(t, len(now), len(ids))
							require.True(t, slices.Equal(ids, now[:len(ids)]), "ordinals change")
						}
						if each || i+2+from == len(snapshots) {
							sameIndex(t, newIndex(t, data), x)
						}
					}
				}
			}
		})
	}
}

func TestExtendAGrowingChunk(t *testing.T) {
	extendThrough(t, [][]byte{
		testdata(t, "jdk25-live-1"), testdata(t, "jdk25-live-2"), testdata(t, "jdk25-live-3"),
	})
}

// Nothing has been added, or something that the header does not vouch for.
func TestExtendByNothing(t *testing.T) {
	live := testdata(t, "jdk25-live")
	size := newIndex(t, live).Chunks()[0].Header().Size
	extendThrough(t, [][]byte{live[:size], live[:size+1000], live, live})
	whole := testdata(t, "concat-jdk17-jdk25")
	extendThrough(t, [][]byte{whole, append([]byte(nil), whole...)})
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

func TestExtendInEveryWay(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		g := grow(b)
		l := g.layout
		begun := put(put(put(setState(g.data[:68], 1), sizeAt, 68), checkpointAt, 0), metadataAt, 0)
		g.states = append(g.states, begun, join(begun, g.data[68:100]))
		g.flush(l.Checkpoints[0].End(), 0, 0, 2)
		g.flush(l.Checkpoints[1].End(), 1, 0, 3)
		g.flush(l.Checkpoints[3].End(), 3, 1, 4)
		g.states = append(g.states, g.data)
		extendThrough(t, g.states)

		// Now another chunk begins behind it, and grows.
		other := small(10)
		other.Header.StartNanos++
		next := grow(jfrtest.NewChunk())
		next.flush(next.layout.Checkpoints[0].End(), 0, 0, 1)
		next.flush(next.layout.Checkpoints[1].End(), 1, 0, 2)
		extendThrough(t, [][]byte{
			g.states[3],
			g.data,
			join(g.data, next.states[0][:30]), // half a header
			join(g.data, next.states[0]),
			join(g.data, next.states[1]),
			join(g.data, next.data, other.Bytes()), // two at once
		})
	})
}

// Two metadata events come at once, and the one that the header names needs what
// only the other one describes.
func TestExtendByTwoMetadataEvents(t *testing.T) {
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		basic := b.Classes()
		b.Metadata(&jfrtest.Metadata{ID: 1, Classes: basic})
		b.Checkpoint(0).Add("jdk.types.Symbol", 1, "symbol")
		old := b.Class("test.Old", jfrtest.Of("value", "int"))
		b.Metadata(&jfrtest.Metadata{ID: 2, Classes: append(basic[:len(basic):len(basic)], old)})
		event := b.Event("test.New", jfrtest.Of("old", "test.Old"))
		b.Metadata(&jfrtest.Metadata{ID: 3, Classes: append(basic[:len(basic):len(basic)], event)})
		b.Emit(event, 1, jfrtest.Inline{2})
		b.Checkpoint(0).Add("jdk.types.Symbol", 2, "symbol")
		g := &growth{}
		g.data, g.layout = b.Build()
		g.flush(g.layout.Checkpoints[0].End(), 0, 0, 1)
		g.flush(g.layout.Checkpoints[1].End(), 1, 2, 2)
		extendThrough(t, g.states)
		for _, l := range loads {
			x := newIndex(t, g.states[0])
			l.load(x)
			require.NoError(t, x.Extend(g.states[1]))
			class := typesOf(t, x.Chunks()[0]).Named("test.New")
			require.NotNil(t, class)
			_, err := class.Plan()
			assert.NoError(t, err, "with %s loaded before", l.name)
		}
	})
}

// While the header is rewritten nothing in it counts.
func TestExtendWhileTheHeaderIsRewritten(t *testing.T) {
	g := grow(jfrtest.NewChunk())
	g.flush(g.layout.Checkpoints[0].End(), 0, 0, 1)
	first := g.states[0]
	for _, l := range loads {
		t.Run(l.name, func(t *testing.T) {
			x := newIndex(t, first)
			l.load(x)
			torn := setState(put(put(put(g.data, sizeAt, 1<<50), checkpointAt, 7), metadataAt, 9), 255)
			require.NoError(t, x.Extend(torn))
			require.Len(t, x.Chunks(), 1)
			c := x.Chunks()[0]
			assert.Equal(t, newIndex(t, first).Chunks()[0].Header(), c.Header())
			assert.Equal(t, len(first), len(c.Data()))
			assert.Same(t, &torn[0], &c.Data()[0], "the old bytes may be unmapped")
			assert.ErrorIs(t, c.TrailingErr(), index.ErrUnfinished)
			assert.Equal(t, uint64(60), c.Blocks().Events())
			require.NoError(t, x.Extend(g.data))
			sameIndex(t, newIndex(t, g.data), x)
		})
	}
}

func TestExtendRefuses(t *testing.T) {
	g := grow(jfrtest.NewChunk())
	g.flush(g.layout.Checkpoints[1].End(), 1, 0, 1)
	live := g.states[0]
	before := small(4).Bytes()
	whole := join(before, live)
	grown := join(before, g.data)
	at := len(before)
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, index.ErrTruncated},
		{"a byte less", whole[:len(whole)-1], index.ErrTruncated},
		{"only the first chunk", before, index.ErrTruncated},
		{"half of the last header", whole[:at+40], index.ErrTruncated},
		{"another start", put(grown, at+nanosAt, 12345), index.ErrCorrupt},
		{"another clock", put(grown, at+48, 12345), index.ErrCorrupt},
		{"another file", testdata(t, "jdk25-kinds"), nil},
		{"zeros", make([]byte, len(grown)), nil},
	}
	for _, tt := range tests {
		for i, l := range loads {
			if !longtest.Every(i, 2) {
				continue
			}
			t.Run(tt.name+"/"+l.name, func(t *testing.T) {
				x := newIndex(t, whole)
				l.load(x)
				err := x.Extend(tt.data)
				require.Error(t, err)
				assert.True(t, matches(err), "%v", err)
				if tt.want != nil {
					wantFault(t, err, tt.want, 1, uint64(at))
				}
				require.Same(t, &whole[0], &x.Chunks()[0].Data()[0])
				sameIndex(t, newIndex(t, whole), x)
				require.NoError(t, x.Extend(grown))
				sameIndex(t, newIndex(t, grown), x)
			})
		}
	}
}

// Views of earlier events stay right: classes and constants keep their places.
func TestExtendKeepsWhatWasRead(t *testing.T) {
	x := newIndex(t, testdata(t, "jdk25-live-1"))
	c := x.Chunks()[0]
	types, k := typesOf(t, c), constantsOf(t, c)
	blocks := c.Blocks()
	ids := ordinals(c)
	symbol := types.Named("jdk.types.Symbol")
	places := map[int64]uint64{}
	k.All(symbol, func(key int64, offset uint64) bool { places[key] = offset; return true })
	require.NotEmpty(t, places)
	for _, name := range []string{"jdk25-live-2", "jdk25-live-3"} {
		require.NoError(t, x.Extend(testdata(t, name)))
		require.Same(t, c, x.Chunks()[0])
		require.Same(t, blocks, c.Blocks())
		now := ordinals(c)
		require.Greater(t, len(now), len(ids), "a type was added")
		assert.True(t, slices.Equal(ids, now[:len(ids)]))
		for key, want := range places {
			got, ok := c.CachedConstants().Lookup(symbol, key)
			require.True(t, ok)
			require.Equal(t, want, got)
		}
		ids = now
	}
}

// A recording that is being copied: its header is complete, its end is not there.
func TestExtendAFileThatIsBeingCopied(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	event := b.Event("test.E", jfrtest.Const("name", "jdk.types.Symbol"))
	for i := range 20 {
		b.Emit(event, i, i)
		b.Constant("jdk.types.Symbol", i, "symbol")
	}
	data, layout := b.Build()
	for name, at := range map[string]int64{
		"inside an event":      layout.Events[10].Offset + 1,
		"before an event":      layout.Events[10].Offset,
		"before a checkpoint":  layout.Checkpoints[0].Offset,
		"inside a checkpoint":  layout.Checkpoints[0].Offset + 30,
		"one byte is missing":  int64(len(data)) - 1,
		"inside metadata":      layout.Metadata[0].Offset + 50,
		"behind the metadata":  layout.Metadata[0].End(),
		"behind the header":    68,
		"nothing is missing":   int64(len(data)),
		"behind the first one": layout.Events[0].End(),
	} {
		t.Run(name, func(t *testing.T) { extendThrough(t, [][]byte{data[:at], data}) })
	}
}
