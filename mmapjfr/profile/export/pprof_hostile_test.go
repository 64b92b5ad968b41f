package export_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestHostilePprof has pprof's own package read profiles that nobody would make.
func TestHostilePprof(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{}))
		_, err := export.Read(&out, "pprof", export.ReadOptions{})
		require.NoError(t, err)
		for _, s := range pprofOf(t, p).Sample {
			for _, l := range s.Location {
				require.NotEmpty(t, l.Line[0].Function.Name)
			}
		}
	})
}
