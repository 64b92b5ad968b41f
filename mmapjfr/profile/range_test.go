package profile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// ranges returns the profiles of ranges of a recording, one for each chunk and some without chunks.
func ranges(t *testing.T, rec *mmapjfr.Recording, o profile.Options) (list []*profile.Profile) {
	t.Helper()
	bounds := []uint64{0, 1, 3}
	for _, c := range rec.Chunks()[1:] {
		bounds = append(bounds, c.Offset())
	}
	for i, from := range bounds {
		o.Range = mmapjfr.ChunkRange{From: from}
		if i+1 < len(bounds) {
			o.Range.To = bounds[i+1]
		}
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
		require.NoError(t, err)
		list = append(list, p)
	}
	return list
}

// divisible has options for profiles of ranges.
var divisible = []profile.Options{
	{Kinds: []string{"native", "live", "lock", "park", "nativelock", "malloc", "exceptions", "io", "trace", "gc"}},
	{Kinds: []string{"exceptions"}}, {Kinds: []string{"native", "live"}, BytecodeIndex: true}, {Kinds: []string{"malloc"}, Times: time.Millisecond},
	{Events: []profile.EventKind{{Type: "jdk.ObjectAllocationSample", Value: "weight"}, {Type: "jdk.ExecutionSample"}}},
	{Kinds: []string{"native"}, Where: func(ev mmapjfr.Event) bool { return ev.StartNanos()%3 == 0 }},
}

// TestRangesAddUp merges the profiles of the ranges of recordings in any order. The bytes are those of the whole.
func TestRangesAddUp(t *testing.T) {
	assertSame := func(rec *mmapjfr.Recording, rng *rand.Rand, name string) {
		for i, o := range divisible {
			require.True(t, o.Divisible())
			whole, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
			require.NoError(t, err)
			parts, sum := ranges(t, rec, o), profile.New()
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			for _, p := range parts {
				sum.Merge(p)
			}
			assert.Equal(t, bytesOf(t, whole), bytesOf(t, sum), "%s, options %d", name, i)
		}
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for i, name := range recordings {
		if !longtest.Every(i, 2) {
			continue
		}
		assertSame(open(t, name), rng, name)
	}
	for seed := range uint64(longtest.Cases(5, 500)) {
		rec, err := mmapjfr.OpenBytes(profiletest.Mixed(rng, 2+rng.IntN(6)))
		require.NoError(t, err)
		assertSame(rec, rng, fmt.Sprint("recording ", seed))
		require.NoError(t, rec.Close())
	}
}

// TestRangesThatNeedTheRest asks for profiles of ranges that depend on other chunks: the error says why.
func TestRangesThatNeedTheRest(t *testing.T) {
	rec := open(t, recordings[0])
	for why, list := range map[string][]profile.Options{
		"settings of earlier chunks": {{}, {Grafana: true}, {Kinds: []string{"lock", "cpu"}}, {Kinds: []string{"running"}}, {Kinds: []string{"wall"}}},
		"threads allocated":          {{Kinds: []string{"alloc"}}},
		"can be freed":               {{Kinds: []string{"leak", "malloc"}}},
		"no such kind":               {{Kinds: []string{"cup"}}},
	} {
		for _, o := range list {
			assert.False(t, o.Divisible())
			o.Range.From = 1
			_, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
			require.ErrorContains(t, err, why)
		}
	}
}
