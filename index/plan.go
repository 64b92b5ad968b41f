package index

import (
	"fmt"

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
	form wire.Form
}

// Slot is a value inside a laid-out one that is no inline struct itself: a
// primitive, a constant's key, or an array.
type Slot struct {
	// Class is the class of the value, or of an array's elements.
	Class *Class
	// Array tells whether the slot is an array.
	Array bool
	// Constant tells whether the value, or each element, is a constant's key.
	Constant bool
	// elem is how one element of an array is laid out.
	elem *Plan
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

// op covers n slots that are stepped over in the same way.
type op struct {
	elem *Plan
	n    uint32
	size uint32
	code opcode
}

// maxSlots bounds how many slots the classes of one chunk may flatten to in
// all: a few structs nested in one another can stand for more than there is
// memory. The JDK's own classes take about 4,000.
const maxSlots = 1 << 18

// Slots returns how many slots the plan has.
func (p *Plan) Slots() int { return len(p.slots) }

// Slot returns the slot at that position.
func (p *Plan) Slot(i int) *Slot { return &p.slots[i] }

// Elem returns how an element of the array in slot i is laid out.
func (p *Plan) Elem(i int) *Plan { return p.slots[i].elem }

// compile makes the plans of all classes.
func (t *Types) compile() {
	c := compiler{state: make([]uint8, len(t.Classes)), form: t.Form, left: maxSlots}
	for i := range t.Classes {
		c.class(&t.Classes[i])
		t.slots = max(t.slots, len(t.Classes[i].plan.slots))
	}
}

// compiler makes plans depth first, so that the plan of an inline struct is
// there when it is needed.
type compiler struct {
	state []uint8
	left  int
	form  wire.Form
}

const (
	planPending uint8 = iota
	planStarted
	planDone
)

func (c *compiler) class(cl *Class) {
	if c.state[cl.ordinal] != planPending {
		return
	}
	c.state[cl.ordinal] = planStarted
	p := Plan{form: c.form}
	var err error
	if cl.Kind != Struct {
		p.add(c.primitive(cl.Kind), Slot{Class: cl})
	} else {
		err = c.fields(&p, cl)
	}
	if err == nil {
		p.finish()
		cl.plan = p
	}
	cl.planErr = err
	c.state[cl.ordinal] = planDone
}

func (c *compiler) fields(p *Plan, cl *Class) error {
	for i := range cl.Fields {
		f := &cl.Fields[i]
		f.slot = len(p.slots)
		if f.Class == nil {
			return corrupt("class %s: field %s: class %d is not described", cl.Name, f.Name, f.ClassID)
		}
		inline, slots := f.Class, 1
		if !f.Constant {
			if c.state[inline.ordinal] == planStarted {
				return corrupt("class %s: field %s: class %s contains itself", cl.Name, f.Name, inline.Name)
			}
			c.class(inline)
			if inline.planErr != nil {
				return inline.planErr
			}
			if !f.Array {
				slots = len(inline.plan.slots)
			}
		}
		if c.left -= slots; c.left < 0 {
			return fmt.Errorf("%w: class %s: classes flatten to more than %d fields", ErrUnsupported, cl.Name, maxSlots)
		}
		switch {
		case f.Array:
			elem := &inline.plan
			if f.Constant {
				elem = c.key(inline)
			}
			p.add(op{code: opArray, elem: elem}, Slot{Class: inline, Array: true, Constant: f.Constant, elem: elem})
		case f.Constant:
			key := c.integer(wire.LongLen)
			p.add(key, Slot{Class: inline, Constant: true, size: uint8(key.size)})
		default:
			p.inline(&inline.plan)
		}
	}
	return nil
}

// key is the plan of a constant's key.
func (c *compiler) key(cl *Class) *Plan {
	p := &Plan{form: c.form}
	p.add(c.integer(wire.LongLen), Slot{Class: cl, Constant: true})
	p.finish()
	return p
}

// integer is the op of an integer that the raw form writes in that many bytes.
func (c *compiler) integer(rawLen uint32) op {
	if c.form == wire.Compressed {
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
	p.slots = append(p.slots, other.slots...)
	for _, o := range other.ops {
		p.addOp(o)
	}
}

func (p *Plan) finish() {
	p.size = 0
	for _, o := range p.ops {
		if o.code != opFixed {
			p.size = -1
			return
		}
		p.size += int(o.size)
	}
}
