package profile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestRangesMakeTheSameProfile reads each chunk as a range of its own, with facts and without.
func TestRangesMakeTheSameProfile(t *testing.T) {
	for _, name := range recordings {
		rec := open(t, name)
		want, err := read(t, profile.Options{}, name).MarshalBinary()
		require.NoError(t, err)
		for _, facts := range []*profile.Facts{nil, profile.ReadFacts(t.Context(), rec, profile.Options{})} {
			sum := profile.New()
			for _, c := range rec.Chunks() {
				p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{
					Range: mmapjfr.ChunkRange{From: c.Offset(), To: c.Offset() + 1}, Facts: facts,
				})
				require.NoError(t, err)
				sum.Merge(p)
			}
			got, err := sum.MarshalBinary()
			require.NoError(t, err)
			assert.Equal(t, want, got, "%s %t", name, facts != nil)
		}
	}
}
