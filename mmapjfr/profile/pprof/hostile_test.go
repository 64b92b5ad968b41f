package pprof_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/pprof"
)

// TestHostile has pprof's own package read profiles that nobody would make.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		var out bytes.Buffer
		require.NoError(t, pprof.Write(&out, p, pprof.Options{}))
		_, err := pprof.Read(&out, pprof.ReadOptions{})
		require.NoError(t, err)
		for _, s := range written(t, p).Sample {
			for _, l := range s.Location {
				require.NotEmpty(t, l.Line[0].Function.Name)
			}
		}
	})
}
