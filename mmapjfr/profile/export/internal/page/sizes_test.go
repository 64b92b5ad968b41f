package page

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// moreScript is by how much the script of a page may be larger than that of jfrconv.
const moreScript = 4_000

// TestSizes compares the sizes of pages with those of jfrconv for the same samples. Pages here know the
// threads and the values of samples besides.
func TestSizes(t *testing.T) {
	list, err := os.ReadFile("testdata/sizes.txt")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(list)) {
		if n++; strings.HasPrefix(line, "#") || !longtest.Every(n, 4) {
			continue
		}
		var file string
		var graph, heat int
		_, err := fmt.Sscan(line, &file, &graph, &heat)
		require.NoError(t, err)
		path := "../../../../../testdata/" + file
		if rest, ok := strings.CutPrefix(file, "shared/"); ok {
			path = "../../../../shared/recordings/" + rest // of other producers, beside the project
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		set, err := input.Open(t.Context(), []string{path}, input.Options{})
		require.NoError(t, err)
		o := Options{Title: "Flame Graph", Names: profile.Names{Dots: true}}
		kinds := []string{"cpu", "wall", "native"} // what jfrconv takes
		p, err := profile.Read(t.Context(), set.Recordings, profile.Options{Kinds: kinds, Times: CellLength})
		require.NoError(t, err)
		page, heatPage := len(written(t, p, o)), len(heatmap(t, p, o))
		assert.LessOrEqual(t, page, graph+moreScript, file)
		assert.LessOrEqual(t, heatPage, heat/2, file)
		t.Logf("%s: %d bytes, jfrconv %d; heat map %d, jfrconv %d", file, page, graph, heatPage, heat)
		require.NoError(t, set.Close())
	}
}
