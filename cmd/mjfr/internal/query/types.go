package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query/table"
)

// writeTypes lists the event types in two columns, with how many events there are of each.
func (s *session) writeTypes(ctx context.Context) error {
	counts := make(map[namedType]uint64)
	for _, rec := range s.set.Recordings {
		for c := range rec.CountEvents(ctx, nil) {
			types, _ := c.Chunk.Types() // what is wrong with them has been reported
			names := namedTypes(types)
			for _, t := range names {
				counts[t] += 0
			}
			for _, n := range c.Types {
				if t, err := c.Chunk.EventType(n.TypeID); err == nil && names[t].name != "" {
					counts[names[t]] += n.Events
				}
			}
		}
	}
	var list []string
	for t, n := range counts {
		text := t.name
		if n > 0 {
			text += fmt.Sprintf(" (%d)", n)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	_, err := fmt.Fprintf(s.Stdout, "Event Types (number of events):\n\n%s", table.InColumns(list, 2))
	return err
}

// namedType is an event type as it is in several chunks: the n-th of its name, as different classes can
// have the same.
type namedType struct {
	full, name string
	n          int
}

// namedTypes returns what the event types of a chunk are in others. The JDK's list leaves experimental
// types out.
func namedTypes(types []mmapjfr.Type) map[mmapjfr.Type]namedType {
	list, known := make(map[mmapjfr.Type]namedType), make(map[string]int)
	for _, t := range types {
		if t.IsEvent() && !t.IsExperimental() {
			list[t] = namedType{t.Name(), t.SimpleName(), known[t.Name()]}
			known[t.Name()]++
		}
	}
	return list
}
