package inspect_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// eachRecording runs a test with every recording of the repository.
func eachRecording(t *testing.T, do func(t *testing.T, rec *mmapjfr.Recording)) {
	t.Helper()
	for _, file := range longtest.Recordings(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jfr"), func(t *testing.T) {
			t.Parallel()
			do(t, open(t, filepath.Base(file)))
		})
	}
}

var open = opentest.File

// together returns the bytes of lines, which must lie side by side from the offset
// on, and the values of those that have a path of their own.
func together(t testing.TB, offset uint64, lines iter.Seq[inspect.Line]) (all []byte, at map[string]inspect.Line) {
	t.Helper()
	at = make(map[string]inspect.Line)
	for l := range lines {
		require.Equal(t, offset+uint64(len(all)), l.Offset, "%s: a gap before", l)
		require.NotEmpty(t, l.Bytes, "%s: a line of nothing", l)
		require.GreaterOrEqual(t, l.Depth, 0)
		all = append(all, l.Bytes...)
		at[l.Path] = l
	}
	return all, at
}

func TestEventsAreExplainedToTheLastByte(t *testing.T) {
	eachRecording(t, func(t *testing.T, rec *mmapjfr.Recording) {
		for ev, err := range rec.Events() {
			if err != nil {
				assert.ErrorIs(t, err, mmapjfr.ErrUnfinished)
				continue
			}
			all, at := together(t, ev.Offset(), inspect.Event(ev))
			require.Equal(t, engine.EventBytes(ev), all, "%s", ev)
			// Fields can have the same names.
			head := slices.Collect(inspect.Event(ev))[:2]
			require.Equal(t, []string{"size", "type"}, []string{head[0].Path, head[1].Path})
			require.Equal(t, strconv.Itoa(ev.Size()), head[0].Value)
			require.Equal(t, strconv.FormatInt(ev.Type().ID(), 10), head[1].Value)
			require.Equal(t, ev.Type().Name(), head[1].Meaning)
			for f, v := range ev.Fields() {
				compare(t, at, f.Name(), f, v)
			}
			require.NotContains(t, at, "rest", "%s", ev)
		}
	})
}

// compare reports whether the lines of a value say what the value does.
func compare(t *testing.T, at map[string]inspect.Line, path string, f mmapjfr.Field, v mmapjfr.Value) {
	t.Helper()
	if v.Kind() == mmapjfr.KindArray {
		require.Equal(t, strconv.Itoa(v.Len()), at[path+".count"].Value, path)
		i := 0
		for e := range v.Elements() {
			compareOne(t, at, fmt.Sprintf("%s[%d]", path, i), f, e)
			i++
		}
		return
	}
	compareOne(t, at, path, f, v)
}

func compareOne(t *testing.T, at map[string]inspect.Line, path string, f mmapjfr.Field, v mmapjfr.Value) {
	t.Helper()
	l := at[path]
	switch {
	case f.IsConstant():
		require.Equal(t, "key", l.Type, path)
		require.Equal(t, strconv.FormatInt(engine.ValueKey(v), 10), l.Value, path)
		require.Equal(t, "of "+f.Type().Name()+": "+inspect.Short(v), l.Meaning, path)
		return
	case v.Kind() == mmapjfr.KindStruct:
		for f, e := range v.Fields() {
			compare(t, at, path+"."+f.Name(), f, e)
		}
		return
	case v.Kind() == mmapjfr.KindString && l.Type == "key":
		require.Equal(t, "of java.lang.String: "+inspect.Short(v), l.Meaning, path)
		return
	}
	require.Equal(t, valueText(v), l.Value, path)
	switch {
	case engine.ValueIsUnset(v), v.Kind() == mmapjfr.KindLong && v.Uint() == 1<<63-1 && v.Duration() == mmapjfr.Forever:
		require.Contains(t, []string{"not known", "without end"}, l.Meaning, path)
	case f.Unit().IsTimestamp():
		require.Equal(t, v.Time().Format(time.RFC3339Nano), l.Meaning, path)
	case f.Unit() == mmapjfr.TimespanTicks:
		require.Equal(t, v.Duration().String(), l.Meaning, path)
	case f.Unit() == mmapjfr.Percentage:
		require.Equal(t, fmt.Sprintf("%.2f%%", 100*v.Float()), l.Meaning, path)
	}
}

func valueText(v mmapjfr.Value) string {
	switch v.Kind() {
	case mmapjfr.KindString:
		return strconv.Quote(v.Str())
	case mmapjfr.KindBool:
		return strconv.FormatBool(v.Bool())
	case mmapjfr.KindFloat:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case mmapjfr.KindDouble:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case mmapjfr.KindNone:
		return v.String()
	}
	if f, _ := v.Field(); f.IsUnsigned() {
		return strconv.FormatUint(v.Uint(), 10)
	}
	return strconv.FormatInt(v.Int(), 10)
}

func TestWholeChunksAreExplained(t *testing.T) {
	eachRecording(t, func(t *testing.T, rec *mmapjfr.Recording) {
		if rec.Size() > 200<<10 {
			longtest.Long(t, "it is large")
		}
		events := uint64(0)
		for _, c := range rec.Chunks() {
			var all []byte
			keys := 0
			for offset := c.Offset(); offset < c.Offset()+c.Size(); {
				p, err := inspect.Find(rec, offset)
				require.NoError(t, err)
				require.Equal(t, offset, p.Offset)
				require.Equal(t, events, p.Before)
				if p.Kind == inspect.EventItem {
					require.NoError(t, p.Err)
					events++
				}
				b, at := together(t, offset, p.Lines())
				require.Len(t, b, int(p.Size))
				require.NotContains(t, at, "rest", "%s at %#x", p.Kind, offset)
				for path := range at {
					if strings.HasPrefix(path, "pools[") && strings.HasSuffix(path, "].key") {
						keys++
					}
				}
				all = append(all, b...)
				offset += p.Size
			}
			require.Equal(t, engine.ChunkIndex(c).Data(), all)
			k, err := engine.ChunkIndex(c).Constants()
			require.NoError(t, err)
			want := uint64(0)
			for _, p := range k.Pools() {
				want += p.Count
			}
			assert.EqualValues(t, want, keys)
		}
		n, err := count(rec)
		require.ErrorIs(t, err, nil)
		assert.Equal(t, n, events)
	})
}

func count(rec *mmapjfr.Recording) (n uint64, err error) {
	for _, c := range rec.Chunks() {
		n += engine.ChunkIndex(c).Blocks().Events()
	}
	return n, nil
}

func TestConstantsAreWhatTheRecordingSaysTheyAre(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	c := rec.Chunks()[0]
	frame, ok := rec.Type("jdk.types.FrameType")
	require.True(t, ok)
	p, err := inspect.Find(rec, wire.HeaderLen)
	require.NoError(t, err)
	require.Equal(t, inspect.CheckpointItem, p.Kind)
	_, at := together(t, p.Offset, p.Lines())
	require.Equal(t, "jdk.types.FrameType", at["pools[0].type"].Meaning)
	require.Equal(t, "4", at["pools[0].constants"].Value)
	for i := range 4 {
		path := fmt.Sprintf("pools[0][%d]", i)
		key, err := strconv.ParseInt(at[path+".key"].Value, 10, 64)
		require.NoError(t, err)
		v := engine.ChunkConstant(c, frame, key)
		if v.Kind() == mmapjfr.KindStruct {
			v = v.Get(mmapjfr.Path("description"))
		}
		assert.Equal(t, strconv.Quote(v.Str()), at[path+".description"].Value)
	}
	assert.Equal(t, "statics", at["mask"].Meaning)
	assert.Equal(t, "the last of the chain", at["delta"].Meaning)
}

func TestFindInsideAndOutside(t *testing.T) {
	rec := open(t, "jdk25-live.jfr")
	size := uint64(rec.Size())
	for _, test := range []struct {
		offset uint64
		want   string
	}{
		{size, fmt.Sprintf("nothing that can be read lies here: the file has %d bytes (%#x)", size, size)},
		{1 << 60, fmt.Sprintf("nothing that can be read lies here: the file has %d bytes (%#x)", size, size)},
		{0x1db69, "nothing that can be read lies here: chunk 0 can be read up to 0x1db69; the recorder had not yet written the constants of what follows"},
	} {
		_, err := inspect.Find(rec, test.offset)
		require.ErrorIs(t, err, inspect.ErrNotFound)
		assert.EqualError(t, err, test.want)
	}

	rec = open(t, "concat-jdk17-jdk25.jfr")
	for _, test := range []struct {
		offset, begin, size uint64
		kind                inspect.Kind
	}{
		{0x43, 0, 68, inspect.HeaderItem},
		{0x273c, 0x273c, 97358, inspect.MetadataItem},
		{0x273c + 97357, 0x273c, 97358, inspect.MetadataItem}, // more than a block after its beginning
		{0x1a3e9 + 5, 0x1a3e9, 68, inspect.HeaderItem},
		{0x1cf4e + 70000, 0x1cf4e, 109345, inspect.MetadataItem},
	} {
		p, err := inspect.Find(rec, test.offset)
		require.NoError(t, err)
		assert.Equal(t, []uint64{test.begin, test.size}, []uint64{p.Offset, p.Size}, "%#x", test.offset)
		assert.Equal(t, test.kind, p.Kind)
	}

	trailing, err := os.ReadFile("../../testdata/jdk25-empty.jfr")
	require.NoError(t, err)
	end := uint64(len(trailing))
	rec, err = mmapjfr.OpenBytes(append(trailing, "no chunk"...))
	require.NoError(t, err)
	_, err = inspect.Find(rec, end+3)
	assert.EqualError(t, err, fmt.Sprintf("nothing that can be read lies here: chunk 0 can be read up to %#x; these bytes belong to no chunk", end))
}

func TestFindInsideAnEventOfManyBlocks(t *testing.T) {
	b := jfrtest.NewChunk()
	ev := b.Event("test.Event", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(ev, 1, "before")
	b.Emit(ev, 2, strings.Repeat("x", 10*index.BlockSize+7))
	b.Emit(ev, 3, "after")
	data, layout := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	for i, want := range layout.Events {
		for offset := want.Offset; offset < want.End(); offset += max(1, want.Size/100) {
			p, err := inspect.Find(rec, uint64(offset))
			require.NoError(t, err)
			require.Equal(t, []int64{want.Offset, want.Size, int64(i)}, []int64{int64(p.Offset), int64(p.Size), int64(p.Before)}, "%#x", offset)
		}
	}
}

func TestHeadEndsBeforeThePools(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	for _, test := range []struct {
		offset uint64
		want   []string
	}{
		{0x44, []string{"size", "type", "start", "duration", "delta", "mask", "pools"}},
		{0x74dd, []string{"size", "type", "start", "duration", "id", "strings"}},
	} {
		p, err := inspect.Find(rec, test.offset)
		require.NoError(t, err)
		var got []string
		for l := range p.Head() {
			got = append(got, l.Path)
		}
		assert.Equal(t, test.want, got)
	}
}

func TestExplainingCanBeEnded(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	for offset := uint64(0); offset < uint64(rec.Size()); {
		p, err := inspect.Find(rec, offset)
		require.NoError(t, err)
		n := 0
		for range p.Lines() {
			if n++; n == 5 {
				break
			}
		}
		assert.Equal(t, 5, n)
		offset += p.Size
	}
}

func TestFindAfterClose(t *testing.T) {
	rec := open(t, "jdk25-kinds.jfr")
	require.NoError(t, rec.Close())
	_, err := inspect.Find(rec, 0x5465)
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
}

func TestKindsHaveNames(t *testing.T) {
	for k, want := range map[inspect.Kind]string{
		inspect.HeaderItem: "header", inspect.MetadataItem: "metadata", inspect.CheckpointItem: "checkpoint", inspect.EventItem: "event", 9: "Kind(9)",
	} {
		assert.Equal(t, want, k.String())
	}
}
