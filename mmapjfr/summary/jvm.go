package summary

import (
	"fmt"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// jvm is a virtual machine, by the numbers that it gives to types. It never gives one number
// to two types.
type jvm struct {
	types map[int64]*Type
	// ranks is how many types there are of each name.
	ranks map[string]int
	// last is the last chunk whose types have been entered, and lastTypes are these.
	last      mmapjfr.Chunk
	lastTypes []mmapjfr.Type
}

// nameRank identifies a type across machines: the first of its name in a machine, or the
// second and so on.
type nameRank struct {
	name string
	rank int
}

// structures are the two structures of the format that no metadata describes.
var structures = []struct {
	id   int64
	name string
	is   structure
}{{mmapjfr.MetadataTypeID, MetadataName, metadataStructure}, {mmapjfr.CheckpointTypeID, CheckpointName, checkpointStructure}}

func (b *collector) newJVM() *jvm {
	m := &jvm{types: make(map[int64]*Type), ranks: make(map[string]int)}
	for _, s := range structures {
		b.enter(m, s.id, b.prefix+s.name).structure = s.is
	}
	return m
}

// jvmOf returns the virtual machine that wrote a chunk with these types. It is the one that
// wrote the chunk before unless something contradicts that.
func (b *collector) jvmOf(c mmapjfr.Chunk, types []mmapjfr.Type) *jvm {
	if types == nil {
		return b.newJVM() // nothing says what its numbers mean
	}
	b.java.grow()
	m := b.jvm
	if m != nil && len(types) > 0 && len(types) == len(m.lastTypes) && types[0] == m.lastTypes[0] {
		m.last = c
		return m // the metadata is the same: so are the numbers
	}
	if m == nil || m.last.Final() || !m.last.SameJVM(c) || !m.agrees(types) {
		m = b.newJVM()
		b.jvm = m
	}
	m.last, m.lastTypes = c, types
	for _, typ := range types {
		if !typ.IsEvent() {
			continue
		}
		b.java.grow()
		t := m.types[typ.ID()]
		if t == nil {
			t = b.enter(m, typ.ID(), typ.Name())
		}
		t.Type = typ
	}
	return m
}

// agrees reports whether the machine gives none of the numbers of these types to a type of
// another name.
func (m *jvm) agrees(types []mmapjfr.Type) bool {
	for _, typ := range types {
		if !typ.IsEvent() {
			continue
		}
		if t := m.types[typ.ID()]; t != nil && t.structure == noStructure && t.Name != typ.Name() {
			return false
		}
	}
	return true
}

// enter adds a type to those of the machine.
func (b *collector) enter(m *jvm, id int64, name string) *Type {
	t := b.typeOf(nameRank{name, m.ranks[name]}, id)
	m.ranks[name]++
	m.types[id] = t
	return t
}

// unknown returns the entry of types with that number that nothing describes.
func (b *collector) unknown(id int64) *Type {
	return b.typeOf(nameRank{name: fmt.Sprintf("%d (missing event metadata)", id)}, id)
}

func (b *collector) typeOf(at nameRank, id int64) *Type {
	t := b.types[at]
	if t == nil {
		b.java.entries++
		t = &Type{Name: at.name, ID: id}
		b.types[at] = t
		b.sum.Types = append(b.sum.Types, t)
	}
	if t.ID != id {
		t.Renumbered = true
	}
	return t
}
