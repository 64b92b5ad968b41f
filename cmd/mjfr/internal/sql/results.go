package sql

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// results reads what duckdb writes with -json: an array of objects for each result, and numbers between them. It is
// JSON but for numbers such as NaN, so a decoder of JSON cannot read it.
type results struct {
	in    *bufio.Reader
	names []string
	cells [][]byte
	ended bool // the array
	began bool
	// statement is the number of that whose results are read, and before is how many lines stand before it.
	statement, before int
	// mostText is how many characters of a cell are needed at most; 0 if all are.
	mostText int
}

var errOutput = errors.New("duckdb has written something that is no result; leave out commands such as .mode")

// most is how long a value may be.
const most = 1 << 30

// next returns what begins next: [ or a digit. It is io.EOF at the end.
func (r *results) next() (byte, error) {
	c, err := r.peek()
	if err != nil {
		return 0, err
	}
	if c != '[' && (c < '0' || c > '9') {
		return 0, errOutput
	}
	_, _ = r.in.Discard(1) // it is there
	r.ended, r.began, r.names = false, false, nil
	return c, nil
}

// peek skips space.
func (r *results) peek() (byte, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, r.in.UnreadByte()
		}
	}
}

// row reads the next object of an array; io.EOF is the end of the array.
func (r *results) row() ([][]byte, error) {
	if r.ended {
		return nil, io.EOF
	}
	c, err := r.symbol()
	if err == nil && c == ',' && r.began {
		c, err = r.symbol()
	}
	switch {
	case err != nil:
		return nil, err
	case c == ']':
		r.ended = true
		return nil, io.EOF
	case c != '{':
		return nil, errOutput
	}
	first := !r.began
	r.began, r.cells = true, r.cells[:0]
	for {
		name, err := r.value(0)
		if err != nil || len(name) == 0 || name[0] != '"' {
			return nil, errors.Join(errOutput, err)
		}
		if first {
			r.names = append(r.names, unquoted(name))
		}
		if c, err := r.symbol(); err != nil || c != ':' {
			return nil, errors.Join(errOutput, err)
		}
		cell, err := r.value(r.mostText * longestCharacter)
		if err != nil {
			return nil, err
		}
		if string(cell) == "null" {
			cell = nil
		}
		r.cells = append(r.cells, cell)
		switch c, err := r.symbol(); {
		case err != nil:
			return nil, err
		case c == '}':
			return r.cells, nil
		case c != ',':
			return nil, errOutput
		}
	}
}

// symbol reads a character after space.
func (r *results) symbol() (byte, error) {
	if _, err := r.peek(); err != nil {
		return 0, unexpected(err)
	}
	return r.in.ReadByte()
}

// longestCharacter is how many bytes a character of a string takes at most: two halves, each as \u and four digits.
const longestCharacter = 12

// value reads a value as it is written. With a limit it keeps that number of bytes, more or less; what is a string stays one.
func (r *results) value(limit int) ([]byte, error) {
	if _, err := r.peek(); err != nil {
		return nil, unexpected(err)
	}
	var b []byte
	depth, escape := 0, 0 // escape is how many bytes of an escape are still to come
	inText, cut := false, false
	for n := 0; ; n++ {
		c, err := r.in.ReadByte()
		if err != nil {
			return nil, unexpected(err)
		}
		if !inText && depth == 0 && n > 0 && (c == ',' || c == '}' || c == ']' || c == ':' || c == ' ' || c == '\n') {
			return b, r.in.UnreadByte()
		}
		if n >= most {
			return nil, fmt.Errorf("a value has more than %d bytes", most)
		}
		if cut = cut || limit > 0 && n >= limit && escape == 0; !cut {
			b = append(b, c)
		}
		switch {
		case escape == 1 && c == 'u':
			escape = 4
		case escape > 0:
			escape--
		case inText && c == '\\':
			escape = 1
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth == 0 && !inText && (c == '"' || c == ']' || c == '}') {
			if cut && b[0] == '"' {
				b = append(b, '"')
			}
			return b, nil
		}
	}
}

// unexpected returns the error for an end inside of something.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// unquoted returns the text of a string of JSON.
func unquoted(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return s
}
