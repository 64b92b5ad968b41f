package firefox

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/mmapjfr/jfr/internal/rows"
)

// jsonWriter writes JSON piece by piece. Flushing out returns errors.
type jsonWriter struct{ out *bufio.Writer }

func newWriter(w io.Writer) jsonWriter { return jsonWriter{bufio.NewWriterSize(w, 1<<16)} }

func (w jsonWriter) raw(s string) { _, _ = w.out.WriteString(s) }

func (w jsonWriter) int(n int64) {
	_, _ = w.out.Write(strconv.AppendInt(w.out.AvailableBuffer(), n, 10))
}

func (w jsonWriter) string(s string) {
	_, _ = w.out.Write(rows.AppendString(w.out.AvailableBuffer(), s))
}

// value writes a small value.
func (w jsonWriter) value(v any) {
	b, _ := json.Marshal(v) // there is nothing that cannot be written
	_, _ = w.out.Write(b)
}

// appendMillis appends nanoseconds as milliseconds, with as many digits as needed.
func appendMillis(dst []byte, nanos int64) []byte {
	if nanos < 0 {
		dst = append(dst, '-')
	}
	n := uint64(max(nanos, -nanos)) // also of the least one
	dst = strconv.AppendUint(dst, n/1e6, 10)
	rest := n % 1e6
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for digit := uint64(1e5); rest > 0; digit /= 10 {
		dst = append(dst, '0'+byte(rest/digit))
		rest %= digit
	}
	return dst
}

// column writes a member of an object: an array with n elements.
func (w jsonWriter) column(name string, n int, element func(dst []byte, i int) []byte) {
	w.raw(`"` + name + `":[`)
	for i := range n {
		b := w.out.AvailableBuffer()
		if i > 0 {
			b = append(b, ',')
		}
		_, _ = w.out.Write(element(b, i))
	}
	w.raw("],")
}

// same returns what column writes if all elements are the same.
func same(text string) func([]byte, int) []byte {
	return func(dst []byte, _ int) []byte { return append(dst, text...) }
}

// length writes the last member of a table.
func (w jsonWriter) length(n int) {
	w.raw(`"length":`)
	w.int(int64(n))
	w.raw("}")
}
