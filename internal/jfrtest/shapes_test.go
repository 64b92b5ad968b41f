package jfrtest_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// logical returns what the events of a recording say, whatever their types look like.
func logical(t *testing.T, data []byte) string {
	t.Helper()
	rec, err := jfrtest.Decode(data)
	require.NoError(t, err)
	c := rec.Chunks[0]
	var tree func(v any, depth int) any
	tree = func(v any, depth int) any {
		v = c.Resolve(v)
		switch v := v.(type) {
		case *jfrtest.Struct:
			if v.Class.SimpleType {
				return tree(v.Fields[0].Value, depth)
			}
			if depth == 0 {
				return "..."
			}
			m := map[string]any{}
			for _, f := range v.Fields {
				m[f.Name] = tree(f.Value, depth-1)
			}
			return m
		case []any:
			var list []any
			for _, x := range v {
				list = append(list, tree(x, depth))
			}
			return list
		case jfrtest.Null, jfrtest.Missing:
			return nil
		}
		return v
	}
	var all []any
	for _, e := range c.Events {
		all = append(all, e.TypeName, tree(&jfrtest.Struct{Class: &jfrtest.Class{}, Fields: e.Fields}, 5))
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

func TestShapesSayTheSame(t *testing.T) {
	files := []string{"jdk25-kinds.jfr"}
	if longtest.Enabled() {
		files = append(files, "jdk25-virtual.jfr", "jdk17-oldobjects.jfr", "jdk25-profile.jfr")
	}
	for _, name := range files {
		data, err := os.ReadFile("../../testdata/" + name)
		require.NoError(t, err)
		content, err := jfrtest.NewContent(data, 1)
		require.NoError(t, err)
		want := logical(t, content.As(jfrtest.Shape{}))
		differing := map[int]bool{}
		for seed := range uint64(longtest.Cases(2, 300)) {
			shape := jfrtest.Shape{Seed: seed + 1, InOrder: seed%3 == 0, Odd: seed%2 == 0}
			data := content.As(shape)
			require.Equal(t, data, content.As(shape))
			if got := logical(t, data); got != want {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Fatalf("%+v: at %d %.300s, not %.300s", shape, i, got[max(0, i-200):], want[max(0, i-200):])
			}
			differing[len(data)] = true
		}
		require.Greater(t, len(differing), 1)
	}
}
