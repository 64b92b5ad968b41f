package metadata_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// catalogOf returns what a recording that was made describes.
func catalogOf(t *testing.T, data []byte) *metadata.Catalog {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	var c metadata.Catalog
	require.NoError(t, c.Add(rec))
	return &c
}

func TestNastyNamesAreThoseOfTheJDK(t *testing.T) {
	data := jfrtest.NastyNames(1, 60, false).Bytes()
	for _, ids := range []bool{false, true} {
		question := []string{"metadata", "--ids"}
		if !ids {
			question = question[:1]
		}
		want := said.OfBytes(t, "nasty-names.jfr", data, question...)
		require.Empty(t, want.Refusal)
		said.Same(t, want.Out, source(t, catalogOf(t, data), metadata.Options{IDs: ids}))
	}
}

// TestNastyNamesAreThoseOfANaiveWriter has names that the JDK refuses, too.
func TestNastyNamesAreThoseOfANaiveWriter(t *testing.T) {
	for seed := range uint64(3) {
		data := jfrtest.NastyNames(seed, 60, true).Bytes()
		rec, err := jfrtest.Decode(data)
		require.NoError(t, err)
		said.Same(t, []byte(naiveSource(rec.Chunks[0])), source(t, catalogOf(t, data), metadata.Options{}))
	}
}

// naiveSource writes classes as the source of the JDK's MetadataWriter has it.
func naiveSource(c *jfrtest.Chunk) string {
	var b strings.Builder
	var list []*jfrtest.Class
	for _, class := range c.Classes {
		list = append(list, class)
	}
	packageOf := func(name string) string { return name[:strings.LastIndex(name, ".")+1] }
	simple := func(name string) string { return name[strings.LastIndex(name, ".")+1:] }
	units := func(s string) []uint16 { return utf16.Encode([]rune(s)) }
	group := map[string]int{"": 1, "java.lang.annotation.Annotation": 3, "jdk.jfr.SettingControl": 4, "jdk.jfr.Event": 5}
	slices.SortFunc(list, func(x, y *jfrtest.Class) int {
		if d := group[x.SuperType] - group[y.SuperType]; d != 0 {
			return d
		}
		if d := slices.Compare(units(packageOf(x.Name)), units(packageOf(y.Name))); d != 0 {
			return d
		}
		return slices.Compare(units(x.Name), units(y.Name))
	})
	annotations := func(indent string, as []jfrtest.Annotation) {
		for _, a := range as {
			if a.Class != "jdk.jfr.Name" {
				fmt.Fprintf(&b, "%s@%s%s\n", indent, simple(a.Class), naiveValues(c.Classes[a.ClassID], a))
			}
		}
	}
	for _, class := range list {
		if strings.Contains(class.Name, ".") {
			fmt.Fprintf(&b, "@Name(\"%s\")\n", class.Name)
		}
		annotations("", class.Annotations)
		fmt.Fprintf(&b, "class %s", simple(class.Name))
		if class.SuperType != "" {
			fmt.Fprintf(&b, " extends %s", class.SuperType)
		}
		b.WriteString(" {\n")
		for i, f := range class.Fields {
			if i > 0 {
				b.WriteString("\n")
			}
			annotations("  ", f.Annotations)
			array := ""
			if f.Dimension > 0 {
				array = "[]"
			}
			shown := c.Classes[f.ClassID]
			for shown.SimpleType && len(shown.Fields) == 1 {
				shown = c.Classes[shown.Fields[0].ClassID]
			}
			fmt.Fprintf(&b, "  %s%s %s;\n", simple(shown.Name), array, f.Name)
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

// naiveValues returns the values of an annotation, in parentheses if there are any.
func naiveValues(class *jfrtest.Class, a jfrtest.Annotation) string {
	value := func(name, of string) string {
		for _, v := range a.Values {
			if v.Name == name && of == jfrtest.StringClass {
				return `"` + v.Value + `"`
			} else if v.Name == name {
				return v.Value
			}
		}
		return ""
	}
	var members []string
	for _, f := range class.Fields {
		text := value(f.Name, f.Class)
		if f.Dimension > 0 {
			var list []string
			for i := 0; value(fmt.Sprintf("%s-%d", f.Name, i), f.Class) != ""; i++ {
				list = append(list, value(fmt.Sprintf("%s-%d", f.Name, i), f.Class))
			}
			if text = strings.Join(list, ", "); len(list) != 1 {
				text = "{" + text + "}"
			}
		}
		if len(class.Fields) > 1 || f.Name != "value" {
			text = f.Name + "=" + text
		}
		members = append(members, text)
	}
	if len(members) == 0 {
		return ""
	}
	return "(" + strings.Join(members, ", ") + ")"
}
