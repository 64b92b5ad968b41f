// Package arrow has the stream format of Apache Arrow IPC for package columns. docs/COLUMNS.md specifies what is in
// the streams.
//
// A row group becomes the dictionaries of its texts, which take the place of those before, and a record batch. The
// package writes the few structures of the format itself: the libraries of Arrow would take more room than mmapjfr.
package arrow

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// Format makes streams in the format Arrow IPC.
var Format columns.Format = format{}

type format struct{}

// Extension returns .arrows.
func (format) Extension() string { return ".arrows" }

// Begin writes the schema.
func (format) Begin(w io.Writer, t *columns.Table) (columns.Writer, error) {
	sw := &writer{w: w}
	m := newMessage()
	return sw, sw.write(m.finish(headerSchema, m.schema(t), 0), nil)
}

// writer writes a stream.
type writer struct {
	w    io.Writer
	body body
	at   map[string]int32 // positions of texts in a dictionary
}

// continuation begins each message.
const continuation = math.MaxUint32

// write writes a message and its body.
func (w *writer) write(message, body []byte) error {
	size := (len(message) + 7) &^ 7
	head := binary.LittleEndian.AppendUint32(nil, continuation)
	head = append(binary.LittleEndian.AppendUint32(head, uint32(size)), message...)
	head = append(head, make([]byte, size-len(message))...)
	if _, err := w.w.Write(head); err != nil {
		return err
	}
	_, err := w.w.Write(body)
	return err
}

// flush writes the body that has been made as a batch of rows, or as a dictionary if it has a number.
func (w *writer) flush(rows, dictionary int) error {
	m := newMessage()
	kind, header := byte(headerRecordBatch), m.batch(rows, &w.body)
	if dictionary >= 0 {
		kind, header = headerDictionary, m.dictionary(dictionary, header)
	}
	return w.write(m.finish(kind, header, len(w.body.bytes)), w.body.bytes)
}

// Write writes rows as a record batch, after the dictionaries that they need.
func (w *writer) Write(t *columns.Table, rows *columns.Rows) error {
	indexes := make([][]int32, len(t.Columns))
	for i := range t.Columns {
		if t.Columns[i].Kind != columns.Text {
			continue
		}
		view := rows.Column(t, i)
		var texts []string
		texts, indexes[i] = w.dictionary(&view, rows.N)
		w.body.reset()
		w.body.addTexts(texts, nil)
		if err := w.flush(len(texts), i); err != nil {
			return err
		}
	}
	w.body.reset()
	for i := range t.Columns {
		c, view := &t.Columns[i], rows.Column(t, i)
		switch c.Kind {
		case columns.Text:
			w.body.addIndex(indexes[i])
		case columns.List, columns.Frames:
			w.body.addLists(c, &view, rows.N)
		default:
			w.body.addColumn(c.Kind, &view, rows.N)
		}
	}
	return w.flush(rows.N, -1)
}

// dictionary returns the texts of a column, and the position there for each row, -1 for null.
func (w *writer) dictionary(v *columns.View, rows int) (texts []string, index []int32) {
	w.at = make(map[string]int32)
	place := func(text string, ok bool) int32 {
		if !ok {
			return -1
		}
		at, known := w.at[text]
		if !known {
			at = int32(len(texts))
			w.at[text] = at
			texts = append(texts, text)
		}
		return at
	}
	var ofConstant []int32
	for i := range v.Constants() {
		_, text, _, ok := v.Constant(i)
		ofConstant = append(ofConstant, place(text, ok))
	}
	index = make([]int32, rows)
	for row := range index {
		switch {
		case v.Refs == nil:
			_, text, _, ok := v.At(row)
			index[row] = place(text, ok)
		case v.Refs[row] < 0:
			index[row] = -1
		default:
			index[row] = ofConstant[v.Refs[row]]
		}
	}
	return texts, index
}

// Close ends the stream. How many rows are late is not in it: the schema is at its beginning.
func (w *writer) Close(int64) error {
	_, err := w.w.Write(binary.LittleEndian.AppendUint64(nil, continuation))
	return err
}
