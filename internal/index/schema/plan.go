package schema

import (
	"iter"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Plan is how the values of a type lie in a file: what to step over, in which order, and where
// each field is. Inline structs are flattened into the type that holds them, so a plan is one list
// however deep they nest (FORMAT.md, section 5).
type Plan struct {
	ops   []op
	slots []Slot
	// size is the number of bytes if all values have the same; else -1.
	size int
	// depth is how deep structs nest in it.
	depth    int
	encoding wire.IntEncoding
	// empties reports whether there are arrays whose elements have no bytes.
	zeroSize bool
}

// IsVarints reports whether all values are compressed integers, one after the other.
func (p *Plan) IsVarints() bool { return len(p.ops) == 1 && p.ops[0].code == opVarints }

// IsVarint reports whether there is one value, a compressed integer.
func (p *Plan) IsVarint() bool { return p.IsVarints() && p.ops[0].n == 1 }

// Slot is a value in a plan that is no inline struct: a primitive, a constant's key, or an array.
type Slot struct {
	// Type is the type of the value, or of an array's elements.
	Type *Type
	// Array reports whether the slot is an array.
	Array bool
	// Constant reports whether the value, or each element, is a constant's key.
	Constant bool
	// size is the number of bytes of a value of fixed length; else 0.
	size uint8
}

// opcode says how to step over the values of one op.
type opcode uint8

const (
	// opVarints is n compressed integers.
	opVarints opcode = iota
	// opFixed is n values of fixed length, size bytes in all.
	opFixed
	// opText is one string.
	opText
	// opArray is a count and that many elements.
	opArray
)

// op covers n slots, from first on, that are stepped over in one way.
type op struct {
	elem  *Plan
	first uint32
	n     uint32
	size  uint32
	code  opcode
}

// maxSlots bounds how many slots all types of a chunk flatten to: a few structs nested in one
// another can stand for more than there is memory. The types of the JDK take about 4,000.
const maxSlots = 1 << 18

// The types of a chunk may have this number of slots in any case, and this number for each field:
// a recording can have very many chunks with a few bytes of metadata each. Types of virtual
// machines have less than two slots for each field.
const (
	leastSlots    = 1 << 10
	slotsPerField = 32
)

// HasZeroSizeElements reports whether values hold arrays whose elements have no bytes. The number
// of bytes left of what holds the array bounds how many elements there can be.
func (p *Plan) HasZeroSizeElements() bool { return p.zeroSize }

// NumSlots returns how many slots the plan has.
func (p *Plan) NumSlots() int { return len(p.slots) }

// Slot returns the slot at that position.
func (p *Plan) Slot(i int) *Slot { return &p.slots[i] }

// compile makes the plans of the types from an ordinal on.
func (t *TypeSet) compile(from int) {
	fields := 0
	for _, typ := range t.Types[from:] {
		fields += len(typ.Fields)
	}
	c := &compiler{state: make([]uint8, len(t.Types)), encoding: t.IntEncoding, keys: &Plan{encoding: t.IntEncoding}}
	c.left = min(maxSlots, leastSlots+slotsPerField*fields)
	c.keys.add(c.integer(wire.LongLen), Slot{Constant: true})
	c.keys.finish()
	for i := range t.Types[:from] {
		c.state[i] = planDone
	}
	for _, typ := range t.Types[from:] {
		c.compile(typ)
		t.slots = max(t.slots, len(typ.plan.slots))
	}
	for _, typ := range t.Types[from:] {
		typ.self = Field{Type: typ, TypeID: typ.ID, shown: typ.unwrapped()}
		if len(typ.Fields) >= manyFields {
			typ.byName = make(map[string]int, len(typ.Fields))
		}
		for i := range typ.Fields {
			f := &typ.Fields[i]
			if f.Type != nil {
				f.shown = f.Type.unwrapped()
			}
			if _, known := typ.byName[f.Name]; typ.byName != nil && !known {
				typ.byName[f.Name] = i
			}
		}
	}
}

// MaxWrappers bounds how many wrappers around wrappers are looked through.
const MaxWrappers = 16

// Wrapped returns the one field of the type, if it is a wrapper, then that of the field's type, and
// so on, through at most [MaxWrappers] wrappers.
func (t *Type) Wrapped() iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		for typ, n := t, 0; typ != nil && typ.wraps && n < MaxWrappers; n++ {
			wire.Step()
			field := &typ.Fields[0]
			if !yield(field) {
				return
			}
			typ = field.Type
		}
	}
}

// unwrapped returns the type of the value that values of the type stand for.
func (t *Type) unwrapped() *Type {
	for field := range t.Wrapped() {
		t = field.Type
	}
	return t
}

// maxInline bounds how deep structs and arrays may nest without a constant in between.
const maxInline = 64

// compiler makes plans depth first, so that the plan of an inline struct is made before it is
// needed. It has a stack of its own: a file can nest types deeper than calls can.
type compiler struct {
	state    []uint8
	stack    []*Type
	left     int
	encoding wire.IntEncoding
	// keys is how the key of a constant lies in a file.
	keys *Plan
}

const (
	planPending uint8 = iota
	planStarted
	planDone
)

// compile makes the plan of a type and of all that it holds inline.
func (c *compiler) compile(typ *Type) {
	c.stack = append(c.stack[:0], typ)
	for len(c.stack) > 0 {
		wire.Step()
		typ := c.stack[len(c.stack)-1]
		if c.state[typ.ordinal] == planPending {
			c.state[typ.ordinal] = planStarted
			// The plans of the types that it holds inline come first.
			for i := range typ.Fields {
				wire.Step()
				f := &typ.Fields[i]
				if typ.Kind == Struct && f.Type != nil && !f.Constant && c.state[f.Type.ordinal] == planPending {
					c.stack = append(c.stack, f.Type)
				}
			}
			continue
		}
		c.stack = c.stack[:len(c.stack)-1]
		if c.state[typ.ordinal] == planStarted {
			typ.plan, typ.planErr = c.typePlan(typ)
			typ.wraps = typ.Simple && !typ.IsEvent() && len(typ.Fields) == 1 && typ.Fields[0].Type != nil
			c.state[typ.ordinal] = planDone
		}
	}
}

func (c *compiler) typePlan(typ *Type) (p Plan, err error) {
	p.encoding = c.encoding
	if typ.Kind != Struct {
		p.add(c.primitive(typ.Kind), Slot{Type: typ})
	} else if err = c.fields(&p, typ); err != nil {
		return Plan{}, err
	}
	p.finish()
	return p, nil
}

func (c *compiler) fields(p *Plan, typ *Type) error {
	for i := range typ.Fields {
		wire.Step()
		f := &typ.Fields[i]
		f.slot = len(p.slots)
		if f.Type == nil {
			return corrupt("type %s: field %s: type %d is not described", typ.Name, f.Name, f.TypeID)
		}
		inline, slots := f.Type, 1
		if !f.Constant {
			if c.state[inline.ordinal] != planDone {
				return corrupt("type %s: field %s: type %s contains itself", typ.Name, f.Name, inline.Name)
			}
			if inline.planErr != nil {
				return inline.planErr
			}
			if !f.Array {
				slots = len(inline.plan.slots)
			}
			if p.depth = max(p.depth, inline.plan.depth+1); p.depth > maxInline {
				return errtree.Detailf(ErrUnsupported, "type %s: structs nest deeper than %d", typ.Name, maxInline)
			}
		}
		if c.left -= slots; c.left < 0 {
			return errtree.Detailf(ErrUnsupported, "type %s: types flatten to too many fields", typ.Name)
		}
		f.elem = &inline.plan
		if f.Constant {
			f.elem = c.keys
		}
		f.plan = f.elem
		switch {
		case f.Array:
			array := op{code: opArray, elem: f.elem}
			f.plan = &Plan{encoding: c.encoding}
			f.plan.add(array, Slot{Type: inline, Array: true, Constant: f.Constant})
			f.plan.finish()
			p.add(array, f.plan.slots[0])
		case f.Constant:
			p.add(c.integer(wire.LongLen), Slot{Type: inline, Constant: true})
		default:
			p.inline(&inline.plan)
		}
	}
	return nil
}

// integer returns the op of an integer that FixedWidth writes in that many bytes.
func (c *compiler) integer(rawLen uint32) op {
	if c.encoding == wire.Compressed {
		return op{code: opVarints}
	}
	return op{code: opFixed, size: rawLen}
}

func (c *compiler) primitive(k Kind) op {
	switch k {
	case Bool, Byte:
		return op{code: opFixed, size: 1}
	case Char, Short:
		return c.integer(wire.ShortLen)
	case Int:
		return c.integer(wire.IntLen)
	case Long:
		return c.integer(wire.LongLen)
	case Float:
		return op{code: opFixed, size: 4}
	case Double:
		return op{code: opFixed, size: 8}
	}
	return op{code: opText}
}

// add appends one slot, and joins its op with the last one if both are of one run.
func (p *Plan) add(o op, s Slot) {
	o.n = 1
	if o.code == opFixed {
		s.size = uint8(o.size)
	}
	p.slots = append(p.slots, s)
	p.addOp(o)
}

func (p *Plan) addOp(o op) {
	if n := len(p.ops); n > 0 && p.ops[n-1].code == o.code && (o.code == opVarints || o.code == opFixed) {
		p.ops[n-1].n += o.n
		p.ops[n-1].size += o.size
		return
	}
	p.ops = append(p.ops, o)
}

// inline appends all of another plan.
func (p *Plan) inline(other *Plan) {
	wire.StepBytes(8 * len(other.slots))
	p.slots = append(p.slots, other.slots...)
	for _, o := range other.ops {
		wire.Step()
		p.addOp(o)
	}
}

func (p *Plan) finish() {
	p.size, p.zeroSize = 0, false
	first := uint32(0)
	for i := range p.ops {
		wire.Step()
		o := &p.ops[i]
		o.first = first
		first += o.n
		p.zeroSize = p.zeroSize || o.code == opArray && (o.elem.size == 0 || o.elem.zeroSize)
		if o.code != opFixed {
			p.size = -1
		} else if p.size >= 0 {
			p.size += int(o.size)
		}
	}
}
