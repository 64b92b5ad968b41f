package where

import (
	"cmp"
	"errors"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// kind is how the values of a field are compared.
type kind uint8

const (
	structKind kind = iota // with null alone
	integerKind
	floatKind
	booleanKind
	timespanKind
	timestampKind
	textKind
	methodKind // a method or a stack frame
	stackKind
)

// kindOf returns the kind of a field's values, or of the elements of its array.
func kindOf(f mmapjfr.Field) kind {
	switch {
	case f.Unit().IsTimespan():
		return timespanKind
	case f.Unit().IsTimestamp():
		return timestampKind
	}
	return kindOfType(f.Type())
}

func kindOfType(t mmapjfr.Type) kind {
	t = engine.TypeUnwrapped(t)
	switch t.Name() {
	case "boolean":
		return booleanKind
	case "byte", "short", "int", "long":
		return integerKind
	case "float", "double":
		return floatKind
	case "char", jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader:
		return textKind
	case jdktypes.Method, jdktypes.StackFrame:
		return methodKind
	case jdktypes.StackTrace:
		return stackKind
	}
	if name, ok := t.Field("name"); ok && !t.IsEvent() && !name.IsArray() && engine.TypeUnwrapped(name.Type()).Name() == jdktypes.String {
		return textKind
	}
	return structKind
}

// find returns the field of events of a type that is compared.
func (c *comparison) find(t mmapjfr.Type) (mmapjfr.Field, error) {
	f, _, err := t.Resolve(c.path)
	return f, err
}

// fits returns an error if values of the field cannot be compared so.
func (c *comparison) fits(f mmapjfr.Field) error {
	for _, t := range c.terms {
		if message := t.misfit(kindOf(f), c.field); message != "" {
			return c.wrong(message)
		}
	}
	return nil
}

func (c *comparison) wrong(message string) *FieldError {
	return &FieldError{Comparison: c.text(), Offset: c.offset, Message: message}
}

// misfit returns why values of a kind cannot be compared so; "" if they can.
func (c *term) misfit(k kind, field string) string {
	l := &c.value
	switch {
	case l.null:
	case k == structKind:
		return "values of " + field + " can only be compared with null; name a field in it, as in " + field + ".name"
	case k == textKind, k == methodKind, k == stackKind && (c.op == equal || c.op == match):
	case k == stackKind:
		return "a stack trace can only be compared by =, !=, ~ and !~"
	case c.op == match:
		return field + " is not text; compare it by = != < <= > >="
	case k == timespanKind && !l.isTimespan && !(l.isDecimal && (c.op == equal || l.text == "0")):
		return cmp.Or(parseunit.TooLarge(l.text), field+" is a length of time: give it a unit, as in 10ms, or "+cmp.Or(l.digits(), "1500")+"ns")
	case k == timestampKind && !l.isTime:
		return field + " is a point in time; give " + l.options.timeForms()
	case k == booleanKind && !l.isBoolean:
		return field + " is true or false"
	case k == booleanKind && c.op != equal:
		return field + " can only be compared by = and !="
	case k == integerKind && !l.isNumber, k == floatKind && !l.isNumber && !l.isPercent:
		return cmp.Or(parseunit.TooLarge(l.text), field+" is a number, and "+l.text+" is not")
	}
	return ""
}

func (c *comparison) canMatch(t mmapjfr.Type) bool { return c.targetOf(t).fits }

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
		for _, f := range append(engine.TypeComputed(t), t.Fields()...) {
			if !engine.FieldIsComputed(f) || strings.HasPrefix(c.field, "@") {
				names = append(names, f.Name())
			}
			// The error for a type with the beginning of the path says what can follow it.
			if rest, ok := strings.CutPrefix(c.field, f.Name()); ok && strings.HasPrefix(rest, ".") {
				inside = err
			}
		}
	}
	if err := cmp.Or(unfit, inside); err != nil || len(types) == 0 {
		return err
	}
	hint := suggest.NewHint(c.field, names)
	text := "no event type that is selected has a field " + c.field + hint.String()
	if strings.ContainsAny(c.field, "*/+") {
		text = "conditions compare fields and calculate nothing; there is no field " + c.field
	}
	missing := c.wrong(text)
	missing.is = errors.Join(mmapjfr.ErrNoField, hint)
	return missing
}
