package print

import (
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// rowsRenderer writes each event as a row of cells: CSV as in RFC 4180, with lines
// that end in \n; TSV with \t, \n, \r and \\ for what would end a cell.
//
// Values are plain ones, as plain.go tells. Threads and thread groups are their
// names, class loaders theirs or that of their class. A stack trace, and its frames,
// are the frames with semicolons between them, the innermost first. All other structs
// and arrays are as in NDJSON. Where there is nothing the cell is empty.
type rowsRenderer struct {
	json    *ndjsonRenderer
	columns []column
	shapes  []shape // what is known of the last value of each column
	tabs    bool
	safe    bool // that no cell may begin like a formula
	cell    []byte
}

func newRows(o *Options, columns []column) *rowsRenderer {
	return &rowsRenderer{
		json: newNDJSON(o), columns: columns, shapes: make([]shape, len(columns)),
		tabs: o.Format == TSV, safe: o.SpreadsheetSafe,
	}
}

// rowText is the depth of texts in cells, which are kept besides those in JSON.
const rowText = ndjsonEvent

func (r *rowsRenderer) append(dst []byte, it *item) []byte {
	r.json.enter(it.event)
	r.json.constants.start(0)
	for i := range r.columns {
		if i > 0 {
			dst = append(dst, r.separator())
		}
		r.cell = r.appendColumn(r.cell[:0], i, it.event)
		dst = r.appendCell(dst, r.cell)
	}
	return append(dst, '\n')
}

func (r *rowsRenderer) separator() byte {
	if r.tabs {
		return '\t'
	}
	return ','
}

// appendColumn appends what stands in a column for an event.
func (r *rowsRenderer) appendColumn(dst []byte, i int, ev mmapjfr.Event) []byte {
	v := ev.Get(r.columns[i].path)
	if v.Kind() == mmapjfr.KindNone {
		return dst
	}
	s := &r.shapes[i]
	if f, _ := v.Field(); f != s.field {
		*s = shapeOf(f)
	}
	return r.appendValue(dst, s, v)
}

func (r *rowsRenderer) appendValue(dst []byte, s *shape, v mmapjfr.Value) []byte {
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
		return r.json.appendArray(dst, s, v)
	}
	return r.json.clock.appendPlain(dst, s.unit, s.unsigned, v)
}

// appendConstant appends a struct from a constant pool: its text, if it has been
// rendered.
func (r *rowsRenderer) appendConstant(dst []byte, s *shape, v mmapjfr.Value) []byte {
	kept := &r.json.constants
	key := constantKey{s.field.Type(), v.Key(), rowText}
	if text, ok := kept.texts[key]; ok {
		return append(dst, text...)
	}
	at, cut := len(dst), kept.cut
	if !kept.admit(key, at) {
		return dst
	}
	dst = r.appendStruct(dst, s, v)
	kept.done(key, dst[at:], cut)
	return dst
}

func (r *rowsRenderer) appendStruct(dst []byte, s *shape, v mmapjfr.Value) []byte {
	switch v.Type().CurrentName() {
	case jdktypes.Thread:
		return append(dst, v.Thread().Name()...)
	case jdktypes.ThreadGroup:
		return v.Get(named).AppendStr(dst)
	case jdktypes.Class:
		return appendClass(dst, v.Class())
	case jdktypes.ClassLoader:
		return appendLoader(dst, v.ClassLoader())
	case jdktypes.Method:
		return v.Method().AppendSignature(dst)
	case jdktypes.StackFrame:
		return r.appendFrame(dst, v)
	case jdktypes.StackTrace:
		return r.appendFrames(dst, v.Get(framesOf))
	}
	return r.json.appendStruct(dst, s, v)
}

// Paths to fields of constants.
var (
	named    = mmapjfr.Path("name")
	framesOf = mmapjfr.Path("frames")
)

// appendFrames appends the frames of a stack trace.
func (r *rowsRenderer) appendFrames(dst []byte, frames mmapjfr.Value) []byte {
	n := 0
	for e := range frames.Elements() {
		if n == r.json.stackDepth {
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

// appendFrame appends a frame: its method, whose text may have been kept, and its
// line.
func (r *rowsRenderer) appendFrame(dst []byte, v mmapjfr.Value) []byte {
	frame := v.Frame()
	method := v.Get(framed)
	kept := &r.json.constants
	key := constantKey{method.Type(), method.Key(), rowText}
	if text, ok := kept.texts[key]; ok {
		dst = append(dst, text...)
	} else {
		at := len(dst)
		dst = frame.Method().AppendSignature(dst)
		kept.keep(key, dst[at:])
	}
	return appendLine(dst, frame)
}

// appendCell appends a cell, with quotes or escapes where it needs them.
func (r *rowsRenderer) appendCell(dst, cell []byte) []byte {
	if r.safe && isFormula(cell) {
		cell = append([]byte{'\''}, cell...)
	}
	if r.tabs {
		return appendTSV(dst, cell)
	}
	return appendCSV(dst, cell)
}

// header returns the line of titles.
func (r *rowsRenderer) header() string {
	var line []byte
	for i, c := range r.columns {
		if i > 0 {
			line = append(line, r.separator())
		}
		line = r.appendCell(line, []byte(c.title))
	}
	return string(append(line, '\n'))
}
