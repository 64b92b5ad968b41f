package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/sqltext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// sqlLeaves return fields, keys, aggregates and inputs of an expression in SQL.
type sqlLeaves struct {
	shown func(n *node) (string, error)
	// nanos returns times as nanoseconds since 1970, which their columns have cut to microseconds; an error if that
	// cannot be.
	nanos func(n *node) (string, error)
}

// errCutTime is about lengths of time between moments.
var errCutTime = noSQL("tables have only the beginnings of events in nanoseconds, and a length of time between other moments")

// isStart reports whether a field is when events began.
func isStart(f *eventField) bool {
	return f.isStart() || f.path.path != nil && f.path.frame == noFrame && (f.path.path.String() == "startTime" || f.path.path.String() == "@start")
}

// isExact reports whether columns have the times of an input, or what they are computed of, without loss.
func (d *duckDB) isExact(in *input) bool {
	return !slices.ContainsFunc(in.fields, func(f eventField) bool { return !d.isExactField(&f) })
}

// isExactField reports whether a field is when events began, or a time in milliseconds.
func (d *duckDB) isExactField(f *eventField) bool {
	if isStart(f) || f.shape.kind != Timestamp || f.path.path == nil {
		return true
	}
	return !slices.ContainsFunc(d.types, func(t mmapjfr.Type) bool {
		field, _, err := t.Resolve(f.path.path)
		return err == nil && field.Unit() != mmapjfr.TimestampMillis
	})
}

// nanosOf returns a time of events in nanoseconds.
func (d *duckDB) nanosOf(f *eventField, shown func(n *node) (string, error), n *node) (string, error) {
	text, err := shown(n)
	switch {
	case err != nil || text == "NULL":
		return text, err
	case isStart(f):
		return "nullif(start_ns, -9223372036854775808)", nil
	case !d.isExactField(f):
		return "", errCutTime
	}
	return "1000 * epoch_us(" + text + ")", nil
}

// nanos returns a node that is a time in nanoseconds since 1970.
func (d *duckDB) nanos(n *node, leaves sqlLeaves) (string, error) {
	if n.op != opArith && n.op != opFunction {
		return leaves.nanos(n)
	}
	var kids []string
	for _, k := range n.kids {
		of := d.expression
		if k.shape.kind == Timestamp {
			of = d.nanos
		}
		kid, err := of(k, leaves)
		if err != nil {
			return "", err
		}
		kids = append(kids, kid)
	}
	switch {
	case n.op == opArith:
		return sqlWide(kids[0], n.text, kids[1]), nil
	case n.text == "BUCKET":
		return sqlFloor(kids[0], kids[1], Timestamp), nil
	case n.text == "COALESCE":
		return "coalesce(" + strings.Join(kids, ", ") + ")", nil
	}
	return "", errCutTime
}

// expression returns a node in SQL.
func (d *duckDB) expression(n *node, leaves sqlLeaves) (string, error) {
	if n.shape.absent && (n.op == opArith || n.op == opFunction && n.text != "COALESCE") {
		return "NULL", nil
	}
	if ofTimes := slices.ContainsFunc(n.kids, func(k *node) bool { return k.shape.kind == Timestamp }); ofTimes && (n.op == opArith || n.op == opCompare || n.text == "BUCKET") {
		return d.ofTimes(n, leaves)
	}
	var kids []string
	for _, k := range n.kids {
		kid, err := d.expression(k, leaves)
		if err != nil {
			return "", err
		}
		kids = append(kids, kid)
	}
	switch n.op {
	case opValue:
		return sqlValue(n.value)
	case opArith:
		return sqlArithmetic(n.shape, n.text, kids[0], kids[1], n.kids[0].shape, n.kids[1].shape), nil
	case opCompare:
		return sqlCompared(kids[0], n.text, kids[1]), nil
	case opAnd:
		return "(" + kids[0] + " AND " + kids[1] + ")", nil
	case opOr:
		return "(" + kids[0] + " OR " + kids[1] + ")", nil
	case opNot:
		return "(NOT coalesce(" + kids[0] + ", false))", nil
	case opFunction:
		return sqlFunction(n, kids)
	}
	return leaves.shown(n)
}

// ofTimes returns what is computed of times, by their nanoseconds.
func (d *duckDB) ofTimes(n *node, leaves sqlLeaves) (string, error) {
	if n.op == opCompare {
		left, err := d.nanos(n.kids[0], leaves)
		if err != nil {
			return "", err
		}
		right, err := d.nanos(n.kids[1], leaves)
		return sqlCompared(left, n.text, right), err
	}
	ns, err := d.nanos(n, leaves)
	if n.op == opFunction && err != nil && n.kids[1].value.Int()%1000 == 0 { // what is cut off makes no difference
		var at string
		at, err = d.expression(n.kids[0], leaves)
		ns = sqlFloor("1000 * epoch_us("+at+")", strconv.FormatInt(n.kids[1].value.Int(), 10), Timestamp)
	}
	if err != nil || n.shape.kind != Timestamp {
		return ns, err
	}
	return "time_of(" + ns + ")", nil
}

// sqlCompared is [compared].
func sqlCompared(left, op, right string) string {
	if op == "!=" {
		return "(" + left + " IS DISTINCT FROM " + right + ")"
	}
	return "coalesce(" + left + " " + op + " " + right + ", false)"
}

// sqlWide returns arithmetic of whole numbers. What is beyond 64 bits is an error to DuckDB; here it is null.
func sqlWide(left, op, right string) string {
	return "TRY_CAST(CAST(" + left + " AS HUGEINT) " + op + " " + right + " AS BIGINT)"
}

// sqlArithmetic is [calculate].
func sqlArithmetic(out shape, op, left, right string, l, r shape) string {
	if op != "/" && out.kind != Float && l.kind != Float && r.kind != Float {
		return sqlWide(signed(left, l), op, signed(right, r))
	}
	left, right = "CAST("+left+" AS DOUBLE)", "CAST("+right+" AS DOUBLE)"
	switch {
	case op == "/" && out.rate && r.kind == Timespan:
		right = "nullif(" + right + " / 1e9, 0)"
	case op == "/":
		right = "nullif(" + right + ", 0)"
	case op == "*" && out.kind == Float && (l.kind == Timespan || r.kind == Timespan):
		right += " / 1e9"
	}
	text := "finite(" + left + " " + op + " " + right + ")"
	if out.kind != Float {
		text = "TRY_CAST(trunc(" + text + ") AS BIGINT)"
	}
	return text
}

// sqlFloor returns a whole number down to a multiple of a width; null where 64 bits are too few.
func sqlFloor(x, width string, kind Kind) string {
	to := "BIGINT"
	if kind == Unsigned {
		to = "UBIGINT"
	}
	return "TRY_CAST(floor_to(" + x + ", " + width + ") AS " + to + ")"
}

// signed returns a whole number with a sign; null if it is too large for one.
func signed(text string, s shape) string {
	if s.kind == Unsigned {
		return "TRY_CAST(" + text + " AS BIGINT)"
	}
	return text
}

// sqlFunction returns a function that is called with arguments in SQL.
func sqlFunction(n *node, args []string) (string, error) {
	switch n.text {
	case "COALESCE", "ABS", "ROUND", "FLOOR", "CEIL", "LOWER", "UPPER":
		return strings.ToLower(n.text) + "(" + strings.Join(args, ", ") + ")", nil
	case "PACKAGE", "SIMPLE":
		return map[string]string{"PACKAGE": "package_of", "SIMPLE": "simple_name"}[n.text] + "(" + args[0] + ")", nil
	case "SECONDS":
		return "(" + args[0] + " / 1e9)", nil
	case "BUCKET":
		if n.shape.kind == Float {
			return "finite(floor(CAST(" + args[0] + " AS DOUBLE) / " + args[1] + ") * " + args[1] + ")", nil
		}
		if n.kids[1].shape.kind == Float {
			return "TRY_CAST(floor(CAST(" + args[0] + " AS DOUBLE) / " + args[1] + ") * " + args[1] + " AS BIGINT)", nil
		}
		return sqlFloor(args[0], args[1], n.shape.kind), nil
	}
	return "", noSQL("%s", strings.ToLower(n.text))
}

// sqlValue returns a value that was written.
func sqlValue(v Value) (string, error) {
	switch v.kind {
	case Null:
		return "NULL", nil
	case Bool:
		return strconv.FormatBool(v.Bool()), nil
	case Int, Timespan:
		return strconv.FormatInt(v.Int(), 10), nil
	case Float:
		return strconv.FormatFloat(v.Float(), 'e', -1, 64), nil // without an exponent it would be a decimal
	case Text:
		return sqltext.Text(v.Text()), nil
	}
	return "", noSQL("a value of kind %s", v.kind)
}
