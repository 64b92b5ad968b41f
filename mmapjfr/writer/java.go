package writer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Thread is a thread as the JDK describes it. Recorders write goroutines as threads.
type Thread struct {
	// Name is what tools show. ID tells threads of one name apart: of a goroutine it is the number
	// that a traceback shows.
	Name string
	ID   int64
	// OSName and OSID are those of a thread of the operating system. An empty OSName is Name, which
	// the JDK shows for threads whose ID is 0.
	OSName string
	OSID   int64
	// Group is the name of the group that the thread belongs to; it can be empty.
	Group   string
	Virtual bool
}

// Value returns a value for a constant field of type java.lang.Thread; null for the zero Thread.
func (t Thread) Value() Value {
	if t == (Thread{}) {
		return Null()
	}
	osName, group := Text(t.Name), Null()
	if t.OSName != "" {
		osName = Text(t.OSName)
	}
	if t.Group != "" {
		group = List(Null(), Text(t.Group))
	}
	return List(osName, Int(t.OSID), Text(t.Name), Int(t.ID), group, Bool(t.Virtual))
}

// ClassName is the name of a class, with slashes between the parts of its package, such as
// "net/http/Server". As a field of a recorder it is written as java.lang.Class.
type ClassName string

// Value returns a value for a constant field of type java.lang.Class; null for the empty name.
func (c ClassName) Value() Value {
	if c == "" {
		return Null()
	}
	pkg := Null()
	if slash := strings.LastIndexByte(string(c), '/'); slash > 0 {
		pkg = List(Text(string(c[:slash])), Null(), Bool(true))
	}
	return List(Null(), Text(string(c)), pkg, Int(public), Bool(false))
}

// Modifiers of classes and methods.
const public, static = 1, 8

// Frame is a frame of a stack trace.
type Frame struct {
	Class  ClassName
	Method string
	// Descriptor has the types of the parameters and of the result, as the JVM writes them; empty
	// is "()V".
	Descriptor string
	// Line is the line in the source file; 0 if it is not known. The format has no room for the name
	// of the file.
	Line int
	// Kind is how the method runs: "Interpreted", "JIT compiled", "Inlined" or "Native"; empty is
	// "JIT compiled".
	Kind string
	// Static says that the method has no receiver.
	Static bool
}

func (f *Frame) value() Value {
	descriptor, kind, line, modifiers := f.Descriptor, f.Kind, int64(f.Line), int64(0)
	if descriptor == "" {
		descriptor = "()V"
	}
	if kind == "" {
		kind = "JIT compiled"
	}
	if line == 0 {
		line = -1
	}
	if f.Static {
		modifiers |= static
	}
	if r, _ := utf8.DecodeRuneInString(f.Method); unicode.IsUpper(r) {
		modifiers |= public
	}
	method := List(f.Class.Value(), Text(f.Method), Text(descriptor), Int(modifiers), Bool(false))
	return List(method, Int(line), Int(-1), Text(kind))
}

// StackTrace returns a value for a constant field of type jdk.types.StackTrace: frames from the
// innermost one on, and whether there were more.
func StackTrace(truncated bool, frames ...Frame) Value {
	list := make([]Value, len(frames))
	for i := range frames {
		list[i] = frames[i].value()
	}
	return List(Bool(truncated), List(list...))
}
