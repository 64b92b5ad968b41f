package speedscope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/speedscope"
)

// TestHostile reads what is written of profiles that nobody would make.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, o := range []speedscope.Options{{}, {Threads: true, Title: "</script>\"\xff"}} {
			for _, p := range written(t, p, o).Profiles {
				require.GreaterOrEqual(t, *p.EndValue, int64(0))
			}
		}
	})
}
