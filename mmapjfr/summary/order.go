package summary

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
)

// sort puts the types in the order in which the JDK prints them.
func (s *Summary) sort(m *javaMap) {
	slices.SortStableFunc(s.Types, func(a, b *Type) int {
		return cmp.Or(
			cmp.Compare(b.Events, a.Events),
			compareUTF16(a.Name, b.Name),
			cmp.Compare(m.place(a.ID), m.place(b.ID)),
		)
	})
}

// javaMap is how large Java's HashMap is in which the JDK has the types by their
// numbers: types of one name, and of equally many events, are printed in the order in
// which they lie there. It is larger, or not yet, depending on how they came there.
type javaMap struct {
	entries int
	places  int // a power of two
}

// newJavaMap returns a map as it is before the first entry.
func newJavaMap() javaMap { return javaMap{places: 16} }

// grow makes room for more if it is due. That is before the JDK adds a type that a
// chunk describes, or finds it to be there, and after it adds one that none does.
func (m *javaMap) grow() {
	if 4*m.entries > 3*m.places {
		m.places *= 2
	}
}

// place returns where a Long lies.
func (m *javaMap) place(id int64) uint32 {
	hash := uint32(id ^ int64(uint64(id)>>32))
	return (hash ^ hash>>16) & uint32(m.places-1)
}

// compareUTF16 compares by UTF-16 code units, as Java does. That differs from Go's
// order where characters beyond the first 65,536 are concerned.
func compareUTF16(a, b string) int {
	if !astral(a) && !astral(b) {
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// astral reports whether there is a character that takes two UTF-16 code units.
func astral(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff })
}

// units returns how many UTF-16 code units a string has: what Java pads by.
func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
