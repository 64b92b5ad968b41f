package print

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/rows"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// csvRenderer writes each event as a row of cells.
//
// Values are plain ones, see appendPlain. Threads and thread groups are their names, class
// loaders theirs or that of their class. A stack trace, and its field frames, are the
// frames with semicolons between them, the innermost first. All other structs and arrays
// are as in NDJSON.
type csvRenderer struct {
	json    *jsonRenderer
	columns []column
	row     *rows.Row
	cell    []byte

	// byField are the columns of each field, and values those of the event; both are nil if columns
	// are few: a field is found by going over those before it.
	byField map[string][]fieldColumn
	values  []mmapjfr.Value
}

// fieldColumn is a column that shows a field, or a field of the struct that it holds.
type fieldColumn struct {
	at    int
	inner *mmapjfr.FieldPath // nil for the field itself
}

// manyColumns is of how many columns the values are read in the order of the fields.
const manyColumns = 32

func newCSV(o *Options, columns []column) *csvRenderer {
	f := rows.CSV
	if o.Format == TSV {
		f = rows.TSV
	}
	r := &csvRenderer{json: newNDJSON(o, nil), columns: slices.Clone(columns), row: rows.New(f, o.SpreadsheetSafe, titles(columns))}
	if len(columns) < manyColumns {
		return r
	}
	r.byField, r.values = make(map[string][]fieldColumn), make([]mmapjfr.Value, len(columns))
	for i, c := range columns {
		name, rest, nested := strings.Cut(c.title, ".")
		own := fieldColumn{at: i}
		if nested {
			own.inner, _ = mmapjfr.ParsePath(rest)
		}
		if !nested || own.inner != nil {
			r.byField[name] = append(r.byField[name], own)
		}
	}
	return r
}

// read reads the values of all columns that are fields.
func (r *csvRenderer) read(ev mmapjfr.Event) {
	clear(r.values)
	for f, v := range ev.Fields() {
		for _, c := range r.byField[f.Name()] {
			switch {
			case r.values[c.at].Kind() != mmapjfr.KindNone: // of another field of this name
			case c.inner == nil:
				r.values[c.at] = v
			default:
				r.values[c.at] = v.Get(c.inner)
			}
		}
	}
}

// value returns what a column shows of an event that has been read.
func (r *csvRenderer) value(ev mmapjfr.Event, i int) mmapjfr.Value {
	if r.byField != nil && r.values[i].Kind() != mmapjfr.KindNone {
		return r.values[i]
	}
	return ev.Get(r.columns[i].path)
}

// csvText is the depth of cached texts of cells, which are not those in JSON.
const csvText = ndjsonDepth + 1

func (r *csvRenderer) append(dst []byte, it *item) []byte {
	r.json.enter(nil, it.event)
	if r.byField != nil {
		r.read(it.event)
	}
	r.row.Begin(dst)
	for i := range r.columns {
		v := r.value(it.event, i)
		if v.Kind() == mmapjfr.KindNone {
			r.row.Null()
			continue
		}
		r.cell = r.appendValue(r.cell[:0], r.columns[i].templateOf(v), v)
		if len(r.cell) == 0 && v.Kind() != mmapjfr.KindString && v.Type().Name() != jdktypes.Thread {
			r.row.Null() // a virtual thread mostly has an empty name
		} else {
			r.row.Cell(r.cell)
		}
	}
	return append(r.row.End(), '\n')
}

func (r *csvRenderer) appendValue(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Kind() {
	case mmapjfr.KindString:
		return v.AppendStr(dst)
	case mmapjfr.KindStruct:
		if s.constant {
			return r.appendConstant(dst, s, v)
		}
		return r.appendStruct(dst, s, v)
	case mmapjfr.KindArray:
		if s.frames {
			return r.appendFrames(dst, v)
		}
		return r.json.appendArray(dst, s, v, ndjsonDepth)
	}
	return r.json.clock.appendPlain(dst, s, v)
}

func (r *csvRenderer) appendConstant(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	key := constKey{s.field.Type(), engine.ValueKey(v), csvText}
	return r.json.constants.appendBounded(dst, key, "", func(dst []byte) ([]byte, bool) {
		return r.appendStruct(dst, s, v), true
	})
}

func (r *csvRenderer) appendStruct(dst []byte, s *fieldTemplate, v mmapjfr.Value) []byte {
	switch v.Type().Name() {
	case jdktypes.Thread, jdktypes.ThreadGroup, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method:
		return v.AppendStr(dst)
	case jdktypes.StackFrame:
		return r.appendFrame(dst, v)
	case jdktypes.StackTrace:
		return r.appendFrames(dst, v.Get(pathFrames))
	}
	return r.json.appendStruct(dst, s, v, ndjsonDepth)
}

// appendFrames appends the frames of a stack trace.
func (r *csvRenderer) appendFrames(dst []byte, frames mmapjfr.Value) []byte {
	n := 0
	for e := range frames.Elements() {
		if n == r.json.options.StackDepth {
			break
		}
		if n > 0 {
			dst = append(dst, ';')
		}
		n++
		dst = r.appendFrame(dst, e)
	}
	return dst
}

// appendFrame appends a stack frame: its method and its line.
func (r *csvRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(pathMethod)
	key := constKey{method.Type(), engine.ValueKey(method), csvText}
	dst = r.json.constants.append(dst, key, func(dst []byte) []byte { return engine.MethodAppendSignature(frame.Method(), dst) })
	return appendLine(dst, frame)
}

// titles returns the titles of columns.
func titles(columns []column) (list []string) {
	for _, c := range columns {
		list = append(list, c.title)
	}
	return list
}

// ErrMixedTypes is the error for CSV or TSV without Fields if there are events of
// several types, which have no columns in common.
var ErrMixedTypes = errors.New("events of several types have different columns")

// DefaultFields returns the fields of rows of these types without [Options].Fields: all
// fields, and for a struct without a short form the fields in it. The types must have one
// name; a field of several of them is returned once.
func DefaultFields(types ...mmapjfr.Type) (fields []string) {
	return titles(columnsOf(types))
}

// CheckFields returns the error that [Write] returns for fields of rows: for one that
// cannot be a path, and for one that none of the types has.
func CheckFields(fields []string, types []mmapjfr.Type) error {
	o := Options{Fields: fields}
	_, err := o.namedColumns(types)
	return err
}

// columns returns the columns that are named, or else those of the one event type that
// there are events of; none if the format has no columns.
func (o *Options) columns(ctx context.Context, recs []*mmapjfr.Recording) (columns []column, err error) {
	if !o.inColumns() {
		return nil, nil
	}
	types, _ := mmapjfr.EventTypes(recs, o.Filters...) // the walk over the events reports errors
	if len(o.Fields) > 0 {
		return o.namedColumns(types)
	}
	names := typeNames(types)
	if len(names) > 1 {
		if names, err = o.occurring(ctx, recs); err != nil {
			return nil, err
		}
	}
	switch len(names) {
	case 0:
		return nil, nil
	case 1:
		return columnsOf(slices.DeleteFunc(types, func(t mmapjfr.Type) bool { return t.Name() != names[0] })), nil
	}
	return nil, fmt.Errorf("%w: %s", ErrMixedTypes, strings.Join(names, " and "))
}

// namedColumns returns the columns of Fields. It fails if one is of a field that none of the
// types has; without types any path will do.
func (o *Options) namedColumns(types []mmapjfr.Type) (columns []column, err error) {
	for _, text := range o.Fields {
		path, err := findColumn(text, types)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column{title: text, path: path})
	}
	return columns, nil
}

// typeNames returns the names of types, each once.
func typeNames(types []mmapjfr.Type) (names []string) {
	for _, t := range types {
		if !slices.Contains(names, t.Name()) {
			names = append(names, t.Name())
		}
	}
	return names
}

// occurring returns the names of the types that have events. It stops at the second one.
func (o *Options) occurring(ctx context.Context, recs []*mmapjfr.Recording) (names []string, err error) {
	quiet := o.quietly()
	for _, rec := range recs {
		more, err := quiet.events(ctx, rec, rec.Select(o.Filters...), func(ev mmapjfr.Event) bool {
			if name := ev.Type().Name(); !slices.Contains(names, name) {
				names = append(names, name)
			}
			return len(names) < 2
		})
		if !more {
			return names, err
		}
	}
	return names, nil
}

// findColumn returns the path with a text. It fails if none of the types has that field.
func findColumn(text string, types []mmapjfr.Type) (*mmapjfr.FieldPath, error) {
	path, err := mmapjfr.ParsePath(text)
	if err != nil || len(types) == 0 {
		return path, err
	}
	var nowhere error
	var fields []string
	for _, t := range types {
		if _, _, nowhere = t.Resolve(path); nowhere == nil {
			return path, nil
		}
		for _, f := range append(t.Fields(), engine.TypeComputed(t)...) {
			if !engine.FieldIsComputed(f) || strings.HasPrefix(text, "@") {
				fields = append(fields, f.Name())
			}
		}
	}
	if len(typeNames(types)) == 1 {
		return nil, nowhere
	}
	return nil, fmt.Errorf("no event type has a field %s%s", text, suggest.Question(text, fields))
}

// column is what stands in one place of each row, or object.
type column struct {
	title string
	path  *mmapjfr.FieldPath
	last  fieldTemplate // of the last value
}

// templateOf returns the template of the field that a value is of.
func (c *column) templateOf(v mmapjfr.Value) *fieldTemplate {
	if f, _ := v.Field(); f != c.last.field {
		c.last = newField(f)
	}
	return &c.last
}

// shortForms are the types of structs that are texts in a cell, and no objects.
var shortForms = []string{jdktypes.Thread, jdktypes.ThreadGroup, jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace}

// columnsOf returns columns for all fields of event types that have one name. Structs
// without a short form of their own have a column for each of their fields.
func columnsOf(types []mmapjfr.Type) (columns []column) {
	seen := make(map[string]bool)
	add := func(title string) {
		// A name that is no path, which no Java field can have, has no column.
		if path, err := mmapjfr.ParsePath(title); err == nil && !seen[title] {
			seen[title] = true
			columns = append(columns, column{title: title, path: path})
		}
	}
	for _, t := range types {
		for _, f := range t.Fields() {
			inner := f.Type()
			if f.IsArray() || engine.TypeIsPrimitive(inner) || engine.TypeIsSimple(inner) || slices.Contains(shortForms, inner.Name()) {
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
