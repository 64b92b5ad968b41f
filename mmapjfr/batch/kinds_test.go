package batch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// TestFieldsThatBecameNumbers has a field that is true or false in one recording, and a number or a text in others.
func TestFieldsThatBecameNumbers(t *testing.T) {
	dir := t.TempDir()
	for name, values := range map[string]struct {
		kind string
		list []any
	}{
		"bool": {"boolean", []any{true, false, true}}, "long": {"long", []any{int64(1), int64(5), int64(0)}},
		"double": {"double", []any{0.5, 1.0}}, "text": {jfrtest.StringClass, []any{"yes"}},
	} {
		b := jfrtest.NewChunk()
		event := b.Event("test.Flag", jfrtest.Of("flag", values.kind))
		for i, v := range values.list {
			b.Emit(event, int64(i), v)
		}
		data, _ := b.Build()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".jfr"), data, 0o600))
	}
	objects := func(names ...string) (list []batch.Object) {
		for _, name := range names {
			list = append(list, batch.Object{Name: filepath.Join(dir, name+".jfr"), Size: 1 << 20})
		}
		return list
	}
	o := query.Options{Zone: time.UTC}
	ask := func(text string) batch.Question { return statement(t, text, o) }
	find := func(q batch.Question, list []batch.Object) *batch.Partial {
		items := batch.Plan(q, list, batch.PlanOptions{Size: 1, CanDivide: func(batch.Object) bool { return false }})
		return answers(t, q, mapped(t, q, items), func([]*batch.Partial) {})
	}
	for _, c := range []struct {
		statement, bools, all string
	}{
		{"select avg(flag), sum(flag), max(flag), quantile(flag, 0.5), sum(2 * flag + 1) from test.Flag", "1.3333333333333333\t8\t5\t1.0\t22", "1.1875\t9.5\t5.0\t1.0\t27.0"},
		{"select sum(flag), count(*) from test.Flag where flag != 5", "", ""},
	} {
		for _, names := range [][]string{{"bool", "long"}, {"bool", "double", "long"}} {
			q := ask(c.statement)
			p := find(q, objects(names...))
			assert.Empty(t, p.Damage(), c.statement)
			assertAnswer(t, q, p, objects(names...))
			total, err := p.Result()
			require.NoError(t, err)
			want := map[int]string{2: c.bools, 3: c.all}[len(names)]
			if want != "" {
				assert.Contains(t, rows(t, total), want, names)
			}
		}
	}
	groups := ask("select flag, count(*) from test.Flag group by flag order by flag")
	p := find(groups, objects("bool", "long"))
	assertAnswer(t, groups, p, objects("bool", "long"))
	total, err := p.Result()
	require.NoError(t, err)
	assert.Equal(t, []string{"0\t2", "1\t3", "5\t1"}, rows(t, total)[2:])

	q := ask("select avg(flag) from test.Flag")
	assert.ErrorContains(t, find(q, objects("bool")).Misfit(), "avg(flag) needs numbers; got true or false")
	p = find(q, objects("long", "text"))
	require.Len(t, p.Damage(), 1)
	assert.True(t, p.Damage()[0].Unread)
	assert.Contains(t, p.Damage()[0].Error, "it is left out, since the statement does not fit its event types")
	assert.Contains(t, p.Damage()[0].Error, "avg(flag) needs numbers; got text")
}
