package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// TestDescriptorsStay: what the JDK parses stays what it can parse, whatever a pattern finds in it.
func TestDescriptorsStay(t *testing.T) {
	edit := parsed(t, "constant /[a-z]+/").Text(rewrite.Place{Type: "jdk.types.Symbol", Field: "string"})
	for text, want := range map[string]string{
		"(Ljava/lang/String;I)V": "(L[REDACTED]/[REDACTED]/S[REDACTED];I)V",
		"run":                    "[REDACTED]",
		"java/Foo":               "_[REDACTED]/F[REDACTED]",
		"[[Ljava/Foo;":           "[[L[REDACTED]/F[REDACTED];",
		"(I)V":                   "(I)V",
	} {
		is, changed := edit(text, nil)
		assert.Equal(t, want, is)
		assert.Equal(t, text != want, changed)
	}
	edit = parsed(t, "blank /[LV]/").Text(rewrite.Place{Type: "jdk.types.Symbol", Field: "string"})
	for text, want := range map[string]string{"(Ljava/lang/String;I)V": "()V", "([[LFoo;)I": "()V", "[LFoo;": "Foo;"} {
		is, _ := edit(text, nil)
		assert.Equal(t, want, is)
	}
	for _, text := range []string{"(", "()", "()[", "(X)V", "(L;)V", "()VV", "(Lx)V", "()", "x"} {
		assert.False(t, isDescriptor(text), text)
	}
}

// TestMembersOfAnnotations: numbers of annotations, and words that readers know, stay; other texts do not.
func TestMembersOfAnnotations(t *testing.T) {
	b := jfrtest.NewChunk()
	note := b.Class("shop.Note", jfrtest.Of("level", "int"), jfrtest.Of("text", jfrtest.StringClass))
	note.SuperType = "java.lang.annotation.Annotation"
	e := b.Event("shop.E", jfrtest.Of("n", "long"))
	e.Annotate(jfrtest.Annotation{Class: "shop.Note", Values: []jfrtest.Attribute{{Name: "level", Value: "77"}, {Name: "text", Value: "of 77 and TICKS"}}},
		jfrtest.Note("jdk.jfr.Timespan", "TICKS"))
	b.Emit(e, 1, 5)
	rec := open(t, redacted(t, parsed(t, `constant "N" /[0-9]+|[A-Z]+/ in metadata`), 1, open(t, b.Bytes())))
	typ, ok := rec.Type("shop.E")
	assert.True(t, ok)
	got := map[string]string{}
	for _, a := range typ.Annotations() {
		for _, v := range a.Values() {
			got[a.Name()+":"+v.Name] = v.Texts[0]
		}
	}
	assert.Equal(t, map[string]string{"shop.Note:level": "77", "shop.Note:text": "of N and N", "jdk.jfr.Timespan:value": "TICKS"}, got)
}

// TestClassesOfTheJDKStay: without any line keep-classes, too, since readers know the types of recordings by their names.
func TestClassesOfTheJDKStay(t *testing.T) {
	r := New(&Rules{list: []rule{{act: action{verb: pseudonym}, kind: kindClass}}}, Key{})
	data := redacted(t, r, 1, open(t, shop().Bytes()))
	for _, name := range []string{"java.lang.Class", "jdk.types.Method", "jdk.types.Symbol", "jdk.jfr.Label"} {
		assert.Contains(t, string(data), name)
	}
	assert.NotContains(t, string(data), "Cart")
	n := 0
	for _, err := range open(t, data).Events() {
		assert.NoError(t, err)
		n++
	}
	assert.Equal(t, 4, n)
}
