package flamegraph

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestHostile reads pages of profiles that nobody would make. What they hold ends no element.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		page := written(t, p, Options{Title: "</title></script><script>alert(1)</script>\xff", Base: p, BaseTitle: "<!--"})
		require.Equal(t, strings.Count(written(t, profile.New(), Options{Title: "a"}), "<script"), strings.Count(page, "<script"))
		f := decode(t, page)
		for _, n := range f.nodes[1:] {
			require.NotEmpty(t, n.name)
		}
	})
}
