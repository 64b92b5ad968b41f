package profile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestRangesThatDependOnEachOther reads recordings by their chunks, and merges what they find in several orders, for kinds of
// which other chunks decide. The bytes are those of all at once.
func TestRangesThatDependOnEachOther(t *testing.T) {
	for seed := range uint64(longtest.Cases(20, 2000)) {
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

// TestRangesWithManySettings has more settings than are kept, so that some are forgotten in other chunks than those that have them.
func TestRangesWithManySettings(t *testing.T) {
	var data []byte
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range 6 {
		b := jfrtest.NewChunk()
		cp := b.Checkpoint(jfrtest.MaskFlush)
		thread := cp.Add("java.lang.Thread", 1, "os", 1, "a", 1, 0, false)
		sample := b.Event("datadog.ExecutionSample", jfrtest.Const("eventThread", "java.lang.Thread"), jfrtest.Of("weight", "int"))
		setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), jfrtest.Of("name", "java.lang.String"), jfrtest.Of("value", "java.lang.String"))
		b.Emit(sample, 1_000_000, thread, 1)
		if i%3 == 0 {
			b.Emit(setting, 1_000_000, sample.ID, "period", "7 ms")
		}
		for range 600 {
			b.Emit(setting, 1_000_000, -rng.Int64N(1500), "period", fmt.Sprint(rng.Int64N(3), " ms"))
		}
		data = append(data, b.Bytes()...)
	}
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer rec.Close()
	whole, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	assert.Len(t, whole.Warnings(), 1, "the period is forgotten")
	for seed := range uint64(5) {
		assert.Equal(t, bytesOf(t, whole), joined(t, ranges(t, rec, profile.Options{}), rand.New(rand.NewPCG(seed, 8))))
	}
}

// TestRangesWithoutChunks has ranges in which no chunk begins, some of a single byte. They are written as short as can be.
func TestRangesWithoutChunks(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(profiletest.Mixed(rand.New(rand.NewPCG(2, 3)), 2))
	require.NoError(t, err)
	defer rec.Close()
	recs := []*mmapjfr.Recording{rec}
	whole, err := profile.Read(t.Context(), recs, profile.Options{})
	require.NoError(t, err)
	sum := profile.New()
	for _, from := range []uint64{0, 3, 1, 9, 2} {
		to := map[uint64]uint64{0: 1, 1: 2, 2: 3, 3: 9}[from] // the last range has no end
		p, err := profile.Read(t.Context(), recs, profile.Options{Object: "a", Range: mmapjfr.ChunkRange{From: from, To: to}})
		require.NoError(t, err)
		sum.Merge(p)
		read := profile.New()
		require.NoError(t, read.UnmarshalBinary(bytesOf(t, sum)), from)
		require.Equal(t, bytesOf(t, sum), bytesOf(t, read), from)
	}
	assert.Equal(t, bytesOf(t, whole), bytesOf(t, sum))

	apart := profile.New()
	for from := range uint64(40) {
		o := profile.Options{Object: "a", Range: mmapjfr.ChunkRange{From: 10 + 2*from, To: 11 + 2*from}}
		p, err := profile.Read(t.Context(), recs, o)
		require.NoError(t, err)
		apart.Merge(p)
		require.NoError(t, profile.New().UnmarshalBinary(bytesOf(t, apart)), "%d ranges with gaps between them", from+1)
	}
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
