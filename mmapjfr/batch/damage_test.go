package batch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// cut writes the beginning of a recording, and returns the path.
func cut(t *testing.T, name string, size int) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(path, data[:size], 0o600))
	return path
}

// TestRowsOfACutRecordingCount cuts a recording whose newest metadata is at its end: types are those of older metadata, and all
// events that are there count, alone and besides those of the whole recording.
func TestRowsOfACutRecordingCount(t *testing.T) {
	name := cut(t, "jdk25-profile.jfr", 238_779)
	st, err := query.Parse("select name, count(*) as n from BooleanFlag group by name")
	require.NoError(t, err)
	for _, names := range [][]string{{name}, {name, "../../testdata/jdk25-profile.jfr"}} {
		q, err := batch.NewQuery(st, query.Options{}, batch.Selection{})
		require.NoError(t, err)
		objects, err := batch.List(names)
		require.NoError(t, err)
		p := answers(t, q, mapped(t, q, batch.Plan(objects, batch.PlanOptions{Size: 100_000})), func([]*batch.Partial) {})
		require.NoError(t, batch.Misfit(q, p.Fits))
		result, err := p.Answer.(*batch.QueryAnswer).Result(p.Times())
		require.NoError(t, err)
		assert.Equal(t, 2+496, len(rows(t, result)), "two titles and the rows")
		require.Len(t, p.Damage(), 1)
		assert.Contains(t, p.Damage()[0].Error, "truncated")
		assertAnswer(t, q, p, objects)
	}
}
