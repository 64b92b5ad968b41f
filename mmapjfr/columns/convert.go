package columns

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/rows"
)

// sameKind reports whether values of one column are such of the other.
func sameKind(a, b *Column) bool { return a.Kind == b.Kind && a.Element == b.Element }

// convert makes a value of one column one of another that has a more general kind.
func convert(c cell, from, to *Column) cell {
	switch {
	case !c.ok || sameKind(from, to):
		return c
	case from.Kind == List && to.Kind == List:
		return cell{list: c.list.convert(from.Element, to.Element), ok: true}
	case to.Kind == Int:
		return cell{n: c.n, ok: from.Kind != Uint || c.n >= 0} // what is too large is null
	case to.Kind == Double && from.Kind == Uint:
		return cell{n: int64(math.Float64bits(float64(uint64(c.n)))), ok: true}
	case to.Kind == Double:
		return cell{n: int64(math.Float64bits(float64(c.n))), ok: true}
	}
	text := rows.Value(func(r *rows.Row) { addValue(r, from.Kind, from.Element, c.n, c.text, c.list) })
	return cell{text: text, ok: true}
}

func (e *Elements) convert(from, to Kind) *Elements {
	list := &Elements{N: e.N}
	for i := range e.N {
		c := cell{ok: e.Valid[i]}
		if from == Text {
			c.text = e.Texts[i]
		} else {
			c.n = e.Ints[i]
		}
		c = convert(c, &Column{Kind: from}, &Column{Kind: to})
		list.Valid = append(list.Valid, c.ok)
		if to == Text {
			list.Texts = append(list.Texts, c.text)
		} else {
			list.Ints = append(list.Ints, c.n)
		}
	}
	return list
}

// micros returns microseconds for nanoseconds, rounded down.
func micros(ns int64) int64 {
	us := ns / 1000
	if ns%1000 < 0 {
		us--
	}
	return us
}

// timeLayout is how times are written as text.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// addValue adds a value that is not null to a row.
func addValue(row *rows.Row, k, element Kind, n int64, text string, list *Elements) {
	switch k {
	case Bool:
		row.Bool(n != 0)
	case Int:
		row.Int(n)
	case Uint:
		row.Uint(uint64(n))
	case Double:
		row.Float(math.Float64frombits(uint64(n)))
	case Time:
		row.Time(time.Unix(0, n).UTC(), timeLayout)
	case Text:
		row.Text(text)
	default:
		row.List()
		for i := range list.Frames {
			row.Set(appendFrame(row.Next(), &list.Frames[i]))
		}
		for i, ok := range list.Valid {
			switch {
			case !ok:
				row.Null()
			case element == Text:
				row.Text(list.Texts[i])
			default:
				addValue(row, element, element, list.Ints[i], "", nil)
			}
		}
		row.EndList()
	}
}

// appendFrame appends a frame as a JSON object.
func appendFrame(dst []byte, f *Frame) []byte {
	dst = appendKnown(append(dst, `{"class":`...), text(f.Method.Class))
	dst = appendKnown(append(dst, `,"method":`...), text(f.Method.Name))
	dst = appendKnown(append(dst, `,"descriptor":`...), text(f.Method.Descriptor))
	dst = appendKnown(append(dst, `,"line":`...), natural(f.Line))
	dst = appendKnown(append(dst, `,"bci":`...), cell{n: f.BCI, ok: f.BCI >= 0})
	return append(appendKnown(append(dst, `,"type":`...), text(f.Type)), '}')
}

// appendKnown appends what is known of a frame, or null, as the table of frames has it.
func appendKnown(dst []byte, c cell) []byte {
	switch {
	case !c.ok:
		return append(dst, "null"...)
	case c.text != "":
		return rows.AppendString(dst, c.text)
	}
	return strconv.AppendInt(dst, c.n, 10)
}

// printable makes the name of a file of that of a table, whatever a recording calls a type.
func printable(name string, special bool) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '$' || c == '-' || c == '_' && (i > 0 || special) || c == '.' && i > 0
		switch {
		case b.Len() > 180:
			b.WriteString("~" + strconv.FormatUint(hashOf(name), 36))
			return b.String()
		case plain:
			b.WriteByte(c)
		default:
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)+256, 16)[1:]))
		}
	}
	return b.String()
}
