package where

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/sqltext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// DuckDB returns the condition in DuckDB's dialect, for the table of an event type as docs/COLUMNS.md has it. Types are the
// versions of the event type that recordings have. Column returns what a field is in the table, as an expression, and its
// error ends DuckDB: of a thread its text as [mmapjfr.Value.Str] has it, or its number where the name is empty, of a stack trace its stack_id. The macro
// method_text of package duckdb must be there, and the table _frames.
//
// The condition holds for the rows whose events match as [Condition.Matches] says, but for what the table does not have: lengths
// of time without end and infinite numbers are null there. What has no exact form is an error, such as
// a comparison in nanoseconds of a time that the table has in microseconds.
func (c *Condition) DuckDB(types []mmapjfr.Type, column func(field string, f mmapjfr.Field) (string, error)) (string, error) {
	return c.root.duckDB(&dialect{types, column})
}

// dialect is what a condition needs to be written in SQL.
type dialect struct {
	types  []mmapjfr.Type
	column func(field string, f mmapjfr.Field) (string, error)
}

func (j *junction) duckDB(d *dialect) (string, error) {
	var parts []string
	for _, n := range j.parts {
		part, err := n.duckDB(d)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	between := " AND "
	if j.or {
		between = " OR "
	}
	return "(" + strings.Join(parts, between) + ")", nil
}

func (c *comparison) duckDB(d *dialect) (string, error) {
	f, err := c.sqlField(d)
	if err != nil {
		return "", err
	}
	value := f.of
	if f.IsArray() {
		value = `"@x"`
	}
	text, err := c.sqlTerms(f, value)
	if err != nil {
		return "", err
	}
	if f.IsArray() { // one of its elements, or null in its place
		forNull := slices.ContainsFunc(c.terms, func(t *term) bool { return t.value.null })
		text = "CASE WHEN " + f.of + " IS NULL THEN " + strconv.FormatBool(forNull) +
			" ELSE len(list_filter(" + f.of + ", lambda " + value + ": coalesce(" + text + ", false))) > 0 END"
	}
	if c.not {
		return "NOT coalesce(" + text + ", false)", nil
	}
	return text, nil
}

// sqlTerms returns the comparison of an expression with the values.
func (c *comparison) sqlTerms(f *sqlField, of string) (string, error) {
	var parts []string
	for _, t := range c.terms {
		part, err := t.duckDB(f, of)
		if err != nil {
			return "", fmt.Errorf("condition %s: %w", c.text(), err)
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	between := " OR "
	if c.all {
		between = " AND "
	}
	return "(" + strings.Join(parts, between) + ")", nil
}

// sqlField is a field in SQL.
type sqlField struct {
	mmapjfr.Field
	target
	typ   string // the name of its type, or of the one that its type wraps
	of    string // its expression
	start bool   // it is when the event began, which the table has in nanoseconds, too
	named bool   // it is a struct, whose text is its name
}

// sqlField returns the field of a comparison. All versions of the event type must have it, and alike: others would be null in the
// table, and null matches negated comparisons.
func (c *comparison) sqlField(d *dialect) (*sqlField, error) {
	var first *sqlField
	for _, t := range d.types {
		f, err := c.find(t)
		switch {
		case err != nil && len(d.types) == 1:
			return nil, err
		case err != nil:
			return nil, errors.New("not all of the recordings have the field " + c.field)
		}
		if err := c.fits(f); err != nil {
			return nil, err
		}
		own := &sqlField{Field: f, typ: f.Type().Unwrapped().Name(), start: c.field == "startTime" || c.field == "@start"}
		own.named = kindOf(f) == textKind && !slices.Contains([]string{"char", jdktypes.String, jdktypes.Thread, jdktypes.Class, jdktypes.ClassLoader}, own.typ)
		own.target = target{kind: kindOf(f), unsigned: f.IsUnsigned(), address: f.Unit() == mmapjfr.Address}
		if own.of, err = d.column(c.field, f); err != nil {
			return nil, err
		}
		if first == nil {
			first = own
		} else if o := first; o.kind != own.kind || o.unsigned != own.unsigned || o.address != own.address || o.typ != own.typ || o.IsArray() != f.IsArray() || o.Unit() != f.Unit() {
			return nil, errors.New("the field " + c.field + " is of one kind in some of the recordings and of another in others")
		}
	}
	if first == nil {
		return nil, errors.New("no event type has the field " + c.field)
	}
	if first.IsArray() && !first.Type().IsPrimitive() && first.typ != jdktypes.String {
		return nil, errors.New(c.field + " is a list of structs, which the table has as texts")
	}
	return first, nil
}

// duckDB returns the comparison of an expression with the value.
func (c *term) duckDB(f *sqlField, of string) (string, error) {
	if f.named && (c.value.null || c.holdsEmpty()) {
		return "", errors.New("the table has a struct without a name as null")
	}
	if c.value.null {
		return of + " IS NULL", nil
	}
	switch f.kind {
	case integerKind:
		return c.sqlInteger(f, of), nil
	case floatKind:
		return of + c.symbol() + double(c.float(f.typ == "float")), nil
	case booleanKind:
		return of + " = " + strconv.FormatBool(c.value.boolean), nil
	case timespanKind:
		n := c.value.integer
		if c.value.isTimespan {
			n = int64(c.value.timespan)
		}
		return of + c.symbol() + strconv.FormatInt(n, 10), nil
	case timestampKind:
		return c.sqlTime(f, of)
	case textKind:
		return c.sqlText(of), nil
	case methodKind:
		if f.typ == jdktypes.StackFrame {
			return "", errors.New("the table has no such frame")
		}
		return c.sqlMethod(of), nil
	case stackKind:
		return c.sqlStack(of)
	}
	return "", errors.New("a struct is no column of the table")
}

// symbol returns the operator, with spaces around it.
func (c *term) symbol() string { return [...]string{" = ", " < ", " <= ", " > ", " >= "}[c.op] }

// float returns the number that floating point numbers are compared with.
func (c *term) float(single bool) float64 {
	n := c.value.number
	if c.value.isPercent {
		n = c.value.percent
	}
	if single {
		n = float64(float32(n))
	}
	return n
}

// sqlInteger is [term.holdsInteger].
func (c *term) sqlInteger(f *sqlField, of string) string {
	l := &c.value
	switch {
	case (f.unsigned || f.address) && l.isUnsigned:
		if !f.unsigned { // the table has it with a sign
			of = "(CASE WHEN " + of + " < 0 THEN 18446744073709551616 ELSE 0 END + " + of + ")"
		}
		return of + c.symbol() + strconv.FormatUint(l.unsigned, 10)
	case !f.unsigned && l.isInteger:
		return of + c.symbol() + strconv.FormatInt(l.integer, 10)
	}
	return "CAST(" + of + " AS DOUBLE)" + c.symbol() + double(l.number)
}

// double returns a number in floating point.
func double(n float64) string {
	if math.IsInf(n, 0) { // it is too large for a float
		return "CAST('" + strconv.FormatFloat(n, 'g', -1, 64) + "' AS DOUBLE)"
	}
	return strconv.FormatFloat(n, 'e', -1, 64)
}

// sqlTime compares times in nanoseconds.
func (c *term) sqlTime(f *sqlField, of string) (string, error) {
	at := c.value.time
	ns := new(big.Int).Add(new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9)), big.NewInt(int64(at.Nanosecond())))
	value := c.symbol() + ns.String()
	switch {
	case f.start && (c.op == less || c.op == atMost):
		return "(start_ns" + value + " AND start_ns > " + strconv.FormatInt(math.MinInt64, 10) + ")", nil // what is not known is the least number
	case f.start:
		return "start_ns" + value, nil
	case f.Unit() == mmapjfr.TimestampMillis:
	case at.Nanosecond()%1000 == 0 && (c.op == less || c.op == atLeast): // what is cut off makes no difference
	default:
		return "", errors.New("the table has the time in microseconds, by which only < and >= are exact, with a time without nanoseconds")
	}
	return "1000 * epoch_us(" + of + ")" + value, nil
}

// sqlText compares a text.
func (c *term) sqlText(of string) string {
	if c.op == match {
		return c.sqlMatch(of)
	}
	return of + c.symbol() + sqltext.Text(c.value.text)
}

// sqlMatch matches a text with the regular expression, which means the same to DuckDB.
func (c *term) sqlMatch(of string) string {
	return "regexp_matches(" + of + ", " + sqltext.Text(strings.ReplaceAll(c.pattern.String(), "\x00", `\x00`)) + ")"
}

// sqlMethod is [term.holdsMethod].
func (c *term) sqlMethod(of string) string {
	if c.op != match && c.op != equal {
		return c.sqlText(of)
	}
	name := "nullif(" + of + "[:greatest(instr(" + of + ", '(') - 1, 0)], '')"
	if c.op == match {
		return "(" + c.sqlMatch(of) + " OR " + c.sqlMatch(name) + ")"
	}
	return "(" + of + " = " + sqltext.Text(c.value.method) + " OR " + name + " = " + sqltext.Text(c.value.text) + ")"
}

// sqlStack is [term.holdsStack].
func (c *term) sqlStack(of string) (string, error) {
	if len(c.frames) > 1 {
		return "", errors.New("SQL has no comparison with all frames of a stack trace")
	}
	const text = `method_text("@f".class, "@f".method, "@f".descriptor)`
	name := `concat("@f".class || '.', "@f".method)`
	test := c.sqlMethodOf(text, name)
	if c.lined {
		line := `CASE WHEN "@f".line > 0 THEN ':' || "@f".line ELSE '' END`
		test += " OR " + c.sqlMethodOf(text+" || "+line, name+" || "+line)
	}
	return of + ` IN (SELECT "@f".stack_id FROM _frames "@f" WHERE ` + test + ")", nil
}

// sqlMethodOf compares the texts of a method or a frame with and without parameters.
func (c *term) sqlMethodOf(text, name string) string {
	if c.op == match {
		return c.sqlMatch(name) + " OR " + c.sqlMatch(text)
	}
	return name + " = " + sqltext.Text(c.value.text) + " OR " + text + " = " + sqltext.Text(c.value.method)
}
