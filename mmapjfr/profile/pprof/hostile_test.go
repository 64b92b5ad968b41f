package pprof_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestHostile has pprof's own package read profiles that nobody would make.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, s := range written(t, p).Sample {
			for _, l := range s.Location {
				require.NotEmpty(t, l.Line[0].Function.Name)
			}
		}
	})
}
