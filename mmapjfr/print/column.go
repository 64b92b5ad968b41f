package print

import (
	"slices"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// column is what stands in one place of each row, or object.
type column struct {
	title string
	path  *mmapjfr.FieldPath
}

// shortForms are the types of structs that are no objects in a cell.
var shortForms = []string{jdktypes.Thread, jdktypes.ThreadGroup, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace}

// columnsOf returns columns for all fields of event types that have one name. Structs
// without a short form of their own have a column for each of their fields.
func columnsOf(types []mmapjfr.Type) (columns []column) {
	seen := make(map[string]bool)
	add := func(title string) {
		// A name that is no path, as of a field in no Java, has no column.
		if path, err := mmapjfr.ParsePath(title); err == nil && !seen[title] {
			seen[title] = true
			columns = append(columns, column{title: title, path: path})
		}
	}
	for _, t := range types {
		for _, f := range t.Fields() {
			inner := f.Type()
			if f.IsArray() || inner.IsPrimitive() || inner.IsSimple() || slices.Contains(shortForms, inner.CurrentName()) {
				add(f.Name())
				continue
			}
			for _, g := range inner.Fields() {
				add(f.Name() + "." + g.Name())
			}
		}
	}
	return columns
}
