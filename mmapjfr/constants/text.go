package constants

import (
	"strconv"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Text returns the value of a constant in short: strings as they are, classes and
// methods by their names, threads and class loaders by name and number or class, of
// stack traces the innermost frame and how many there are, and others as
// [mmapjfr.Value.Text]. It does not alias the recording.
func Text(v mmapjfr.Value) string {
	if v.Kind() != mmapjfr.KindStruct {
		return v.Text()
	}
	switch v.Type().CurrentName() {
	case jdktypes.Class:
		return v.Class().Name()
	case jdktypes.Method:
		return methodText(v.Method())
	case jdktypes.Thread:
		return threadText(v.Thread())
	case jdktypes.StackTrace:
		return stackText(v.StackTrace())
	case jdktypes.ClassLoader:
		return loaderText(v.ClassLoader())
	case jdktypes.ThreadGroup, jdktypes.Package, jdktypes.Module:
		if name := v.Get(pathName); name.Kind() == mmapjfr.KindString {
			return name.Str()
		}
	}
	return v.Text()
}

var pathName = mmapjfr.Path("name")

// methodText returns class, name and descriptor.
func methodText(m mmapjfr.Method) string {
	class := m.Class().Name()
	if class == "" {
		class = "?"
	}
	return class + "." + m.Name() + m.Descriptor()
}

// threadText returns the name and the number of a thread: that of Java if it has one.
func threadText(t mmapjfr.Thread) string {
	if id := t.JavaThreadID(); id > 0 {
		return t.Name() + " (#" + strconv.FormatInt(id, 10) + ")"
	}
	return t.Name() + " (os " + strconv.FormatInt(t.OSThreadID(), 10) + ")"
}

// stackText returns the innermost frame, and how many there are.
func stackText(s mmapjfr.StackTrace) string {
	n := s.Len()
	if n == 0 {
		return "no frames"
	}
	top := s.Frame(0)
	text := methodText(top.Method())
	if line := top.Line(); line > 0 {
		text += ":" + strconv.Itoa(line)
	}
	more := ""
	if s.IsTruncated() {
		more = " or more"
	}
	if n == 1 && more == "" {
		return text + ", 1 frame"
	}
	return text + ", " + strconv.Itoa(n) + more + " frames"
}

// loaderText returns the name of a class loader and its class; both are empty for that
// of the virtual machine.
func loaderText(l mmapjfr.ClassLoader) string {
	class := l.Type().Name()
	switch {
	case l.Name() == "":
		return class
	case class == "":
		return l.Name()
	}
	return l.Name() + " (" + class + ")"
}
