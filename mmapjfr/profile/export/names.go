package export

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// parseFrame returns the method and the line that a name of a frame stands for; the line is 0
// without one. The class stays as it is written, with slashes or dots. A name that is not one of a
// Java method is a name without a class.
func parseFrame(name string) (m profile.Method, line int32) {
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
	if dot <= 0 || dot+1 == end || text[0] == '/' || strings.ContainsAny(text[:end], " :[") || !javaname.IsClass(text[:dot]) {
		return profile.Method{Name: name}, 0
	}
	if first, _ := utf8.DecodeRuneInString(text[dot+1:]); unicode.IsUpper(first) && !strings.Contains(text[:dot], "/") {
		return profile.Method{Name: name}, 0 // of a class, such as java.lang.String
	}
	return profile.Method{Class: text[:dot], Name: text[dot+1:]}, line
}

// namedFrame returns a frame of which no more than the name is known, and how it was executed. For
// Unknown the name decides what it is: a text in brackets, native code, or a method of Java, whose
// kind stays Unknown.
func namedFrame(name string, kind profile.FrameKind) profile.Frame {
	m, line := parseFrame(name)
	switch {
	case kind > profile.Native || kind == profile.Native && m.Class == "":
		m, line = profile.Method{Name: name}, 0
	case kind != profile.Unknown || m.Class != "":
	case strings.HasPrefix(name, "["):
		kind = profile.Text
	case strings.Contains(name, "::"):
		kind = profile.Cpp
	default:
		kind = profile.Native
	}
	return profile.Frame{Method: m, Line: line, Kind: kind}
}

// parseThread returns the labels of a thread whose frame has a name of [profile.Labels.ThreadName]. It
// is false for other names.
func parseThread(name string) (l profile.Labels, ok bool) {
	if name == l.ThreadName() {
		return l, true
	}
	text, isThread := strings.CutPrefix(name, "[")
	text, closed := strings.CutSuffix(text, "]")
	if strings.HasPrefix(name, "[tid=") { // it has no name
		text = " " + text
	}
	i := strings.LastIndex(text, " tid=")
	if !isThread || !closed || i < 0 {
		return l, false
	}
	id, err := strconv.ParseInt(text[i+len(" tid="):], 10, 64)
	return profile.Labels{Thread: strings.TrimPrefix(text[:i], " "), ThreadID: id}, err == nil
}

// Untyped returns the kind of the profiles of files that do not say what they count.
func Untyped() profile.Kind {
	values := []profile.ValueType{{Name: "samples", Unit: profile.Count}}
	return profile.Kind{Name: "samples", Title: "Samples", Values: values}
}

// maxStacks is how many distinct stacks, with their callers, readers of other tools' files accept:
// far more than profilers write, and less than what takes all memory.
const maxStacks = 1 << 26

// maxDepth is how many frames a stack has at most that readers of other tools' files accept.
const maxDepth = 1 << 17

// tooDeep is the reason of the errors about files with more.
const tooDeep = "a stack has more than 131,072 frames"

// tooManyStacks is the reason of the errors about files with more.
const tooManyStacks = "there are more than 67,108,864 distinct stacks before it"

// FormatError says what is wrong with the file of a profile, and where. It matches [profile.ErrFormat].
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

func (e *FormatError) Unwrap() error { return profile.ErrFormat }

// maxText is how many bytes the names of frames and threads have at most together that readers of other
// tools' files accept.
const maxText = 128 << 20

// tooMuchText is the reason of the errors about files with more.
const tooMuchText = "the names before it have more than 128 MB, which those of no profile have"

// tooLarge returns the reason of the errors about files with more bytes than a limit.
func tooLarge(limit int64) string {
	return "it is larger than " + strconv.FormatInt(limit>>20, 10) + " MB when unpacked, which is the limit"
}
