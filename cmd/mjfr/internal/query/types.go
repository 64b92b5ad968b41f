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
	counts := make(map[mmapjfr.Type]uint64)
	for _, rec := range s.set.Recordings {
		for c := range rec.CountEvents(ctx, nil) {
			for _, n := range c.Types {
				if t, err := c.Chunk.EventType(n.TypeID); err == nil {
					counts[t] += n.Events
				}
			}
		}
	}
	var list []string
	for _, t := range s.types {
		if !t.IsEvent() {
			continue
		}
		text := t.SimpleName()
		if n := counts[t]; n > 0 {
			text += fmt.Sprintf(" (%d)", n)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	_, err := fmt.Fprintf(s.Stdout, "Event Types (number of events):\n\n%s\n", table.InColumns(list, 2))
	return err
}
