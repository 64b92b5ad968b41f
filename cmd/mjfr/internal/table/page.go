package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// onPage appends the text of a value for Markdown and HTML, whose readers need not know what the
// JDK's text looks like: a number that says which thing, such as a PID, has no commas, and one that
// stands for none is missing. format.ts does the same.
func (t *texts) onPage(dst []byte, v query.Value) []byte {
	switch {
	case isNone(v, t.column.Unit):
		return t.appendMissing(dst)
	case v.Kind() == query.Int && t.column.Unit == mmapjfr.NoUnit && !t.column.Format.Normalized && isIdentifier(t.column):
		return strconv.AppendInt(dst, v.Int(), 10)
	}
	return t.append(dst, v, false)
}

// isNone reports whether an amount or a length of time is -1 in the unit in which it was recorded:
// events say so where there is no limit, for example.
func isNone(v query.Value, unit mmapjfr.Unit) bool {
	switch v.Kind() {
	case query.Int:
		return v.Int() == -1 && (unit == mmapjfr.Bytes || unit == mmapjfr.Bits)
	case query.Timespan:
		return slices.Contains([]int64{-1, -1e3, -1e6, -1e9}, int64(v.Timespan()))
	}
	return false
}

// identifiers are words at the end of names and titles of numbers that say which thing, and not how
// many or how much.
var identifiers = []string{"id", "pid", "tid", "port", "spanid", "traceid", "identifier"}

func isIdentifier(c *query.Column) bool {
	for _, name := range []string{c.Name, c.Title} {
		name = strings.TrimRight(name, ")")
		last := name[strings.LastIndexAny(name, "._( ")+1:]
		if slices.Contains(identifiers, strings.ToLower(last)) {
			return true
		}
		for _, end := range []string{"Id", "ID", "Pid", "PID", "Port"} { // as in javaThreadId
			if rest, ok := strings.CutSuffix(last, end); ok && rest != "" && 'a' <= rest[len(rest)-1] && rest[len(rest)-1] <= 'z' {
				return true
			}
		}
	}
	return false
}
