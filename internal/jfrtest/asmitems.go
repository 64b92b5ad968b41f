package jfrtest

import (
	"errors"
	"fmt"
)

// asmItem is an item of a text of [Assemble].
type asmItem interface{ emit(a *assembler) error }

type (
	asmBytes  []byte
	asmRow    []asmItem
	asmLabel  string
	asmTable  struct{}
	asmText   struct{ text Text }
	asmRepeat struct {
		n    int
		item asmItem
	}
	asmNumber struct {
		sum   asmSum
		width int
	}
	asmVarint struct {
		sum   asmSum
		width int
	}
	asmEvent struct {
		raw   bool
		width int
		items []asmItem
	}
	asmChunk struct {
		flags byte
		items []asmItem
	}
	asmElement struct {
		name       string
		attributes []Attribute
		children   []asmElement
	}
	// asmTerm is a number, or where a label is.
	asmTerm struct {
		minus  bool
		label  string
		number int64
	}
	asmSum []asmTerm
)

// asmScope is a chunk, or all bytes: what labels and strings belong to.
type asmScope struct {
	start  int
	labels map[string]int64
	table  stringTable
}

// assembler appends items. The places of labels and the strings of tables are those of
// the round before; rounds go on until they stay what they are.
type assembler struct {
	encoder
	scopes []*asmScope
	next   int
	scope  *asmScope
	// widths are those of the sizes of events, in the order of the text.
	widths []int
	events int
	moved  bool
}

// asmRounds is how many rounds there are at most. Each makes some number longer than it
// was, as a rule.
const asmRounds = 20

// settle appends items until nothing moves any more.
func (a *assembler) settle(items []asmItem) error {
	a.compressed = true
	for range asmRounds {
		a.buf, a.next, a.events, a.moved = nil, 0, 0, false
		if err := a.within(items); err != nil {
			return err
		}
		if !a.moved {
			return nil
		}
	}
	return errors.New("numbers change each other's lengths without end: give them a width, as in v@a/4")
}

func (a *assembler) row(items []asmItem) error {
	for _, it := range items {
		if err := it.emit(a); err != nil {
			return err
		}
	}
	return nil
}

// within appends items in a scope of their own.
func (a *assembler) within(items []asmItem) error {
	if a.next == len(a.scopes) {
		a.scopes = append(a.scopes, &asmScope{labels: map[string]int64{}, table: stringTable{index: map[string]int{}}})
		a.moved = true
	}
	outer := a.scope
	a.scope = a.scopes[a.next]
	a.next++
	a.scope.start = a.at()
	err := a.row(items)
	a.place("end")
	a.scope = outer
	return err
}

// at is how many bytes come before the next one.
func (a *assembler) at() int { return len(a.buf) }

// place says where a label is.
func (a *assembler) place(label string) {
	at := int64(a.at() - a.scope.start)
	if was, ok := a.scope.labels[label]; !ok || was != at {
		a.moved = true
	}
	a.scope.labels[label] = at
}

func (a *assembler) value(sum asmSum) (uint64, error) {
	var v int64
	for _, t := range sum {
		n := t.number
		switch at, ok := a.scope.labels[t.label]; {
		case t.label == ".":
			n = int64(a.at() - a.scope.start)
		case ok:
			n = at
		case t.label != "" && !a.moved:
			return 0, fmt.Errorf("there is no label %s", t.label)
		case t.label != "":
			a.moved = true
		}
		if t.minus {
			n = -n
		}
		v += n
	}
	return uint64(v), nil
}

func (b asmBytes) emit(a *assembler) error {
	a.buf = append(a.buf, b...)
	return nil
}

func (r asmRow) emit(a *assembler) error { return a.row(r) }

func (r asmRepeat) emit(a *assembler) error {
	for range r.n {
		if err := r.item.emit(a); err != nil {
			return err
		}
	}
	return nil
}

func (l asmLabel) emit(a *assembler) error {
	a.place(string(l))
	return nil
}

func (n asmNumber) emit(a *assembler) error {
	v, err := a.value(n.sum)
	a.raw(v, n.width)
	return err
}

func (v asmVarint) emit(a *assembler) error {
	x, err := a.value(v.sum)
	if err != nil {
		return err
	}
	if v.width > 0 && v.width < varintLen(x) {
		return fmt.Errorf("%d does not fit into a varint of %d bytes", int64(x), v.width)
	}
	a.varint(x, v.width)
	return nil
}

func (t asmText) emit(a *assembler) error {
	a.text(t.text, func(string) {})
	return nil
}

func (e asmEvent) emit(a *assembler) error {
	n := a.events
	a.events++
	if n == len(a.widths) {
		a.widths = append(a.widths, max(e.width, 1))
	}
	head := &encoder{}
	start, width := len(a.buf), a.widths[n]
	if e.raw {
		width = 4
	}
	a.buf = append(a.buf, make([]byte, width)...)
	if err := a.row(e.items); err != nil {
		return err
	}
	size := uint64(len(a.buf) - start)
	switch {
	case e.raw:
		head.raw(size, 4)
	case varintLen(size) <= width:
		head.varint(size, width)
	case e.width > 0:
		return fmt.Errorf("an event of %d bytes has no size of %d", size, width)
	default:
		a.widths[n]++
		a.moved = true
	}
	copy(a.buf[start:], head.buf)
	return nil
}

func (c *asmChunk) emit(a *assembler) error {
	return a.within([]asmItem{asmHeader(c.flags), asmRow(c.items)})
}

// asmHeader is the header of a chunk with these flags.
type asmHeader byte

func (h asmHeader) emit(a *assembler) error {
	labels := a.scope.labels
	a.buf = append(a.buf, headerBytes(Header{
		Major: 2, Minor: 1, Size: labels["end"],
		CheckpointOffset: labels["checkpoint"], MetadataOffset: labels["metadata"],
		TickRate: 1_000_000_000, Flags: byte(h),
	})...)
	return nil
}

func (asmTable) emit(a *assembler) error {
	a.int(len(a.scope.table.strings))
	for _, s := range a.scope.table.strings {
		a.text(textIn(s, encLatin1), func(string) {})
	}
	return nil
}

func (e asmElement) emit(a *assembler) error {
	text := func(s string) {
		if _, ok := a.scope.table.index[s]; !ok {
			a.scope.table.add(s)
			a.moved = true
		}
		a.int(a.scope.table.index[s])
	}
	text(e.name)
	a.int(len(e.attributes))
	for _, attr := range e.attributes {
		text(attr.Name)
		text(attr.Value)
	}
	a.int(len(e.children))
	for _, child := range e.children {
		if err := child.emit(a); err != nil {
			return err
		}
	}
	return nil
}
