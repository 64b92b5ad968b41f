package index_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// planErr returns what is wrong with the plan of a class.
func planErr(t *testing.T, types *schema.TypeSet, name string) error {
	t.Helper()
	class := types.Named(name)
	require.NotNil(t, class, name)
	_, err := class.Plan()
	return err
}

func TestPlansRejectRecursion(t *testing.T) {
	of, konst := jfrtest.Of, jfrtest.Const
	type class struct {
		name   string
		fields []jfrtest.Field
	}
	tests := []struct {
		name      string
		classes   []class
		bad, good []string
	}{
		{"itself", []class{
			{"A", []jfrtest.Field{of("n", "int"), of("a", "A")}},
		}, []string{"A"}, nil},
		{"through another", []class{
			{"A", []jfrtest.Field{of("b", "B")}},
			{"B", []jfrtest.Field{of("n", "int"), of("a", "A")}},
		}, []string{"A", "B"}, nil},
		{"through two others, and one outside", []class{
			{"Outside", []jfrtest.Field{of("a", "A"), of("n", "int")}},
			{"A", []jfrtest.Field{of("b", "B")}},
			{"B", []jfrtest.Field{of("c", "C")}},
			{"C", []jfrtest.Field{of("a", "A")}},
		}, []string{"A", "B", "C", "Outside"}, nil},
		{"through an array of itself", []class{
			{"A", []jfrtest.Field{of("list", "A").Array()}},
		}, []string{"A"}, nil},
		{"through an array of another", []class{
			{"A", []jfrtest.Field{of("list", "B").Array()}},
			{"B", []jfrtest.Field{of("a", "A")}},
		}, []string{"A", "B"}, nil},
		{"through a constant of itself", []class{
			{"A", []jfrtest.Field{konst("parent", "A"), of("n", "int")}},
		}, nil, []string{"A"}},
		{"through constants of another", []class{
			{"A", []jfrtest.Field{konst("b", "B")}},
			{"B", []jfrtest.Field{konst("a", "A")}},
		}, nil, []string{"A", "B"}},
		{"through an array of constants", []class{
			{"A", []jfrtest.Field{konst("list", "A").Array()}},
		}, nil, []string{"A"}},
		{"a constant of a class that contains itself", []class{
			{"Bad", []jfrtest.Field{of("bad", "Bad")}},
			{"A", []jfrtest.Field{konst("bad", "Bad"), konst("list", "Bad").Array()}},
		}, []string{"Bad"}, []string{"A"}},
		{"twice the same is no recursion", []class{
			{"A", []jfrtest.Field{of("one", "B"), of("two", "B"), of("list", "B").Array()}},
			{"B", []jfrtest.Field{of("n", "int")}},
		}, nil, []string{"A", "B"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
				for _, c := range tt.classes {
					b.Class(c.name, c.fields...)
				}
				types := typesOf(t, onlyChunk(t, b.Bytes()))
				for _, name := range tt.bad {
					assert.ErrorIs(t, planErr(t, types, name), index.ErrCorrupt, name)
					assert.ErrorContains(t, planErr(t, types, name), "contains itself")
				}
				for _, name := range tt.good {
					assert.NoError(t, planErr(t, types, name), name)
				}
				assert.NoError(t, planErr(t, types, "java.lang.Thread"), "others are as they were")
			})
		})
	}
}

func TestPlansRejectUndefinedClasses(t *testing.T) {
	for name, f := range map[string]jfrtest.Field{
		"in place":  {Name: "f", ClassID: 9999},
		"array":     {Name: "f", ClassID: 9999, Dimension: 1},
		"constants": {Name: "f", ClassID: 9999, ConstantPool: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			b.Class("A", jfrtest.Of("n", "int"), f)
			b.Class("B", jfrtest.Of("a", "A"))
			types := typesOf(t, onlyChunk(t, b.Bytes()))
			for _, name := range []string{"A", "B"} {
				err := planErr(t, types, name)
				assert.ErrorIs(t, err, index.ErrCorrupt)
				assert.ErrorContains(t, err, "type A: field f: type 9999 is not described")
			}
		})
	}
}

func TestEventsOfClassesWithoutPlan(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Class("A", jfrtest.Of("a", "A"))
	b.Checkpoint(0).Pool("A").Add(1, jfrtest.Raw{1, 2, 3})
	data, layout := b.Build()
	c := onlyChunk(t, data)
	k := constantsOf(t, c)
	wantFault(t, k.Err(), index.ErrCorrupt, 0, uint64(layout.Checkpoints[0].Pools[0].Constants[0].Offset))
	assert.ErrorContains(t, k.Err(), "contains itself")
}
