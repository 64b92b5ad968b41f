package open

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/web"
)

// pictureOf returns the answer to the statement of a picture, with one point for all of the time.
func pictureOf(t *testing.T, x *explorer, name string) map[string]any {
	t.Helper()
	return must(t, x, "/api/query", "q", strings.ReplaceAll(web.ReadTopics().Pictures[name].Statement, "$step", "1d"))
}

// TestHeapFallsInItsPicture compares the heap before and after collections with all events: what a collection has freed is
// seen.
func TestHeapFallsInItsPicture(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	least, most := int64(1)<<62, int64(0)
	when, used := mmapjfr.Path("when"), mmapjfr.Path("heapUsed")
	for _, ev := range everything(t, x) {
		switch {
		case ev.Type().Name() != "jdk.GCHeapSummary":
		case ev.Get(when).Text() == "After GC":
			least = min(least, ev.Get(used).Int())
		default:
			most = max(most, ev.Get(used).Int())
		}
	}
	require.Less(t, least, most)
	answer := pictureOf(t, x, "heap")
	assert.EqualValues(t, most, values(t, answer, "used before GC")[0])
	assert.EqualValues(t, least, values(t, answer, "used after GC")[0])
	assert.Greater(t, values(t, answer, "committed")[0], float64(most))
}
