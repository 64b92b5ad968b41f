package columns

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go/format"
)

// boundBytes is the greatest length of bounds of texts.
const boundBytes = 64

// bounds are the least and the greatest value, or what is less and greater than these.
type bounds struct {
	least, most []byte
	n           [2]int64 // of numbers
	ok          bool     // there are values
	open        bool     // nothing that is short enough is greater
}

// bound notes the bounds of a page.
func (c *columnWriter) bound(p *page) {
	b := c.whole // what holds for all holds for each
	if p.values == 0 {
		b = bounds{}
	} else if !c.e.hasDictionary || c.l.kind == Bool {
		b = c.e.boundsOfPage(p, c.l.kind)
		c.whole = c.whole.with(b, c.l.kind)
	}
	c.known = c.known && !b.open && (b.ok || p.values == 0)
	c.bounds.NullPages = append(c.bounds.NullPages, p.values == 0)
	c.bounds.NullCounts = append(c.bounds.NullCounts, int64(p.levels-p.values))
	c.bounds.MinValues = append(c.bounds.MinValues, b.least)
	c.bounds.MaxValues = append(c.bounds.MaxValues, b.most)
	c.bounds.BoundaryOrder = format.Unordered
}

func (e *encoder) boundsOfPage(p *page, k Kind) bounds {
	end := p.value + p.values
	switch k {
	case Text:
		return e.boundsOf(k, nil, e.texts[p.value:end])
	case Bool:
		least, most := int32(1), int32(0)
		for _, at := range e.index[p.value:end] {
			n := int32(e.dictionary.ints[at])
			least, most = min(least, n), max(most, n)
		}
		return bounds{least: []byte{byte(least)}, most: []byte{byte(most)}, n: [2]int64{int64(least), int64(most)}, ok: true}
	}
	return e.boundsOf(k, e.ints[p.value:end], nil)
}

// boundsOf returns the bounds of values.
func (e *encoder) boundsOf(k Kind, ints []int64, texts []string) (b bounds) {
	switch {
	case k == Text && len(texts) > 0:
		least, most := texts[0], texts[0]
		for _, text := range texts[1:] {
			least, most = min(least, text), max(most, text)
		}
		b.ok, b.least = true, []byte(least[:min(len(least), boundBytes)])
		b.most, b.open = above(most)
	case len(ints) > 0:
		b.ok = true
		b.n[0], b.n[1] = ends(k, ints)
		b = b.encoded(k)
	}
	return b
}

// ends returns the least and the greatest number.
func ends(k Kind, ints []int64) (least, most int64) {
	least, most = ints[0], ints[0]
	if k != Uint && k != Double {
		for _, n := range ints[1:] {
			least, most = min(least, n), max(most, n)
		}
		return least, most
	}
	for _, n := range ints[1:] {
		if less(k, n, least) {
			least = n
		} else if less(k, most, n) {
			most = n
		}
	}
	return least, most
}

// less compares numbers of a kind.
func less(k Kind, a, b int64) bool {
	switch k {
	case Uint:
		return uint64(a) < uint64(b)
	case Double:
		return double(a) < double(b)
	}
	return a < b
}

// encoded returns bounds of numbers with their bytes.
func (b bounds) encoded(k Kind) bounds {
	n := b.n
	if k == Double { // the two zeros are equal
		if double(n[0]) == 0 {
			n[0] = math.MinInt64
		}
		if double(n[1]) == 0 {
			n[1] = 0
		}
	}
	b.least, b.most = binary.LittleEndian.AppendUint64(nil, uint64(n[0])), binary.LittleEndian.AppendUint64(nil, uint64(n[1]))
	if k == Bool {
		b.least, b.most = b.least[:1], b.most[:1]
	}
	return b
}

// with returns the bounds of two pages.
func (b bounds) with(o bounds, k Kind) bounds {
	switch {
	case !b.ok:
		return o
	case !o.ok:
		return b
	case k == Text:
		if string(o.least) < string(b.least) {
			b.least = o.least
		}
		if string(o.most) > string(b.most) {
			b.most = o.most
		}
		b.open = b.open || o.open
		return b
	}
	if less(k, o.n[0], b.n[0]) {
		b.n[0] = o.n[0]
	}
	if less(k, b.n[1], o.n[1]) {
		b.n[1] = o.n[1]
	}
	return b.encoded(k)
}

// above returns a text that is no less than another, and short; true if no such text exists.
func above(text string) (b []byte, open bool) {
	if len(text) <= boundBytes {
		return []byte(text), false
	}
	for end := boundBytes; end > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		end -= size
		if r != utf8.RuneError && r < utf8.MaxRune && utf8.ValidRune(r+1) {
			return utf8.AppendRune([]byte(text[:end]), r+1), false
		}
	}
	return nil, true
}
