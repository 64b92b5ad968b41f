package profile_test

import (
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

// TestRangesThatDependOnEachOther reads recordings by their chunks, and merges what they find in several orders, for kinds of
// which other chunks decide. The bytes are those of all at once.
func TestRangesThatDependOnEachOther(t *testing.T) {
	for seed := range uint64(longtest.Cases(60, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rec, err := mmapjfr.OpenBytes(profiletest.Mixed(rng, 2+rng.IntN(6)))
		require.NoError(t, err)
		half := rec.Start().Add(rec.Duration() / 2)
		for i, o := range []profile.Options{
			{}, {Kinds: []string{"cpu"}}, {Kinds: []string{"wall", "native"}}, {Kinds: []string{"leak"}}, {Grafana: true},
			{Kinds: []string{"alloc"}, Events: []profile.EventKind{{Type: "jdk.ObjectAllocationSample", Value: "weight"}}},
			{Filters: []mmapjfr.Filter{mmapjfr.Between(half, half.Add(time.Hour))}, BytecodeIndex: true},
			{Where: func(ev mmapjfr.Event) bool { return ev.StartNanos()%3 == 0 }},
			{Times: 20 * time.Millisecond}, {Times: 1, Kinds: []string{"wall", "leak"}}, {Times: time.Second, Grafana: true},
		} {
			whole, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, o)
			require.NoError(t, err)
			want, parts := bytesOf(t, whole), ranges(t, rec, o)
			for order := range uint64(3) {
				sum := profile.New()
				require.NoError(t, sum.UnmarshalBinary(joined(t, parts, rand.New(rand.NewPCG(order, seed)))))
				if !assert.Equal(t, want, bytesOf(t, sum), "recording %d, options %d, order %d", seed, i, order) {
					t.Logf("%v\n%v\n%v\n%v", sums(whole), sums(sum), whole.Notes(), sum.Notes())
					t.FailNow()
				}
				sum.Settle()
				assert.Equal(t, []int{whole.Stacks(), whole.Frames(), whole.Methods()}, []int{sum.Stacks(), sum.Frames(), sum.Methods()})
			}
			assertPartsAreTheSame(t, parts, rng)
		}
		require.NoError(t, rec.Close())
	}
}

// assertPartsAreTheSame merges some of the ranges in two orders. The bytes are equal, also when what waits for the others is
// decided without them.
func assertPartsAreTheSame(t *testing.T, parts [][]byte, rng *rand.Rand) {
	t.Helper()
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	parts = parts[:1+rng.IntN(len(parts))]
	one, other := profile.New(), profile.New()
	require.NoError(t, one.UnmarshalBinary(joined(t, parts, rand.New(rand.NewPCG(4, 5)))))
	require.NoError(t, other.UnmarshalBinary(joined(t, parts, rand.New(rand.NewPCG(6, 7)))))
	require.Equal(t, bytesOf(t, one), bytesOf(t, other))
	one.Settle()
	other.Settle()
	require.Equal(t, bytesOf(t, one), bytesOf(t, other))
}

// TestDamagedRanges damages each byte of what a range has found, and cuts its end off. Nothing of that panics.
func TestDamagedRanges(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(profiletest.Mixed(rand.New(rand.NewPCG(11, 3)), 4))
	require.NoError(t, err)
	defer rec.Close()
	parts := ranges(t, rec, profile.Options{})
	data := parts[1]
	for i := 0; i < len(data); i += longtest.Cases(7, 1) {
		for _, bits := range []byte{1, 0x81, 0x40} {
			p, next := profile.New(), profile.New()
			require.NoError(t, next.UnmarshalBinary(parts[2]))
			bad := append([]byte{}, data...)
			bad[i] ^= bits
			if p.UnmarshalBinary(bad) != nil {
				continue
			}
			again := bytesOf(t, p)
			q := profile.New()
			require.NoError(t, q.UnmarshalBinary(again))
			require.Equal(t, again, bytesOf(t, q))
			next.Merge(p)
			next.Settle()
			bytesOf(t, next)
		}
		require.ErrorIs(t, profile.New().UnmarshalBinary(data[:i]), profile.ErrFormat)
	}
}

// TestOtherVersionsAreRefused says which one there is.
func TestOtherVersionsAreRefused(t *testing.T) {
	data := bytesOf(t, profile.New())
	data[8] = 2
	err := profile.New().UnmarshalBinary(data)
	require.ErrorIs(t, err, profile.ErrFormat)
	assert.ErrorContains(t, err, "version 2")
}
