// Package jsonout writes documents of JSON for programs; rows are written by package rows.
// Characters such as < stand as they are: no output is put into a web page.
package jsonout

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Time is the layout of points in time: with nine digits, as in NDJSON and CSV.
const Time = "2006-01-02T15:04:05.000000000Z07:00"

// New returns an encoder that writes each value on a line of its own.
func New(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// Write writes a document with an indent of two spaces.
func Write(w io.Writer, document any) error {
	e := New(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Line returns a value as JSON on one line, without the end of the line. The value must be one
// that JSON can express.
func Line(value any) []byte {
	var b bytes.Buffer
	if err := New(&b).Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Timestamp is a point in time that JSON has in the layout [Time]. The zero Timestamp is
// omitted where a field's tag has omitzero.
type Timestamp struct{ time.Time }

// MarshalJSON writes the time as a string.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return t.AppendFormat(nil, `"`+Time+`"`), nil
}

// At returns a point in time as a Timestamp.
func At(t time.Time) Timestamp { return Timestamp{t} }
