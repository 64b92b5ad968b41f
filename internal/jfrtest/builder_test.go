package jfrtest_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// forms runs a test with compressed and with big-endian integers.
func forms(t *testing.T, do func(t *testing.T, s *sample)) {
	t.Helper()
	t.Run("compressed", func(t *testing.T) { do(t, newSample()) })
	t.Run("big-endian", func(t *testing.T) {
		s := newSample()
		s.Uncompressed()
		do(t, s)
	})
}

func decode(t *testing.T, data []byte) *jfrtest.Recording {
	t.Helper()
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	return rec
}

func TestBothHalvesAgree(t *testing.T) {
	forms(t, func(t *testing.T, s *sample) {
		data, layout := s.Build()
		c := decode(t, data).Chunks[0]

		assert.Equal(t, layout.Chunk.Size, c.Header.Size)
		require.Len(t, c.Events, len(layout.Events))
		for i, e := range c.Events {
			assert.Equal(t, layout.Events[i].Span, jfrtest.Span{Offset: e.Offset, Size: e.Size})
			assert.Equal(t, layout.Events[i].Type, e.TypeID)
		}
		assert.Equal(t, int64(3), c.Events[1].Rest)

		kinds := c.Events[0]
		assert.Equal(t, "test.Kinds", kinds.TypeName)
		var values []any
		for _, f := range kinds.Fields {
			values = append(values, f.Value)
		}
		thread := jfrtest.Constant{Class: s.Lookup("java.lang.Thread").ID, Key: int64(-1) << 40}
		assert.Equal(t, []any{
			int64(start + 10), int64(5), thread, true, int8(-2), uint16('ß'),
			int16(-300), int32(-70_000), int64(-1) << 62, float32(1.5), -2.25,
		}, values)
		assert.Equal(t, int32(-70_000), c.Events[1].Field("i"))
		assert.Equal(t, int16(300), c.Events[1].Field("s"))
		assert.Equal(t, "main-group", c.Path(thread, "group", "name"))
		assert.Equal(t, jfrtest.Null{}, c.Path(thread, "group", "parent"))

		texts := c.Events[2]
		assert.Equal(t, jfrtest.Null{}, texts.Field("null"))
		assert.Equal(t, "", texts.Field("empty"))
		assert.IsType(t, jfrtest.Constant{}, texts.Field("pooled"))
		assert.Equal(t, "from the pool", c.Resolve(texts.Field("pooled")))
		assert.Equal(t, "ü€", texts.Field("utf8"))
		assert.Equal(t, "a😀b", texts.Field("utf16"))
		assert.Equal(t, "Größe", texts.Field("latin1"))
		assert.Equal(t, "from the pool", c.Resolve(texts.Field("constant")))

		lists := c.Events[3]
		assert.Equal(t, []any{int32(1), int32(-2), int32(3)}, lists.Field("ints"))
		assert.Equal(t, []any{int8(0), int8(-1)}, lists.Field("bytes"))
		assert.Equal(t, []any{"one", jfrtest.Null{}, "zwei", ""}, lists.Field("strings"))
		points := lists.Field("points").([]any)
		assert.Equal(t, int32(-3), points[1].(*jfrtest.Struct).Field("x"))
		assert.Equal(t, []any{}, lists.Field("none"))

		assert.Equal(t, int32(-4), c.Path(c.Events[4].Field("box"), "to", "y"))

		frames := c.Path(c.Events[5].Field("stackTrace"), "frames").([]any)
		require.Len(t, frames, 2)
		assert.Equal(t, "app", c.Path(frames[1], "method", "type", "classLoader", "name"))
		assert.Equal(t, "JIT compiled", c.Path(frames[0], "type"))
		assert.Equal(t, "STATE_RUNNABLE", c.Path(c.Events[5].Field("state")))
		stacks := s.Lookup("jdk.types.StackTrace").ID
		assert.Equal(t, jfrtest.Missing{Class: stacks, Key: 4712}, c.Resolve(c.Events[6].Field("stackTrace")))
		assert.Equal(t, jfrtest.Null{}, c.Resolve(c.Events[6].Field("state")))
		assert.Equal(t, "overwritten", c.Path(jfrtest.Constant{Class: s.Lookup("jdk.types.Symbol").ID, Key: 900}))
	})
}

func TestLayoutSaysWhereConstantsAndFieldsLie(t *testing.T) {
	forms(t, func(t *testing.T, s *sample) {
		data, layout := s.Build()
		c := decode(t, data).Chunks[0]

		require.Len(t, layout.Checkpoints, 3)
		require.Len(t, c.Checkpoints, 3)
		for i, cp := range c.Checkpoints { // newest first
			span := layout.Checkpoints[2-i]
			assert.Equal(t, span.Span, jfrtest.Span{Offset: cp.Offset, Size: cp.Size})
			require.Len(t, cp.Pools, len(span.Pools))
			for j, pool := range cp.Pools {
				for k, at := range pool.Offsets {
					assert.Equal(t, jfrtest.ConstantSpan{
						Span:  jfrtest.Span{Offset: at, Size: pool.Ends[k] - at},
						Value: jfrtest.Span{Offset: pool.Values[k], Size: pool.Ends[k] - pool.Values[k]},
					}, span.Pools[j].Constants[k])
				}
			}
		}
		assert.Equal(t, layout.Checkpoints[2], layout.Checkpoint(s.newest))
		assert.Equal(t, byte(jfrtest.MaskHeader), c.Checkpoints[0].Mask)
		assert.Equal(t, layout.Metadata[0].Offset, c.Header.MetadataOffset)
	})
}

func TestCopiedHeaderIsThatOfItsMoment(t *testing.T) {
	forms(t, func(t *testing.T, s *sample) {
		data, layout := s.Build()
		cp := layout.Checkpoint(s.newest)
		payload := cp.Pools[0].Constants[0].Value.Of(data)
		header := payload[len(payload)-jfrtest.HeaderSize:]
		assert.Equal(t, "FLR\x00", string(header[:4]))
		assert.Equal(t, uint64(cp.End()), binary.BigEndian.Uint64(header[8:]))
		assert.Equal(t, uint64(cp.Offset), binary.BigEndian.Uint64(header[16:]))
		assert.Equal(t, byte(1), header[64])
		assert.Equal(t, data[32:64], header[32:64])
	})
}

func TestBigEndianWidths(t *testing.T) {
	b := jfrtest.NewChunk().Uncompressed()
	ty := b.Event("E",
		jfrtest.Of("b", "byte"), jfrtest.Of("c", "char"), jfrtest.Of("i", "int"),
		jfrtest.Of("s", jfrtest.StringClass), jfrtest.Of("a", "short").Array(),
		jfrtest.Const("k", "jdk.types.Symbol"))
	b.Emit(ty, 7, 1, 2, -3, jfrtest.UTF16("x"), []int{4, 5}, 6)
	data, layout := b.Build()
	assert.Equal(t, []byte{
		0, 0, 0, 50, // size
		0, 0, 0, 0, 0, 0, 0, byte(ty.ID), // type
		0, 0, 0, 0, 0, 0, 0, 7, // startTime
		1,
		0, 2,
		0xff, 0xff, 0xff, 0xfd,
		4, 0, 0, 0, 1, 0, 'x',
		0, 0, 0, 2, 0, 4, 0, 5,
		0, 0, 0, 0, 0, 0, 0, 6,
	}, layout.Events[0].Of(data))
}

func TestVarintForms(t *testing.T) {
	for _, c := range []struct {
		value any
		want  []byte
	}{
		{0, []byte{0}},
		{127, []byte{0x7f}},
		{128, []byte{0x80, 1}},
		{jfrtest.Padded{Value: 34, Width: 4}, []byte{0xa2, 0x80, 0x80, 0}},
		{jfrtest.Padded{Value: 1, Width: 9}, []byte{0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}},
		{int64(-1), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{int64(1) << 56, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}},
		{int64(1)<<56 - 1, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
	} {
		b := jfrtest.NewChunk()
		b.Emit(b.Event("E", jfrtest.Of("l", "long")), 0, c.value)
		data, layout := b.Build()
		assert.Equal(t, c.want, layout.Events[0].Fields[1].Of(data), c.value)
	}
}

func TestOverrides(t *testing.T) {
	b := jfrtest.NewChunk()
	b.ForceSize, b.ForceCheckpointOffset, b.ForceMetadataOffset = new(int64(1)), new(int64(2)), new(int64(3))
	data := b.Bytes()
	assert.Equal(t, uint64(1), binary.BigEndian.Uint64(data[8:]))
	assert.Equal(t, uint64(2), binary.BigEndian.Uint64(data[16:]))
	assert.Equal(t, uint64(3), binary.BigEndian.Uint64(data[24:]))

	b = jfrtest.NewChunk()
	b.Bare = true
	ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("list", "int").Array())
	b.EmitWith(jfrtest.EventOptions{Size: new(int64(0))}, ty, 0,
		jfrtest.UTF8("ab").Claiming(0xffff_ffff), jfrtest.Counted{Count: 1 << 31, Values: []any{1}})
	b.Insert([]byte("junk"))
	b.EmitRaw(jfrtest.EventOptions{}, 5, []byte{9})
	cp := b.Checkpoint(jfrtest.MaskFlush)
	cp.Size, cp.Delta, cp.PoolCount, cp.TypeID = new(int64(1)), new(int64(-1)), new(int64(7)), new(int64(2))
	cp.PoolID(99).Count = new(int64(3))
	cp.Trailing = []byte{0xee}
	data, layout := b.Build()
	assert.Equal(t, append([]byte{0, byte(ty.ID), 1, 0, 3, 0xff, 0xff, 0xff, 0xff, 0x0f, 'a', 'b'},
		0x80, 0x80, 0x80, 0x80, 8, 1), layout.Events[0].Of(data))
	assert.Equal(t, []byte{3, 5, 9}, layout.Events[1].Of(data))
	assert.Equal(t, "junk", string(data[layout.Events[0].End():layout.Events[1].Offset]))
	got := layout.Checkpoints[0].Of(data)
	assert.Equal(t, []byte{1, 2, 0xc0, 0x84, 0x3d, 0}, got[:6])
	assert.True(t, bytes.HasSuffix(got, []byte{0xff, jfrtest.MaskFlush, 7, 99, 3, 0xee}), "%x", got)
	assert.Empty(t, layout.Metadata)
}

func TestConcatMovesEveryOffset(t *testing.T) {
	data, layouts := jfrtest.Concat(newSample().Builder, newSample().Uncompressed())
	rec := decode(t, data)
	require.Len(t, rec.Chunks, 2)
	for i, c := range rec.Chunks {
		assert.Equal(t, layouts[i].Chunk.Offset, c.Offset)
		assert.Equal(t, layouts[i].Metadata[0].Offset, c.Metadata[0].Offset)
		assert.Equal(t, layouts[i].Checkpoints[0].Offset, c.Checkpoints[2].Offset)
		assert.Equal(t, layouts[i].Checkpoints[0].Pools[0].Constants[0].Offset, c.Checkpoints[2].Pools[0].Offsets[0])
		assert.Equal(t, layouts[i].Events[3].Offset, c.Events[3].Offset)
	}
}

func TestMistakesInATestPanic(t *testing.T) {
	build := func(do func(b *jfrtest.Builder, ty *jfrtest.Class)) func() {
		return func() {
			b := jfrtest.NewChunk()
			do(b, b.Event("E", jfrtest.Of("i", "int")))
			b.Bytes()
		}
	}
	assert.PanicsWithValue(t, "jfrtest: 1 values for the 2 fields of E",
		build(func(b *jfrtest.Builder, ty *jfrtest.Class) { b.Emit(ty, 1) }))
	assert.PanicsWithValue(t, "jfrtest: E.i of class int: no integer: string x",
		build(func(b *jfrtest.Builder, ty *jfrtest.Class) { b.Emit(ty, 1, "x") }))
	assert.PanicsWithValue(t, `jfrtest: no class "nowhere" with the id 0`,
		build(func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Constant("nowhere", 1, 1) }))
	assert.Panics(t, func() { jfrtest.Latin1("€") })
}
