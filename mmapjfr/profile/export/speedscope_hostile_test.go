package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestHostileSpeedscope reads what is written of profiles that nobody would make.
func TestHostileSpeedscope(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, p := range speedscopeOf(t, p, export.Options{Title: "</script>\"\xff"}).Profiles {
			require.GreaterOrEqual(t, *p.EndValue, int64(0))
		}
	})
}
