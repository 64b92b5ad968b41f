package verify_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// TestVersion1IsSound finds nothing in recordings of format 1.0, and finds versions that
// nobody knows.
func TestVersion1IsSound(t *testing.T) {
	data, err := os.ReadFile("../../testdata/jdk17-chunks.jfr")
	require.NoError(t, err)
	data = jfrtest.Version1(data)
	r := check(t, data, 1)
	assert.Empty(t, r.Findings)
	assert.Positive(t, r.Constants)
	for minor, known := range map[byte]bool{0: true, 1: false, 9: false} {
		data[7] = minor
		assert.Equal(t, known, kindsOf(check(t, data, 1))[verify.MinorVersion] == 0, minor)
	}
}
