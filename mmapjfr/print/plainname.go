package print

import (
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendClass appends the name of a class; nothing if it has none.
func appendClass(dst []byte, c mmapjfr.Class) []byte { return append(dst, c.JavaName()...) }

// appendLine appends the line of a frame behind its method.
func appendLine(dst []byte, f mmapjfr.Frame) []byte {
	if line := f.Line(); line > 0 {
		return strconv.AppendInt(append(dst, ':'), int64(line), 10)
	}
	return dst
}

// appendLoader appends the name of a class loader, or that of its class.
func appendLoader(dst []byte, l mmapjfr.ClassLoader) []byte {
	if name := l.Name(); name != "" {
		return append(dst, name...)
	}
	return appendClass(dst, l.Type())
}
