package where

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/timespec"
)

// literal is a value that fields are compared with: everything that its text can mean.
type literal struct {
	text string
	null bool // the word null, without quotes

	// method is the text as [mmapjfr.Method.Signature] returns it.
	method string

	// What the text means as values of different kinds. A field counts if the one after
	// it, which begins with is, is true.
	integer    int64
	isInteger  bool
	unsigned   uint64 // an integer that is not negative
	isUnsigned bool
	isDecimal  bool    // it is an integer in decimal digits, without a unit
	number     float64 // a number or a data amount
	isNumber   bool
	percent    float64 // 1 for 100%
	isPercent  bool
	timespan   time.Duration
	isTimespan bool
	time       time.Time
	isTime     bool
	boolean    bool
	isBoolean  bool

	options Options
}

// time returns the point in time of a text.
func (o *Options) time(text string) (time.Time, bool) {
	if o.Start.IsZero() {
		return parseunit.Time(text, o.Zone)
	}
	at, err := timespec.Parse(text, o.Start, o.End, o.Zone)
	return at, err == nil
}

// timeForms returns what time takes, for errors.
func (o *Options) timeForms() string {
	if o.Start.IsZero() {
		return `one as in "2026-11-20 21:22:37"`
	}
	return timespec.Forms
}

func literalOf(text string, quoted bool, o Options) literal {
	l := literal{text: text, null: text == "null" && !quoted, method: methodText(text), options: o}
	l.setNumber()
	l.percent, l.isPercent = parseunit.Percent(text)
	l.timespan, l.isTimespan = parseunit.Duration(text)
	l.time, l.isTime = o.time(text)
	l.boolean = strings.EqualFold(text, "true")
	l.isBoolean = l.boolean || strings.EqualFold(text, "false")
	return l
}

// setNumber sets what the text means as a number.
func (l *literal) setNumber() {
	if n, ok := parseunit.Uint(l.text); ok {
		l.isDecimal = !strings.HasPrefix(l.text, "0x")
		l.unsigned, l.isUnsigned = n, true
		l.integer, l.isInteger = int64(n), n <= math.MaxInt64
		l.number, l.isNumber = float64(n), true
		return
	}
	if n, err := strconv.ParseInt(l.text, 10, 64); err == nil {
		l.isDecimal = true
		l.integer, l.isInteger = n, true
		l.number, l.isNumber = float64(n), true
		return
	}
	if l.number, l.isNumber = parseunit.Number(l.text); !l.isNumber {
		l.number, l.isNumber = parseunit.Size(l.text)
	}
	if f := l.number; l.isNumber && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		l.integer, l.isInteger = int64(f), true
		l.unsigned, l.isUnsigned = uint64(max(l.integer, 0)), f >= 0
	}
}

// digits returns the text if it is an integer.
func (l *literal) digits() string {
	if l.isDecimal {
		return l.text
	}
	return ""
}

// packages are the names of packages in the parameters of a method.
var packages = lazy.Regexp(`([\pL_$][\pL\pN_$]*\.)+`)

// methodText returns the text of a method with the simple names of its parameters, and a
// space after commas: "a.B.c(String, int)" for "a.B.c(java.lang.String,int)".
func methodText(text string) string {
	text = strings.ReplaceAll(text, " line: ", ":") // as jfr print writes frames
	name, rest, ok := strings.Cut(text, "(")
	parameters, line, closed := strings.Cut(rest, ")")
	if !ok || !closed {
		return text
	}
	list := strings.Split(packages().ReplaceAllString(parameters, ""), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return name + "(" + strings.Join(list, ", ") + ")" + line
}
