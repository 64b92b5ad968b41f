package mmapjfr

import (
	"runtime/debug"
	"strconv"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// pathRawName leads to the name of a class as the virtual machine writes it.
var pathRawName = Path("@raw.name")

// hasText tells whether structs of the class have a text, see [Value.Str].
func hasText(class string) bool {
	switch class {
	case jdktypes.Thread, jdktypes.Class, jdktypes.Method, jdktypes.StackFrame, jdktypes.ClassLoader, jdktypes.ThreadGroup:
		return true
	}
	return false
}

// appendPlain appends the text of a struct that has one, see [Value.Str]; nothing for
// others.
func (o object) appendPlain(dst []byte) []byte {
	if o.c == nil {
		return dst
	}
	switch o.class.CurrentName() {
	case jdktypes.Thread:
		if v := o.get(pathJavaName); v.Kind() == KindString {
			return v.appendStr(dst)
		}
		return o.get(pathOSName).appendStr(dst)
	case jdktypes.Class:
		return o.appendJavaName(dst)
	case jdktypes.Method:
		return o.appendMethod(dst)
	case jdktypes.StackFrame:
		return o.appendFrame(dst)
	case jdktypes.ClassLoader:
		at := len(dst)
		if dst = o.get(pathName).appendStr(dst); len(dst) > at {
			return dst
		}
		return o.get(pathType).object().appendPlain(dst)
	case jdktypes.ThreadGroup:
		return o.get(pathName).appendStr(dst)
	}
	return dst
}

// plain returns what appendPlain appends, as a string.
func (o object) plain() (text string) {
	if o.c.traps() {
		defer o.c.guard(debug.SetPanicOnFault(true))
	}
	if o.c == nil {
		return ""
	}
	buf := textBuffers.Get().(*[]byte)
	defer textBuffers.Put(buf)
	*buf = o.appendPlain((*buf)[:0])
	return o.c.rec.strings.plain(*buf)
}

// appendRaw appends the text of a class or a method as the virtual machine writes it.
func (o object) appendRaw(dst []byte) []byte {
	if o.c == nil || o.class.Name == jdktypes.Class {
		return o.get(pathRawName).appendStr(dst)
	}
	at := len(dst)
	if dst = o.get(pathType).object().appendRaw(dst); len(dst) > at {
		dst = append(dst, '.')
	}
	dst = o.get(pathName).appendStr(dst)
	return o.get(pathDescriptor).appendStr(dst)
}

// appendJavaName appends the name of a class as in Java.
func (o object) appendJavaName(dst []byte) []byte {
	at := len(dst)
	dst = o.get(pathRawName).appendStr(dst)
	for i := at; i < len(dst); i++ {
		if dst[i] == '/' {
			dst[i] = '.'
		}
	}
	if len(dst) > at && dst[at] == '[' {
		return javaname.AppendClass(dst[:at], Class{o}.Name())
	}
	return dst
}

// appendMethod appends the class, the name and the parameters of a method. Methods that are
// none of Java's may have no class.
func (o object) appendMethod(dst []byte) []byte {
	at := len(dst)
	if dst = o.get(pathType).object().appendPlain(dst); len(dst) > at {
		dst = append(dst, '.')
	}
	return javaname.AppendParameters(o.get(pathName).appendStr(dst), o.get(pathDescriptor).strView())
}

// appendFrame appends the method of a frame, and its line if it is known.
func (o object) appendFrame(dst []byte) []byte {
	at := len(dst)
	dst = o.get(pathMethod).object().appendPlain(dst)
	if line := o.get(pathLineNumber).integer(); line > 0 && len(dst) > at {
		dst = strconv.AppendInt(append(dst, ':'), line, 10)
	}
	return dst
}
