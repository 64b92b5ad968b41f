package metadata_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// built returns what a chunk that has been built describes.
func built(t *testing.T, b *jfrtest.Builder) *metadata.Catalog {
	t.Helper()
	rec := opentest.Bytes(t, b.Bytes())
	var all metadata.Catalog
	require.NoError(t, all.Add(rec))
	return &all
}

func text(t *testing.T, d metadata.Diff, paint func(string, bool) string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, d.WriteText(&out, paint))
	return out.String()
}

func TestDiff(t *testing.T) {
	before := jfrtest.NewChunk()
	gone := before.Event("test.Gone")
	gone.ID = 7000
	changed := before.Event("test.Changed",
		jfrtest.Of("same", "int").With(jfrtest.Note("jdk.jfr.Label", "Same")),
		jfrtest.Of("removed", "int"),
		jfrtest.Of("wider", "int"),
		jfrtest.Of("list", "int"),
		jfrtest.Const("kept", "java.lang.Thread"),
		jfrtest.Of("labelled", "int").With(jfrtest.Note("jdk.jfr.Label", "Old"), jfrtest.Mark("jdk.jfr.Experimental")),
		jfrtest.Of("first", "int"), jfrtest.Of("second", "int"))
	changed.Annotate(jfrtest.Note("jdk.jfr.Label", "Changed"))
	changed.Settings = []jfrtest.Setting{
		{Name: "enabled", Class: "jdk.settings.Enabled", Default: "true"},
		{Name: "gone", Class: "jdk.settings.Enabled", Default: "x"},
		{Name: "threshold", Class: "jdk.settings.Threshold", Default: "20 ms",
			Annotations: []jfrtest.Annotation{jfrtest.Note("jdk.jfr.Label", "Limit")}},
	}
	before.Class("test.Super")
	before.Class("test.Wrapper", jfrtest.Of("text", jfrtest.StringClass))

	after := jfrtest.NewChunk()
	after.Class("test.New")
	now := after.Event("test.Changed",
		jfrtest.Of("same", "int").With(jfrtest.Note("jdk.jfr.Label", "Same")),
		jfrtest.Of("wider", "long"),
		jfrtest.Of("list", "int").Array(),
		jfrtest.Of("kept", "java.lang.Thread"),
		jfrtest.Of("labelled", "int").With(jfrtest.Note("jdk.jfr.Label", "New")),
		jfrtest.Of("second", "int"), jfrtest.Of("first", "int"), jfrtest.Of("added", jfrtest.StringClass))
	now.Annotate(jfrtest.Note("jdk.jfr.Label", "Changed"), jfrtest.Note("jdk.jfr.Description", "Two\nlines"))
	now.Settings = []jfrtest.Setting{
		{Name: "enabled", Class: "jdk.settings.Enabled", Default: "false"},
		{Name: "threshold", Class: "jdk.settings.Threshold", Default: "20 ms",
			Annotations: []jfrtest.Annotation{jfrtest.Note("jdk.jfr.Label", "Least")}},
	}
	after.Class("test.Super").SuperType = "test.Other"
	after.Class("test.Wrapper", jfrtest.Of("text", jfrtest.StringClass)).Simple()

	d := metadata.Compare(built(t, before), built(t, after), metadata.Options{})
	assert.False(t, d.Empty())
	const want = `- class test.Gone extends jdk.jfr.Event
+ class test.New
  class test.Wrapper
-   simple: false
+   simple: true
  class test.Super
+   extends test.Other
  class test.Changed
+   @Description("Two\nlines")
-   int removed
-   int wider
+   long wider
-   int list
+   int[] list
-   constant java.lang.Thread kept
+   java.lang.Thread kept
-   labelled: @Label("Old")
+   labelled: @Label("New")
-   labelled: @Experimental
+   java.lang.String added
-   field order: startTime, same, wider, list, kept, labelled, first, second
+   field order: startTime, same, wider, list, kept, labelled, second, first
-   setting: jdk.settings.Enabled enabled = "true"
+   setting: jdk.settings.Enabled enabled = "false"
-   setting: jdk.settings.Enabled gone = "x"
-   threshold: @Label("Limit")
+   threshold: @Label("Least")
`
	assert.Equal(t, want, text(t, d, nil))
	painted := text(t, d, func(line string, removed bool) string { return fmt.Sprintf("[%s %t]", line, removed) })
	assert.Contains(t, painted, "[- class test.Gone extends jdk.jfr.Event true]\n[+ class test.New false]\n  class test.Wrapper\n[-   simple")
	assert.Equal(t, metadata.Change{Aspect: metadata.AspectField, Name: "wider", Before: "int wider", After: "long wider"}, d.Changed[2].Changes[2])
	assert.Equal(t, metadata.Change{Aspect: metadata.AspectAnnotation, Of: "labelled", Name: "jdk.jfr.Label", Before: `@Label("Old")`, After: `@Label("New")`},
		d.Changed[2].Changes[5])

	back := metadata.Compare(built(t, after), built(t, before), metadata.Options{})
	assert.Equal(t, []string{"test.New"}, names(back.Removed))
	assert.Equal(t, []string{"test.Gone"}, names(back.Added))

	few := metadata.Compare(built(t, before), built(t, after), only(mmapjfr.Types("test.Gone")))
	assert.Equal(t, "- class test.Gone extends jdk.jfr.Event\n", text(t, few, nil))
	assert.Error(t, d.WriteText(failing{}, nil))
}

func names(types []metadata.Type) (list []string) {
	for _, t := range types {
		list = append(list, t.Name)
	}
	return list
}

func TestDiffOfTheSame(t *testing.T) {
	for _, name := range []string{"jdk25-profile", "concat-jdk17-jdk25"} {
		d := metadata.Compare(catalog(t, name), catalog(t, name), metadata.Options{IDs: true})
		assert.True(t, d.Empty())
		assert.Empty(t, text(t, d, nil))
	}
	// The numbers of types differ.
	d := metadata.Compare(catalog(t, "jdk25-empty"), catalog(t, "jdk25-oldobjects"), metadata.Options{})
	assert.True(t, d.Empty(), text(t, d, nil))
}

// Types of one name are paired by what they are like.
func TestDiffOfTypesOfOneName(t *testing.T) {
	chunk := func(fields ...string) *metadata.Catalog {
		b := jfrtest.NewChunk()
		for i, f := range fields {
			b.Add(&jfrtest.Class{ID: int64(7000 + i), Name: "test.Twice", Fields: []jfrtest.Field{jfrtest.Of(f, "int")}})
		}
		return built(t, b)
	}
	d := metadata.Compare(chunk("a", "b", "c"), chunk("c", "a"), metadata.Options{})
	assert.Equal(t, "- class test.Twice\n", text(t, d, nil))
	d = metadata.Compare(chunk("a", "b"), chunk("c", "a", "d"), metadata.Options{})
	assert.Equal(t, "+ class test.Twice\n  class test.Twice\n-   int b\n+   int c\n", text(t, d, nil))
}
