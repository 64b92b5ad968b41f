package schema

import (
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/wire"
)

// element is a node of the tree (FORMAT.md, section 4.1). The nodes lie in one slice, each before
// its children; end is the position after the last of its descendants.
type element struct {
	name       string
	attributes // a part of the tree's
	end        int
}

type attributes []attribute

type attribute struct{ name, value string }

// maxDepth bounds how deep elements may nest. The JDK's metadata is five deep.
const maxDepth = 64

func (list attributes) attr(name string) (string, bool) {
	for _, a := range list {
		wire.Step()
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// Tree is the strings and the elements of a metadata event.
type Tree struct {
	cur      wire.Cursor
	strings  []string
	elements []element
	attrs    []attribute
	// named is how many bytes the strings of the elements have, each counted at every use.
	// names bounds that number.
	named, names int
}

// The strings of all elements may have this many times the bytes of the metadata event, and some
// more. A string stands there once, even if many elements use it. Without a bound, the names of all
// types could take time and memory with the square of the bytes. Virtual machines write metadata
// whose strings have twice its bytes.
const (
	maxNamesPerByte = 64
	leastNames      = 64 << 10
)

// ReadTree reads the tree that begins at pos in data, which ends with the metadata event. An
// error matches [ErrCorrupt]; at is the position of what is wrong. The tree does not alias data.
func ReadTree(data []byte, pos int, encoding IntEncoding) (t *Tree, at int, err error) {
	t = &Tree{cur: wire.NewCursor(data, pos, encoding), names: maxNamesPerByte*(len(data)-pos) + leastNames}
	err = t.read()
	at, t.cur = t.cur.Pos(), wire.Cursor{}
	return t, at, err
}

func (t *Tree) read() error {
	if err := t.readStrings(); err != nil {
		return err
	}
	// In metadata of virtual machines these are about the right capacities. The bytes that
	// are there bound both.
	t.elements = make([]element, 0, t.cur.Len()/16)
	t.attrs = make([]attribute, 0, t.cur.Len()/6)
	return t.readElement(0)
}

// readStrings copies the string table: names of types outlive the recording that they come from.
// All strings share one allocation.
func (t *Tree) readStrings() error {
	n := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("string count exceeds the event")
	}
	texts := make([]wire.Text, 0, min(n, 1<<12))
	for range n {
		text := t.cur.Text()
		if !t.cur.OK() {
			return corrupt("string %d of %d does not fit", len(texts), n)
		}
		texts = append(texts, text)
	}
	var buf []byte
	ends := make([]int, len(texts))
	for i, text := range texts {
		buf = text.Append(buf)
		ends[i] = len(buf)
	}
	all := string(buf)
	t.strings = make([]string, len(texts))
	start := 0
	for i, end := range ends {
		t.strings[i] = all[start:end]
		start = end
	}
	return nil
}

func (t *Tree) readString() (string, error) {
	i := t.cur.Int()
	if !t.cur.OK() {
		return "", corrupt("element ends early")
	}
	if uint32(i) >= uint32(len(t.strings)) {
		return "", corrupt("string %d of %d", i, len(t.strings))
	}
	if t.named += len(t.strings[i]); t.named > t.names {
		return "", corrupt("the strings of all elements have more than %d bytes", t.names)
	}
	return t.strings[i], nil
}

func (t *Tree) readElement(depth int) error {
	if depth > maxDepth {
		return corrupt("elements nest deeper than %d", maxDepth)
	}
	name, err := t.readString()
	if err != nil {
		return err
	}
	self := len(t.elements)
	t.elements = append(t.elements, element{name: name})
	n := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("attribute count exceeds the event")
	}
	first := len(t.attrs)
	for range n {
		name, err := t.readString()
		if err != nil {
			return err
		}
		value, err := t.readString()
		if err != nil {
			return err
		}
		t.attrs = append(t.attrs, attribute{name, value})
	}
	// Should the slice move when it grows, this part of it stays as it is.
	t.elements[self].attributes = t.attrs[first:len(t.attrs):len(t.attrs)]
	children := t.cur.Count()
	if !t.cur.OK() {
		return corrupt("element count exceeds the event")
	}
	for range children {
		if err := t.readElement(depth + 1); err != nil {
			return err
		}
	}
	t.elements[self].end = len(t.elements)
	return nil
}

// children calls f with the position of each child of that name.
func (t *Tree) children(parent int, name string, f func(child int)) {
	for i := parent + 1; i < t.elements[parent].end; i = t.elements[i].end {
		wire.Step()
		if t.elements[i].name == name {
			f(i)
		}
	}
}

// HasMetadata reports whether the tree describes any types, so that it is the tree of a
// metadata event.
func (t *Tree) HasMetadata() bool { return t.count(0, "metadata") > 0 }

// count returns how many children of that name an element has.
func (t *Tree) count(parent int, name string) (n int) {
	t.children(parent, name, func(int) { n++ })
	return n
}

// What can be wrong with metadata and values. Errors match these with errors.Is.
var (
	// ErrCorrupt says that bytes contradict each other or the format.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupported says that a recording is of a version or of dimensions that
	// this module does not read.
	ErrUnsupported = errors.New("unsupported")
)

// corrupt returns the error for bytes that contradict the format.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
