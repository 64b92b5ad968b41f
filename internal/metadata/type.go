package metadata

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Type is a type that a chunk describes. It is plain data, valid after the
// recording has been closed.
type Type struct {
	Name string `json:"name"`
	// ID is the number of the type in its chunk; of a type that several chunks
	// describe alike, in the first of them.
	ID          int64        `json:"id"`
	Super       string       `json:"super,omitempty"`
	Label       string       `json:"label,omitempty"`
	Description string       `json:"description,omitempty"`
	Category    []string     `json:"category,omitempty"`
	Simple      bool         `json:"simple,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`
	Fields      []Field      `json:"fields,omitempty"`
	Settings    []Setting    `json:"settings,omitempty"`

	from mmapjfr.Type
}

// Field is a field of a type.
type Field struct {
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	TypeID      int64        `json:"typeId"`
	Array       bool         `json:"array,omitempty"`
	Constant    bool         `json:"constant,omitempty"`
	Unsigned    bool         `json:"unsigned,omitempty"`
	Unit        string       `json:"unit,omitempty"`
	Rate        bool         `json:"rate,omitempty"`
	Label       string       `json:"label,omitempty"`
	Description string       `json:"description,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`

	// shown is the name of the type that values of the field are shown as: another one
	// than Type if that is a wrapper.
	shown string
	// control is set if the field's type is a setting.
	control bool
}

// Setting is a setting of an event type, such as its threshold.
type Setting struct {
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	TypeID      int64        `json:"typeId"`
	Default     string       `json:"default"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// newType copies a type.
func newType(t mmapjfr.Type) Type {
	c := Type{
		Name:        engine.TypeRecordedName(t),
		ID:          t.ID(),
		Super:       t.Super(),
		Label:       t.Label(),
		Description: t.Description(),
		Category:    t.Category(),
		Simple:      engine.TypeIsSimple(t),
		Annotations: newAnnotations(t.Annotations()),
		from:        t,
	}
	for _, f := range t.Fields() {
		c.Fields = append(c.Fields, newField(f))
	}
	for _, s := range t.Settings() {
		c.Settings = append(c.Settings, Setting{
			Name:        s.Name(),
			Type:        engine.TypeRecordedName(s.Type()),
			TypeID:      s.Type().ID(),
			Default:     s.Default(),
			Annotations: newAnnotations(s.Annotations()),
		})
	}
	return c
}

func newField(f mmapjfr.Field) Field {
	return Field{
		Name:        f.Name(),
		Type:        engine.TypeRecordedName(f.Type()),
		TypeID:      f.Type().ID(),
		Array:       f.IsArray(),
		Constant:    f.IsConstant(),
		Unsigned:    f.IsUnsigned(),
		Unit:        units[f.Unit()],
		Rate:        engine.FieldIsRate(f),
		Label:       f.Label(),
		Description: f.Description(),
		Annotations: newAnnotations(f.Annotations()),
		shown:       shown(f.Type()),
		control:     f.Type().Super() == jdktypes.Setting,
	}
}

// shown returns the name of the type that values of the type are shown as. As in the JDK, a simple
// type stands for its first field even if it has others, which engine.TypeUnwrapped does not do.
func shown(t mmapjfr.Type) string {
	for range mmapjfr.MaxWrappers {
		fields := t.Fields()
		if !engine.TypeIsSimple(t) || len(fields) == 0 || fields[0].Type().IsZero() {
			break
		}
		t = fields[0].Type()
	}
	return engine.TypeRecordedName(t)
}

// units names what the numbers of a field count.
var units = [...]string{
	mmapjfr.NoUnit:          "",
	mmapjfr.TimestampTicks:  "timestamp ticks",
	mmapjfr.TimestampMillis: "timestamp milliseconds",
	mmapjfr.TimespanTicks:   "ticks",
	mmapjfr.TimespanSeconds: "seconds",
	mmapjfr.TimespanMillis:  "milliseconds",
	mmapjfr.TimespanMicros:  "microseconds",
	mmapjfr.TimespanNanos:   "nanoseconds",
	mmapjfr.Bytes:           "bytes",
	mmapjfr.Bits:            "bits",
	mmapjfr.Percentage:      "percentage",
	mmapjfr.Hertz:           "hertz",
	mmapjfr.Address:         "address",
}

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
			c.Members = append(c.Members, Member{v.Name, engine.TypeRecordedName(f.Type()), v.Array, v.Texts})
		}
		copies = append(copies, c)
	}
	return slices.Clip(copies)
}

// source returns the annotation as source text, as in @Category({"Java", "GC"}).
// Strings stand between quotes as they are: a quote in them is not escaped. It returns "" for nil.
func (a *Annotation) source() string {
	if a == nil {
		return ""
	}
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

// source returns the value as source text. An array of one element looks like the element.
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
