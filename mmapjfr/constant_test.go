package mmapjfr_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestConstantIsThatOfItsKey(t *testing.T) {
	rec := openFile(t, "concat-jdk17-jdk25.jfr")
	for _, c := range rec.Chunks() {
		types, err := c.Types()
		require.NoError(t, err)
		n := 0
		for _, typ := range types {
			for key, want := range engine.ChunkConstants(c, typ) {
				assert.Equal(t, want, engine.ChunkConstant(c, typ, key))
				n++
			}
			none := engine.ChunkConstant(c, typ, -12345)
			assert.True(t, none.IsMissing(), "%s", typ)
			assert.EqualValues(t, -12345, engine.ValueKey(none))
		}
		assert.Greater(t, n, 100)
		thread, ok := rec.Type("java.lang.Thread") // of the last chunk
		require.True(t, ok)
		assert.True(t, engine.ChunkConstant(c, thread, 0).IsNull())
		frame, ok := rec.Type("jdk.types.FrameType")
		require.True(t, ok)
		assert.Equal(t, "Interpreted", engine.ChunkConstant(c, frame, 0).Get(mmapjfr.Path("description")).Str()+engine.ChunkConstant(c, frame, 0).Str())
		assert.True(t, engine.ChunkConstant(c, mmapjfr.Type{}, 1).IsAbsent())
	}
	c := rec.Chunks()[0]
	thread, _ := rec.Type("java.lang.Thread")
	require.NoError(t, rec.Close())
	lateUse(t, "Chunk.Constant", func() { assert.True(t, engine.ChunkConstant(c, thread, 1).IsAbsent()) })
}

func TestChunkTellsTicksAsTime(t *testing.T) {
	rec := openFile(t, "jdk25-ticks.jfr")
	for _, ev := range all(t, rec) {
		c := ev.Chunk()
		assert.Equal(t, ev.Start(), engine.ChunkTicksToTime(c, engine.EventStartTicks(ev)))
		if d := ev.Get(mmapjfr.Path("duration")); !d.IsAbsent() {
			assert.Equal(t, d.Duration(), engine.ChunkTicksToDuration(c, d.Int()), fmt.Sprint(ev))
		}
	}
}
