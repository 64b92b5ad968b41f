package index_test

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
)

// reading reads a saved index by what SAVED.md says, and nothing else.
type reading struct {
	t testing.TB
	b []byte
}

func (r *reading) bytes(n int) []byte {
	r.t.Helper()
	require.LessOrEqual(r.t, n, len(r.b))
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reading) u64() uint64 { r.t.Helper(); return le.Uint64(r.bytes(8)) }
func (r *reading) u32() uint32 { r.t.Helper(); return le.Uint32(r.bytes(4)) }
func (r *reading) u16() uint16 { r.t.Helper(); return le.Uint16(r.bytes(2)) }

// eight returns as many numbers.
func (r *reading) eight(n int) (list []uint64) {
	r.t.Helper()
	for range n {
		list = append(list, r.u64())
	}
	return list
}

func crc(parts ...[]byte) uint32 {
	return crc32.Checksum(slices.Concat(parts...), crc32.MakeTable(crc32.Castagnoli))
}

// TestSavedVersion fails when anything about saved indexes changes, also what the
// bits of a column stand for: then the version has to go up, and these sums with
// it.
func TestSavedVersion(t *testing.T) {
	index.SetMultiplier(t, 0x9E3779B97F4A7C15) // which the order of keys depends on
	for name, want := range map[string]string{
		"jdk25-kinds":        "59e1a6f7a6fe0b8c045cb5e2b6dcea6707a0cb82721e46029fffcedce236ee64",
		"jdk17-chunks":       "10a153db0680b54915d9892b883a1d560621ef0d6f8469f19926c844838b6692",
		"concat-jdk25-jdk25": "bd556b808290cb673112499214926f09e2eac3868a1247334acdd81289435c83",
	} {
		saved := savedIndex(t, testdata(t, name))
		assert.Equal(t, uint32(4), le.Uint32(saved[8:]))
		assert.Equal(t, want, fmt.Sprintf("%x", sha256.Sum256(saved)), name)
	}
}
