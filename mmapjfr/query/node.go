package query

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// op is what a node computes.
type op uint8

const (
	opValue     op = iota // a value that was written
	opField               // a field of an event
	opKey                 // a key of a group
	opAggregate           // an aggregate of a group
	opInput               // an input of an event
	opArith
	opCompare
	opAnd
	opOr
	opNot
	opFunction
)

// node is an expression that has been compiled.
type node struct {
	op    op
	index int    // of a field, key, aggregate or input
	value Value  // of opValue
	text  string // the operator
	fn    func(args []Value) Value
	kids  []*node
	shape shape
}

// eval returns the value of the expression; leaf returns that of fields, keys, aggregates and inputs.
func (n *node) eval(leaf func(n *node) Value) Value {
	switch n.op {
	case opValue:
		return n.value
	case opArith:
		return calculate(n.text, n.shape, n.kids[0].eval(leaf), n.kids[1].eval(leaf))
	case opCompare:
		return compared(n.text, n.kids[0].eval(leaf), n.kids[1].eval(leaf))
	case opAnd:
		return boolValue(n.kids[0].eval(leaf).Bool() && n.kids[1].eval(leaf).Bool())
	case opOr:
		return boolValue(n.kids[0].eval(leaf).Bool() || n.kids[1].eval(leaf).Bool())
	case opNot:
		return boolValue(!n.kids[0].eval(leaf).Bool())
	case opFunction:
		args := make([]Value, len(n.kids))
		for i, k := range n.kids {
			args[i] = k.eval(leaf)
		}
		return n.fn(args)
	}
	return leaf(n)
}

// compared returns whether two values compare as an operator says. Null is equal to nothing, as in
// package where it is neither less nor greater.
func compared(op string, l, r Value) Value {
	if l.kind == Null || r.kind == Null {
		return boolValue(op == "!=" && l.kind != r.kind)
	}
	o := l.order(r)
	switch op {
	case "=":
		return boolValue(o == 0)
	case "!=":
		return boolValue(o != 0)
	case "<":
		return boolValue(o < 0)
	case "<=":
		return boolValue(o <= 0)
	case ">":
		return boolValue(o > 0)
	}
	return boolValue(o >= 0)
}

// shapeOf returns the shape of a field's values; false if they are structs that have no text.
func shapeOf(f mmapjfr.Field) (shape, bool) {
	s := shape{unit: f.Unit(), rate: f.IsRate()}
	switch {
	case f.IsArray():
		return shape{kind: List}, true
	case f.Unit().IsTimespan():
		return shape{kind: Timespan}, true
	case f.Unit().IsTimestamp():
		return shape{kind: Timestamp}, true
	}
	if s.kind = kindOf(f.Type(), f.IsUnsigned()); !s.isNumber() {
		s.unit, s.rate = mmapjfr.NoUnit, false
	}
	return s, s.kind != Null
}
