package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Explain returns how the statement is executed, in some lines: which event types are read and which
// of them pass, what is read of each event, what is summed up, and in which order rows come.
func (p *Plan) Explain() string {
	var b strings.Builder
	for i := range p.sources {
		s := &p.sources[i]
		types := slices.Sorted(maps.Keys(s.types))
		fmt.Fprintf(&b, "read      %s", named(s.source, types))
		if s.where != nil {
			fmt.Fprintf(&b, "\n          that fulfil %s", s.where)
		}
		b.WriteByte('\n')
	}
	if times := p.between(); times != "" {
		fmt.Fprintf(&b, "seek      %s\n", times)
	}
	if names := threadsOf([]*Plan{p}); names != nil {
		fmt.Fprintf(&b, "seek      only blocks that may hold events of the threads %s\n", strings.Join(names, ", "))
	}
	for _, j := range p.joins {
		types := slices.Sorted(maps.Keys(j.types))
		how := map[joinMode]string{
			during: "during    %s: an event counts if they overlap", within: "within    %s: an event counts if one of its thread encloses it",
			asof: "as of     %s: the last one before an event",
		}[j.mode]
		fmt.Fprintf(&b, how+"; these are read first and kept\n", named(j.event, types))
	}
	for _, in := range p.inputs {
		fmt.Fprintf(&b, "decode    %s: %s\n", in.text, in.shape.kind)
	}
	switch {
	case !p.grouped:
		b.WriteString("keep      position and sort key of each event; columns are decoded on output\n")
	case len(p.keys) == 0:
		b.WriteString("group     all events together\n")
	default:
		var keys []string
		for _, k := range p.keys {
			keys = append(keys, p.inputs[k].text)
		}
		fmt.Fprintf(&b, "group     by %s\n", strings.Join(keys, ", "))
	}
	for i := range p.aggs {
		fmt.Fprintf(&b, "sum up    %s%s\n", p.aggs[i].text, p.aggs[i].how())
	}
	if p.having != nil {
		b.WriteString("keep      groups that HAVING accepts\n")
	}
	for _, o := range p.order {
		direction := "ascending"
		if o.desc {
			direction = "descending"
		}
		fmt.Fprintf(&b, "order     by %s, %s\n", p.outputs[o.output].column.Expression, direction)
	}
	if p.st.limit >= 0 {
		fmt.Fprintf(&b, "limit     %d rows\n", p.st.limit)
	}
	return b.String()
}

func named(s source, types []string) string {
	text := strings.Join(types, ", ")
	if len(types) == 0 {
		text = "nothing: no event type is called " + s.pattern
	}
	if s.alias != "" {
		text += " as " + s.alias
	}
	return text
}

// how says how an aggregate is computed where that is not plain.
func (a *aggregate) how() string {
	switch a.kind {
	case quantile, histogram:
		return fmt.Sprintf(": exact up to %d distinct values in all groups, and beyond in buckets of 0.4 %%", maxDistinct)
	case lastPresent:
		return ": the last value that is not null"
	case sum, average, deviation:
		return ": without rounding between"
	}
	return ""
}

// String returns the name of the kind, such as "timespan".
func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "unsigned", "number", "timespan", "timestamp", "text", "thread", "class", "class loader",
		"method", "frame", "stack trace", "list"}[min(k, List)]
}

// About describes the language in a few lines, for help.
const About = `  SELECT what {, what}       fields, expressions and aggregates: count(*) sum avg min max median
                             p50 p99 p999 quantile(x, 0.99) stdev first last diff unique set list top_k(x, 5)
                             arg_max(x, by) rate histogram; AS names a column
  FROM type {, type}         jdk.FileRead, FileRead, jdk.GC*, or * for all
  WHERE condition            as in --where, with AND OR NOT IN LIKE BETWEEN
  DURING | WITHIN | ASOF type [AS name]
                             join by time: the event overlaps one of the type, is inside one on its thread, or
                             comes after the last one; name.field is a field of that event
  GROUP BY what {, what}     or ALL; time(10s) is a time step, stackTrace.topFrame the innermost method
  HAVING condition           on groups, as in count(*) > 10
  ORDER BY what [DESC]       a column, its number, or an expression
  LIMIT n`
