// Package jsonout writes JSON for programs. Characters such as < stand as they are: no
// output is put into a web page.
package jsonout

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
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

// escapes are the letters by which characters are escaped.
var escapes = [128]byte{'\b': 'b', '\n': 'n', '\t': 't', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// AppendString appends a string with quotes around it, as UTF-8. It escapes quotes,
// backslashes and control characters, and U+007F to U+009F, which terminals act on.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	at := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1
		if r >= 0xa0 && !bad {
			i += n
			continue
		}
		dst = append(dst, s[at:i]...)
		switch {
		case bad:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case r < utf8.RuneSelf && escapes[r] != 0:
			dst = append(dst, '\\', escapes[r])
		default:
			dst = AppendEscape(dst, uint16(r))
		}
		i += n
		at = i
	}
	return append(append(dst, s[at:]...), '"')
}

// AppendFloat appends the shortest decimal number that is equal to f; nothing for
// NaN and infinities.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

// AppendEscape appends a UTF-16 code unit as an escape of four digits.
func AppendEscape(dst []byte, c uint16) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}
