package print

import (
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to what text writes of threads, classes, class loaders and methods.
var (
	pathName        = mmapjfr.Path("name")
	pathRawName     = mmapjfr.Path("@raw.name") // of a class, with slashes
	pathType        = mmapjfr.Path("type")
	pathClassLoader = mmapjfr.Path("classLoader")
	pathDescriptor  = mmapjfr.Path("descriptor")
	pathHidden      = mmapjfr.Path("hidden")
	pathJavaName    = mmapjfr.Path("javaName")
	pathOSName      = mmapjfr.Path("osName")
)

// appendThread appends the name of a thread and the number that goes with it.
func (r *textRenderer) appendThread(dst []byte, v mmapjfr.Value) []byte {
	t := v.Thread()
	dst = append(dst, '"')
	if id := t.JavaThreadID(); id > 0 {
		dst = r.orNull(dst, v.Get(pathJavaName))
		dst = strconv.AppendInt(append(dst, `" (javaThreadId = `...), id, 10)
		if t.IsVirtual() {
			dst = append(dst, ", virtual"...)
		}
		return append(dst, ')')
	}
	dst = r.orNull(dst, v.Get(pathOSName))
	id := t.OSThreadID()
	if t.IsVirtual() {
		id = -1
	}
	return append(strconv.AppendInt(append(dst, `" (osThreadId = `...), id, 10), ')')
}

// appendClass appends the name of a class and that of its loader.
func (r *textRenderer) appendClass(dst []byte, v mmapjfr.Value) []byte {
	dst = r.appendClassName(dst, v, "")
	dst = append(dst, " (classLoader = "...)
	loader := v.Get(pathClassLoader)
	if name := loader.Get(pathName); name.Kind() == mmapjfr.KindString {
		dst = r.appendString(dst, name)
	} else {
		dst = r.appendDotted(dst, loader.Get(pathType))
	}
	return append(dst, ')')
}

// appendClassLoader appends the class of a class loader, and its number.
func (r *textRenderer) appendClassLoader(dst []byte, v mmapjfr.Value) []byte {
	class := v.Get(pathType)
	if class.Kind() != mmapjfr.KindStruct {
		return append(dst, "null"...)
	}
	dst = append(r.appendDotted(dst, class), " (id = "...)
	return append(strconv.AppendInt(dst, engine.ValueKey(v), 10), ')')
}

// appendDotted appends the name of a class with dots in it, or null
func (r *textRenderer) appendDotted(dst []byte, class mmapjfr.Value) []byte {
	at := len(dst)
	dst = r.orNull(dst, class.Get(pathRawName))
	slashesToDots(dst[at:])
	return dst
}

// appendClassName appends the name of a class as in source code. The length of an array
// stands between its first brackets.
func (r *textRenderer) appendClassName(dst []byte, class mmapjfr.Value, length string) []byte {
	at := len(dst)
	dst = r.appendDotted(dst, class)
	if name := string(dst[at:]); strings.HasPrefix(name, "[") {
		dst, _, _ = javaname.AppendType(dst[:at], name, length, false)
	}
	return dst
}

// appendMethod appends a method with the types of its parameters.
func (r *textRenderer) appendMethod(dst []byte, v mmapjfr.Value) []byte {
	dst = append(r.appendDotted(dst, v.Get(pathType)), '.')
	dst = append(r.orNull(dst, v.Get(pathName)), '(')
	at := len(dst)
	dst = r.appendString(dst, v.Get(pathDescriptor))
	list := string(dst[at:])
	if end := strings.LastIndexByte(list, ')'); end > 0 {
		list = list[1:end]
	} else {
		list = ""
	}
	dst = dst[:at]
	for more := false; list != ""; more = true {
		if more {
			dst = append(dst, ", "...)
		}
		dst, list, _ = javaname.AppendType(dst, list, "", true)
	}
	return append(dst, ')')
}

// Paths to what text writes of stack traces.
var (
	pathFrames    = mmapjfr.Path("frames")
	pathTruncated = mmapjfr.Path("truncated")
	pathMethod    = mmapjfr.Path("method")
	pathLine      = mmapjfr.Path("lineNumber")
	pathJavaFrame = mmapjfr.Path("javaFrame")
)

// appendStackTrace appends the innermost frames of an event's stack trace. Frames that are
// hidden, or not of Java, are left out and do not count. As in the JDK, dots follow if the
// recorder has truncated the stack, or if stackDepth frames were looked at: so they also
// follow a complete stack of just that depth.
func (r *textRenderer) appendStackTrace(dst []byte, v mmapjfr.Value) []byte {
	dst = append(dst, "[\n"...)
	looked, shown := 0, 0
	if r.options.StackDepth > 0 {
		for f := range v.Get(pathFrames).Elements() {
			looked++
			m := f.Get(pathMethod)
			if isJavaFrame(f) && !m.Get(pathHidden).Bool() {
				dst = appendSpaces(dst, textDepth+2)
				dst = append(r.appendFrame(dst, f, m), '\n')
				shown++
			}
			if shown == r.options.StackDepth {
				break
			}
		}
	}
	truncated := v.Get(pathTruncated)
	if truncated.Bool() || truncated.IsAbsent() || looked == r.options.StackDepth {
		dst = appendSpaces(dst, textDepth+2)
		dst = append(dst, "...\n"...)
	}
	dst = appendSpaces(dst, textDepth)
	return append(dst, "]\n"...)
}

// isJavaFrame reports whether a frame is one of Java's, as it is unless it says otherwise.
func isJavaFrame(f mmapjfr.Value) bool {
	is := f.Get(pathJavaFrame)
	return is.Kind() != mmapjfr.KindBool || is.Bool()
}

// appendFrame appends a frame of a method. The JDK fails at a frame without one.
func (r *textRenderer) appendFrame(dst []byte, f, m mmapjfr.Value) []byte {
	if m.Kind() == mmapjfr.KindStruct {
		dst = r.constants.append(dst, constKey{m.Type(), engine.ValueKey(m), 0}, func(dst []byte) []byte { return r.appendMethod(dst, m) })
	} else {
		dst = append(dst, "N/A"...)
	}
	if line := f.Get(pathLine); isLine(line) {
		dst = strconv.AppendInt(append(dst, " line: "...), line.Int(), 10)
	}
	return dst
}

// isLine reports whether a value is the number of a line, of any width.
func isLine(v mmapjfr.Value) bool {
	return v.Kind() >= mmapjfr.KindByte && v.Kind() <= mmapjfr.KindLong && v.Int() >= 0
}

// Paths to what text writes of old objects.
var (
	pathArrayElements = mmapjfr.Path("arrayElements")
	pathReferrer      = mmapjfr.Path("referrer")
	pathSkip          = mmapjfr.Path("skip")
	pathArray         = mmapjfr.Path("array")
	pathIndex         = mmapjfr.Path("index")
	pathSize          = mmapjfr.Path("size")
	pathField         = mmapjfr.Path("field")
	pathObject        = mmapjfr.Path("object")
	pathDescription   = mmapjfr.Path("description")
)

// appendOldObject appends an object and what refers to it, up to a root, one in each
// line.
func (r *textRenderer) appendOldObject(dst []byte, object mmapjfr.Value, depth int) []byte {
	dst = append(dst, " [\n"...)
	dst = appendSpaces(dst, depth+2)
	if length := r.event.Get(pathArrayElements); length.Kind() != mmapjfr.KindNone {
		dst = r.appendObject(dst, object, length.Int())
		dst = r.appendReferrers(dst, object, depth+2)
	}
	dst = appendSpaces(dst, depth)
	return append(dst, "]\n"...)
}

func (r *textRenderer) appendReferrers(dst []byte, object mmapjfr.Value, depth int) []byte {
	seen := make(map[int64]bool) // for objects that refer to one another in a ring
	for object.Kind() == mmapjfr.KindStruct && !seen[engine.ValueKey(object)] {
		seen[engine.ValueKey(object)] = true
		ref := object.Get(pathReferrer)
		if ref.Kind() != mmapjfr.KindStruct {
			break
		}
		if ref.Get(pathSkip).Int() > 0 {
			dst = append(appendSpaces(dst, depth), "...\n"...)
		}
		dst = appendSpaces(dst, depth)
		array, field := ref.Get(pathArray), ref.Get(pathField)
		length := int64(0)
		if array.Kind() == mmapjfr.KindStruct {
			length = array.Get(pathSize).Int()
		}
		switch {
		case field.Kind() == mmapjfr.KindStruct:
			dst = r.orNull(dst, field.Get(pathName))
		case array.Kind() == mmapjfr.KindStruct:
			dst = append(dst, '[')
			dst = strconv.AppendInt(dst, array.Get(pathIndex).Int(), 10)
			dst = append(dst, ']')
		}
		dst = append(dst, " : "...)
		object = ref.Get(pathObject)
		dst = r.appendObject(dst, object, length)
	}
	return dst
}

// appendObject appends the class of an object, its description, and the end of the line.
// Arrays have their length if it is known.
func (r *textRenderer) appendObject(dst []byte, object mmapjfr.Value, length int64) []byte {
	if class := object.Get(pathType); class.Kind() == mmapjfr.KindStruct {
		text := ""
		if length > 0 {
			text = strconv.FormatInt(length, 10)
		}
		dst = r.appendClassName(dst, class, text)
		if description := object.Get(pathDescription); description.Kind() == mmapjfr.KindString {
			dst = r.appendString(append(dst, ' '), description)
		}
	}
	return append(dst, '\n')
}
