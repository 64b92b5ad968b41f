package text_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/text"
)

// TestHostile draws profiles that nobody would make, of a bounded size.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		for _, c := range profile.ColumnsOf(p.Kinds()) {
			var out bytes.Buffer
			require.NoError(t, text.Write(&out, p, text.Options{
				Column: c, Number: func(n int64) string { return strconv.FormatInt(n, 10) }, Name: func(string) string { return "name" },
			}))
			require.Less(t, out.Len(), 20<<20)
		}
	})
}
