package export_test

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestHostileCollapsed reads what is written of profiles that nobody would make. Lines have all that is
// positive.
func TestHostileCollapsed(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		p = p.Choose(profile.Choice{Threads: true}) // events without a stack have a line
		for _, c := range p.Columns() {
			var out bytes.Buffer
			require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, export.Options{Column: c}))
			want, got := 0.0, 0.0
			for s := range p.Samples() {
				if s.Kind.Name == c.Kind.Name && s.Values[c.Value] > 0 {
					want += float64(s.Values[c.Value])
				}
			}
			for text := range strings.Lines(out.String()) {
				text = strings.TrimSuffix(text, "\n")
				// Flame graph scripts and speedscope take frames that are not empty.
				require.NotContains(t, ";"+text[:max(strings.LastIndexByte(text, ' '), 0)]+";", ";;")
				n, err := strconv.ParseInt(text[strings.LastIndexByte(text, ' ')+1:], 10, 64)
				require.NoError(t, err)
				got += float64(n)
			}
			require.LessOrEqual(t, got, want)
			if want < math.MaxInt64 {
				require.InDelta(t, want, got, 0)
			}
			_, err := export.Read(&out, "collapsed", export.ReadOptions{})
			require.NoError(t, err)
		}
	})
}
