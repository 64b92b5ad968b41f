package jfrtest

// What a value can be, besides Go's own integers, floats, bools, strings and slices: nil and [Null]
// are the null string and the key 0, any integer and [Constant] are keys of constants.
type (
	// Inline are the values of a class that is written in place.
	Inline []any
	// Raw are bytes in the place of any value.
	Raw []byte
	// Wide is an integer that is written with all of its 64 bits where it is a
	// varint, whatever the size of its type.
	Wide int64
	// Padded is an integer that takes up Width bytes where it is a varint. Where
	// it is not, it is written as ever.
	Padded struct {
		Value any
		Width int
	}
	// Counted is an array that lies about its length. Like all that a test forces
	// upon a count, it is written with 64 bits: the int -1 is 0xffffffff.
	Counted struct {
		Count  int64
		Values []any
	}
)

// Encodings of strings.
const (
	encNull   = 0
	encEmpty  = 1
	encPool   = 2
	encUTF8   = 3
	encUTF16  = 4
	encLatin1 = 5
)

// Text is a string in a certain encoding.
type Text struct {
	encoding byte
	key      any
	bytes    []byte
	units    []uint16
	length   *int64
}

// Empty returns the empty string without a length (encoding 1).
func Empty() Text { return Text{encoding: encEmpty} }

// Pooled returns a string in the pool of strings (encoding 2).
func Pooled(key any) Text { return Text{encoding: encPool, key: key} }

// UTF8 returns a string in UTF-8 (encoding 3). It need not be valid.
func UTF8(s string) Text { return Text{encoding: encUTF8, bytes: []byte(s)} }

// UTF16Units returns a string of chars (encoding 4) that need not make pairs.
func UTF16Units(units ...uint16) Text { return Text{encoding: encUTF16, units: units} }

// Latin1 returns a string in Latin-1 (encoding 5). It panics if s has other characters.
func Latin1(s string) Text {
	t := Text{encoding: encLatin1}
	for _, r := range s {
		if r > 0xff {
			panic("jfrtest: not Latin-1: " + s)
		}
		t.bytes = append(t.bytes, byte(r))
	}
	return t
}

// Encoding returns a string with any byte for the encoding and nothing after it.
func Encoding(b byte) Text { return Text{encoding: b} }

// Claiming returns the text with a length that is not its own.
func (t Text) Claiming(n int64) Text {
	t.length = &n
	return t
}

// headerCopy stands for the bytes of the chunk's header, as an array of bytes.
type headerCopy struct {
	of    *Checkpoint
	state byte
}
