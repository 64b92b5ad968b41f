package repair

import (
	"sort"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The JDK's jfr prints nothing for most constants that are missing. But it fails as a whole if one
// of the fields in required leads nowhere. Where such a field of a constant refers to a constant
// that is missing, it gets the key of a placeholder, whose name says so. Keys in events stay as
// they are.

// requirement is a field that the JDK's jfr cannot do without.
type requirement struct {
	typ, field string
	to         string // the type of the constants that the field refers to
	key        int64  // that of the placeholder
}

var required = []requirement{
	{jdktypes.StackFrame, "method", jdktypes.Method, missingMethod},
	{jdktypes.Method, "type", jdktypes.Class, missingClass},
	{jdktypes.Method, "name", jdktypes.Symbol, missingName},
	{jdktypes.Method, descriptorField, jdktypes.Symbol, missingDescriptor},
	{jdktypes.Class, "name", jdktypes.Symbol, missingName},
	{jdktypes.Reference, "object", jdktypes.OldObject, missingObject},
}

const descriptorField = "descriptor"

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

// placeholderFor returns the key of the placeholder for constants of a type; 0 if it has no placeholder.
func placeholderFor(typ *schema.Type, descriptor bool) int64 {
	for _, r := range required {
		if r.to == typ.CurrentName() && (r.to != jdktypes.Symbol || descriptor == (r.field == descriptorField)) {
			return r.key
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

// patched calls f with the patches between two offsets. Checkpoints can overlap, and so can patches:
// only the first of them counts.
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
	c.patched(from, to, func(p *patch) { size += paddedLong - uint64(p.n) })
	return size
}

// writePatched writes the bytes between two offsets, with patches.
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

// placeholderCheckpoint returns a checkpoint with the placeholders.
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

// placeholder appends a struct. Its text is given, references lead to placeholders, and all else is
// null or 0.
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

// zero appends a value that is not a reference.
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
		if typ.CurrentName() == name && ownsID(c.types, typ) {
			return typ
		}
	}
	return nil
}

// canReplaceKeys reports whether placeholders are of use: the JDK does not read chunks with raw
// integers.
func (c *chunk) canReplaceKeys() bool { return c.form == wire.Compressed }

// bareStacks leaves the fields out of types that the JDK cannot print: then stack traces are
// missing, and not all events. It reports whether there are such types.
func (d *description) bareStacks() (changed bool) {
	for _, typ := range d.types.Types {
		if d.has(typ) && !d.isPrintable(typ) {
			d.bare[typ.Ordinal()], changed = "the JDK cannot print it", true
		}
	}
	return changed
}

// isPrintable reports whether a type has the fields that the JDK needs of it.
func (d *description) isPrintable(typ *schema.Type) bool {
	for _, r := range required {
		if r.typ != typ.CurrentName() {
			continue
		}
		if i := typ.Field(r.field); i < 0 || typ.Fields[i].Array || !d.leads(&typ.Fields[i], r.to) {
			return false
		}
	}
	return true
}

// leads reports whether a field refers to constants of a type, or to a text where that is the type
// of symbols.
func (d *description) leads(f *schema.Field, to string) bool {
	if to != jdktypes.Symbol {
		return f.Constant && f.Type.CurrentName() == to && d.pools(f.Type)
	}
	if f.Constant && f.Type.CurrentName() == to {
		return d.pools(f.Type) && d.isSimple(f.Type) && f.Type.Fields[0].Type.Kind == schema.String
	}
	return f.Type.Kind == schema.String
}
