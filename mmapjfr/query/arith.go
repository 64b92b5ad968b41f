package query

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// shape is what the values of an expression are.
type shape struct {
	kind Kind
	unit mmapjfr.Unit // of Int, Unsigned and Float
	rate bool         // they are per second
	// absent is set if no event type has the field: all values are null, and fit everywhere.
	absent bool
	// apart says what the values of several event types are if those do not go together; then all are texts.
	apart string
}

func (s shape) isNumber() bool { return s.kind == Int || s.kind == Unsigned || s.kind == Float }

// isCondition reports whether values are true or false.
func (s shape) isCondition() bool { return s.kind == Bool || s.absent }

// isPlain reports whether values are numbers without a unit, by which everything can be multiplied.
func (s shape) isPlain() bool {
	return s.isNumber() && !s.rate && (s.unit == mmapjfr.NoUnit || s.unit == mmapjfr.Percentage)
}

// String names what the values are, for errors.
func (s shape) String() string {
	switch {
	case s.apart != "":
		return s.apart
	case s.kind == Timespan:
		return "a length of time"
	case s.kind == Timestamp:
		return "a point in time"
	case s.isNumber() && s.unit == mmapjfr.Bytes:
		return "an amount of data"
	case s.isNumber():
		return "a number"
	case s.kind == Bool:
		return "true or false"
	}
	return "text"
}

// combined returns what an arithmetic operator makes of two operands.
func combined(op string, l, r shape) (shape, error) {
	if l.absent || r.absent {
		return shape{kind: Text, absent: true}, nil
	}
	wrong := fmt.Errorf("cannot compute %s %s %s", l, op, r)
	switch op {
	case "+", "-":
		return added(op, l, r, wrong)
	case "*":
		switch {
		case l.isPlain() && (r.isNumber() || r.kind == Timespan):
			return multiplied(r, l), nil
		case r.isPlain() && (l.isNumber() || l.kind == Timespan):
			return multiplied(l, r), nil
		case l.kind == Timespan && r.rate:
			return shape{kind: Float, unit: r.unit}, nil
		case r.kind == Timespan && l.rate:
			return shape{kind: Float, unit: l.unit}, nil
		}
	case "/":
		switch {
		case l.kind == Timespan && r.kind == Timespan, l.isNumber() && l == r, l.isNumber() && r.isNumber() && l.unit == r.unit && l.rate == r.rate:
			return shape{kind: Float}, nil
		case l.kind == Timespan && r.isPlain():
			return l, nil
		case l.isNumber() && r.isPlain():
			return shape{kind: Float, unit: l.unit, rate: l.rate}, nil
		case l.isNumber() && !l.rate && r.kind == Timespan:
			return shape{kind: Float, unit: l.unit, rate: true}, nil
		}
	}
	return shape{}, wrong
}

func added(op string, l, r shape, wrong error) (shape, error) {
	switch {
	case l.kind == Timestamp && r.kind == Timestamp && op == "-":
		return shape{kind: Timespan}, nil
	case l.kind == Timestamp && r.kind == Timespan, l.kind == Timespan && r.kind == Timespan:
		return l, nil
	case l.kind == Timespan && r.kind == Timestamp && op == "+":
		return r, nil
	case l.isNumber() && r.isNumber() && (l.unit == r.unit && l.rate == r.rate || l.isPlain() || r.isPlain()):
		out := l
		if l.isPlain() {
			out = r
		}
		out.kind = Int
		if l.kind == Float || r.kind == Float {
			out.kind = Float
		}
		return out, nil
	}
	return shape{}, wrong
}

// multiplied returns the shape of values that are multiplied by a plain number.
func multiplied(s, by shape) shape {
	if s.kind != Timespan && (by.kind == Float || s.kind == Float) {
		s.kind = Float
	} else if s.kind == Unsigned {
		s.kind = Int
	}
	return s
}

// calculate returns the value of an operator, whose shape combined has returned.
func calculate(op string, out shape, l, r Value) Value {
	if l.kind == Null || r.kind == Null {
		return Value{}
	}
	if l.isFar() || r.isFar() {
		return calculateFar(op, l, r)
	}
	if op != "/" && out.kind != Float && l.kind != Float && r.kind != Float {
		if n, ok := calculateInt(op, int64(l.num), int64(r.num)); ok && !l.isBeyondInt() && !r.isBeyondInt() {
			return Value{kind: out.kind, num: uint64(n)}
		}
		if out.kind == Int {
			return Value{} // it is beyond 64 bits
		}
	}
	a, b := l.Float(), r.Float()
	var f float64
	switch op {
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
		if out.kind == Float && (l.kind == Timespan || r.kind == Timespan) {
			f /= 1e9
		}
	case "/":
		if f = a / b; out.rate && r.kind == Timespan {
			f = a / (b / 1e9)
		}
	}
	return fromFloat(out.kind, f)
}

// fromFloat returns a number as a value of a numeric kind; Null if it is infinite, no number, or too
// large.
func fromFloat(k Kind, f float64) Value {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return Value{}
	case k == Float:
		return floatValue(f + 0) // minus 0 is 0
	case math.Abs(f) >= 1<<63:
		return Value{}
	}
	return Value{kind: k, num: uint64(int64(f))}
}

// isBeyondInt reports whether a whole number is too large for one with a sign.
func (v Value) isBeyondInt() bool { return v.kind == Unsigned && v.num > math.MaxInt64 }

// calculateInt is false if the result is beyond 64 bits.
func calculateInt(op string, a, b int64) (n int64, ok bool) {
	switch op {
	case "+":
		n = a + b
		return n, (a^n)&(b^n) >= 0
	case "-":
		n = a - b
		return n, (a^b)&(a^n) >= 0
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if n = int64(lo); (a < 0) != (b < 0) {
		n = -n
	}
	return n, true
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

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

// shapeOf returns the shape of a field's values, or of the elements of an array; false if they are structs that have no
// text.
func shapeOf(f mmapjfr.Field, element bool) (shape, bool) {
	s := shape{unit: f.Unit(), rate: engine.FieldIsRate(f)}
	switch {
	case f.IsArray() && !element:
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
