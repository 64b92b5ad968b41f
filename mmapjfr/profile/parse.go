package profile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseFrame returns the method and the line that a name of [Names.Frame] stands for; the line is 0
// without one. The class stays as it is written, with slashes or dots. A name that is not one of a
// Java method is a name without a class.
func ParseFrame(name string) (m Method, line int32) {
	text := name
	if i := strings.LastIndexByte(name, ':'); i > 0 {
		if n, err := strconv.ParseUint(name[i+1:], 10, 31); err == nil && n > 0 {
			text, line = name[:i], int32(n)
		}
	}
	end := len(text)
	if i := strings.IndexByte(text, '('); i >= 0 {
		end = i
	}
	dot := strings.LastIndexByte(text[:end], '.')
	if dot <= 0 || dot+1 == end || text[0] == '/' || strings.ContainsAny(text[:end], " :[") || !isClass(text[:dot]) {
		return Method{Name: name}, 0
	}
	if first, _ := utf8.DecodeRuneInString(text[dot+1:]); unicode.IsUpper(first) && !strings.Contains(text[:dot], "/") {
		return Method{Name: name}, 0 // of a class, such as java.lang.String
	}
	return Method{Class: text[:dot], Name: text[dot+1:]}, line
}

// NamedFrame adds the method of a frame of which no more than the name is known, and how it was
// executed, and returns the frame. For Unknown the name decides what it is: a text in brackets, native code, or a method of
// Java, whose kind stays Unknown.
func (p *Profile) NamedFrame(name string, kind FrameKind) Frame {
	m, line := ParseFrame(name)
	switch {
	case kind > Native || kind == Native && m.Class == "":
		m, line = Method{Name: name}, 0
	case kind != Unknown || m.Class != "":
	case strings.HasPrefix(name, "["):
		kind = Text
	case strings.Contains(name, "::"):
		kind = Cpp
	default:
		kind = Native
	}
	return Frame{Method: p.AddMethod(m), Line: line, Kind: kind}
}

// isClass reports whether a text looks like the name of a class of Java: its last part is in upper
// case, as that of no library and of no package of another language.
func isClass(name string) bool {
	simple := name[lastPackage(name):]
	if i := strings.IndexAny(simple, "$/+"); i > 0 {
		simple = simple[:i]
	}
	if i := strings.LastIndexByte(simple, '.'); i >= 0 {
		simple = simple[i+1:]
	}
	first, _ := utf8.DecodeRuneInString(simple)
	return unicode.IsUpper(first) || first == '$' || first == '_'
}

// ParseThread returns the labels of a thread whose frame is called by [Labels.ThreadName]. It is false
// for other names.
func ParseThread(name string) (l Labels, ok bool) {
	if name == noThread {
		return l, true
	}
	text, isThread := strings.CutPrefix(name, "[")
	text, closed := strings.CutSuffix(text, "]")
	if strings.HasPrefix(name, unnamedThread) {
		text = " " + text
	}
	i := strings.LastIndex(text, " tid=")
	if !isThread || !closed || i < 0 {
		return l, false
	}
	id, err := strconv.ParseInt(text[i+len(" tid="):], 10, 64)
	return Labels{Thread: strings.TrimPrefix(text[:i], " "), ThreadID: id}, err == nil
}

// Untyped returns the kind of the profiles of files that do not say what they count.
func Untyped() Kind {
	return Kind{Name: "samples", Title: "Samples", Values: []ValueType{{"samples", Count}}}
}

// MaxStacks is how many distinct stacks, with their callers, readers of other tools' files accept:
// far more than profilers write, and less than what takes all memory.
const MaxStacks = 1 << 26

// MaxDepth is how many frames a stack has at most that readers of other tools' files accept.
const MaxDepth = 1 << 17

// TooDeep is the reason of the errors about files with more.
const TooDeep = "a stack has more than 131,072 frames"

// TooManyStacks is the reason of the errors about files with more.
const TooManyStacks = "there are more than 67,108,864 distinct stacks before it"

// FormatError says what is wrong with the file of a profile, and where. It matches [ErrFormat].
type FormatError struct {
	Line   int   // from 1 on; 0 if the file has no lines
	Offset int64 // in the file once it is unpacked, if it has no lines
	Reason string
}

func (e *FormatError) Error() string {
	if e.Line > 0 {
		return "line " + strconv.Itoa(e.Line) + ": " + e.Reason
	}
	return "offset 0x" + strconv.FormatInt(e.Offset, 16) + ": " + e.Reason
}

func (e *FormatError) Unwrap() error { return ErrFormat }

// MaxText is how many bytes the names of frames and threads have at most together that readers of other
// tools' files accept.
const MaxText = 128 << 20

// TooMuchText is the reason of the errors about files with more.
const TooMuchText = "the names before it have more than 128 MiB, which those of no profile have"

// TooLarge returns the reason of the errors about files with more bytes than a limit.
func TooLarge(limit int64) string {
	return "it is larger than " + strconv.FormatInt(limit>>20, 10) + " MiB when unpacked, which is the limit"
}
