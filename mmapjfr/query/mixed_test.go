package query_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestNumbersAmongTexts are in decimals, as everywhere else, and not as views show them.
func TestNumbersAmongTexts(t *testing.T) {
	b := jfrtest.NewChunk()
	number, text := b.Event("test.Number", jfrtest.Of("value", "long")), b.Event("test.Text", jfrtest.Of("value", jfrtest.StringClass))
	b.Emit(number, int64(0), int64(2147483647))
	b.Emit(text, int64(1), "none")
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	const statement = "SELECT value FROM test.Number, test.Text ORDER BY value"
	assert.Equal(t, []string{"2147483647", "none"}, answer(t, rec, statement))
	types, err := rec.Types()
	require.NoError(t, err)
	for _, o := range []query.Options{{JDK: true, Exact: true}, {JDK: true}} {
		want := map[bool]string{true: "2147483647", false: "2,147,483,647"}[o.Exact]
		st, err := query.Parse(statement, o)
		require.NoError(t, err)
		plan, err := st.Plan(types, o)
		require.NoError(t, err)
		found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{want, "none"}, texts(t, found[0].Result()))
	}
}

// TestKindsThatDoNotGoTogether has numbers in one event type and texts in another: the error says so.
func TestKindsThatDoNotGoTogether(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Event("test.Number", jfrtest.Of("value", "long"))
	b.Event("test.Text", jfrtest.Of("value", jfrtest.StringClass))
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	types, err := rec.Types()
	require.NoError(t, err)
	st, err := query.Parse("SELECT avg(value) FROM test.Number, test.Text", query.Options{})
	require.NoError(t, err)
	_, err = st.Plan(types, query.Options{})
	assert.ErrorContains(t, err, "avg(value) needs numbers; got a number in some events and text in others")
}
