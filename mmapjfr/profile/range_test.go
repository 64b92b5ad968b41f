package profile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// ranges returns the profiles of ranges of a recording, one for each chunk, as bytes.
func ranges(t *testing.T, rec *mmapjfr.Recording, o profile.Options) (list [][]byte) {
	t.Helper()
	chunks, from := rec.Chunks(), uint64(0)
	for i := range chunks {
		to := uint64(0)
		if i+1 < len(chunks) {
			to = chunks[i+1].Offset()
		}
		o.Object, o.Range = "a.jfr", mmapjfr.ChunkRange{From: from, To: to}
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
		require.NoError(t, err)
		data := bytesOf(t, p)
		list, from = append(list, data), to
	}
	return list
}

// joined merges profiles in an order drawn by chance, and writes and reads each sum.
func joined(t *testing.T, parts [][]byte, rng *rand.Rand) []byte {
	t.Helper()
	list := append([][]byte{}, parts...)
	for len(list) > 1 {
		i, j := rng.IntN(len(list)), len(list)-1
		if i == j {
			i, j = 0, i
		}
		p, q := profile.New(), profile.New()
		require.NoError(t, p.UnmarshalBinary(list[i]))
		require.NoError(t, q.UnmarshalBinary(list[j]))
		p.Merge(q)
		list[i] = bytesOf(t, p)
		list = list[:j]
	}
	return list[0]
}

// TestRangesMakeTheSameProfile reads each chunk as a range of its own, with what depends on the others looked for there, or left
// open.
func TestRangesMakeTheSameProfile(t *testing.T) {
	for _, name := range recordings {
		rec := open(t, name)
		want, err := read(t, profile.Options{}, name).MarshalBinary()
		require.NoError(t, err)
		sum := profile.New()
		for _, c := range rec.Chunks() {
			p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Range: mmapjfr.ChunkRange{From: c.Offset(), To: c.Offset() + 1}})
			require.NoError(t, err)
			sum.Merge(p)
		}
		assert.Equal(t, want, bytesOf(t, sum), name)
		for _, o := range []profile.Options{{}, {Kinds: []string{"cpu"}}, {Kinds: []string{"cpu", "wall", "alloc"}}, {Grafana: true}, {Kinds: []string{"leak"}}} {
			want := bytesOf(t, read(t, o, name))
			for seed := range uint64(3) {
				got := joined(t, ranges(t, rec, o), rand.New(rand.NewPCG(seed, 1)))
				assert.Equal(t, want, got, fmt.Sprint(name, o))
			}
		}
	}
}
