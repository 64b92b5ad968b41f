package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// function is one that is computed of values of one event or group.
type function struct {
	args int // the least number
	most int // the greatest; -1 is any
	// shape returns the shape of the result, or an error.
	shape func(args []shape) (shape, error)
	// make returns the function for arguments of some shapes.
	make func(args []shape) func(v []Value) Value
}

var functions = map[string]function{
	"BUCKET":   {2, 2, bucketShape, func([]shape) func(v []Value) Value { return bucket }},
	"COALESCE": {1, -1, sameShape, coalesce},
	"ABS":      {1, 1, numberShape, numberFunction(math.Abs)},
	"ROUND":    {1, 1, numberShape, numberFunction(math.Round)},
	"FLOOR":    {1, 1, numberShape, numberFunction(math.Floor)},
	"CEIL":     {1, 1, numberShape, numberFunction(math.Ceil)},
	"LOWER":    {1, 1, textShape, textFunction(strings.ToLower)},
	"UPPER":    {1, 1, textShape, textFunction(strings.ToUpper)},
	"PACKAGE":  {1, 1, textShape, textFunction(packageOf)},
	"SIMPLE":   {1, 1, textShape, textFunction(simpleName)},
	"SECONDS":  {1, 1, secondsShape, func([]shape) func(v []Value) Value { return seconds }},
}

// functionNames are those of functions, and TIME.
func functionNames() []string {
	names := []string{"TIME"}
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compileFunction compiles a call. TIME(10s) is BUCKET(@start, 10s).
func (c *compiler) compileFunction(e *call, leaf func(e expr) (*node, error)) (*node, error) {
	name, args := e.name, e.args
	if name == "TIME" {
		name, args = "BUCKET", append([]expr{&path{pos: e.pos, field: "@start"}}, args...)
	}
	f, ok := functions[name]
	if !ok {
		names := append(functionNames(), aggregateNames()...)
		return nil, c.st.errorAt(e.pos, "unknown function %s%s", e.name, suggest.Question(e.name, names))
	}
	if len(args) < f.args || f.most >= 0 && len(args) > f.most || e.star {
		given := len(e.args)
		return nil, c.st.errorAt(e.pos, "%s takes %s; got %s", e.name, argumentCount(f.args-len(args)+given, f.most-len(args)+given), givenCount(e))
	}
	n := &node{op: opFunction, text: name}
	var shapes []shape
	for _, a := range args {
		kid, err := c.compile(a, leaf)
		if err != nil {
			return nil, err
		}
		n.kids, shapes = append(n.kids, kid), append(shapes, kid.shape)
	}
	var err error
	if name != "COALESCE" && slices.ContainsFunc(shapes, func(s shape) bool { return s.absent }) {
		n.shape = shape{kind: Text, absent: true}
	} else if n.shape, err = f.shape(shapes); err != nil {
		return nil, c.st.errorAt(e.pos, "%s: %v", e.name, err)
	}
	if width := n.kids[len(n.kids)-1]; name == "BUCKET" && (width.op != opValue || width.value.Float() <= 0) {
		return nil, c.st.errorAt(e.pos, "%s takes a width, such as 10s", e.name)
	}
	n.fn = f.make(shapes)
	return n, nil
}

// argumentCount says how many arguments a call has; most is negative if there may be any number.
func argumentCount(least, most int) string {
	text := strconv.Itoa(least)
	switch {
	case most < 0:
		return "at least " + text + " arguments"
	case most > least:
		return text + " to " + strconv.Itoa(most) + " arguments"
	case least == 1:
		return "1 argument"
	}
	return text + " arguments"
}

func givenCount(e *call) string {
	if e.star {
		return "*"
	}
	return strconv.Itoa(len(e.args))
}

func bucketShape(args []shape) (shape, error) {
	s, width := args[0], args[1]
	switch {
	case s.kind == Timestamp && width.kind == Timespan, s.kind == Timespan && width.kind == Timespan, s.isNumber() && width.isNumber():
		return s, nil
	}
	return s, fmt.Errorf("%s has no buckets of %s", s, width)
}

// bucket returns the greatest multiple of the width that is not greater than the value.
func bucket(v []Value) Value {
	if v[0].kind == Null || v[1].kind == Null {
		return Value{}
	}
	if v[0].kind == Float || v[1].kind == Float {
		w := v[1].Float()
		return fromFloat(v[0].kind, math.Floor(v[0].Float()/w)*w)
	}
	n, w := v[0].num, v[1].num
	if v[0].isFar() {
		return farBucket(v[0], w)
	}
	if v[0].kind == Unsigned || int64(n) >= 0 {
		return Value{kind: v[0].kind, num: n - n%w}
	}
	rest := (w - -n%w) % w // up to -n, it is below 2^63
	if n -= rest; int64(n) >= 0 {
		return Value{} // it is beyond 64 bits
	}
	return Value{kind: v[0].kind, num: n}
}

func sameShape(args []shape) (s shape, err error) {
	for i, a := range args {
		if s = s.joined(a); i == 0 {
			s = a
		}
	}
	return s, nil
}

func coalesce(args []shape) func(v []Value) Value {
	s, _ := sameShape(args)
	return func(v []Value) Value {
		for _, one := range v {
			if one.kind != Null {
				return one.as(s.kind)
			}
		}
		return Value{}
	}
}

func numberShape(args []shape) (shape, error) {
	if s := args[0]; s.isNumber() || s.kind == Timespan {
		return s, nil
	}
	return shape{}, fmt.Errorf("%s is not a number", args[0])
}

func numberFunction(f func(float64) float64) func([]shape) func(v []Value) Value {
	return func(args []shape) func(v []Value) Value {
		kind := args[0].kind
		return func(v []Value) Value {
			if v[0].kind == Null {
				return Value{}
			}
			return fromFloat(kind, f(v[0].Float()))
		}
	}
}

func textShape(args []shape) (shape, error) {
	if args[0].kind.isNumeric() {
		return shape{}, fmt.Errorf("%s is not a string", args[0])
	}
	return shape{kind: Text}, nil
}

func textFunction(f func(string) string) func([]shape) func(v []Value) Value {
	return func([]shape) func(v []Value) Value {
		return func(v []Value) Value {
			if v[0].kind == Null {
				return Value{}
			}
			return textValue(f(v[0].String()))
		}
	}
}

// packageOf returns the package of a class, or of the class of a method. Names of hidden classes have a point after the class.
func packageOf(name string) string {
	name, _, method := strings.Cut(name, "(")
	name = strings.TrimRight(name, "[]")
	if dot := strings.LastIndexByte(name, '.'); method {
		name = name[:max(dot, 0)]
	}
	name = javaname.Stable(name)
	return name[:max(strings.LastIndexByte(name, '.'), 0)]
}

// simpleName returns the name of a class, or of a class and its method, without the package.
func simpleName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, packageOf(name)), ".")
}

func secondsShape(args []shape) (shape, error) {
	if args[0].kind != Timespan {
		return shape{}, fmt.Errorf("%s is not a duration", args[0])
	}
	return shape{kind: Float, unit: mmapjfr.NoUnit}, nil
}

func seconds(v []Value) Value {
	if v[0].kind == Null {
		return Value{}
	}
	return floatValue(v[0].Float() / 1e9)
}
