package repair

import (
	"sort"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The JDK's jfr prints nothing for most constants that are missing, but fails as a whole
// at a frame without a method, a method without a class, a class without a name, and a
// reference to an old object without the object that it comes from.
// Where a constant refers to one of these that is nowhere, it gets another key, that of
// a constant which says so by its name. Keys in events stay as they are.

// placeholder is a constant that stands for those of a type that are missing.
type placeholder struct {
	typ  string
	key  int64
	text string // where it has one
}

// The keys are none that a recorder has; they are the same in all chunks, as the
// constants are, for the JDK takes a constant from the chunk before if that has its key.
const (
	missingName = -0x6d69737301 - iota
	missingDescriptor
	missingClass
	missingMethod
	missingObject
)

const (
	descriptorField = "descriptor"
)

var placeholders = []placeholder{
	{jdktypes.Symbol, missingName, "(missing)"},
	{jdktypes.Symbol, missingDescriptor, "()V"},
	{jdktypes.Class, missingClass, ""},
	{jdktypes.Method, missingMethod, ""},
	{jdktypes.OldObject, missingObject, ""},
}

// placeholderFor returns the key of what stands for a missing constant of that type; 0 if
// nothing does.
func placeholderFor(typ *schema.Type, descriptor bool) int64 {
	switch {
	case typ.CurrentName() == jdktypes.Method:
		return missingMethod
	case typ.Name == jdktypes.Class:
		return missingClass
	case typ.CurrentName() == jdktypes.Symbol && descriptor:
		return missingDescriptor
	case typ.CurrentName() == jdktypes.Symbol:
		return missingName
	case typ.CurrentName() == jdktypes.OldObject:
		return missingObject
	}
	return 0
}

// patch is a key of a constant that gets another value.
type patch struct {
	at  uint64 // where it lies, from the start of the chunk
	n   uint8  // how many bytes it takes
	key int64
}

// maxPatches bounds the memory that patches of a chunk take.
const maxPatches = 1 << 20

// patched calls f with the patches between two places. Those that lie inside one another,
// as they do where checkpoints do, are left out.
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

// patchedSize returns how many bytes those between two places will take.
func (c *chunk) patchedSize(from, to uint64) uint64 {
	size := to - from
	c.patched(from, to, func(p *patch) { size += paddedLong - uint64(p.n) })
	return size
}

// writePatched writes the bytes between two places.
func (c *chunk) writePatched(from, to uint64) {
	c.patched(from, to, func(p *patch) {
		c.out.write(c.data[from:p.at])
		e := encoder{form: c.form, b: c.buf[:0]}
		e.delta(p.key)
		c.out.write(e.b)
		c.buf, from = e.b, p.at+uint64(p.n)
	})
	c.out.write(c.data[from:to])
}

// placeholderCheckpoint returns a checkpoint with the constants that stand for others.
func (c *chunk) placeholderCheckpoint() checkpoint {
	cp := checkpoint{start: c.header.StartTicks}
	e := encoder{form: c.form}
	for _, s := range placeholders {
		typ := c.current(s.typ)
		if !c.described.pools(typ) {
			continue
		}
		e.long(int64(c.jvm.id(typ.ID)))
		e.int(1)
		e.long(s.key)
		e.placeholder(typ, s.text)
		cp.madePools++
	}
	cp.made = e.b
	cp.size = uint64(len(c.head(&cp, 0)) + len(cp.made))
	return cp
}

// placeholder appends a value of a type of which all is null, or 0, but for texts and what
// other constants stand for.
func (e *encoder) placeholder(typ *schema.Type, text string) {
	for i := range typ.Fields {
		f := &typ.Fields[i]
		switch {
		case f.Array:
			e.int(0)
		case f.Constant:
			e.long(placeholderFor(f.Type, f.Name == descriptorField))
		default:
			e.zero(f.Type, text)
		}
	}
}

// zero appends a value of a type that is in place.
func (e *encoder) zero(typ *schema.Type, text string) {
	switch typ.Kind {
	case schema.Struct:
		e.placeholder(typ, text)
	case schema.String:
		e.text(text)
	case schema.Float:
		e.b = append(e.b, make([]byte, 4)...)
	case schema.Double:
		e.b = append(e.b, make([]byte, 8)...)
	case schema.Bool, schema.Byte:
		e.byte(0)
	default:
		e.long(0)
	}
}

// current returns the type that JDK 11 and later give that name, or nil.
func (c *chunk) current(name string) *schema.Type {
	for _, typ := range c.types.Types {
		if typ.CurrentName() == name && counts(c.types, typ) {
			return typ
		}
	}
	return nil
}

// canReplaceKeys reports whether constants can be made that stand for others: the JDK does not
// read chunks with raw integers anyway.
func (c *chunk) canReplaceKeys() bool { return c.form == wire.Compressed }

// The JDK's jfr fails as a whole at a frame without a method, a method without a class and
// so on, see placeholders: so each of these types must have the fields that lead to the next.
var requiredFields = map[string][]string{
	jdktypes.StackFrame: {"method"},
	jdktypes.Method:     {"type", "name", descriptorField},
	jdktypes.Class:      {"name"},

	jdktypes.Reference: {"object"},
}

// bareStacks makes types bare that the JDK cannot print: then there are no stack traces,
// rather than no events. It reports whether there are such types.
func (d *description) bareStacks() (changed bool) {
	for _, typ := range d.types.Types {
		if d.has(typ) && !d.isPrintable(typ) {
			d.bare[typ.Ordinal()], changed = "the JDK cannot print it", true
		}
	}
	return changed
}

// isPrintable reports whether the JDK can print values of the type, as far as that
// depends on what types its fields have.
func (d *description) isPrintable(typ *schema.Type) bool {
	name := typ.CurrentName()
	for _, lead := range requiredFields[name] {
		i := typ.Field(lead)
		if i < 0 {
			return false
		}
		f := &typ.Fields[i]
		if f.Array || !d.leadsOn(name, f) {
			return false
		}
	}
	return true
}

// leadsOn reports whether a field of a type of that name leads to what it should: a frame
// to a method, a method to a class, a reference to an old object, and all others to a text.
func (d *description) leadsOn(name string, f *schema.Field) bool {
	to := f.Type.CurrentName()
	switch {
	case name == jdktypes.Reference:
		return f.Constant && to == jdktypes.OldObject && d.pools(f.Type)
	case name == jdktypes.StackFrame:
		return f.Constant && to == jdktypes.Method && d.pools(f.Type)
	case name == jdktypes.Method && f.Name == "type":
		return f.Constant && to == jdktypes.Class && d.pools(f.Type)
	case f.Constant && to == jdktypes.Symbol:
		return d.pools(f.Type) && d.isSimple(f.Type) && f.Type.Fields[0].Type.Kind == schema.String
	}
	return f.Type.Kind == schema.String
}
