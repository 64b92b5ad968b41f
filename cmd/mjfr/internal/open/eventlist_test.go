package open

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAnyRow reads rows here and there, in lists of one and of many chunks, of files that are damaged, and with a
// condition, and compares them with all events.
func TestAnyRow(t *testing.T) {
	names := []string{"jdk25-chunks.jfr", "jdk17-chunks.jfr", "concat-jdk17-jdk25.jfr", "jdk25-profile.jfr", "jdk25-killed.jfr"}
	damaged, err := filepath.Glob(testdata("damaged/*.jfr.gz"))
	require.NoError(t, err)
	for _, path := range damaged {
		names = append(names, "damaged/"+filepath.Base(path))
	}
	for _, name := range names {
		for _, condition := range []string{"", "startTime is not null"} {
			x := explore(t, name)
			if types := must(t, x, "/api/recording")["types"]; len(types.([]any)) == 0 {
				continue
			}
			typ := busiest(t, x)
			var want []string
			for ev := range x.set.Events(mmapjfr.Types(typ)) {
				if !ev.IsZero() {
					want = append(want, strconv.FormatUint(ev.Offset(), 10))
				}
			}
			for i := range 12 {
				from := (i*7 + 5) * len(want) / 12 % (len(want) + 1)
				page := must(t, x, "/api/events", "type", typ, "offset", strconv.Itoa(from), "limit", "3", "where", condition)
				var got []string
				for _, at := range page["at"].([]any) {
					got = append(got, at.(map[string]any)["offset"].(string))
				}
				// Where events are damaged, a row that is jumped to is that of a header.
				if page["notes"] == nil {
					require.EqualValues(t, len(want), page["total"], name)
					require.Equal(t, want[from:min(from+3, len(want))], append([]string{}, got...), "%s from %d", name, from)
				} else {
					assert.Subset(t, want, got, "%s from %d", name, from)
				}
			}
			must(t, x, "/api/events", "type", typ, "offset", "0", "limit", "500", "where", condition)
			page := must(t, x, "/api/events", "type", typ, "offset", strconv.Itoa(len(want)), "limit", "3", "where", condition)
			assert.EqualValues(t, len(want), page["total"], "%s: all have been read", name)
		}
	}
}
