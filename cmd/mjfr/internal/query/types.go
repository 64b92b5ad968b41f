package query

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// writeTypes lists the event types in two columns, with how many events there are of each.
func (s *session) writeTypes(ctx context.Context) error {
	counts := make(map[namedType]uint64)
	for _, rec := range s.set.Recordings {
		for c, found := range engine.RecordingCountEvents(rec, ctx, nil) {
			types, _ := c.Types() // what is wrong with them has been reported
			names := namedTypes(types)
			for _, t := range names {
				counts[t] += 0
			}
			for i, id := range found.IDs {
				if t, err := engine.ChunkEventType(c, int64(id)); err == nil && names[t].name != "" {
					counts[names[t]] += found.Counts[i].Events
				}
			}
		}
	}
	if s.table.Format != table.Text {
		return s.write(s.options.Zone, typesResult(counts))
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

// typesResult returns event types and how many events there are of each, in the order of their
// names.
func typesResult(counts map[namedType]uint64) *query.Result {
	list := slices.SortedFunc(maps.Keys(counts), func(a, b namedType) int { return cmp.Or(cmp.Compare(a.full, b.full), cmp.Compare(a.n, b.n)) })
	return &query.Result{
		Title: "Event Types",
		Columns: []query.Column{
			{Name: "type", Title: "Event Type", Kind: query.Text, Layout: query.LayoutOf(query.Text, 0)},
			{Name: "events", Title: "Events", Kind: query.Unsigned, Layout: query.LayoutOf(query.Unsigned, 0)},
		},
		Rows: func(yield func([]query.Value, error) bool) {
			for _, t := range list {
				if !yield([]query.Value{query.NewValue(t.full), query.NewValue(counts[t])}, nil) {
					return
				}
			}
		},
	}
}

// namedType is an event type as it is in several chunks: the n-th of its name, as different classes
// can have the same.
type namedType struct {
	full, name string
	n          int
}

// namedTypes returns what the event types of a chunk are in others. The JDK's list leaves
// experimental types out.
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
