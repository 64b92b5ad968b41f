package metadata

import (
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
		Name:        t.Name(),
		ID:          t.ID(),
		Super:       t.Super(),
		Label:       t.Label(),
		Description: t.Description(),
		Category:    t.Category(),
		Simple:      t.IsSimple(),
		Annotations: newAnnotations(t.Annotations()),
		from:        t,
	}
	for _, f := range t.Fields() {
		c.Fields = append(c.Fields, newField(f))
	}
	for _, s := range t.Settings() {
		c.Settings = append(c.Settings, Setting{
			Name:        s.Name(),
			Type:        s.Type().Name(),
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
		Type:        f.Type().Name(),
		TypeID:      f.Type().ID(),
		Array:       f.IsArray(),
		Constant:    f.IsConstant(),
		Unsigned:    f.IsUnsigned(),
		Unit:        units[f.Unit()],
		Rate:        f.IsRate(),
		Label:       f.Label(),
		Description: f.Description(),
		Annotations: newAnnotations(f.Annotations()),
		shown:       shown(f.Type()),
		control:     f.Type().Super() == jdktypes.Setting,
	}
}

// shown returns the name of the type that values of the type are shown as. As in the JDK,
// a simple type stands for its first field even if it has others, which
// [mmapjfr.Type.Unwrapped] does not do.
func shown(t mmapjfr.Type) string {
	for range mmapjfr.MaxWrappers {
		fields := t.Fields()
		if !t.IsSimple() || len(fields) == 0 || fields[0].Type().IsZero() {
			break
		}
		t = fields[0].Type()
	}
	return t.Name()
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
