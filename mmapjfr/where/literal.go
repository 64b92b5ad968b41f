package where

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/quantity"
)

// literal is a value that fields are compared with: all that its text can mean.
type literal struct {
	text string
	null bool // the word null, without quotes

	whole    int64 // if it is a whole number, and isWhole
	isWhole  bool
	unsigned uint64 // if it is a whole number that is not negative, and isUnsigned

	isUnsigned bool
	number     float64 // if it is a number or a data amount, and isNumber
	isNumber   bool
	percent    float64 // if it has a percent sign, and isPercent
	isPercent  bool
	span       time.Duration // if isSpan
	isSpan     bool
	time       time.Time // if isTime
	isTime     bool
	truth      bool // if isTruth
	isTruth    bool
}

func literalOf(text string, quoted bool, zone *time.Location) literal {
	l := literal{text: text, null: text == "null" && !quoted}
	l.setNumber()
	l.percent, l.isPercent = quantity.Percent(text)
	l.span, l.isSpan = quantity.Duration(text)
	l.time, l.isTime = quantity.Time(text, zone)
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
		l.unsigned, l.isUnsigned = n, true
		l.whole, l.isWhole = int64(n), n <= math.MaxInt64
		l.number, l.isNumber = float64(n), true
		return
	}
	if n, err := strconv.ParseInt(l.text, 10, 64); err == nil {
		l.whole, l.isWhole = n, true
		l.number, l.isNumber = float64(n), true
		return
	}
	if l.number, l.isNumber = quantity.Number(l.text); !l.isNumber {
		l.number, l.isNumber = quantity.Size(l.text)
	}
	if f := l.number; l.isNumber && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		l.whole, l.isWhole = int64(f), true
		l.unsigned, l.isUnsigned = uint64(max(l.whole, 0)), f >= 0
	}
}
