package open

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
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

// TestAllocatedIsThatOfTheProfile adds up what the picture of allocations shows: as much as a profile of the same, though
// both events of TLABs and samples are recorded.
func TestAllocatedIsThatOfTheProfile(t *testing.T) {
	x := explore(t, "jdk17-profile.jfr")
	p, err := profile.Read(t.Context(), x.set.Recordings, profile.Options{Kinds: []string{"alloc"}})
	require.NoError(t, err)
	bytes := int64(0)
	for s := range p.Samples() {
		bytes += s.Values[1]
	}
	counts, err := x.count(t.Context())
	require.NoError(t, err)
	has := func(types []string) bool {
		return slices.ContainsFunc(counts.Types, func(c *summary.Type) bool {
			return c.Events > 0 && slices.Contains(types, strings.TrimPrefix(c.Name, "jdk."))
		})
	}
	shown := web.ReadTopics()
	picture := shown.Picture("allocated", has)
	answer := must(t, x, "/api/query", "q", strings.ReplaceAll(picture.Statement, "$step", "1d"))
	from, to := x.set.Span()
	assert.InEpsilon(t, float64(bytes)/to.Sub(from).Seconds(), values(t, answer, "allocated")[0], 1e-9)
	assert.Equal(t, "tlab-allocation-by-site", shown.View("sampled-allocation-by-site", has))
	answer = must(t, x, "/api/query", "view", "tlab-allocation-by-class")
	assert.Greater(t, answer["rows"], 5.0)
}

// TestAmountsAreRates looks for amounts of pictures: they are those of a second, or say of which time they are, for steps are
// long or short.
func TestAmountsAreRates(t *testing.T) {
	for name, p := range web.ReadTopics().Pictures {
		for _, amount := range regexp.MustCompile(`(sum|count)\([^)]*\)( as "[^"]*")?`).FindAllString(p.Statement, -1) {
			assert.Contains(t, amount, "per $step", name)
		}
	}
}
