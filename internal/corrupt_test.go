package internal_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// sets are all kinds of damage.
func sets(a *corrupt.Atlas) []corrupt.Set {
	return []corrupt.Set{a.Prefixes(), a.Bits(), a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers(), a.Mixed(), a.Renumbered()}
}

// TestCorruptSpread: each case comes once, and however few come they are spread.
func TestCorruptSpread(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 97, 1000, 4096} {
		s := corrupt.Set{Len: n}
		all := slices.Collect(s.Spread(0))
		slices.Sort(all)
		require.Len(t, all, n)
		for i, v := range all {
			require.Equal(t, i, v)
		}
	}
	some := slices.Sorted(corrupt.Set{Len: 10_000}.Spread(100))
	for i := range some[1:] {
		assert.Less(t, some[i+1]-some[i], 300)
	}
}

// TestCorruptCases: what lies before the damage is as it was, nobody's case changes the good
// recording, and the same case is always the same.
func TestCorruptCases(t *testing.T) {
	for _, a := range corrupt.Small(t) {
		good := a.Prefixes().At(a.Prefixes().Len - 1).Data
		was := slices.Clone(good)
		for _, s := range sets(a) {
			t.Run(a.Name+"/"+s.Kind, func(t *testing.T) {
				changed := 0
				for i := range s.Spread(500) {
					c := s.At(i)
					from := min(int(c.From), len(c.Data))
					// But for the header: its sizes are made right where others move.
					if c.From > jfrtest.HeaderSize {
						require.Equal(t, good[jfrtest.HeaderSize:from], c.Data[jfrtest.HeaderSize:from], c.Name)
					}
					if !bytes.Equal(c.Data, good) {
						changed++
					}
					require.Equal(t, c.Data, s.At(i).Data)
				}
				assert.Greater(t, changed, min(500, s.Len)/2)
				require.Equal(t, was, good)
			})
		}
	}
}

// TestCorruptNumbersMoveNothingElse: where a number gets longer, all else can be read as
// before. So a number that only its event knows makes no other difference.
func TestCorruptNumbersMoveNothingElse(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("n", "long"))
	for i := range 20 {
		b.Emit(ty, 5, i)
		if i%5 == 0 {
			b.Checkpoint(0).Add("jdk.types.Symbol", i, "symbol")
		}
	}
	data := b.Bytes()
	a, err := corrupt.NewAtlas("numbers", data)
	require.NoError(t, err)
	good, err := jfrtest.Decode(data)
	require.NoError(t, err)
	numbers, moved := a.Numbers(), 0
	for i := range numbers.Len {
		c := numbers.At(i)
		if len(c.Data) == len(data) || !strings.Contains(c.Name, "long at") {
			continue
		}
		moved++
		got, err := jfrtest.Decode(c.Data)
		require.NoError(t, err, c.Name)
		require.Len(t, got.Chunks[0].Events, len(good.Chunks[0].Events))
		require.Equal(t, good.Chunks[0].Pools, got.Chunks[0].Pools, c.Name)
		require.Len(t, got.Chunks[0].Checkpoints, len(good.Chunks[0].Checkpoints), c.Name)
	}
	assert.Greater(t, moved, 50)
}

// TestCorruptEvil: what is made has about the size that was asked for.
func TestCorruptEvil(t *testing.T) {
	for _, e := range slices.Concat(corrupt.Rings(), corrupt.Deep(), corrupt.FewBytes()) {
		data := e.Make(400)
		require.Equal(t, "FLR\x00", string(data[:4]), e.Name)
		assert.Less(t, len(data), 40_000, e.Name)
	}
}

func TestCorruptFilesAreThoseOfTheProject(t *testing.T) {
	list := corrupt.Files(t, longtest.Recordings(t)...)
	require.NotEmpty(t, list)
	for _, a := range list {
		assert.NotZero(t, a.Numbers().Len, a.Name)
	}
}
