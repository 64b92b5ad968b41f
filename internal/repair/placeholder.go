package repair

import (
	"slices"
	"sort"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The JDK's jfr prints nothing for most constants that are missing. But it fails as a whole if one
// of the fields in describe.Required leads nowhere. Where such a field of a constant refers to a
// constant that is missing, it gets the key of a placeholder, whose name says so. Keys in events
// stay as they are.

const descriptorField = "descriptor"

// standIns are the keys of the placeholders that take the places of missing constants, in the order
// of [describe.Required].
var standIns = []int64{missingMethod, missingClass, missingName, missingDescriptor, missingName, missingObject}

// The keys of placeholders. No recorder writes such keys. They are the same in all chunks, because
// the JDK takes a constant from the chunk before if that has its key.
const (
	missingName = -0x6d69737301 - iota
	missingDescriptor
	missingClass
	missingMethod
	missingObject
)

// placeholder is a constant that stands for all constants of a type that are missing.
type placeholder struct {
	typ  string
	key  int64
	text string // of a symbol
}

var placeholders = []placeholder{
	{jdktypes.Symbol, missingName, "(missing)"},
	{jdktypes.Symbol, missingDescriptor, "()V"},
	{jdktypes.Class, missingClass, ""},
	{jdktypes.Method, missingMethod, ""},
	{jdktypes.OldObject, missingObject, ""},
}

// placeholderFor returns the key of the placeholder for constants of a type; 0 if it has no
// placeholder.
func placeholderFor(typ *schema.Type, descriptor bool) int64 {
	for i, r := range describe.Required {
		if r.To == typ.CurrentName() && (r.To != jdktypes.Symbol || descriptor == (r.Field == descriptorField)) {
			return standIns[i]
		}
	}
	return 0
}

// patch is a key of a constant that gets another value.
type patch struct {
	at  uint64 // where it lies, from the start of the chunk
	n   uint8  // the number of its bytes
	key int64
}

// maxPatches bounds the memory that patches of a chunk take.
const maxPatches = 1 << 20

// patched calls f with the patches between two offsets. Checkpoints can overlap, and so can
// patches: only the first of them counts.
func (c *chunk) patched(from, to uint64, f func(p *patch)) {
	all := c.references.patches
	for i := sort.Search(len(all), func(i int) bool { return all[i].at >= from }); i < len(all) && all[i].at < to; i++ {
		p := &all[i]
		if end := p.at + uint64(p.n); p.at >= from && end <= to {
			f(p)
			from = end
		}
	}
}

// patchedSize returns the size of the bytes between two offsets, with patches.
func (c *chunk) patchedSize(from, to uint64) uint64 {
	size := to - from
	c.patched(from, to, func(p *patch) { size += wire.MaxVarintLen - uint64(p.n) })
	return size
}

// writePatched writes the bytes between two offsets, with patches.
func (c *chunk) writePatched(from, to uint64) {
	c.patched(from, to, func(p *patch) {
		c.out.write(c.data[from:p.at])
		e := wire.Appender{Encoding: c.form, Bytes: c.buf[:0]}
		e.Integer(uint64(p.key), wire.LongLen, wire.MaxVarintLen)
		c.out.write(e.Bytes)
		c.buf, from = e.Bytes, p.at+uint64(p.n)
	})
	c.out.write(c.data[from:to])
}

// placeholderCheckpoint returns a checkpoint with the placeholders.
func (c *chunk) placeholderCheckpoint() checkpoint {
	cp := checkpoint{start: c.header.StartTicks}
	e := wire.Appender{Encoding: c.form}
	for _, s := range placeholders {
		typ := c.current(s.typ)
		if !c.described.Pools(typ) {
			continue
		}
		e.Long(int64(c.jvm.ID(typ.ID)))
		e.Count(1)
		e.Long(s.key)
		describe.AppendNull(&e, typ, s.text, func(f *schema.Field) int64 { return placeholderFor(f.Type, f.Name == descriptorField) })
		cp.madePools++
	}
	cp.made = e.Bytes
	cp.size = uint64(len(c.head(&cp, 0)) + len(cp.made))
	return cp
}

// current returns the type that JDK 11 and later give that name, or nil.
func (c *chunk) current(name string) *schema.Type {
	for _, typ := range c.types.Types {
		if typ.CurrentName() == name && describe.OwnsID(c.types, typ) {
			return typ
		}
	}
	return nil
}

// references counts references to constants that are missing, and notes which keys in
// constants are to be replaced.
type references struct {
	*refs.Visitor
	constants *index.Constants
	described *describe.Description
	missing   map[*schema.Type]uint64 // references, by the type of the constant
	// within is the type of the constant whose references are visited; nil for an event, and
	// if keys cannot be replaced.
	within *schema.Type
	// descriptor is the slot of the descriptor of a method, if within is one; else nil.
	descriptor *schema.Slot
	patches    []patch
	visit      func(refs.Reference) // note; made once
}

func newReferences(c *index.Chunk, k *index.Constants, d *describe.Description) *references {
	r := &references{
		Visitor:   refs.New(c.Data(), c.IntEncoding(), describe.Named(d.Types(), jdktypes.String)),
		constants: k, described: d, missing: make(map[*schema.Type]uint64),
	}
	r.visit = r.note
	return r
}

// note counts a reference if its constant is missing, and patches it if the JDK needs the constant.
func (r *references) note(ref refs.Reference) {
	missing := ref.Key != 0 && !r.has(ref.Type, ref.Key)
	if missing {
		r.missing[ref.Type]++
	}
	if r.within != nil && ref.Slot.Constant && (missing || ref.Key == 0 && r.needs(ref.Type)) {
		r.patch(ref)
	}
}

// has reports whether a type has a constant with a key, and the constant is written.
func (r *references) has(typ *schema.Type, key int64) bool {
	_, ok := r.constants.Lookup(typ, key)
	return ok && r.described.Pools(typ)
}

// needs reports whether the JDK needs the reference to a type of the constant that is visited.
func (r *references) needs(typ *schema.Type) bool {
	if r.has(typ, 0) {
		return false
	}
	owner := r.within.CurrentName()
	if owner != jdktypes.Method && owner != jdktypes.Class && owner != jdktypes.Reference {
		owner = jdktypes.StackFrame // it lies in a stack trace
	}
	return slices.ContainsFunc(describe.Required, func(q describe.Requirement) bool { return q.Type == owner && q.To == typ.CurrentName() })
}

// enter begins with the constants of a type; nil ends.
func (r *references) enter(typ *schema.Type) {
	r.within, r.descriptor = typ, nil
	if typ == nil || typ.CurrentName() != jdktypes.Method {
		return
	}
	if p, err := typ.Plan(); err == nil {
		if i := typ.Field(descriptorField); i >= 0 {
			r.descriptor = p.Slot(typ.Fields[i].Slot())
		}
	}
}

// patch notes that the key of a reference is to be replaced.
func (r *references) patch(ref refs.Reference) {
	if len(r.patches) == maxPatches || !r.described.Pools(ref.Type) {
		return
	}
	if key := placeholderFor(ref.Type, ref.Slot == r.descriptor); key != 0 {
		r.patches = append(r.patches, patch{uint64(ref.From), uint8(ref.To - ref.From), key})
	}
}
