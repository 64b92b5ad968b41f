package print

import (
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// column is what stands in one place of each row.
type column struct {
	title string
	path  *mmapjfr.FieldPath
	// ofEvent appends something that is no field, if it is not nil.
	ofEvent func(dst []byte, clock *plainClock, ev mmapjfr.Event) []byte
}

// ofEvents are columns of what is known of every event, whatever its fields: the name
// of its type, when it ended, where it begins in its file and how many bytes it takes.
// No field in Java can have such a name.
var ofEvents = map[string]func(dst []byte, clock *plainClock, ev mmapjfr.Event) []byte{
	"@type": func(dst []byte, _ *plainClock, ev mmapjfr.Event) []byte { return append(dst, ev.Type().Name()...) },
	"@end":  func(dst []byte, clock *plainClock, ev mmapjfr.Event) []byte { return clock.append(dst, ev.End()) },
	"@offset": func(dst []byte, _ *plainClock, ev mmapjfr.Event) []byte {
		return strconv.AppendUint(dst, ev.Offset(), 10)
	},
	"@size": func(dst []byte, _ *plainClock, ev mmapjfr.Event) []byte {
		return strconv.AppendInt(dst, int64(ev.Size()), 10)
	},
}

// shortForms are the types of structs that are no objects in a cell.
var shortForms = []string{threadType, groupType, classType, loaderType, methodType, frameType, stackType}

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
