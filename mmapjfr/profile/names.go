package profile

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/javaname"
)

// Names says how frames are written.
type Names struct {
	// Dots writes java.lang.String and not java/lang/String.
	Dots bool
	// Simple leaves out packages.
	Simple bool
	// Lines adds the line, as in ":42". Frames of different lines are then different names.
	Lines bool
	// Parameters adds the types of parameters, so that overloads have different names.
	Parameters bool
	// Normalize gives hidden classes and lambdas of one origin one name, whatever number the
	// virtual machine gave them.
	Normalize bool
}

// noMethod is the name of a frame whose method was not recorded.
const noMethod = "unknown"

// NoStack is the name of what samples without frames have in common: in tables, and as the one frame of
// stacks of which a choice leaves no other.
const NoStack = "(no stack)"

// Frame returns the name of a frame, such as "java/lang/String.length", with the index of the bytecode
// if the frame has one, as in "java/lang/String.length@5". Functions of native code are a name alone.
func (n Names) Frame(f Frame) string {
	text := n.method(f.Method, f.Kind)
	switch {
	case f.Line < 0:
		text += "@" + strconv.Itoa(-int(f.Line))
	case n.Lines && f.Line > 0:
		text += ":" + strconv.Itoa(int(f.Line))
	}
	return text
}

// method returns the name of a method that was executed in a way.
func (n Names) method(m Method, kind FrameKind) string {
	switch {
	case m.Name == "" && m.Class == "":
		return noMethod
	case kind == Cpp || kind == Kernel || kind == Text || m.Class == "" || kind == Native && !m.isJava(kind):
		return cmp.Or(m.Name, noMethod)
	}
	text := n.class(m.Class) + "." + m.Name
	if n.Parameters && m.Descriptor != "" {
		text = string(javaname.AppendParameters([]byte(text), m.Descriptor))
	}
	return text
}

// class returns the name of a class.
func (n Names) class(name string) string {
	if n.Normalize {
		name = javaname.Stable(name)
	}
	if n.Simple {
		name = name[javaname.LastPackage(name):]
	}
	if n.Dots {
		name = dotted(name)
	}
	return name
}

// object returns how the class of an object, as labels have it, is written: with dots in any case.
func (n Names) object(class string) string {
	if n.Normalize {
		class = javaname.Stable(class)
	}
	if n.Simple {
		class = class[javaname.LastPackage(strings.ReplaceAll(class, ".", "/")):]
	}
	return class
}

// dotted replaces the slashes between packages.
func dotted(name string) string {
	end := javaname.LastPackage(name)
	return strings.ReplaceAll(name[:end], "/", ".") + name[end:]
}

// isJava reports whether a method that was executed in a way is one of Java. Those of profiles that
// hold no more than names have no descriptor; libraries are not called like classes.
func (m Method) isJava(kind FrameKind) bool {
	return m.Descriptor != "" || m.Class != "" && (kind < Native || kind == Native && javaname.IsClass(m.Class))
}

// systemName returns the name of a method as the virtual machine has it, which differs for
// overloads, without what Simple and Normalize leave out; of a function its name.
func (n Names) systemName(m Method) string {
	if m.Descriptor == "" && !javaname.IsClass(m.Class) {
		return m.Name
	}
	n.Dots = false
	return n.class(m.Class) + "." + m.Name + m.Descriptor
}
