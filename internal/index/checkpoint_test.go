package index_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// symbols returns which keys of symbols can be found.
func symbols(k *index.Constants, keys ...int64) (found []bool) {
	for _, key := range keys {
		_, ok := k.Lookup(k.Named("jdk.types.Symbol"), key)
		found = append(found, ok)
	}
	return found
}

// linked returns a chunk with three checkpoints, each with a symbol of its own.
func linked(b *jfrtest.Builder) (*jfrtest.Builder, [3]*jfrtest.Checkpoint) {
	var cps [3]*jfrtest.Checkpoint
	event := b.Event("test.Between", jfrtest.Of("n", "int"))
	for i := range cps {
		b.Emit(event, i, i)
		cps[i] = b.Checkpoint(0)
		cps[i].Add("jdk.types.Symbol", i, "symbol")
	}
	b.Emit(event, 3, 3)
	return b, cps
}

func TestChain(t *testing.T) {
	tests := []struct {
		name   string
		change func(b *jfrtest.Builder, cps [3]*jfrtest.Checkpoint)
		found  []bool
		words  string
		at     func(l *jfrtest.Layout) int64
	}{
		{"all", func(*jfrtest.Builder, [3]*jfrtest.Checkpoint) {}, []bool{true, true, true}, "", nil},
		{"one is left out", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Unlinked = true
		}, []bool{true, false, true}, "", nil},
		{"positive deltas", func(b *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			b.ChainStart, cps[0].Prev, cps[1].Prev = cps[0], cps[1], cps[2]
			cps[2].Delta = new(int64(0))
		}, []bool{true, true, true}, "", nil},
		{"to and fro", func(b *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			b.ChainStart, cps[1].Prev, cps[0].Prev = cps[1], cps[0], cps[2]
			cps[2].Delta = new(int64(0))
		}, []bool{true, true, true}, "", nil},
		{"a ring of all", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[0].Prev = cps[2]
		}, []bool{true, true, true}, "comes back", func(l *jfrtest.Layout) int64 { return l.Checkpoints[2].Offset }},
		{"a ring of two", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Prev = cps[2]
		}, []bool{false, true, true}, "comes back", func(l *jfrtest.Layout) int64 { return l.Checkpoints[2].Offset }},
		{"a ring that does not begin with the newest", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[0].Prev = cps[1]
		}, []bool{true, true, true}, "comes back", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"a delta before the chunk", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Delta = new(int64(-1 << 40))
		}, []bool{false, true, true}, "leads out of the chunk", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"a delta after the chunk", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Delta = new(int64(1 << 40))
		}, []bool{false, true, true}, "leads out of the chunk", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"the least delta", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Delta = new(int64(-1 << 63))
		}, []bool{false, true, true}, "leads out of the chunk", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"the greatest delta", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Delta = new(int64(1<<63 - 1))
		}, []bool{false, true, true}, "leads out of the chunk", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"a delta to the end of the chunk", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Delta = new(int64(-1)) // until it is known where that is
		}, []bool{false, true, true}, "leads out of the chunk", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"another type", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].TypeID = new(int64(7))
		}, []bool{false, false, true}, "type 7", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"size beyond the chunk", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Size = new(int64(1 << 30))
		}, []bool{false, false, true}, "exceeds", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"size zero", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Size = new(int64(0))
		}, []bool{false, false, true}, "less than its head", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"size of half a head", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Size = new(int64(14))
		}, []bool{false, false, true}, "inside its head", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"more pools than bytes", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].PoolCount = new(int64(1 << 20))
		}, []bool{false, false, true}, "inside its head", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"pools, int -1", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].PoolCount = new(int64(0xffffffff))
		}, []bool{false, false, true}, "inside its head", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].Offset }},
		{"one pool too many", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].PoolCount = new(int64(2))
		}, []bool{true, true, true}, "inside the pool's head", func(l *jfrtest.Layout) int64 { return l.Checkpoints[1].End() }},
		{"bytes after the last pool", func(_ *jfrtest.Builder, cps [3]*jfrtest.Checkpoint) {
			cps[1].Trailing = []byte{1, 2, 3}
		}, []bool{true, true, true}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				b, cps := linked(b)
				tt.change(b, cps)
				data, layout := b.Build()
				if d := cps[1].Delta; d != nil && *d == -1 {
					*d = layout.Chunk.End() - layout.Checkpoints[1].Offset
					cps[1].SizeWidth = 4
					_, layout = b.Build()
					*d = layout.Chunk.End() - layout.Checkpoints[1].Offset
					data, layout = b.Build()
				}
				c := newIndex(t, data).Chunks()[0]
				k := constantsOf(t, c)
				assert.Equal(t, tt.found, symbols(k, 0, 1, 2))
				if tt.words == "" {
					require.NoError(t, k.Err())
					return
				}
				wantFault(t, k.Err(), index.ErrCorrupt, 0, uint64(tt.at(layout)))
				assert.ErrorContains(t, k.Err(), tt.words)
			})
		})
	}
}

func TestChainRejectsTheChunkHeader(t *testing.T) {
	for name, to := range map[string]int64{"its first byte": 0, "its second byte": 1, "its last byte": 67} {
		t.Run(name, func(t *testing.T) {
			b, cps := linked(jfrtest.NewChunk())
			_, layout := b.Build()
			cps[1].Delta = new(to - layout.Checkpoints[1].Offset)
			// The delta is written in nine bytes either way, so nothing moves.
			k := constantsOf(t, onlyChunk(t, b.Bytes()))
			assert.Equal(t, []bool{false, true, true}, symbols(k, 0, 1, 2))
			require.ErrorIs(t, k.Err(), index.ErrCorrupt)
		})
	}
}

func TestCheckpointOffsetRejects(t *testing.T) {
	data, layout := small(3).Build()
	for name, at := range map[string]uint64{
		"in the header": 10, "at the end": uint64(len(data)), "far after": 1 << 62, "negative": 1<<64 - 5,
		"an event": 68, "metadata": uint64(layout.Metadata[0].Offset),
	} {
		t.Run(name, func(t *testing.T) {
			c := onlyChunk(t, put(data, checkpointAt, at))
			k := constantsOf(t, c)
			wantFault(t, k.Err(), index.ErrCorrupt, 0, at)
			assert.Empty(t, k.Checkpoints())
			all, _, err := walk(c)
			assert.NoError(t, err)
			assert.Len(t, all, 5, "events can be read all the same")
		})
	}
}

// What could be read before the damage is kept, and so are the other checkpoints.
func TestDamagedPools(t *testing.T) {
	tests := []struct {
		name    string
		damage  func(cp *jfrtest.Checkpoint)
		found   []bool
		words   string
		section string
		at      func(cp jfrtest.CheckpointSpan) int64
	}{
		{"too many constants", func(cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(10, "a").Add(11, "b").Count = new(int64(3))
		}, []bool{true, true, true, true}, "number 2 of 3", "constant", func(cp jfrtest.CheckpointSpan) int64 {
			return cp.Pools[0].Constants[1].End()
		}},
		{"more constants than bytes", func(cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(10, "a").Count = new(int64(1 << 30))
		}, []bool{false, false, true, true}, "inside the pool's head", "pool", func(cp jfrtest.CheckpointSpan) int64 {
			return cp.Pools[0].Offset
		}},
		{"an encoding that does not exist", func(cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(10, "a").Add(11, jfrtest.Encoding(9)).Add(12, "c")
		}, []bool{true, false, true, true}, "number 1 of 3", "constant", func(cp jfrtest.CheckpointSpan) int64 {
			return cp.Pools[0].Constants[1].Offset
		}},
		{"a string longer than the checkpoint", func(cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(10, "a").Add(11, jfrtest.UTF8("b").Claiming(1000))
		}, []bool{true, false, true, true}, "number 1 of 2", "constant", func(cp jfrtest.CheckpointSpan) int64 {
			return cp.Pools[0].Constants[1].Offset
		}},
		{"a class that nobody describes", func(cp *jfrtest.Checkpoint) {
			cp.Pool("jdk.types.Symbol").Add(10, "a").Add(11, "b")
			cp.PoolID(4711).Count = new(int64(1))
			cp.Pool("jdk.types.FrameType").Add(1, "lost")
		}, []bool{true, true, true, true}, "type 4711 is not described", "pool", func(cp jfrtest.CheckpointSpan) int64 {
			return cp.Pools[1].Offset
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				b.Checkpoint(0).Add("jdk.types.Symbol", 1, "older")
				cp := b.Checkpoint(0)
				tt.damage(cp)
				b.Checkpoint(0).Add("jdk.types.Symbol", 2, "newer")
				b.Insert(nil)
				data, layout := b.Build()
				c := onlyChunk(t, data)
				k := constantsOf(t, c)
				at := uint64(tt.at(layout.Checkpoint(cp)))
				wantFault(t, k.Err(), index.ErrCorrupt, 0, at)
				assert.ErrorContains(t, k.Err(), tt.words)
				var f *index.FormatError
				require.ErrorAs(t, k.Err(), &f)
				assert.Equal(t, tt.section, f.Section)
				assert.Equal(t, tt.found, symbols(k, 10, 11, 1, 2))
				assert.Len(t, k.Checkpoints(), 3)
				_, ok := k.Lookup(k.Named("jdk.types.FrameType"), 1)
				assert.False(t, ok)
			})
		})
	}
}
