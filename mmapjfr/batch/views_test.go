package batch_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/views"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestViews answers prepared views in parts of recordings of two JDKs, and compares what is merged with what one
// program finds. The page lists those that are refused.
func TestViews(t *testing.T) {
	objects := listed(t, "../../testdata/jdk17-chunks.jfr", "../../testdata/jdk25-profile.jfr", "../../testdata/jdk25-kinds.jfr", "../../testdata/concat-jdk17-jdk25.jfr")
	var refused []string
	for i, v := range views.All() {
		o := query.Options{JDK: v.IsStandard()}
		st, err := v.Statement(nil, o)
		require.NoError(t, err)
		q, err := batch.NewQuery(st, o, batch.Selection{})
		if err != nil {
			require.ErrorIs(t, err, query.ErrRows)
			refused = append(refused, v.Name)
			continue
		}
		if !longtest.Every(i, 20) {
			continue
		}
		items := batch.Plan(q, objects, batch.PlanOptions{Size: 100_000})
		assert.Equal(t, batch.IsDivisible(q), len(items) > 10, v.Name)
		p := answers(t, q, mapped(t, q, items), slices.Reverse)
		if err := p.Misfit(); err != nil {
			_, is := errors.AsType[*query.Error](err) // no recording has its event types, or fields
			require.True(t, is, "%s: %v", v.Name, err)
			continue
		}
		assertAnswer(t, q, p, objects)
	}
	page, err := os.ReadFile("../../docs/BATCH.md")
	require.NoError(t, err)
	paragraph := regexp.MustCompile(`(?s)\*\*Views that are refused\.\*\*(.*?)\n\n`).FindSubmatch(page)
	require.NotNil(t, paragraph)
	var listed []string
	for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(string(paragraph[1]), -1) {
		listed = append(listed, m[1])
	}
	assert.ElementsMatch(t, refused, listed, strings.Join(refused, " "))
}
