package schema

import (
	"fmt"
	"iter"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Plan is how the values of a class lie in a file: what to step over, in which
// order, and where each field is. Inline structs are flattened into the class
// that holds them, so that a plan is one list however deep they nest (FORMAT.md,
// section 5).
type Plan struct {
	ops   []op
	slots []Slot
	// size is the number of bytes if every value takes the same; else -1.
	size int
	// depth is how deep structs nest in it.
	depth    int
	encoding wire.IntEncoding
	// empties tells that there are arrays whose elements have no bytes.
	empties bool
}

// Slot is a value inside a laid-out one that is no inline struct itself: a
// primitive, a constant's key, or an array.
type Slot struct {
	// Class is the class of the value, or of an array's elements.
	Type *Type
	// Array tells whether the slot is an array.
	Array bool
	// Constant tells whether the value, or each element, is a constant's key.
	Constant bool
	// size is the number of bytes of a value whose length never varies; else 0.
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
	// opArray is a count and so many elements.
	opArray
)

// op covers n slots, from first on, that are stepped over in the same way.
type op struct {
	elem  *Plan
	first uint32
	n     uint32
	size  uint32
	code  opcode
}

// maxSlots bounds how many slots the classes of one chunk may flatten to in
// all: a few structs nested in one another can stand for more than there is
// memory. The JDK's own classes take about 4,000.
const maxSlots = 1 << 18

// So many slots there may be in any case, and for each field: a recording can have
// very many chunks with a few bytes of metadata each. Classes of virtual machines have
// less than two for each field.
const (
	leastSlots    = 1 << 10
	slotsPerField = 32
)

// room returns how many slots the classes may flatten to.
func room(classes []*Type) int {
	fields := 0
	for _, class := range classes {
		fields += len(class.Fields)
	}
	return min(maxSlots, leastSlots+slotsPerField*fields)
}

// HasZeroSizeElements tells whether values hold arrays whose elements have no bytes. How many of
// them there can be depends on how many bytes are left of what holds the array.
func (p *Plan) HasZeroSizeElements() bool { return p.empties }

// NumSlots returns how many slots the plan has.
func (p *Plan) NumSlots() int { return len(p.slots) }

// Slot returns the slot at that position.
func (p *Plan) Slot(i int) *Slot { return &p.slots[i] }

// compile makes the plans of the classes from that ordinal on.
func (t *TypeSet) compile(from int) {
	c := &compiler{state: make([]uint8, len(t.Types)), encoding: t.IntEncoding, left: room(t.Types[from:]), keys: &Plan{encoding: t.IntEncoding}}
	c.keys.add(c.integer(wire.LongLen), Slot{Constant: true})
	c.keys.finish()
	for i := range t.Types[:from] {
		c.state[i] = planDone
	}
	for _, class := range t.Types[from:] {
		c.compile(class)
		t.slots = max(t.slots, len(class.plan.slots))
	}
	for _, class := range t.Types[from:] {
		class.self = Field{Type: class, TypeID: class.ID, shown: class.unwrapped()}
		for i := range class.Fields {
			if f := &class.Fields[i]; f.Type != nil {
				f.shown = f.Type.unwrapped()
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

// maxInline bounds how deep structs and arrays may nest without a constant in
// between.
const maxInline = 64

// compiler makes plans depth first, so that the plan of an inline struct is
// there when it is needed. It goes by a stack of its own: a file can nest classes
// deeper than calls can.
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

// compile makes the plan of a class and of all that it holds inline.
func (c *compiler) compile(cl *Type) {
	c.stack = append(c.stack[:0], cl)
	for len(c.stack) > 0 {
		wire.Step()
		cl := c.stack[len(c.stack)-1]
		if c.state[cl.ordinal] == planPending {
			c.state[cl.ordinal] = planStarted
			c.pushInline(cl)
			continue
		}
		c.stack = c.stack[:len(c.stack)-1]
		if c.state[cl.ordinal] == planStarted {
			cl.plan, cl.planErr = c.class(cl)
			cl.wraps = cl.Simple && !cl.IsEvent() && len(cl.Fields) == 1 && cl.Fields[0].Type != nil
			c.state[cl.ordinal] = planDone
		}
	}
}

// pushInline puts the classes on the stack whose plans the class needs first.
func (c *compiler) pushInline(cl *Type) {
	for i := range cl.Fields {
		wire.Step()
		f := &cl.Fields[i]
		if cl.Kind == Struct && f.Type != nil && !f.Constant && c.state[f.Type.ordinal] == planPending {
			c.stack = append(c.stack, f.Type)
		}
	}
}

func (c *compiler) class(cl *Type) (p Plan, err error) {
	p.encoding = c.encoding
	if cl.Kind != Struct {
		p.add(c.primitive(cl.Kind), Slot{Type: cl})
	} else if err = c.fields(&p, cl); err != nil {
		return Plan{}, err
	}
	p.finish()
	return p, nil
}

func (c *compiler) fields(p *Plan, cl *Type) error {
	for i := range cl.Fields {
		wire.Step()
		f := &cl.Fields[i]
		f.slot = len(p.slots)
		if f.Type == nil {
			return corrupt("class %s: field %s: class %d is not described", cl.Name, f.Name, f.TypeID)
		}
		inline, slots := f.Type, 1
		if !f.Constant {
			if c.state[inline.ordinal] != planDone {
				return corrupt("class %s: field %s: class %s contains itself", cl.Name, f.Name, inline.Name)
			}
			if inline.planErr != nil {
				return inline.planErr
			}
			if !f.Array {
				slots = len(inline.plan.slots)
			}
			if p.depth = max(p.depth, inline.plan.depth+1); p.depth > maxInline {
				return fmt.Errorf("%w: class %s: structs nest deeper than %d", ErrUnsupported, cl.Name, maxInline)
			}
		}
		if c.left -= slots; c.left < 0 {
			return fmt.Errorf("%w: class %s: classes flatten to too many fields", ErrUnsupported, cl.Name)
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

// integer is the op of an integer that the raw form writes in that many bytes.
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

// add appends one slot, joining its op with the last one where both are runs.
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
	p.size, p.empties = 0, false
	first := uint32(0)
	for i := range p.ops {
		wire.Step()
		o := &p.ops[i]
		o.first = first
		first += o.n
		p.empties = p.empties || o.code == opArray && (o.elem.size == 0 || o.elem.empties)
		if o.code != opFixed {
			p.size = -1
		} else if p.size >= 0 {
			p.size += int(o.size)
		}
	}
}
