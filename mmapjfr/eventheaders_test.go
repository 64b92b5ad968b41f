package mmapjfr_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// structured are recordings with events, metadata events and checkpoints in several chunks.
var structured = []string{"jdk17-chunks.jfr", "jdk25-chunks.jfr", "concat-jdk17-jdk25.jfr"}

func TestEventHeaders(t *testing.T) {
	for _, name := range structured {
		rec := openFile(t, name)
		events, checkpoints := uint64(0), 0
		counts := map[mmapjfr.Chunk]map[int64]mmapjfr.EventCount{}
		for _, c := range rec.Chunks() {
			counts[c] = map[int64]mmapjfr.EventCount{}
			end, before := c.Offset()+c.EventsOffset(), events
			for h, err := range c.EventHeaders() {
				require.NoError(t, err)
				assert.Equal(t, end, h.Offset)
				end = h.Offset + h.Size
				n := counts[c][h.TypeID]
				n.Add(mmapjfr.EventCount{Events: 1, Bytes: h.Size})
				counts[c][h.TypeID] = n
				for _, offset := range []uint64{h.Offset, end - 1} {
					found, ordinal, err := c.EventHeaderAt(offset)
					require.NoError(t, err)
					require.Equal(t, h, found)
					require.Equal(t, events-before, ordinal)
				}
				switch {
				case h.IsCheckpoint():
					checkpoints++
				case h.IsEvent():
					require.False(t, h.IsMetadata())
					events++
					ev, err := rec.EventAtOffset(h.Offset)
					require.NoError(t, err)
					require.Equal(t, h.Size, uint64(ev.Size()))
					typ, err := c.EventType(h.TypeID)
					require.NoError(t, err)
					require.Equal(t, ev.Type(), typ)
				}
			}
			assert.Equal(t, c.Offset()+c.Size(), end)
			assert.Equal(t, before, c.EventsBefore())
			assert.Len(t, c.Bytes(), int(c.Size()))
			assert.True(t, c.HasVarints())
			assert.False(t, c.IsUnflushed())
			assert.Empty(t, c.Errors(nil))
			assert.True(t, c.SameJVM(c))
		}
		assert.Equal(t, events, rec.EventCount(), name)
		assert.Positive(t, checkpoints)
		require.NoError(t, rec.Protect(func() error {
			for n := range rec.CountEvents(t.Context(), nil) {
				want := counts[n.Chunk]
				assert.Len(t, n.Types, len(want))
				for _, typ := range n.Types {
					assert.Equal(t, want[typ.TypeID], typ.EventCount, typ.TypeID)
				}
				assert.Empty(t, n.Errors)
				delete(counts, n.Chunk)
			}
			return rec.TrailingErr()
		}))
		assert.Empty(t, counts)
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
	headers, failed := 0, 0
	for h, err := range c.EventHeaders() {
		if headers++; err != nil {
			failed++
			assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
			assert.Zero(t, h)
		}
	}
	assert.Equal(t, 1, failed)
	assert.Greater(t, headers, 1)
	_, _, err := c.EventHeaderAt(uint64(l.Events[1].Offset))
	assert.ErrorIs(t, err, mmapjfr.ErrCorrupt)
	_, err = c.EventType(4711)
	assert.ErrorIs(t, err, mmapjfr.ErrUnknownType)
	broken := errors.New("broken")
	assert.Equal(t, []error{broken}, c.Errors(broken))

	require.NoError(t, rec.Close())
	for _, err := range c.EventHeaders() {
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
	}
	assert.Zero(t, rec.EventCount())
	_, err = c.ConstantReader()
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
		require.NoError(t, rec.LoadConstants(t.Context(), rec.Chunks()))
		for _, c := range rec.Chunks() {
			r, err := c.ConstantReader()
			require.NoError(t, err)
			require.NoError(t, r.Err())
			found := make(map[mmapjfr.Type]map[int64]bool)
			for _, cp := range r.Checkpoints() {
				h, _, err := c.EventHeaderAt(cp.Offset)
				require.NoError(t, err)
				require.True(t, h.IsCheckpoint())
				require.Equal(t, mmapjfr.EventHeader{Offset: cp.Offset, Size: cp.Size, TypeID: h.TypeID}, h)
				for _, p := range cp.Pools {
					n, end := uint64(0), p.Offset
					r.Constants(p, func(k mmapjfr.PooledConstant) bool {
						require.Equal(t, end, k.Offset)
						n, end = n+1, k.Offset+k.Size
						if found[p.Type] == nil {
							found[p.Type] = make(map[int64]bool)
						}
						require.Equal(t, found[p.Type][k.Key], k.Shadowed)
						found[p.Type][k.Key] = true
						if at, ok := r.Lookup(p.Type, k.Key); !k.Shadowed {
							require.True(t, ok)
							require.Equal(t, k.Value, at)
						}
						next, ok := r.References(p.Type, k.Value, func(ref mmapjfr.Reference) {
							require.True(t, r.CanRefer(p.Type))
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
				require.Equal(t, len(keys), r.Len(typ))
				for key := range c.Constants(typ) {
					require.True(t, keys[key])
				}
			}
		}
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ThreadPark", "jdk.ExecutionSample")).Events() {
			require.NoError(t, err)
			keys := make(map[string]int64)
			r, err := ev.Chunk().ConstantReader()
			require.NoError(t, err)
			r.EventReferences(ev, func(ref mmapjfr.Reference) { keys[ref.Type.Name()] = ref.Key })
			require.Contains(t, keys, "jdk.types.StackTrace")
			require.Equal(t, ev.StackTrace().Key(), keys["jdk.types.StackTrace"])
		}
	}
}
