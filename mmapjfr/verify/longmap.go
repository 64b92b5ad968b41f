package verify

import (
	"math/bits"

	"github.com/mmapjfr/jfr/internal/metatree"
)

// The JDK makes a parser for each type, in the order of its own hash table, and another one for what a type has in
// place, if it has none yet. It makes none for a simple type but by the table: where a field has such a type in place
// before it is that type's turn, the JDK refuses the recording.

// parsers looks for that field.
type parsers struct {
	r    *refuser
	made map[int64]bool
}

// simpleInPlace refuses what the JDK does.
func (r *refuser) simpleInPlace() {
	p := &parsers{r, make(map[int64]bool)}
	for _, id := range r.order.values() {
		if r.found != nil {
			return
		}
		if e := r.types[id]; r.fields[e] {
			p.composite(id, e, 0)
		}
	}
}

// deepest bounds how deep types in place are followed. The stack of a JDK ends at about as many.
const deepest = 10_000

// composite makes the parser of a type with fields.
func (p *parsers) composite(id int64, e *metatree.Element, depth int) {
	if p.made[id] = true; depth > deepest {
		return
	}
	typ, _ := e.Get("name")
	for f := range e.Named("field") {
		in := p.r.reference(f)
		_, constant := f.Get("constantPool")
		if in == nil || constant || p.r.found != nil {
			continue
		}
		switch of, _ := f.Number("class"); {
		case p.made[of]:
		case !p.r.fields[in]:
			p.made[of] = true
		case p.isSimple(in):
			name, _ := f.Get("name")
			kind, _ := in.Get("name")
			p.r.refuse(f, typ, "field %s has the simple type %s in place, which the JDK does not know yet", name, kind)
		default:
			p.composite(of, in, depth+1)
		}
	}
}

// isSimple reports whether the JDK takes a type for a simple one.
func (p *parsers) isSimple(e *metatree.Element) bool {
	_, simple := e.Get("simpleType")
	return simple && !isEvent(e)
}

// longMap is the order of jdk.jfr.internal.LongMap, a hash table with numbers as keys.
type longMap struct {
	keys  []int64
	used  []bool
	count int
}

// put adds a key.
func (m *longMap) put(key int64) {
	if m.keys == nil {
		m.grow(32)
	}
	if !m.set(key) {
		return
	}
	if m.count++; m.count > 3*len(m.keys)/4 {
		m.grow(4 * len(m.keys))
	}
}

// set returns false if the key is there already.
func (m *longMap) set(key int64) bool {
	shift := 64 - bits.TrailingZeros(uint(len(m.keys))) // their number is a power of two
	i := int(uint64(key) * 0x9e3779b97f4a7c15 >> shift) // -7046029254386353131 as Java has it
	for ; m.used[i]; i = (i + 1) % len(m.keys) {
		if m.keys[i] == key {
			return false
		}
	}
	m.keys[i], m.used[i] = key, true
	return true
}

func (m *longMap) grow(size int) {
	old := m.values()
	m.keys, m.used = make([]int64, size), make([]bool, size)
	for _, key := range old {
		m.set(key)
	}
}

// values returns the keys in their order.
func (m *longMap) values() (list []int64) {
	for i, used := range m.used {
		if used {
			list = append(list, m.keys[i])
		}
	}
	return list
}
