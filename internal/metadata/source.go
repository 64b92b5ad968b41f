package metadata

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// WriteSource writes the types as source text, byte for byte that of the JDK's jfr
// metadata. The JDK fails at annotations with arrays of numbers.
func (c *Catalog) WriteSource(w io.Writer, o Options) error {
	text := func(t *Type) string {
		var b strings.Builder
		s := source{out: &b, ids: o.IDs}
		s.write(t)
		return b.String()
	}
	out := bufio.NewWriter(w)
	for _, t := range c.join(o, text) {
		out.WriteString(text(&t))
	}
	return out.Flush()
}

// source writes a type as source text.
type source struct {
	out *strings.Builder
	// ids adds the numbers of types as comments, which are aligned to column.
	ids    bool
	column int
}

func (s *source) write(t *Type) {
	s.column = javatext.Len(t.Name) + len(`@Name("")`) + 1
	if s.ids {
		fmt.Fprintf(s.out, "// id: %d\n", t.ID)
	}
	if packageOf(t.Name) != "" {
		fmt.Fprintf(s.out, "@Name(\"%s\")\n", t.Name)
	}
	s.annotations("", t.Annotations)
	s.out.WriteString(t.head(simpleName(t.Name)) + " {\n")
	for i := range t.Fields {
		f := &t.Fields[i]
		if i > 0 {
			s.out.WriteByte('\n')
		}
		s.annotations("  ", f.Annotations)
		s.line("  "+f.source()+";", f.TypeID, true)
	}
	s.out.WriteString("}\n\n")
}

// annotations writes annotations, one a line. The name of a type is not repeated.
func (s *source) annotations(indent string, list []Annotation) {
	for i := range list {
		if a := &list[i]; a.Type != jdktypes.Name {
			s.line(indent+a.source(), a.ID, len(a.Members) > 0)
		}
	}
}

// line writes a line, with the number of the type if it is wanted.
func (s *source) line(text string, id int64, comment bool) {
	s.out.WriteString(text)
	if s.ids && comment {
		// The comment of a longer line is not aligned.
		gap := 2
		if n := javatext.Len(text); n <= s.column {
			gap = s.column - n
		}
		fmt.Fprintf(s.out, "%*s // id=%d", gap, "", id)
	}
	s.out.WriteByte('\n')
}

// head returns the beginning of the type's declaration, with its full or its simple name.
func (t *Type) head(name string) string {
	if t.Super == "" {
		return "class " + name
	}
	return "class " + name + " extends " + t.Super
}

// source returns the declaration of the field, with the type that its values are read as.
func (f *Field) source() string {
	text := simpleName(f.shown)
	if f.control {
		text = "static " + text
	}
	if f.Array {
		text += "[]"
	}
	return text + " " + f.Name
}
