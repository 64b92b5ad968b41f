package repair

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// The JDK's jfr fails as a whole at a frame without a method, a method without a class and
// so on, see placeholders: so each of these classes must have the fields that lead to the next.
var requiredFields = map[string][]string{
	jdktypes.StackFrame: {"method"},
	jdktypes.Method:     {"type", "name", descriptorField},
	jdktypes.Class:      {"name"},

	jdktypes.Reference: {"object"},
}

// bareStacks makes classes bare that the JDK cannot print: then there are no stack traces,
// rather than no events. It reports whether there are such classes.
func (d *description) bareStacks() (changed bool) {
	for _, class := range d.types.Types {
		if d.has(class) && !d.isPrintable(class) {
			d.bare[class.Ordinal()], changed = "the JDK cannot print it", true
		}
	}
	return changed
}

// isPrintable reports whether the JDK can print values of the class, as far as that
// depends on what classes its fields have.
func (d *description) isPrintable(class *schema.Type) bool {
	name := class.CurrentName()
	for _, lead := range requiredFields[name] {
		i := class.Field(lead)
		if i < 0 {
			return false
		}
		f := &class.Fields[i]
		if f.Array || !d.leadsOn(name, f) {
			return false
		}
	}
	return true
}

// leadsOn reports whether a field of a class of that name leads to what it should: a frame
// to a method, a method to a class, a reference to an old object, and all others to a text.
func (d *description) leadsOn(name string, f *schema.Field) bool {
	to := f.Type.CurrentName()
	switch {
	case name == jdktypes.Reference:
		return f.Constant && to == jdktypes.OldObject && d.pools(f.Type)
	case name == jdktypes.StackFrame:
		return f.Constant && to == jdktypes.Method && d.pools(f.Type)
	case name == jdktypes.Method && f.Name == "type":
		return f.Constant && to == jdktypes.Class && d.pools(f.Type)
	case f.Constant && to == jdktypes.Symbol:
		return d.pools(f.Type) && d.isSimple(f.Type) && f.Type.Fields[0].Type.Kind == schema.String
	}
	return f.Type.Kind == schema.String
}
