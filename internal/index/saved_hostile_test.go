package index_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// driveSaved asks all there is to ask of an index that somebody may have made up.
// It checks that answers lie inside the recording.
func driveSaved(t testing.TB, x *index.Index) {
	t.Helper()
	for _, c := range x.Chunks() {
		size := uint64(len(c.Data()))
		b := c.Blocks()
		require.LessOrEqual(t, b.Events(), size)
		require.Equal(t, (size+index.BlockSize-1)/index.BlockSize, uint64(b.Len()))
		var frame [4]index.EventHeader
		for block := range b.Len() {
			b.Times(block)
			offset, _ := b.Begin(block)
			_, _, _ = c.ReadHeaders(offset, math.MaxUint64, frame[:])
		}
		for offset := uint64(0); offset < size+2; offset += 1 + size/512 {
			if rec, _, err := c.EventAt(offset); err == nil {
				require.Equal(t, offset, rec.Offset)
				require.LessOrEqual(t, rec.End(), size)
			}
		}
		for n := uint64(0); n < b.Events()+2; n += 1 + size/512 {
			if rec, ok := c.EventN(n); ok {
				require.LessOrEqual(t, rec.End(), size)
			}
		}
		k, err := c.Constants()
		if err != nil {
			continue
		}
		for _, cp := range k.Checkpoints() {
			require.LessOrEqual(t, cp.Offset+uint64(cp.Size), size)
			_ = k.Pools()[cp.FirstPool : cp.FirstPool+cp.Pools]
		}
		for _, p := range k.Pools() {
			_ = c.Data()[p.Offset : p.Offset+p.Size]
			require.LessOrEqual(t, p.Count, p.Size)
		}
		types, err := c.AllTypes()
		require.NoError(t, err)
		for _, class := range types.Types {
			b.Count(class)
			offsets, _ := b.Offsets(class)
			require.True(t, slices.IsSorted(offsets))
			for _, at := range offsets {
				require.Less(t, uint64(at), size)
				_, _, _ = c.ReadHeaders(uint64(at), math.MaxUint64, frame[:1])
			}
			n := 0
			k.All(class, func(key int64, offset uint64) bool {
				require.Less(t, offset, size)
				k.Lookup(class, key)
				n++
				return true
			})
			require.Equal(t, k.Len(class), n)
			for _, key := range []int64{math.MinInt64, -1, 0, 1, 2, 1 << 20, 1 << 40, math.MaxInt64} {
				if at, ok := k.Lookup(class, key); ok {
					require.Less(t, at, size)
				}
			}
		}
		_, _ = k.Bytes(), b.Bytes()
	}
}

// hostileNumbers are what somebody could write where a number stands.
var hostileNumbers = []uint64{
	0, 1, 2, 7, 15, 16, 31, 64, 1 << 16, 1<<16 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64,
	math.MaxUint64 - 7, math.MaxUint64/8 + 1, math.MaxUint64 / 32, 1 << 40, 1<<61 + 1, 1<<60 + 1,
}

// TestHostileNumbers writes such numbers, with checksums to match, in every place
// of a small saved index, and in some of a larger one.
func TestHostileNumbers(t *testing.T) {
	step := 8
	if !longtest.Enabled() || raceEnabled {
		step = 8 * 3
	}
	for _, raw := range []bool{false, true} {
		hostileNumbersIn(t, join(tiny(raw).Bytes(), small(1).Bytes()), step)
	}
	everyForm(t, func(t *testing.T, data []byte) { hostileNumbersIn(t, data, 97*step) })
}

func hostileNumbersIn(t *testing.T, data []byte, step int) {
	t.Helper()
	saved := savedIndex(t, data)
	for at := 0; at+8 <= len(saved); at += step {
		was := le.Uint64(saved[at:])
		for _, v := range append(hostileNumbers, was+1, was-1, was+1<<32, was-1<<32, was^1<<32, was<<1, was>>1) {
			bad := slices.Clone(saved)
			le.PutUint64(bad[at:], v)
			index.FixSums(bad)
			x := newIndex(t, data)
			if err := x.Load(bad, stampOf(data)); err != nil {
				require.ErrorIs(t, err, index.ErrSavedIndex)
				continue
			}
			driveSaved(t, x)
		}
	}
}

// TestKeysThatMeet: a saved index cannot choose where keys belong, so it cannot make looking for
// each key take forever.
func TestKeysThatMeet(t *testing.T) {
	index.SetMultiplier(t, 0xD1342543DE82EF95) // keys that meet under one multiplier are spread by another
	b := jfrtest.NewChunk()
	cp := b.Checkpoint(0)
	keys := index.Colliding(1000)
	for _, key := range keys {
		cp.Add("jdk.types.Symbol", int64(key), "symbol")
	}
	data := b.Bytes()
	saved := savedIndex(t, data)
	index.SetMultiplier(t, 0x9E3779B97F4A7C15)
	k := constantsOf(t, loaded(t, data, saved).Chunks()[0])
	require.True(t, k.Saved())
	require.Less(t, k.Longest("jdk.types.Symbol"), uint64(100))
}

// FuzzLoad loads anything as the saved index of a recording that has something of
// everything, with the checksums made right.
func FuzzLoad(f *testing.F) {
	data := join(tiny(false).Bytes(), tiny(true).Bytes())
	saved := savedIndex(f, data)
	f.Add(saved)
	f.Add(saved[:len(saved)/2])
	f.Add(savedIndex(f, tiny(false).Bytes()))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, saved []byte) {
		saved = slices.Clone(saved) // what was handed in must not be changed
		index.FixSums(saved)
		x := newIndex(t, data)
		if err := x.Load(saved, stampOf(data)); err != nil {
			require.ErrorIs(t, err, index.ErrSavedIndex)
			return
		}
		driveSaved(t, x)
	})
}
