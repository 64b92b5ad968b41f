package print

import (
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to what text says of threads, classes, class loaders and methods.
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
	return append(strconv.AppendInt(dst, v.Key(), 10), ')')
}

// appendDotted appends the name of a class with dots in it; null if there is none.
func (r *textRenderer) appendDotted(dst []byte, class mmapjfr.Value) []byte {
	at := len(dst)
	dst = r.orNull(dst, class.Get(pathRawName))
	for i, c := range dst[at:] {
		if c == '/' {
			dst[at+i] = '.'
		}
	}
	return dst
}

// appendClassName appends the name of a class as it stands in a program. The length
// of an array stands in its first brackets.
func (r *textRenderer) appendClassName(dst []byte, class mmapjfr.Value, length string) []byte {
	at := len(dst)
	dst = r.appendDotted(dst, class)
	if name := string(dst[at:]); strings.HasPrefix(name, "[") {
		dst, _ = appendJavaType(dst[:at], name, length, false)
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
		dst, list = appendJavaType(dst, list, "", true)
	}
	return append(dst, ')')
}
