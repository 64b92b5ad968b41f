package profile

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	case kind == Cpp || kind == Kernel || kind == Text || m.Class == "" || kind == Native && !m.IsJava(kind):
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
		name = name[lastPackage(name):]
	}
	if n.Dots {
		name = dotted(name)
	}
	return name
}

// Object returns how the class of an object, as labels have it, is written: with dots in any case.
func (n Names) Object(class string) string {
	if n.Normalize {
		class = javaname.Stable(class)
	}
	if n.Simple {
		at := lastPackage(strings.ReplaceAll(class, ".", "/"))
		class = class[at:]
	}
	return class
}

// lastPackage returns where the name of a class begins after its packages. The part of hidden
// classes after their last slash or plus is no name.
func lastPackage(name string) int {
	end := len(name)
	if i := strings.IndexAny(name, "+"); i >= 0 {
		end = i
	} else if i := strings.LastIndexByte(name, '/'); i >= 0 && i+1 < len(name) && '0' <= name[i+1] && name[i+1] <= '9' {
		end = i
	}
	return strings.LastIndexByte(name[:end], '/') + 1
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

// dotted replaces the slashes between packages.
func dotted(name string) string {
	end := lastPackage(name)
	return strings.ReplaceAll(name[:end], "/", ".") + name[end:]
}

// IsJava reports whether a method that was executed in a way is one of Java. Those of profiles that
// hold no more than names have no descriptor; libraries are not called like classes.
func (m Method) IsJava(kind FrameKind) bool {
	return m.Descriptor != "" || m.Class != "" && (kind < Native || kind == Native && isClass(m.Class))
}

// SystemName returns the name of a method as the virtual machine has it, which differs for
// overloads, without what Simple and Normalize leave out; of a function its name.
func (n Names) SystemName(m Method) string {
	if m.Descriptor == "" && !isClass(m.Class) {
		return m.Name
	}
	n.Dots = false
	return n.class(m.Class) + "." + m.Name + m.Descriptor
}

// SourceFile returns the file in which a method most likely is, which recordings do not name; "" for
// functions.
func (m Method) SourceFile() string {
	if m.Descriptor == "" {
		return ""
	}
	class, _, _ := strings.Cut(javaname.Stable(m.Class), "$")
	return class + ".java"
}
