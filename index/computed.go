package index

// Computed returns a field that no metadata describes: its values, of that class and unit,
// are computed from a value of the class base. It has no slot and no plan.
func Computed(name, label string, class, base *Class, unit Unit) *Field {
	f := &Field{Name: name, Class: class, Unit: unit, shown: class, base: base}
	if label != "" {
		f.Annotations = []Annotation{{Class: labelClass, attrs: []attribute{{"value", label}}}}
	}
	return f
}

// labelClass is the type of the annotation that labels are in.
var labelClass = &Class{Name: "jdk.jfr.Label", Fields: []Field{{Name: "value"}}}

// Base returns the class that the values of a field are computed from; nil if they are
// recorded.
func (f *Field) Base() *Class { return f.base }
