package query

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxStar is how many columns SELECT * has at most.
const maxStar = 500

// allFields returns the outputs that SELECT * means: the fields of the event types, those of structs
// one by one.
func (c *compiler) allFields() (list []output) {
	var known []string
	c.eachType(eventField{join: -1}, func(t mmapjfr.Type) {
		var structs []mmapjfr.Type
		for _, f := range t.Fields() {
			// The JDK shows the fields of a struct once for each type.
			if inner := f.Type().Unwrapped(); c.o.JDK && !isLeaf(inner) {
				if slices.Contains(structs, inner) {
					continue
				}
				structs = append(structs, inner)
			}
			for _, field := range flat(f) {
				if len(list) < maxStar && !slices.Contains(known, field) && c.has(t, field) {
					known = append(known, field)
					list = append(list, output{expr: &path{field: field}, text: field, title: starTitle(t, f, field)})
				}
			}
		}
	})
	return list
}

// starTitle returns the title of a column of SELECT * that is not that of the field itself: that of
// a field of a struct, and "Event Id" for what is shown as a label.
func starTitle(t mmapjfr.Type, f mmapjfr.Field, field string) string {
	if isSettingID(t, field) {
		return f.Label()
	}
	return nestedLabel(t, field)
}

// flat returns the paths of what a field holds: its own, or those of the fields of a struct, whose own
// structs and arrays are left out.
func flat(f mmapjfr.Field) (paths []string) {
	t := f.Type().Unwrapped()
	if f.IsArray() || isLeaf(t) {
		return []string{f.Name()}
	}
	for _, inner := range t.Fields() {
		if !inner.IsArray() && isLeaf(inner.Type().Unwrapped()) {
			paths = append(paths, f.Name()+"."+inner.Name())
		}
	}
	return paths
}

// isLeaf reports whether values of a type are shown as one.
func isLeaf(t mmapjfr.Type) bool {
	switch t.CurrentName() {
	case jdktypes.Thread, jdktypes.Class, jdktypes.ThreadGroup, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace:
		return true
	}
	return t.IsPrimitive() || len(t.Fields()) == 0
}

// has reports whether a field of a type has values that can be shown.
func (c *compiler) has(t mmapjfr.Type, field string) bool {
	f, err := parseField(field)
	if err == nil {
		_, _, err = f.resolve(t, c.o.isJava())
	}
	return err == nil
}
