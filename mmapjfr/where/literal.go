package where

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/timespec"
)

// literal is a value that fields are compared with: all that its text can mean.
type literal struct {
	text string
	null bool // the word null, without quotes

	// method is the text as a method is written: with simple names of types, and a space
	// behind commas.
	method string

	whole     int64 // if it is a whole number, and isWhole
	isWhole   bool
	isInteger bool   // that it is a whole number in decimal digits, without a unit
	unsigned  uint64 // if it is a whole number that is not negative, and isUnsigned

	isUnsigned bool
	number     float64 // if it is a number or a data amount, and isNumber
	isNumber   bool
	percent    float64 // if it has a percent sign, and isPercent
	isPercent  bool
	span       time.Duration // if isSpan
	isSpan     bool
	time       time.Time // if isTime
	isTime     bool
	times      times
	truth      bool // if isTruth
	isTruth    bool
}

// times are what points in time are told from: when a recording starts and ends, if start
// is not zero, and the zone.
type times struct {
	start, end time.Time
	zone       *time.Location
}

func (t times) parse(text string) (time.Time, bool) {
	if t.start.IsZero() {
		return parseunit.Time(text, t.zone)
	}
	at, err := timespec.Parse(text, t.start, t.end, t.zone)
	return at, err == nil
}

// forms says what parse takes.
func (t times) forms() string {
	if t.start.IsZero() {
		return `one as in "2026-11-20 21:22:37"`
	}
	return timespec.Forms
}

func literalOf(text string, quoted bool, times times) literal {
	l := literal{text: text, null: text == "null" && !quoted, method: methodText(text), times: times}
	l.setNumber()
	l.percent, l.isPercent = parseunit.Percent(text)
	l.span, l.isSpan = parseunit.Duration(text)
	l.time, l.isTime = times.parse(text)
	l.truth, l.isTruth = text == "true", text == "true" || text == "false"
	return l
}

// setNumber sets what the text is as a number.
func (l *literal) setNumber() {
	base, digits := 10, l.text
	if hex, ok := strings.CutPrefix(l.text, "0x"); ok {
		base, digits = 16, hex
	}
	if n, err := strconv.ParseUint(digits, base, 64); err == nil {
		l.isInteger = base == 10
		l.unsigned, l.isUnsigned = n, true
		l.whole, l.isWhole = int64(n), n <= math.MaxInt64
		l.number, l.isNumber = float64(n), true
		return
	}
	if n, err := strconv.ParseInt(l.text, 10, 64); err == nil {
		l.isInteger = true
		l.whole, l.isWhole = n, true
		l.number, l.isNumber = float64(n), true
		return
	}
	if l.number, l.isNumber = parseunit.Number(l.text); !l.isNumber {
		l.number, l.isNumber = parseunit.Size(l.text)
	}
	if f := l.number; l.isNumber && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		l.whole, l.isWhole = int64(f), true
		l.unsigned, l.isUnsigned = uint64(max(l.whole, 0)), f >= 0
	}
}

// digits returns the text if it is an integer.
func (l *literal) digits() string {
	if l.isInteger {
		return l.text
	}
	return ""
}

// packages are the names of packages in the parameters of a method.
var packages = regexp.MustCompile(`([\pL_$][\pL\pN_$]*\.)+`)

// methodText returns the text of a method as it is written elsewhere:
// "a.B.c(java.lang.String,int)" is "a.B.c(String, int)".
func methodText(text string) string {
	text = strings.ReplaceAll(text, " line: ", ":") // as jfr print writes frames
	name, rest, ok := strings.Cut(text, "(")
	parameters, line, closed := strings.Cut(rest, ")")
	if !ok || !closed {
		return text
	}
	list := strings.Split(packages.ReplaceAllString(parameters, ""), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return name + "(" + strings.Join(list, ", ") + ")" + line
}
