package jfrtest

import (
	"fmt"
	"strings"
)

// Assemble turns a text into bytes. It is for recordings of which every byte matters,
// and for those that no writer would make; for others there is [Builder].
//
// A text is a row of items, with space between them; # begins a comment that ends with
// the line.
//
//	x"46 4c 52 00"     these bytes
//	u1:5 u2:5 u4:5 u8:5  a big-endian number of 1, 2, 4 or 8 bytes
//	v300  v300/4       a varint, as short as possible or padded to four bytes
//	f4:1.5  f8:1.5     a float, a double
//	s"é"               a string in UTF-8; s3"é" is the same
//	s4"é"  s5"é"       a string of chars, or of Latin-1
//	s0  s1  s2:7       null, "", the constant with the key 7
//	label:             names this place
//	event(...)         what is in parentheses, with its size before it, that of
//	                   the size included; event/4(...) pads the size to four bytes,
//	                   event:u4(...) writes it as the raw form does
//	3*item  3*(...)    an item, or a row of them, three times
//	chunk(...)         a chunk's header and what is in parentheses
//	table              the strings of all elements of the chunk, with their number
//	<class id=100 name="a b" <field ...> >
//	                   an element of metadata, with its attributes and children
//
// Numbers are decimal or begin with 0x; varints of negative ones have nine bytes. In
// their place can stand sums and differences of them and of references: @label is
// where a label is, @. is where the number itself is, and @end is the end; all count
// from the start of the chunk, or of all bytes outside of chunks.
//
// The header of a chunk is that of a finished one of version 2.1, with compressed
// integers. Its size is the chunk's, and the checkpoint and metadata it names are those
// at the labels checkpoint and metadata; without, they are 0. chunk/0(...) writes the
// flags 0: mind that all of the text stays as it is.
//
//	chunk(
//		metadata: event(v0 v0 v0 v1 table
//			<root <metadata
//				<class id=20 name=long>
//				<class id=30 name=E superType=jdk.jfr.Event <field name=startTime class=20> >
//			> <region> >)
//		checkpoint: event(v1 v0 v0 v0 u1:1 v0)
//		3*event(v30 v1000)
//	)
//
// The error tells where in the text it is wrong.
func Assemble(text string) ([]byte, error) {
	p := &asmParser{text: text}
	items, err := p.items("")
	if err != nil {
		line := 1 + strings.Count(text[:p.pos], "\n")
		return nil, fmt.Errorf("jfrtest: line %d: %w", line, err)
	}
	a := &assembler{}
	if err := a.settle(items); err != nil {
		return nil, fmt.Errorf("jfrtest: %w", err)
	}
	return a.buf, nil
}

// MustAssemble is [Assemble] of a text that is right; it panics if it is not.
func MustAssemble(text string) []byte {
	data, err := Assemble(text)
	if err != nil {
		panic(err)
	}
	return data
}
