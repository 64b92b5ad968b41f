package print

import (
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to what text says of stack traces.
var (
	pathFrames    = mmapjfr.Path("frames")
	pathTruncated = mmapjfr.Path("truncated")
	pathMethod    = mmapjfr.Path("method")
	pathLine      = mmapjfr.Path("lineNumber")
	pathJavaFrame = mmapjfr.Path("javaFrame")
)

// appendStackTrace appends the innermost frames of an event's stack trace. Those
// that are hidden, or not of Java, are left out and do not count. As in the JDK dots
// tell that the recorder cut the stack, or that as many frames as are wanted were
// looked at: so they also stand behind a stack of just that many.
func (r *textRenderer) appendStackTrace(dst []byte, v mmapjfr.Value) []byte {
	dst = append(dst, "[\n"...)
	looked, shown := 0, 0
	if r.stackDepth > 0 {
		for f := range v.Get(pathFrames).Elements() {
			looked++
			m := f.Get(pathMethod)
			if isJavaFrame(f) && !m.Get(pathHidden).Bool() {
				dst = appendSpaces(dst, textDepth+2)
				dst = append(r.appendFrame(dst, f, m), '\n')
				shown++
			}
			if shown == r.stackDepth {
				break
			}
		}
	}
	truncated := v.Get(pathTruncated)
	if truncated.Bool() || truncated.IsAbsent() || looked == r.stackDepth {
		dst = appendSpaces(dst, textDepth+2)
		dst = append(dst, "...\n"...)
	}
	dst = appendSpaces(dst, textDepth)
	return append(dst, "]\n"...)
}

// isJavaFrame tells whether a frame is one of Java's: it is if it does not say.
func isJavaFrame(f mmapjfr.Value) bool {
	is := f.Get(pathJavaFrame)
	return is.Kind() != mmapjfr.KindBool || is.Bool()
}

// appendFrame appends a frame of that method. The JDK knows of none without one.
func (r *textRenderer) appendFrame(dst []byte, f, m mmapjfr.Value) []byte {
	if m.Kind() == mmapjfr.KindStruct {
		dst = r.appendMethodOnce(dst, m)
	} else {
		dst = append(dst, "N/A"...)
	}
	if line := f.Get(pathLine); line.Kind() == mmapjfr.KindInt && line.Int() >= 0 {
		dst = strconv.AppendInt(append(dst, " line: "...), line.Int(), 10)
	}
	return dst
}

// appendMethodOnce appends a method: its text, if it has been written before.
func (r *textRenderer) appendMethodOnce(dst []byte, m mmapjfr.Value) []byte {
	key := constantKey{m.Type(), m.Key(), 0}
	if text, ok := r.constants.texts[key]; ok {
		return append(dst, text...)
	}
	at := len(dst)
	dst = r.appendMethod(dst, m)
	r.constants.keep(key, dst[at:])
	return dst
}
