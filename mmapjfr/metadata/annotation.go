package metadata

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Annotation is a statement about a type, a field or a setting.
type Annotation struct {
	// Type is the full name of the annotation's type, and ID its number.
	Type string
	ID   int64
	// Members are the values, in the order in which the type declares them.
	Members []Member
}

// Member is a value of an annotation.
type Member struct {
	Name string
	// Type is the name of the type of the value, or of the elements of an array.
	Type  string
	Array bool
	// Texts are the elements of an array, or the one value, as they are in the file; nil
	// if the recording has no value.
	Texts []string
}

func newAnnotations(list []mmapjfr.Annotation) []Annotation {
	copies := make([]Annotation, 0, len(list))
	for _, a := range list {
		c := Annotation{Type: a.Name(), ID: a.Type().ID()}
		for _, v := range a.Values() {
			f, _ := a.Type().Field(v.Name)
			c.Members = append(c.Members, Member{v.Name, f.Type().Name(), v.Array, v.Texts})
		}
		copies = append(copies, c)
	}
	return slices.Clip(copies)
}

// source returns the annotation as source text, as in @Category({"Java", "GC"}).
// Strings stand between quotes as they are: a quote in them is not escaped.
func (a *Annotation) source() string {
	head := "@" + simpleName(a.Type)
	if len(a.Members) == 0 {
		return head
	}
	if only := a.Members[0]; len(a.Members) == 1 && only.Name == "value" {
		return head + "(" + only.source() + ")"
	}
	var members []string
	for _, m := range a.Members {
		members = append(members, m.Name+"="+m.source())
	}
	return head + "(" + strings.Join(members, ", ") + ")"
}

// source returns the value as source text. An array of one element looks like the
// element.
func (m *Member) source() string {
	texts := slices.Clone(m.Texts)
	if m.Type == jdktypes.String {
		for i, text := range texts {
			texts[i] = `"` + text + `"`
		}
	}
	switch {
	case len(texts) == 1:
		return texts[0]
	case m.Array:
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return "null"
}

// MarshalJSON writes the name of the type, and the values as an object with their
// names as keys: numbers and booleans as such, all else as strings.
func (a Annotation) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	write := func(before string, v any) {
		b.WriteString(before)
		// Strings, numbers, booleans and lists of them cannot fail.
		_ = out.Encode(v)
	}
	write(`{"type":`, a.Type)
	sep := `,"values":{`
	for _, m := range a.Members {
		write(sep, m.Name)
		write(":", m.value())
		sep = ","
	}
	if len(a.Members) > 0 {
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// value returns the value for JSON.
func (m *Member) value() any {
	list := make([]any, 0, len(m.Texts))
	for _, text := range m.Texts {
		list = append(list, jsonOf(m.Type, text))
	}
	switch {
	case m.Array:
		return list
	case len(list) > 0:
		return list[0]
	}
	return nil
}

// jsonOf returns a value as JSON writes values of the type. NaN and infinities, which are
// no numbers in JSON, are strings.
func jsonOf(typ, text string) any {
	switch typ {
	case "byte", "short", "int", "long", "float", "double":
		if n := json.RawMessage(text); json.Valid(n) {
			return n
		}
	case "boolean":
		switch text {
		case "true":
			return true
		case "false":
			return false
		}
	}
	return text
}
