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

// TestNamesOfSeveralTypes are errors that name the types, unless one is called so in full. The JDK's views mean the JDK's own.
func TestNamesOfSeveralTypes(t *testing.T) {
	b := jfrtest.NewChunk()
	for i, name := range []string{"x.GCPhasePause", "jdk.GCPhasePause", "y.FileRead", "FileRead", "x.Other"} {
		b.Emit(b.Event(name, jfrtest.Of("n", "int")), int64(i), i)
	}
	data, _ := b.Build()
	rec := opentest.Bytes(t, data)
	for statement, want := range map[string]string{
		"select n from jdk.GCPhasePause": "1", "select n from x.GCPhasePause": "0", "select n from FileRead": "3", "select n from y.FileRead": "2", "select n from Other": "4",
		"select sum(n) from *.GCPhasePause": "1", "select sum(n) from GCPhase*": "1", "select sum(n) from jdk.GCPhasePause, x.GCPhasePause": "1",
		"select n from other": "4", "select n from X.gcPhasePause": "0", "select n from OTHER": "4",
	} {
		assert.Equal(t, []string{want}, answer(t, rec, statement), statement)
	}
	types, err := rec.Types()
	require.NoError(t, err)
	for _, statement := range []string{"select n from GCPhasePause", "select n from Other, GCPhasePause as b", "select n from Other during GCPhasePause", "select n from Other asof GCPhasePause as p"} {
		st, err := query.Parse(statement, query.Options{})
		require.NoError(t, err)
		_, err = st.Plan(types, query.Options{})
		assert.ErrorContains(t, err, "GCPhasePause is the name of 2 event types; write one of them with its package: jdk.GCPhasePause, x.GCPhasePause", statement)
	}
	type row struct {
		N int32 `jfr:"n"`
	}
	for name, want := range map[string]string{"x.GCPhasePause": "x.GCPhasePause", "FileRead": "FileRead", "Other": "x.Other", "x.other": "x.Other", "GCPhasePause": "", "fileread": "", "": ""} {
		typ, ok := rec.Type(name)
		assert.Equal(t, want != "", ok, name)
		assert.Equal(t, want, typ.Name())
		_, err := mmapjfr.Bind[row](rec, name)
		assert.Equal(t, want != "", err == nil, name)
	}
	_, err = mmapjfr.Bind[row](rec, "int")
	assert.ErrorIs(t, err, mmapjfr.ErrNoType)
	st, err := query.Parse("SELECT n FROM GCPhasePause", query.Options{JDK: true})
	require.NoError(t, err)
	plan, err := st.Plan(types, query.Options{JDK: true})
	require.NoError(t, err)
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1"}, texts(t, found[0].Result()))
}

// TestWhereThatCannotMatch: what no event can meet is an error, at once or of Check.
func TestWhereThatCannotMatch(t *testing.T) {
	for _, condition := range []string{"duration > 10", "startTime > 2s", "@start > 5", "n = 1 or @duration = x", "@end < abc"} {
		_, err := query.Where(condition, query.Options{})
		assert.ErrorContains(t, err, "condition", condition)
	}
	rec := opentest.File(t, "../../testdata/jdk25-profile.jfr")
	filter, err := query.Where("durration > 10ms", query.Options{})
	require.NoError(t, err)
	assert.ErrorIs(t, rec.Select(filter).Check(), mmapjfr.ErrNoField)
}
