package index_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/index"
)

// TestSavedVersion fails when anything about saved indexes changes, also what the bits of a column
// stand for: then the version has to go up, and these sums with it.
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
