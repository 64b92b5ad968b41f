package index

import "github.com/mmapjfr/jfr/internal/jdktypes"

// NewComputedField returns a field that no metadata describes: its values, of that class and unit,
// are computed from a value of the class base. It has no slot and no plan.
func NewComputedField(name, label string, class, base *Type, unit Unit) *Field {
	f := &Field{Name: name, Type: class, Unit: unit, shown: class, base: base}
	if label != "" {
		f.Annotations = []Annotation{{Type: labelClass, attrs: []attribute{{"value", label}}}}
	}
	return f
}

// labelClass is the type of the annotation that labels are in.
var labelClass = &Type{Name: jdktypes.Label, Fields: []Field{{Name: "value"}}}

// Base returns the class that the values of a field are computed from; nil if they are
// recorded.
func (f *Field) Base() *Type { return f.base }
