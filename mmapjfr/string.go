package mmapjfr

import (
	"fmt"
	"strconv"
	"time"
)

// maxShown is how deep String shows structs inside structs, and maxText how long its
// text is before it leaves out what follows: constants can hold one another, many times
// each.
const (
	maxShown = 3
	maxText  = 64 << 10
)

// String returns the value for people to read: numbers with what they count,
// structs as {name: value, ...} to a depth of three. After 64 KiB it leaves out what
// follows. It is not made to be parsed. It does not alias the recording.
func (v Value) String() string { return string(v.appendText(nil, 0)) }

func (v Value) appendText(dst []byte, depth int) []byte {
	switch v.at.kind() {
	case KindNone, kindNull, kindMissing:
		return append(dst, noneTexts[v.at.kind()]...)
	case KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case KindChar:
		return strconv.AppendQuoteRune(dst, rune(v.Int()))
	case KindString:
		return v.AppendStr(dst)
	case KindArray, KindStruct:
		if depth >= maxShown {
			return append(dst, "..."...)
		}
		if v.at.kind() == KindArray {
			return v.appendElements(dst, depth)
		}
		return v.appendFields(dst, depth)
	}
	return v.appendNumber(dst)
}

var noneTexts = map[Kind]string{KindNone: "absent", kindNull: "null", kindMissing: "missing"}

func (v Value) appendElements(dst []byte, depth int) []byte {
	dst = append(dst, '[')
	sep := ""
	for e := range v.Elements() {
		dst = append(dst, sep...)
		if len(dst) > maxText {
			dst = append(dst, "..."...)
			break
		}
		dst = e.appendText(dst, depth+1)
		sep = ", "
	}
	return append(dst, ']')
}

func (v Value) appendFields(dst []byte, depth int) []byte {
	dst = append(dst, '{')
	sep := ""
	for f, e := range v.Fields() {
		dst = append(dst, sep...)
		if len(dst) > maxText {
			dst = append(dst, "..."...)
			break
		}
		dst = append(dst, f.Name()...)
		dst = append(dst, ": "...)
		dst = e.appendText(dst, depth+1)
		sep = ", "
	}
	return append(dst, '}')
}

func (v Value) appendNumber(dst []byte) []byte {
	unit := v.unit()
	if v.IsUnset() {
		return append(dst, "unset"...)
	}
	switch {
	case unit.IsTimestamp():
		return v.Time().AppendFormat(dst, time.RFC3339Nano)
	case unit.IsTimespan():
		if d := v.Duration(); d != Forever {
			return append(dst, d.String()...)
		}
		return append(dst, "forever"...)
	case unit == Address:
		return fmt.Appendf(dst, "0x%X", v.Uint())
	case unit == Percentage:
		return fmt.Appendf(dst, "%.2f%%", 100*v.Float())
	case v.at.kind() == KindFloat:
		dst = strconv.AppendFloat(dst, v.Float(), 'g', -1, 32)
	case v.at.kind() == KindDouble:
		dst = strconv.AppendFloat(dst, v.Float(), 'g', -1, 64)
	case v.unsigned():
		dst = strconv.AppendUint(dst, v.Uint(), 10)
	default:
		dst = strconv.AppendInt(dst, v.Int(), 10)
	}
	dst = append(dst, unitTexts[unit]...)
	if v.field != nil && v.field.Rate {
		dst = append(dst, "/s"...)
	}
	return dst
}

var unitTexts = map[Unit]string{Bytes: " bytes", Bits: " bits", Hertz: " Hz"}

// String returns the type and the offset of the event.
func (e Event) String() string {
	if e.IsZero() {
		return "no event"
	}
	return fmt.Sprintf("%s at %#x", e.Type().Name(), e.Offset())
}

// String returns the name of the type.
func (t Type) String() string { return t.Name() }

// String returns the name of the field.
func (f Field) String() string {
	if f.f == nil {
		return ""
	}
	return f.Name()
}

var kindTexts = [...]string{
	"none", "boolean", "byte", "char", "short", "int", "long", "float", "double", "string", "struct", "array",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindTexts) {
		return kindTexts[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}
