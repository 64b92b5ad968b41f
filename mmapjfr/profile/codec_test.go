package profile_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// bytesOf returns a profile as bytes: equal profiles have equal ones.
func bytesOf(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

// TestUnmarshalBinary reads back what was written.
func TestUnmarshalBinary(t *testing.T) {
	for i, name := range recordings {
		p := read(t, profile.Options{BytecodeIndex: i%2 == 1}, name)
		data := bytesOf(t, p)
		q := profile.New()
		require.NoError(t, q.UnmarshalBinary(data), name)
		assert.Equal(t, data, bytesOf(t, q), name)
		q.Merge(profile.New())
		q.Merge(p)
		assert.Equal(t, doubled(p), sums(q), "a profile that was read goes on")
	}
}

// TestUnmarshalDamaged damages each byte, and cuts the end off. Nothing of that panics.
func TestUnmarshalDamaged(t *testing.T) {
	data := bytesOf(t, read(t, profile.Options{Kinds: []string{"cpu", "lock"}}, "jdk25-profile.jfr"))
	for i := 0; i < len(data); i += longtest.Cases(23, 1) {
		damaged := append([]byte{}, data...)
		damaged[i] ^= 0x81
		q := profile.New()
		if err := q.UnmarshalBinary(damaged); err != nil {
			require.ErrorIs(t, err, profile.ErrFormat)
			require.Empty(t, q.Kinds())
		}
		require.ErrorIs(t, q.UnmarshalBinary(data[:i]), profile.ErrFormat)
	}
}

// FuzzUnmarshalBinary reads any bytes. What can be read can be written and read again.
func FuzzUnmarshalBinary(f *testing.F) {
	data, _ := profile.New().MarshalBinary()
	f.Add(data)
	rec, err := mmapjfr.OpenBytes(profiletest.Mixed(rand.New(rand.NewPCG(1, 1)), 3))
	require.NoError(f, err)
	p, err := profile.Read(f.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(f, err)
	data, _ = p.MarshalBinary()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := profile.New()
		if p.UnmarshalBinary(data) != nil {
			return
		}
		again := bytesOf(t, p)
		require.NoError(t, p.UnmarshalBinary(again))
		require.Equal(t, again, bytesOf(t, p))
	})
}

// TestOtherVersionsAreRefused says which one there is.
func TestOtherVersionsAreRefused(t *testing.T) {
	data := bytesOf(t, profile.New())
	data[8] = 2
	err := profile.New().UnmarshalBinary(data)
	require.ErrorIs(t, err, profile.ErrFormat)
	assert.ErrorContains(t, err, "version 2")
}
