package query

import (
	"math"
	"strconv"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// reader reads an input of a source from the events of a type of a chunk.
type reader interface {
	kind() Kind
	// read sets dst to the raw values of the events of a batch whose numbers are in rows.
	read(b *mmapjfr.Batch, rows []int, dst []int64)
	// value returns the value of a raw one that read has set.
	value(raw int64) Value
}

var (
	pathStart    = mmapjfr.Path("startTime")
	pathDuration = mmapjfr.Path("duration")
	pathName     = mmapjfr.Path("name")
)

// binding is what readers of a chunk share.
type binding struct {
	plan   *Plan
	chunk  mmapjfr.Chunk
	typ    mmapjfr.Type
	source int
	values *values // of what readers intern

	joins   []*joined // of the plan
	matches [][]int32 // by join, of each row: the event that it is joined with, or -1

	weights *weigh.Weights // of the recording or stream; nil if the plan has no need of them
}

// reader returns the reader of an input; nil if the events have no such values.
func (b *binding) reader(in *input) reader {
	if in.reader != nil {
		return in.reader(b)
	}
	if in.node.op == opField {
		r := b.fieldReader(&in.fields[in.node.index])
		if r != nil && r.kind() != in.shape.kind && in.shape.kind == Text {
			r = &textReader{r, b, b.shapeOf(in), make(map[int64]int64)}
		}
		if n, ok := r.(*numberReader); ok && n.is == Bool && in.shape.isNumber() {
			n.is = Int
		}
		return r
	}
	r := &nodeReader{binding: b, in: in, known: false}
	for i := range in.fields {
		f := b.fieldReader(&in.fields[i])
		r.known = r.known || f != nil
		r.fields, r.columns = append(r.fields, f), append(r.columns, nil)
	}
	if !r.known && in.isNull() {
		return nil
	}
	return r
}

// isNull reports whether the input is null for events that have none of its fields: COALESCE need not be.
func (in *input) isNull() bool {
	return len(in.fields) > 0 && in.node.eval(func(*node) Value { return Value{} }).IsNull()
}

// fieldReader returns the reader of a field; nil if the events are of another source or have no
// such field.
func (b *binding) fieldReader(f *eventField) reader {
	if f.join >= 0 {
		return &joinReader{b, f, make(map[int32]int64)}
	}
	if !b.plan.sources[b.source].isOneOf(f.sources) {
		return nil
	}
	if f.typ != "" && f.typ != b.typ.Name() {
		return nil
	}
	if f.path.isWeight {
		return b.weightReader(f)
	}
	if f.path.path == nil {
		return &typeReader{b, b.values.raw(f.path.ofType(b.typ, b.plan.o.JDK))}
	}
	s, _, err := f.path.resolve(b.typ, b.plan.o.isJava())
	if err != nil {
		return nil
	}
	field, one, err := b.typ.Resolve(f.path.path)
	switch {
	case err != nil:
		return nil
	case f.path.frame != noFrame:
		return &frameReader{anyReader{b, f.path.path, s.kind}, f.path.frame, f.path.rest, make(map[int64]int64), make(map[int64]int64)}
	case one && s.kind == Timespan && !engine.FieldIsComputed(field) && s.kind.isNumeric() && engine.TypeIsPrimitive(field.Type()):
		return &numberReader{b, f.path.path, s.kind, b.timespan(field)}
	case one && s.kind == Timestamp && engine.TypeIsPrimitive(field.Type()) && !engine.FieldIsComputed(field):
		return &numberReader{b, f.path.path, s.kind, b.timestamp(field)}
	case isSettingID(b.typ, f.path.path.String()):
		return &settingReader{anyReader{b, f.path.path, Text}}
	case one && s.kind == Int && b.plan.o.isJava():
		return &numberReader{b, f.path.path, s.kind, asJavaInt(field)}
	case one && (s.kind == Int || s.kind == Unsigned || s.kind == Bool || s.kind == Float):
		return &numberReader{b, f.path.path, s.kind, nil}
	case one && field.IsConstant() && !field.IsArray() && !isNumber(engine.TypeUnwrapped(field.Type())):
		return &constantReader{anyReader: anyReader{b, f.path.path, s.kind}, typ: field.Type(), known: make(map[int64]int64)}
	}
	return &anyReader{b, f.path.path, s.kind}
}

// isNumber reports whether values of a type are numbers or booleans: columns have these, though events
// refer to them.
func isNumber(t mmapjfr.Type) bool { return engine.TypeIsPrimitive(t) && t.Name() != jdktypes.String }

func (s *planSource) isOneOf(names []string) bool {
	for _, name := range names {
		if name == s.name() {
			return true
		}
	}
	return len(names) == 0
}

// ofType returns the name or the label of an event type. The JDK's views have no name for types without
// a label.
func (f *fieldPath) ofType(t mmapjfr.Type, jdk bool) Value {
	switch {
	case !f.label:
		return textValue(t.Name())
	case jdk && t.Label() == "":
		return Value{}
	}
	return textValue(labelOf(t))
}

// labelOf returns the label of an event type, or its name.
func labelOf(t mmapjfr.Type) string {
	label := t.Label()
	if label == "" {
		label = t.Name()
	}
	return label
}

// timespan returns the function that turns numbers of a field into nanoseconds; nil if there is no
// short way.
func (b *binding) timespan(f mmapjfr.Field) func(n int64) int64 {
	switch f.Unit() {
	case mmapjfr.TimespanTicks:
		return func(n int64) int64 {
			switch n {
			case math.MinInt64:
				return nullRaw
			case math.MaxInt64:
				return n
			}
			return int64(engine.ChunkTicksToDuration(b.chunk, n))
		}
	case mmapjfr.TimespanNanos:
		return func(n int64) int64 {
			if n == math.MinInt64 {
				return nullRaw
			}
			return n
		}
	}
	return nil
}

func (b *binding) timestamp(f mmapjfr.Field) func(n int64) int64 {
	if f.Unit() != mmapjfr.TimestampTicks {
		return nil
	}
	return func(n int64) int64 {
		if n == math.MinInt64 {
			return nullRaw
		}
		return int64(instant(engine.ChunkTicksToTime(b.chunk, n)).num)
	}
}

// asJavaInt returns the function that turns numbers of a field into what the JDK's views take them for:
// all have a sign, and Integer.MIN_VALUE is no number.
func asJavaInt(f mmapjfr.Field) func(n int64) int64 {
	shift := map[string]int{"byte": 56, "short": 48, "int": 32}[engine.TypeUnwrapped(f.Type()).Name()]
	return func(n int64) int64 {
		if n = n << shift >> shift; n == math.MinInt32 && shift == 32 {
			return nullRaw
		}
		return n
	}
}

// settingReader reads the numbers of event types, whose labels are shown.
type settingReader struct{ anyReader }

func (r *settingReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	ids := engine.BatchInts(b, r.path)
	for i, row := range rows {
		dst[i] = nullRaw
		if ids != nil {
			dst[i] = r.values.raw(r.label(ids[row]))
		}
	}
}

// label returns the label of an event type.
func (b *binding) label(id int64) Value {
	if t, err := engine.ChunkEventType(b.chunk, id); err == nil {
		return textValue(labelOf(t))
	}
	return textValue(strconv.FormatInt(id, 10))
}

// numberReader reads numbers and times.
type numberReader struct {
	*binding
	path    *mmapjfr.FieldPath
	is      Kind
	convert func(n int64) int64 // nil if values must be asked
}

func (r *numberReader) kind() Kind            { return r.is }
func (r *numberReader) value(raw int64) Value { return r.values.value(r.is, raw) }

func (r *numberReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	isTime := r.is == Timespan || r.is == Timestamp
	if column := engine.BatchInts(b, r.path); column != nil && r.is != Float && (r.convert != nil || !isTime) {
		for i, row := range rows {
			if dst[i] = column[row]; r.convert != nil {
				dst[i] = r.convert(dst[i])
			}
		}
		return
	}
	if column := engine.BatchFloats(b, r.path); column != nil && r.is == Float {
		for i, row := range rows {
			dst[i] = r.values.raw(floatValue(column[row]))
		}
		return
	}
	for i, row := range rows {
		dst[i] = r.values.raw(r.valueOf(engine.BatchValue(b, r.path, row), r.is))
	}
}

// typeReader reads the name of the type.
type typeReader struct {
	*binding
	raw int64
}

func (r *typeReader) kind() Kind            { return Text }
func (r *typeReader) value(raw int64) Value { return r.values.value(Text, raw) }

func (r *typeReader) read(_ *mmapjfr.Batch, rows []int, dst []int64) {
	for i := range rows {
		dst[i] = r.raw
	}
}

// textReader reads values of another kind as texts, because those of other types differ.
type textReader struct {
	reader
	*binding
	shape shape
	known map[int64]int64 // raw values by those of the reader
}

func (r *textReader) kind() Kind            { return Text }
func (r *textReader) value(raw int64) Value { return r.values.value(Text, raw) }

func (r *textReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	r.reader.read(b, rows, dst)
	for i, raw := range dst[:len(rows)] {
		if raw == nullRaw {
			continue
		}
		text, ok := r.known[raw]
		if !ok {
			text = r.values.raw(r.reader.value(raw).in(Text, r.shape, r.plan))
			r.known[raw] = text
		}
		dst[i] = text
	}
}

// anyReader reads values one by one.
type anyReader struct {
	*binding
	path *mmapjfr.FieldPath
	is   Kind
}

func (r *anyReader) kind() Kind            { return r.is }
func (r *anyReader) value(raw int64) Value { return r.values.value(r.is, raw) }

func (r *anyReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	for i, row := range rows {
		v := engine.BatchValue(b, r.path, row)
		if v.Kind() == mmapjfr.KindNone {
			v = engine.BatchEvent(b, row).Get(r.path)
		}
		dst[i] = r.values.raw(r.valueOf(v, r.is))
	}
}

// nodeReader reads an expression of several fields.
type nodeReader struct {
	*binding
	in      *input
	fields  []reader
	columns [][]int64
	known   bool // the events have one of the fields
}

func (r *nodeReader) kind() Kind            { return r.in.shape.kind }
func (r *nodeReader) value(raw int64) Value { return r.values.value(r.in.shape.kind, raw) }

func (r *nodeReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	for i, f := range r.fields {
		r.columns[i] = grown(r.columns[i], len(rows))
		if f != nil {
			f.read(b, rows, r.columns[i])
		}
	}
	row := 0
	leaf := func(n *node) Value {
		if f := r.fields[n.index]; f != nil {
			if raw := r.columns[n.index][row]; raw != nullRaw {
				return f.value(raw).as(n.shape.kind)
			}
		}
		return Value{}
	}
	for row = range rows {
		dst[row] = r.values.raw(r.in.node.eval(leaf))
	}
}
