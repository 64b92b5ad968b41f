package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// structured are recordings with events, metadata events and checkpoints in several chunks.
var structured = []string{"jdk17-chunks.jfr", "jdk25-chunks.jfr", "concat-jdk17-jdk25.jfr"}

// TestEventHeaders compares with the index, which has headers of another way.
func TestEventHeaders(t *testing.T) {
	for _, name := range structured {
		rec := openFile(t, name)
		events := uint64(0)
		require.NoError(t, rec.Protect(func() error {
			for c, counts := range engine.RecordingCountEvents(rec, t.Context(), nil) {
				assert.Empty(t, c.Errors(counts.Err))
				assert.Equal(t, events, engine.ChunkEventsBefore(c))
				before, end := events, engine.ChunkEventsOffset(c)
				want := make(map[schema.TypeID]mmapjfr.EventCount)
				for end < c.Size() {
					h, ordinal, err := engine.ChunkEventHeaderAt(c, end)
					require.NoError(t, err)
					require.Equal(t, end, h.Offset)
					require.Equal(t, events-before, ordinal)
					last, _, err := engine.ChunkEventHeaderAt(c, h.End()-1)
					require.NoError(t, err)
					require.Equal(t, h, last)
					n := want[h.Type]
					n.Add(mmapjfr.EventCount{Events: 1, Bytes: uint64(h.Size)})
					want[h.Type], end = n, h.End()
					if !h.IsEvent() {
						continue
					}
					events++
					ev, err := rec.EventAtOffset(c.Offset() + h.Offset)
					require.NoError(t, err)
					require.Equal(t, int(h.Size), ev.Size())
					typ, err := engine.ChunkEventType(c, int64(h.Type))
					require.NoError(t, err)
					require.Equal(t, ev.Type(), typ)
				}
				assert.Equal(t, c.Size(), end)
				for i, id := range counts.IDs {
					assert.Equal(t, want[id], counts.Counts[i], id)
				}
				assert.Len(t, want, len(counts.IDs))
				assert.Len(t, engine.ChunkBytes(c), int(c.Size()))
				assert.True(t, engine.ChunkHasVarints(c))
				assert.False(t, engine.ChunkIsUnflushed(c))
				assert.True(t, engine.ChunkSameJVM(c, c))
			}
			return engine.RecordingTrailingErr(rec)
		}))
		assert.Equal(t, events, rec.EventCount(), name)
	}
}

func TestEventHeadersOfDamage(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("test.E", jfrtest.Of("n", "int"))
	b.Emit(ty, start, 1)
	b.Emit(ty, start, 2)
	data, l := b.Build()
	clear(l.Events[1].Of(data))
	rec := openBytes(t, data)
	c := rec.Chunks()[0]
	_, _, err := engine.ChunkEventHeaderAt(c, uint64(l.Events[1].Offset))
	assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	_, err = engine.ChunkEventType(c, 4711)
	assert.ErrorIs(t, err, mmapjfr.ErrUnknownType)
	broken := errors.New("broken")
	assert.Equal(t, []error{broken}, c.Errors(broken))

	require.NoError(t, rec.Close())
	_, _, err = engine.ChunkEventHeaderAt(c, uint64(l.Events[0].Offset))
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
	assert.Zero(t, rec.EventCount())
	_, err = engine.ChunkConstantReader(c)
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
}

func TestEventTypes(t *testing.T) {
	recs := []*mmapjfr.Recording{openFile(t, "jdk17-chunks.jfr"), openFile(t, "jdk25-chunks.jfr")}
	types, err := mmapjfr.EventTypes(recs)
	require.NoError(t, err)
	seen := make(map[mmapjfr.Type]bool)
	for _, typ := range types {
		assert.True(t, typ.IsEvent())
		assert.False(t, seen[typ])
		seen[typ] = true
	}
	for _, rec := range recs {
		for ev, err := range rec.Events() {
			require.NoError(t, err)
			assert.True(t, seen[ev.Type()], ev.Type().Name())
		}
	}
	few, err := mmapjfr.EventTypes(recs, mmapjfr.Types("jdk.GarbageCollection"))
	require.NoError(t, err)
	assert.NotEmpty(t, few)
	for _, typ := range few {
		assert.Equal(t, "jdk.GarbageCollection", typ.Name())
	}
}

// TestConstantReader compares with [mmapjfr.Chunk.Constants] and with the values of fields.
func TestConstantReader(t *testing.T) {
	for _, name := range structured {
		rec := openFile(t, name)
		require.NoError(t, engine.RecordingLoadConstants(rec, t.Context(), rec.Chunks()))
		for _, c := range rec.Chunks() {
			r, err := engine.ChunkConstantReader(c)
			require.NoError(t, err)
			require.NoError(t, engine.ConstantReaderErr(r))
			found := make(map[mmapjfr.Type]map[int64]bool)
			for _, cp := range engine.ConstantReaderCheckpoints(r) {
				h, _, err := engine.ChunkEventHeaderAt(c, cp.Offset-c.Offset())
				require.NoError(t, err)
				require.Equal(t, index.EventHeader{Offset: cp.Offset - c.Offset(), Size: uint32(cp.Size), Type: schema.CheckpointID, HeaderLen: h.HeaderLen}, h)
				for _, p := range cp.Pools {
					n, end := uint64(0), p.Offset
					engine.ConstantReaderConstants(r, p, func(k mmapjfr.PooledConstant) bool {
						require.Equal(t, end, k.Offset)
						n, end = n+1, k.Offset+k.Size
						if found[p.Type] == nil {
							found[p.Type] = make(map[int64]bool)
						}
						require.Equal(t, found[p.Type][k.Key], k.Shadowed)
						found[p.Type][k.Key] = true
						if at, ok := engine.ConstantReaderLookup(r, p.Type, k.Key); !k.Shadowed {
							require.True(t, ok)
							require.Equal(t, k.Value, at)
						}
						next, ok := engine.ConstantReaderReferences(r, p.Type, k.Value, func(ref mmapjfr.Reference) {
							require.True(t, engine.ConstantReaderCanRefer(r, p.Type))
							require.Less(t, ref.Offset, end)
							require.Positive(t, ref.Size)
						})
						require.True(t, ok)
						require.Equal(t, end, next)
						return true
					})
					require.Equal(t, p.Count, n)
					require.Equal(t, p.Offset+p.Size, end)
				}
			}
			for typ, keys := range found {
				require.Equal(t, len(keys), engine.ConstantReaderLen(r, typ))
				for key := range engine.ChunkConstants(c, typ) {
					require.True(t, keys[key])
				}
			}
		}
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ThreadPark", "jdk.ExecutionSample")).Events() {
			require.NoError(t, err)
			keys := make(map[string]int64)
			r, err := engine.ChunkConstantReader(ev.Chunk())
			require.NoError(t, err)
			engine.ConstantReaderEventReferences(r, ev, func(ref mmapjfr.Reference) { keys[ref.Type.Name()] = ref.Key })
			require.Contains(t, keys, "jdk.types.StackTrace")
			require.Equal(t, ev.StackTrace().Key(), keys["jdk.types.StackTrace"])
		}
	}
}
