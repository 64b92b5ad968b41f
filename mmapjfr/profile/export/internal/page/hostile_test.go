package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr"
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

// TestHostileHeatmaps reads heat maps of recordings that nobody would make, and of all times.
func TestHostileHeatmaps(t *testing.T) {
	i := 0
	profiletest.Recordings(t, func(t *testing.T, data []byte) {
		if i++; !longtest.Every(i, 4) {
			return
		}
		rec := opentest.Bytes(t, data)
		p, _ := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{Times: CellLength}) // errors are no matter
		f := decode(t, heatmap(t, p, Options{}))
		for _, rows := range f.rows[0] {
			for _, r := range rows {
				require.Less(t, int64(r.cell), f.Cells)
			}
		}
	})
}
