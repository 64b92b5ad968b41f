package inspect

import (
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	// briefText is how many characters of a string are shown, briefName how many of a
	// name, and briefFields how many fields of a struct that is none of the known ones.
	briefText   = 60
	briefName   = 200
	briefFields = 3
)

// Short returns a value in a few words, without line breaks: strings in quotes,
// cut if they are long, of a thread its name, of a stack trace the innermost frame,
// of an array how long it is, of other structs a few fields. What it costs does not
// depend on how much the value holds. The result does not alias the recording.
func Short(v mmapjfr.Value) string { return brief(v, 0) }

func brief(v mmapjfr.Value, depth int) string {
	switch v.Kind() {
	case mmapjfr.KindString:
		return quoted(v.Str())
	case mmapjfr.KindArray:
		return plural(v.Len(), "element")
	case mmapjfr.KindStruct:
		return briefStruct(v, depth)
	}
	return v.Text() // a number, or why the number is missing
}

func briefStruct(v mmapjfr.Value, depth int) string {
	switch v.Type().Name() {
	case jdktypes.Thread:
		return quoted(v.Thread().Name())
	case jdktypes.Class:
		return printable(v.Class().Name())
	case jdktypes.ClassLoader:
		l := v.ClassLoader()
		if l.Name() == "" && !l.Type().IsZero() {
			return printable(l.Type().Name())
		}
		return quoted(l.Name())
	case jdktypes.Method:
		return briefMethod(v.Method())
	case jdktypes.StackFrame:
		return briefMethod(v.Get(pathMethod).Method()) + ":" + strconv.FormatInt(v.Get(pathLine).Int(), 10)
	case jdktypes.StackTrace:
		s := v.StackTrace()
		if s.Len() == 0 {
			return "no frames"
		}
		return Frame(s.Frame(0)) + " and " + plural(s.Len()-1, "more frame")
	}
	if depth > 0 {
		return "{...}"
	}
	var b strings.Builder
	b.WriteByte('{')
	n := 0
	for f, e := range v.Fields() {
		if n == briefFields {
			b.WriteString(", ...")
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(printable(f.Name()) + ": " + brief(e, depth+1))
		n++
	}
	b.WriteByte('}')
	return b.String()
}

var (
	pathMethod = mmapjfr.Path("method")
	pathLine   = mmapjfr.Path("lineNumber")
)

// Frame returns a frame of a stack trace in a few words: class, method and line.
func Frame(f mmapjfr.Frame) string {
	text := briefMethod(f.Method())
	if line := f.Line(); line > 0 {
		text += ":" + strconv.Itoa(line)
	}
	return text
}

func briefMethod(m mmapjfr.Method) string {
	if m.IsZero() {
		return "an unknown method"
	}
	return printable(m.Class().Name() + "." + m.Name())
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// quoted puts a string into quotes, after cutting it.
func quoted(s string) string { return strconv.Quote(shorten(s, briefText)) }

// printable returns a name without characters that cannot be seen, after cutting it.
func printable(s string) string {
	q := strconv.Quote(shorten(s, briefName))
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// shorten returns a string of at most that number of characters.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
