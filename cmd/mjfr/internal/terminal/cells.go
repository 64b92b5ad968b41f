package terminal

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
)

// ShareColumn is the head of a column of shares, which are from 0 to 1 for programs.
var ShareColumn = Column{Title: "Share", Right: true, Unit: "of 1"}

// Number is the head of a column of numbers.
func Number(title string) Column { return Column{Title: title, Right: true} }

// SizeColumn is the head of a column of sizes, see [Size].
func SizeColumn(title string) Column { return Column{Title: title, Right: true, Unit: "bytes"} }

// Int is a number without separators.
func Int(n int) Cell { return Plain(strconv.Itoa(n)) }

// Count is a number of things.
func Count(n uint64) Cell {
	return Cell{Text: humanize.Comma(int64(n)), Raw: strconv.FormatUint(n, 10)}
}

// CountOf counts things in a sentence, as in "1,024 events".
func CountOf(n uint64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(int64(n)) + " " + thing
}

// Size is a number of bytes.
func Size(n uint64) Cell {
	return Cell{Text: humanize.Bytes(n), Raw: strconv.FormatUint(n, 10)}
}

// Offset is an offset in a file, in hexadecimal.
func Offset(n uint64) Cell { return Plain(fmt.Sprintf("%#x", n)) }

// Share is a share from 0 to 1.
func Share(share float64) Cell {
	return Cell{Text: humanize.FormatFloat("#.##", 100*share) + "%", Raw: strconv.FormatFloat(share, 'g', 6, 64)}
}

// Duration is a length of time in milliseconds for people, and in nanoseconds for programs.
func Duration(d time.Duration) Cell {
	return Cell{Text: d.Round(time.Millisecond).String(), Raw: strconv.FormatInt(int64(d), 10)}
}

// ShortDuration writes a length of time with three or four digits.
func ShortDuration(d time.Duration) string {
	switch {
	case d <= 0:
		return d.String()
	case d < time.Millisecond:
		return d.Round(10 * time.Nanosecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// Time is a point in time, in UTC. It is empty for a time that is not known.
func Time(t time.Time) Cell {
	if t.IsZero() {
		return Cell{}
	}
	return Cell{Text: t.UTC().Format("2006-01-02 15:04:05.000"), Raw: t.UTC().Format(time.RFC3339Nano)}
}
