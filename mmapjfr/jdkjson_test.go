package mmapjfr_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendEvent appends an event as `jfr print --json` writes it, without the
// white space outside strings.
func appendEvent(dst []byte, ev mmapjfr.Event, zone *time.Location) []byte {
	dst = append(dst, `{"type":`...)
	dst = appendJavaString(dst, utf16Of(ev.Type().Name()))
	dst = append(dst, `,"values":{`...)
	dst = appendFields(dst, ev.Fields(), zone)
	return append(dst, "}}"...)
}

func appendFields(dst []byte, fields func(func(mmapjfr.Field, mmapjfr.Value) bool), zone *time.Location) []byte {
	first := true
	for f, v := range fields {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendJavaString(dst, utf16Of(f.Name()))
		dst = append(dst, ':')
		dst = appendValue(dst, f, v, zone)
	}
	return dst
}

func appendValue(dst []byte, f mmapjfr.Field, v mmapjfr.Value, zone *time.Location) []byte {
	switch v.Kind() {
	case mmapjfr.KindNone:
		return append(dst, "null"...)
	case mmapjfr.KindArray:
		dst = append(dst, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendValue(dst, f, e, zone)
		}
		return append(dst, ']')
	case mmapjfr.KindStruct:
		dst = append(dst, '{')
		dst = appendFields(dst, v.Fields(), zone)
		return append(dst, '}')
	case mmapjfr.KindString:
		return appendJavaString(dst, v.AppendUTF16(nil))
	}
	switch {
	case f.Unit().IsTimespan():
		return appendJavaString(dst, utf16Of(javaDuration(f, v)))
	case f.Unit().IsTimestamp():
		return appendJavaString(dst, utf16Of(javaDateTime(v, zone)))
	}
	switch v.Kind() {
	case mmapjfr.KindBool:
		return strconv.AppendBool(dst, v.Bool())
	case mmapjfr.KindChar:
		return appendJavaString(dst, []uint16{uint16(v.Int())})
	case mmapjfr.KindFloat:
		return appendJavaFloat(dst, v.Float(), 32)
	case mmapjfr.KindDouble:
		return appendJavaFloat(dst, v.Float(), 64)
	}
	if f.IsUnsigned() {
		return strconv.AppendUint(dst, v.Uint(), 10)
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func utf16Of(s string) (units []uint16) {
	units = make([]uint16, 0, len(s))
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			units = append(units, 0xd800+uint16(r>>10), 0xdc00+uint16(r&0x3ff))
			continue
		}
		units = append(units, uint16(r))
	}
	return units
}

// escapes are what stands in the JSON of the JDK for some characters.
var escapes = ['\\' + 1]string{
	'\b': `\b`, '\n': `\n`, '\t': `\t`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`, '/': `\/`,
}

func appendJavaString(dst []byte, units []uint16) []byte {
	dst = append(dst, '"')
	for _, c := range units {
		switch {
		case int(c) < len(escapes) && escapes[c] != "":
			dst = append(dst, escapes[c]...)
		case c > 0x7f || c < 32:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, byte(c))
		}
	}
	return append(dst, '"')
}

// appendJavaFloat writes a number as Double.toString or Float.toString does.
func appendJavaFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	sci := strconv.FormatFloat(f, 'e', -1, bits)
	if !strings.Contains(sci, ".") && f != 0 {
		// Java gives at least two digits: the best two, if they mean the same.
		two := strconv.FormatFloat(f, 'e', 1, bits)
		if back, err := strconv.ParseFloat(two, bits); err == nil && back == f {
			sci = two
		}
	}
	if abs := math.Abs(f); f == 0 || abs >= 1e-3 && abs < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return append(dst, s...)
	}
	mantissa, exponent, _ := strings.Cut(sci, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return fmt.Appendf(dst, "%sE%d", mantissa, n)
}

// javaDuration writes a length of time as java.time.Duration does. It computes
// from the number in the file, because Java's durations reach further than Go's.
func javaDuration(f mmapjfr.Field, v mmapjfr.Value) string {
	n := v.Int()
	switch n {
	case 0:
		return "PT0S"
	case math.MinInt64:
		return "PT-2562047788015215H-30M-8S"
	case math.MaxInt64:
		return "PT2562047788015215H30M7.999999999S"
	}
	perSecond := int64(1e9)
	switch f.Unit() {
	case mmapjfr.TimespanSeconds:
		perSecond = 1
	case mmapjfr.TimespanMillis:
		perSecond = 1000
	case mmapjfr.TimespanMicros:
		n *= 1000 // wraps, as it does in the JDK
	case mmapjfr.TimespanTicks:
		n = int64(v.Duration())
	}
	seconds := n / perSecond
	nanos := n % perSecond * (1e9 / perSecond)
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+1e9
	}
	return javaISO(seconds, nanos)
}

// javaISO writes seconds and the nanoseconds after them, as Duration.toString.
func javaISO(seconds, nanos int64) string {
	if seconds == 0 && nanos == 0 {
		return "PT0S"
	}
	effective := seconds
	if seconds < 0 && nanos > 0 {
		effective++
	}
	var b strings.Builder
	b.WriteString("PT")
	if h := effective / 3600; h != 0 {
		fmt.Fprintf(&b, "%dH", h)
	}
	if m := effective % 3600 / 60; m != 0 {
		fmt.Fprintf(&b, "%dM", m)
	}
	s := effective % 60
	if s == 0 && nanos == 0 && b.Len() > 2 {
		return b.String()
	}
	if seconds < 0 && nanos > 0 && s == 0 {
		b.WriteString("-0")
	} else {
		fmt.Fprintf(&b, "%d", s)
	}
	if nanos > 0 {
		if seconds < 0 {
			nanos = 1e9 - nanos
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf(".%09d", nanos), "0"))
	}
	b.WriteByte('S')
	return b.String()
}

// javaDateTime writes a point in time as java.time.OffsetDateTime does.
func javaDateTime(v mmapjfr.Value, zone *time.Location) string {
	if v.Int() == math.MinInt64 {
		return "-999999999-01-01T00:00+18:00"
	}
	t := v.Time().In(zone)
	year := fmt.Sprintf("%04d", t.Year())
	switch {
	case t.Year() > 9999:
		year = "+" + year
	case t.Year() < 0:
		year = fmt.Sprintf("-%04d", -t.Year())
	}
	s := year + t.Format("-01-02T15:04")
	if t.Second() != 0 || t.Nanosecond() != 0 {
		s += t.Format(":05")
	}
	switch ns := t.Nanosecond(); {
	case ns == 0:
	case ns%1e6 == 0:
		s += fmt.Sprintf(".%03d", ns/1e6)
	case ns%1e3 == 0:
		s += fmt.Sprintf(".%06d", ns/1e3)
	default:
		s += fmt.Sprintf(".%09d", ns)
	}
	_, offset := t.Zone()
	switch {
	case offset == 0:
		return s + "Z"
	case offset%60 != 0:
		return s + t.Format("-07:00:05")
	}
	return s + t.Format("-07:00")
}
