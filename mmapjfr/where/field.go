package where

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// kind is how the values of a field are compared.
type kind uint8

const (
	opaque kind = iota // with null alone
	whole
	real
	truth
	span
	point
	text
	invocation // of a method: a method or a frame
	stack
)

// kindOf returns the kind of a field's values, or of the elements of its array.
func kindOf(f mmapjfr.Field) kind {
	switch {
	case f.Unit().IsTimespan():
		return span
	case f.Unit().IsTimestamp():
		return point
	}
	return kindOfType(f.Type())
}

func kindOfType(t mmapjfr.Type) kind {
	t = unwrapped(t)
	switch t.CurrentName() {
	case "boolean":
		return truth
	case "byte", "short", "int", "long":
		return whole
	case "float", "double":
		return real
	case "char", jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader:
		return text
	case jdktypes.Method, jdktypes.StackFrame:
		return invocation
	case jdktypes.StackTrace:
		return stack
	}
	if name, ok := t.Field("name"); ok && !t.IsEvent() && !name.IsArray() && unwrapped(name.Type()).Name() == jdktypes.String {
		return text
	}
	return opaque
}

// maxWraps is how many wrappers around wrappers are looked through.
const maxWraps = 8

// unwrapped returns the type that a type stands for.
func unwrapped(t mmapjfr.Type) mmapjfr.Type {
	for range maxWraps {
		fields := t.Fields()
		if !t.IsSimple() || len(fields) == 0 {
			break
		}
		t = fields[0].Type()
	}
	return t
}

// find returns the field of events of a type that is compared.
func (c *comparison) find(t mmapjfr.Type) (mmapjfr.Field, error) {
	f, _, err := t.Resolve(c.path)
	return f, err
}

// fits tells whether values of the field can be compared as is asked.
func (c *comparison) fits(f mmapjfr.Field) error {
	k, l := kindOf(f), &c.value
	wrong := func(what string) error {
		return fmt.Errorf("condition %s: %s", c.written, what)
	}
	switch {
	case l.null:
		return nil
	case k == opaque:
		return wrong("values of " + c.field + " can only be compared with null; name a field in it, as in " + c.field + ".name")
	case k == text, k == invocation, k == stack && (c.op == equal || c.op == match):
		return nil
	case k == stack:
		return wrong("a stack trace can only be compared by =, !=, ~ and !~")
	case c.op == match:
		return wrong(c.field + " is no text; compare it by = != < <= > >=")
	case k == span && !l.isSpan && !(l.isInteger && (c.op == equal || l.text == "0")):
		return wrong(c.field + " is a length of time; give one with its unit, as in 10ms, or as " + cmp.Or(l.digits(), "1500") + "ns")
	case k == point && !l.isTime:
		return wrong(c.field + " is a point in time; give " + l.times.forms())
	case k == truth && !l.isTruth:
		return wrong(c.field + " is true or false")
	case k == truth && c.op != equal:
		return wrong(c.field + " can only be compared by = and !=")
	case k == whole && !l.isNumber, k == real && !l.isNumber && !l.isPercent:
		return wrong(c.field + " is a number; " + l.text + " is none")
	}
	return nil
}

// Operators returns the operators that values of a field can be compared by, for help and
// completion; none for a struct whose fields must be named.
func Operators(f mmapjfr.Field) []string {
	switch kindOf(f) {
	case opaque:
		return nil
	case text:
		return []string{"=", "!=", "~", "!~", "<", "<=", ">", ">="}
	case stack:
		return []string{"~", "!~", "=", "!="}
	case truth:
		return []string{"=", "!="}
	}
	return []string{">", ">=", "<", "<=", "=", "!="}
}

func (c *comparison) can(t mmapjfr.Type) bool { return c.targetOf(t).fits }

func (c *comparison) check(types []mmapjfr.Type) error {
	var unfit, inside error
	var names []string
	for _, t := range types {
		f, err := c.find(t)
		if err == nil {
			if err = c.fits(f); err == nil {
				return nil
			}
			unfit = err
			continue
		}
		for _, f := range append(t.Computed(), t.Fields()...) {
			if !f.IsComputed() || strings.HasPrefix(c.field, "@") {
				names = append(names, f.Name())
			}
			// A type that has the beginning of the path knows what may follow it.
			if rest, ok := strings.CutPrefix(c.field, f.Name()); ok && strings.HasPrefix(rest, ".") {
				inside = err
			}
		}
	}
	if err := cmp.Or(unfit, inside); err != nil || len(types) == 0 {
		return err
	}
	return fmt.Errorf("condition %s: no event type that is selected has a field %s%s", c.written, c.field, suggest.Question(c.field, names))
}
