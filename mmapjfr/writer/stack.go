package writer

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// maxDepth is how many frames of a stack are recorded, as in the JDK.
const maxDepth = 64

// Stack is a stack of a goroutine: program counters as runtime.Callers returns them, and as profiles
// of package runtime hold them. As a field of a recorder it is written as a stack trace.
type Stack []uintptr

// stack returns the constant of a stack, which is decoded once; nil for an empty one.
func (w *Writer) stack(pcs Stack) (*constant, error) {
	if len(pcs) == 0 {
		return nil, nil
	}
	w.counters = w.counters[:0]
	for _, pc := range pcs {
		w.counters = binary.NativeEndian.AppendUint64(w.counters, uint64(pc))
	}
	if c := w.stacks[string(w.counters)]; c != nil {
		w.touch(c)
		return c, nil
	}
	v := slices.Clone(pcs).Value() // the original can stay on the stack of the caller
	c, err := w.intern(w.types.named[jdktypes.StackTrace], &v)
	if c != nil {
		w.stacks[string(w.counters)] = c
	}
	return c, err
}

// Value returns a value for a constant field of type jdk.types.StackTrace, of up to 64 frames.
// Frames of this package that the stack begins with are left out. Null for an empty stack.
func (s Stack) Value() Value {
	if len(s) == 0 {
		return Null()
	}
	var list []Frame
	frames, truncated := runtime.CallersFrames(s), false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "" || f.Function == "runtime.goexit" || len(list) == 0 && strings.HasPrefix(f.Function, ownPackage) {
			continue
		}
		if truncated = len(list) == maxDepth; truncated {
			break
		}
		list = append(list, goFrame(f))
	}
	if len(list) == 0 {
		return Null()
	}
	return StackTrace(truncated, list...)
}

// ownPackage is how names of functions of this package begin.
const ownPackage = "github.com/mmapjfr/jfr/mmapjfr/writer."

// goFrame returns the frame of a Go function.
func goFrame(f runtime.Frame) Frame {
	frame := Frame{Line: f.Line}
	frame.Class, frame.Method, frame.Static = splitFunction(f.Function)
	if f.Func == nil {
		frame.Kind = "Inlined"
	}
	return frame
}

// splitFunction takes the name of a Go function apart. The type of a method's receiver becomes the
// class, in the package of its path; functions are static methods of a class that is called as the
// last part of their package's path: "net/http.(*Server).Serve" is Serve of net/http/Server, and
// "net/http.Get" is Get of net/http.
func splitFunction(name string) (class ClassName, method string, isStatic bool) {
	slash := strings.LastIndexByte(cutTypeArguments(name), '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return "", name, true
	}
	pkg, rest := strings.ReplaceAll(name[:slash+1+dot], "%2e", "."), name[slash+dot+2:]
	if strings.HasPrefix(rest, "(") {
		if end := strings.Index(rest, ")."); end > 0 {
			return ClassName(pkg + "/" + strings.TrimPrefix(rest[1:end], "*")), rest[end+2:], false
		}
	}
	if receiver, after, ok := strings.Cut(rest, "."); ok && receiver != "" && !strings.Contains(receiver, "[") && isMethod(after) {
		return ClassName(pkg + "/" + receiver), after, false
	}
	return ClassName(pkg), rest, true
}

// cutTypeArguments returns the name up to its type arguments, which can have slashes.
func cutTypeArguments(name string) string {
	before, _, _ := strings.Cut(name, "[")
	return before
}

// isMethod reports whether the rest of a name, after a dot, is that of a method, and not one that the
// compiler gave to a literal: "func1", "gowrap2", "1" or the like.
func isMethod(rest string) bool {
	first, _, _ := strings.Cut(rest, ".")
	first = strings.TrimRightFunc(strings.TrimSuffix(first, "-fm"), unicode.IsDigit)
	return first != "" && first != "func" && first != "gowrap" && first != "deferwrap"
}
