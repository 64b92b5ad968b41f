package export_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestHostileCPUProfile reads what is written of profiles that nobody would make: a tree, and times that go on.
func TestHostileCPUProfile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, c := range p.Columns() {
			var out bytes.Buffer
			require.NoError(t, export.Write(t.Context(), &out, "cpuprofile", p, export.Options{Column: c}))
			var f struct {
				Nodes []struct {
					ID       int
					Children []int
				}
				StartTime, EndTime  int64
				Samples, TimeDeltas []int64
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &f))
			children := 0
			for i, n := range f.Nodes {
				require.Equal(t, i+1, n.ID)
				children += len(n.Children)
			}
			require.Equal(t, len(f.Nodes)-1, children)
			require.Len(t, f.TimeDeltas, len(f.Samples))
			require.GreaterOrEqual(t, f.EndTime, f.StartTime)
			for _, d := range f.TimeDeltas {
				require.GreaterOrEqual(t, d, int64(0))
			}
		}
	})
}
