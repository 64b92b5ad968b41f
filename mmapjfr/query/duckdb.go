package query

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/sqltext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// ErrNoSQL matches errors of [Plan.DuckDB] about what the statement asks for and SQL over tables cannot say.
var ErrNoSQL = errors.New("no SQL over tables says that")

// SQLColumn is a column of the table of an event type.
type SQLColumn struct {
	Name  string // of the column
	Field string // the path of the field that it shows
}

// DuckDB returns the plan as a statement in DuckDB's dialect, over tables as docs/COLUMNS.md has them. Tables returns
// the name of the table of an event type, and its columns. The macro jdk_quantile of
// package duckdb must be there. Columns have the titles of the plan.
//
// Rows are those of the plan, with these exceptions: classes, methods and threads are the same if their names and
// numbers are; a whole stack trace is its top frame; topApplicationFrame goes by the names of packages; equal rows may
// change places. What has no such statement is an error that matches [ErrNoSQL].
func (p *Plan) DuckDB(tables func(t mmapjfr.Type) (name string, columns []SQLColumn)) (string, error) {
	d := &duckDB{Plan: p, tables: tables}
	return d.statement()
}

// duckDB makes the statement of a plan.
type duckDB struct {
	*Plan
	tables func(t mmapjfr.Type) (name string, columns []SQLColumn)
}

func noSQL(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrNoSQL)
}

// The columns of the events that groups are made of, besides those of inputs: in0 is the value of input 0, has0 is
// set where events have its field, and is0 is what makes two threads or stack traces the same, and of a
// time its nanoseconds.
const (
	sqlEnd   = `"@end"`
	sqlStart = `"@start"`
)

func (d *duckDB) statement() (string, error) {
	if len(d.joins) > 0 {
		return "", noSQL("DURING, WITHIN and ASOF")
	}
	var parts []string
	for i := range d.sources {
		s := &d.sources[i]
		if isGlob(s.pattern) {
			return "", noSQL("FROM %s reads all tables", s.pattern)
		}
		for _, t := range d.types {
			if s.types[t.Name()] && !slices.ContainsFunc(d.types[:slices.Index(d.types, t)], func(o mmapjfr.Type) bool { return o.Name() == t.Name() }) {
				part, err := d.events(s, t)
				if err != nil {
					return "", err
				}
				parts = append(parts, part)
			}
		}
	}
	var shown, by []string
	for i := range d.outputs[:d.visible] {
		text, err := d.shown(i)
		if err != nil {
			return "", err
		}
		shown = append(shown, text+" AS "+sqltext.Name(d.titleOf(i)))
	}
	for _, k := range d.keys {
		by = append(by, d.keyed("in", k), d.keyed("is", k))
	}
	text := "WITH events AS (\n  " + strings.Join(parts, "\n  UNION ALL ") + "\n)\nSELECT " + strings.Join(shown, ", ") + "\nFROM events"
	if len(by) > 0 {
		text += "\nGROUP BY " + strings.Join(by, ", ")
	}
	rest, err := d.endOf()
	return text + rest, err
}

// titleOf returns the title of an output, which differs from those before.
func (d *duckDB) titleOf(i int) string {
	title := sqltext.Plain(cmp.Or(d.outputs[i].column.Title, d.outputs[i].column.Name), "")
	for j := range i {
		if strings.EqualFold(d.titleOf(j), title) {
			return title + "_"
		}
	}
	return title
}

// endOf returns HAVING, ORDER BY and LIMIT.
func (d *duckDB) endOf() (text string, err error) {
	var conditions, order []string
	if d.having != nil {
		condition, err := d.ofGroup(d.having)
		if err != nil {
			return "", err
		}
		conditions = append(conditions, condition)
	}
	for i := range d.aggs {
		if a := &d.aggs[i]; a.kind == lastBatch {
			has := d.keyed("has", a.in)
			conditions = append(conditions, "coalesce(max("+sqlEnd+") FILTER ("+has+") = (SELECT max("+sqlEnd+") FROM events WHERE "+has+"), true)")
		}
	}
	if d.grouped && len(d.keys) == 0 {
		conditions = append(conditions, "count(*) > 0") // no events make no group
	}
	if len(conditions) > 0 {
		text += "\nHAVING " + strings.Join(conditions, " AND ")
	}
	for _, o := range d.order {
		by, err := d.shown(o.output)
		if err != nil {
			return "", err
		}
		if o.desc {
			by += " DESC NULLS LAST"
		} else {
			by += " NULLS FIRST"
		}
		order = append(order, by)
	}
	if len(order) > 0 {
		text += "\nORDER BY " + strings.Join(order, ", ")
	}
	if d.st.limit >= 0 {
		text += "\nLIMIT " + strconv.Itoa(d.st.limit)
	}
	return text, nil
}

func (d *duckDB) keyed(what string, input int) string { return what + strconv.Itoa(input) }

// shown returns the expression of an output.
func (d *duckDB) shown(i int) (string, error) {
	o := &d.outputs[i]
	text, err := d.ofGroup(o.node)
	if err == nil && o.column.Format.Normalized {
		sum := "sum(" + text + ") OVER ()"
		text = "CAST(" + text + " AS DOUBLE) / nullif(" + sum + ", 0)"
	}
	return text, err
}

// ofGroup returns the expression of a row: of a group, or of an event.
func (d *duckDB) ofGroup(n *node) (string, error) {
	leaf := func(what string, n *node) (string, error) {
		switch n.op {
		case opKey:
			return d.keyed(what, d.keys[n.index]), nil
		case opInput:
			return d.keyed(what, n.index), nil
		}
		return d.aggregateOf(&d.aggs[n.index], what)
	}
	return d.expression(n, sqlLeaves{
		shown: func(n *node) (string, error) { return leaf("in", n) },
		nanos: func(n *node) (string, error) {
			i := n.index
			switch n.op {
			case opKey:
				i = d.keys[i]
			case opAggregate:
				i = d.aggs[i].in
			}
			if !d.isExact(&d.inputs[i]) {
				return "", errCutTime
			}
			return leaf("is", n)
		},
	})
}

// aggregateOf returns an aggregate of the columns in0, in1 and so on, or of others.
func (d *duckDB) aggregateOf(a *aggregate, what string) (string, error) {
	if a.kind == count {
		return "count(*)", nil
	}
	if a.in < 0 {
		return "", noSQL("%s", strings.ToLower(a.text))
	}
	in, kind := d.keyed(what, a.in), d.inputs[a.in].shape.kind
	at := "(" + in + ", " + sqlEnd + ")"
	switch a.kind {
	case countPresent:
		if a.nulls {
			return "count(" + d.keyed("has", a.in) + ") FILTER (" + d.keyed("has", a.in) + ")", nil
		}
		return "count(" + in + ")", nil
	case average:
		if kind == Timespan {
			return "CAST(round(avg(" + in + ")) AS BIGINT)", nil
		}
		return "avg(" + in + ")", nil
	case sum, minimum, maximum, deviation:
		return map[aggregateKind]string{sum: "sum", minimum: "min", maximum: "max", deviation: "stddev_pop"}[a.kind] + "(" + in + ")", nil
	case quantile:
		text := "jdk_quantile(" + in + ", " + strconv.FormatFloat(a.share, 'f', -1, 64) + ")"
		if kind == Timespan {
			text = "CAST(trunc(" + text + ") AS BIGINT)"
		}
		return text, nil
	case argMin, argMax:
		name := map[aggregateKind]string{argMin: "arg_min_null", argMax: "arg_max_null"}[a.kind]
		return name + "(" + in + ", " + d.keyed("in", a.by) + ")", nil
	case first, last, lastBatch: // also of null, but not of events without the field
		name := map[aggregateKind]string{first: "arg_min_null", last: "arg_max_null", lastBatch: "arg_max_null"}[a.kind]
		return name + at + " FILTER (" + d.keyed("has", a.in) + ")", nil
	case lastPresent:
		return "arg_max" + at, nil
	case difference:
		if kind != Timestamp {
			return sqlArithmetic(a.shape, "-", "arg_max"+at, "arg_min"+at, d.inputs[a.in].shape, d.inputs[a.in].shape), nil
		}
		if !slices.ContainsFunc(d.inputs[a.in].fields, func(f eventField) bool { return !f.isStart() }) {
			return "nullif(max(" + sqlStart + ") FILTER (" + in + " IS NOT NULL) - min(" + sqlStart + ") FILTER (" + in + " IS NOT NULL), 0)", nil
		}
		if !d.isExact(&d.inputs[a.in]) {
			return "", errCutTime
		}
		return "1000 * (epoch_us(arg_max" + at + ") - epoch_us(arg_min" + at + "))", nil
	case listOf:
		return "list(" + in + ")", nil
	case setOf:
		return "list_sort(list(DISTINCT " + in + "))", nil
	case unique:
		return "count(DISTINCT " + d.keyed("is", a.in) + ")", nil
	}
	return "", noSQL("%s", strings.ToLower(a.text))
}

// events returns the SELECT of the events of a type that a source takes, with a column for each input. Recordings may have
// several versions of the type: an event has a field if all of them have it, or if it has a value there.
func (d *duckDB) events(s *planSource, t mmapjfr.Type) (string, error) {
	name, columns := d.tables(t)
	table := &sqlTable{t, columns}
	list := []string{"start_ns AS " + sqlStart}
	if end := table.named("duration"); end != "" {
		list = append(list, "start_ns + coalesce("+end+", 0) AS "+sqlEnd)
	} else {
		list = append(list, "start_ns AS "+sqlEnd)
	}
	for i := range d.inputs {
		in := &d.inputs[i]
		value, same, has := "NULL", "NULL", "false"
		if recording := table.named("recording_id"); in.text == jvmKey && recording != "" { // it has events of one machine
			list = append(list, recording+" AS "+d.keyed("in", i), recording+" AS "+d.keyed("is", i), "true AS "+d.keyed("has", i))
			continue
		}
		versions := d.versions(t.Name())
		with := slices.DeleteFunc(slices.Clone(versions), func(v mmapjfr.Type) bool { return !d.applies(in, s, v) })
		if len(with) > 0 {
			var err error
			shown := func(n *node) (string, error) {
				f := &in.fields[n.index]
				at := slices.IndexFunc(versions, func(v mmapjfr.Type) bool { return d.isOf(f, s, v) })
				if at < 0 {
					return "NULL", nil
				}
				t := versions[at]
				text, identity, err := table.field(f)
				if identity != "" {
					same = identity
				}
				if own, _, wrong := f.path.resolve(t, d.o.isJava()); wrong == nil && f.shape.kind == Text && own.kind != Text {
					text = "CAST(" + text + " AS VARCHAR)" // other types of the statement have another kind
				}
				return text, err
			}
			leaves := sqlLeaves{shown, func(n *node) (string, error) { return d.nanosOf(&in.fields[n.index], shown, n) }}
			if value, err = d.expression(in.node, leaves); err != nil {
				return "", err
			}
			if in.shape.kind == Timestamp {
				if same, err = d.nanos(in.node, leaves); err != nil {
					same = "1000 * epoch_us(" + value + ")"
				}
			}
			if has = "true"; len(with) < len(versions) {
				has = "(" + value + ") IS NOT NULL"
			}
			if same == "NULL" {
				same = value
			}
		}
		list = append(list, value+" AS "+d.keyed("in", i), same+" AS "+d.keyed("is", i), has+" AS "+d.keyed("has", i))
	}
	text := "SELECT " + strings.Join(list, ", ") + " FROM " + sqltext.Name(name)
	if s.where == nil {
		return text, nil
	}
	condition, err := s.where.DuckDB(d.versions(t.Name()), table.compared)
	if err != nil && !errors.Is(err, ErrNoSQL) {
		err = noSQL("%v", err)
	}
	return text + " WHERE " + condition, err
}

// compared returns what a condition compares in place of a field, see [where.Condition.DuckDB].
func (t *sqlTable) compared(field string, f mmapjfr.Field) (string, error) {
	path, err := parseField(field)
	if err != nil {
		return "", err
	}
	s, _ := shapeOf(f, false)
	text, same, err := t.field(&eventField{path: path, shape: s, join: -1})
	if err != nil || path.path == nil {
		return text, err
	}
	of, _ := t.pathOf(&path)
	switch name := t.of(of + ".name"); {
	case s.kind == Stack:
		return same, nil
	case s.kind == ClassLoader && name != "":
		return "coalesce(nullif(" + sqltext.Name(name) + ", ''), " + text + ")", nil
	}
	return text, nil
}

// versions returns the versions of a type.
func (d *duckDB) versions(name string) []mmapjfr.Type {
	return slices.DeleteFunc(slices.Clone(d.types), func(t mmapjfr.Type) bool { return t.Name() != name })
}

// applies reports whether events of a type that a source takes have one of the fields of an input.
func (d *duckDB) applies(in *input, s *planSource, t mmapjfr.Type) bool {
	return len(in.fields) == 0 || slices.ContainsFunc(in.fields, func(f eventField) bool { return d.isOf(&f, s, t) })
}

// isOf reports whether events of a type that a source takes have a field.
func (d *duckDB) isOf(f *eventField, s *planSource, t mmapjfr.Type) bool {
	if f.typ != "" && f.typ != t.Name() || len(f.sources) > 0 && !slices.Contains(f.sources, s.name()) {
		return false
	}
	_, _, err := f.path.resolve(t, d.o.isJava())
	return err == nil
}

// sqlTable is the table of an event type.
type sqlTable struct {
	typ     mmapjfr.Type
	columns []SQLColumn
}

// named returns the column of a name, or "".
func (t *sqlTable) named(name string) string {
	if slices.ContainsFunc(t.columns, func(c SQLColumn) bool { return c.Name == name }) {
		return sqltext.Name(name)
	}
	return ""
}

// of returns the first column that shows a field.
func (t *sqlTable) of(field string) string {
	for _, c := range t.columns {
		if c.Field == field {
			return c.Name
		}
	}
	return ""
}

// field returns the expression of a field, and that which makes two of its values the same; "" if it is the same one.
func (t *sqlTable) field(f *eventField) (text, identity string, err error) {
	p := &f.path
	switch {
	case p.isWeight:
		return "", "", noSQL("what a sample stands for")
	case p.path == nil && p.label:
		text, err = sqlValue(textValue(t.typ.Label()))
		return text, "", err
	case p.path == nil:
		text, err = sqlValue(textValue(t.typ.Name()))
		return text, "", err
	}
	path, err := t.pathOf(p)
	if err != nil {
		return "", "", err
	}
	before, last, _ := cutLast(path)
	switch own := t.of(path); {
	case p.frame != noFrame:
		return t.frame(p, path)
	case own != "" && f.shape.kind == Stack:
		return t.quoted(path, "top_frame"), t.quoted(path, "stack_id"), nil
	case own != "" && f.shape.kind == Thread:
		name, number, osNumber := sqltext.Name(own), t.quoted(path, "thread_id"), t.quoted(path, "os_tid")
		return name, "concat_ws('/', " + name + ", " + number + ", " + osNumber + ")", nil
	case own != "":
		return sqltext.Name(own), "", nil
	case f.shape.kind == ClassLoader && t.of(path+".type") != "" && t.of(path+".name") != "":
		typ := sqltext.Name(t.of(path + ".type"))
		return typ, "concat_ws('/', " + typ + ", " + sqltext.Name(t.of(path+".name")) + ")", nil
	case t.of(path+".name") != "":
		return sqltext.Name(t.of(path + ".name")), "", nil
	case t.of(before) != "" && last == "javaName": // those that Java does not know have the name of the operating system
		return "CASE WHEN " + t.quoted(before, "thread_id") + " IS NOT NULL THEN " + sqltext.Name(t.of(before)) + " END", "", nil
	case t.of(before) != "" && (last == "javaThreadId" || last == "osThreadId"):
		number := t.quoted(before, map[string]string{"javaThreadId": "thread_id", "osThreadId": "os_tid"}[last])
		return "coalesce(" + number + ", CASE WHEN " + sqltext.Name(t.of(before)) + " IS NOT NULL THEN 0 END)", "", nil
	}
	return "", "", noSQL("the field %s of %s", path, t.typ.Name())
}

// pathOf returns the path of a recorded field; that of what is computed by it is the field itself.
func (t *sqlTable) pathOf(p *fieldPath) (string, error) {
	path := p.path.String()
	if isSettingID(t.typ, path) {
		return "", noSQL("the names of event types by their numbers")
	}
	switch path {
	case "@start":
		path = "startTime"
	case "@duration":
		path = "duration"
	case "@thread":
		path = "eventThread"
		if t.of(path) == "" {
			path = "sampledThread"
		}
	}
	return path, nil
}

// quoted is beside with quotes.
func (t *sqlTable) quoted(field, end string) string { return sqltext.Name(t.beside(field, end)) }

// beside returns the column of a thread or a stack trace that ends so.
func (t *sqlTable) beside(field, end string) string {
	for _, c := range t.columns {
		if c.Field == field && (c.Name == end || strings.HasSuffix(c.Name, "."+end) || strings.HasPrefix(c.Name, end+"_")) {
			return c.Name
		}
	}
	return end
}

// frame returns a frame of a stack trace.
func (t *sqlTable) frame(p *fieldPath, path string) (text, identity string, err error) {
	if t.of(path) == "" {
		return "", "", noSQL("frames of %s", path)
	}
	switch p.frame {
	case topNotInitFrame:
		text = "top_not_init_frame(" + t.quoted(path, "stack_id") + ")"
	case topApplicationFrame:
		text = t.quoted(path, "top_app_frame")
	default:
		text = t.quoted(path, "top_frame")
	}
	switch {
	case p.rest == nil || p.rest.String() == "method":
		return text, "", nil
	case p.rest.String() == "method.type":
		return "class_of(" + text + ")", "", nil
	}
	return "", "", noSQL("%s of a frame", p.rest)
}

// cutLast cuts a path at its last point.
func cutLast(path string) (before, last string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
