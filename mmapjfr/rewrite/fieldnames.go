package rewrite

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// fieldNames finds fields by their names. Texts ask for others beside them once for each value: a type with
// many fields must not be searched each time.
type fieldNames map[*schema.Type]map[string]int

// find returns the number of the first field with a name; -1 if the type has none.
func (all fieldNames) find(t *schema.Type, name string) int {
	fields := all[t]
	if fields == nil {
		fields = make(map[string]int, len(t.Fields))
		for i := range t.Fields {
			wire.Step()
			if _, again := fields[t.Fields[i].Name]; !again {
				fields[t.Fields[i].Name] = i
			}
		}
		all[t] = fields
	}
	if i, ok := fields[name]; ok {
		return i
	}
	return -1
}

// textSlot returns the slot of a field with a text, which may lie in structs: then the name is the path to it.
func (all fieldNames) textSlot(t *schema.Type, field string) (slot int, ok bool) {
	for {
		name, rest, more := strings.Cut(field, ".")
		i := all.find(t, name)
		if i < 0 || t.Fields[i].Array || t.Fields[i].Constant {
			return 0, false
		}
		slot += t.Fields[i].Slot()
		if t = t.Fields[i].Type; !more {
			return slot, t.Kind == schema.String
		}
		field = rest
	}
}
