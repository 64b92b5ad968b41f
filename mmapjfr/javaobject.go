package mmapjfr

import (
	"iter"
	"runtime/debug"
	"strconv"
)

var (
	pathClassLoader = Path("classLoader")
	pathPackage     = Path("package.name")
)

// Class is a view of a class of the recorded program. The zero Class is one that
// was not recorded.
type Class struct {
	o object
}

// Class returns the class that the value is; an empty one for other values.
func (v Value) Class() Class { return Class{v.object()} }

// IsZero reports whether there is no class: it is null or was not recorded.
func (c Class) IsZero() bool { return c.o.c == nil }

// key returns the number of the class in its chunk.
func (c Class) key() int64 { return c.o.key }

// Name returns the name as people write it in Java, and as [Value.Text] and queries have it:
// "java.lang.String", and of arrays "byte[]" or "java.lang.String[][]". Nested classes are as the
// virtual machine has them, "java.util.Map$Entry". It stays valid, see [Value.Str].
func (c Class) Name() string { return c.o.plain() }

// internalName returns the name with slashes, such as "java/lang/String". It stays valid,
// see [Value.Str].
func (c Class) internalName() string { return c.o.str(pathRawName) }

// Package returns the name of the package, with slashes. It stays valid, see [Value.Str].
func (c Class) Package() string { return c.o.str(pathPackage) }

// Loader returns the class loader; an empty one for the bootstrap loader in
// older recordings.
func (c Class) Loader() ClassLoader { return ClassLoader{c.o.child(pathClassLoader)} }

// modifiers returns the access flags of the class.
func (c Class) modifiers() int { return int(c.o.integer(pathModifiers)) }

// IsHidden reports whether the class is a hidden one, such as a lambda's.
func (c Class) IsHidden() bool { return c.o.bool(pathHidden) }

// ClassLoader is a view of a class loader. The zero ClassLoader is one that was
// not recorded.
type ClassLoader struct {
	o object
}

// ClassLoader returns the class loader that the value is; an empty one for other
// values.
func (v Value) ClassLoader() ClassLoader { return ClassLoader{v.object()} }

// IsZero reports whether there is no class loader: it is null or was not recorded.
func (l ClassLoader) IsZero() bool { return l.o.c == nil }

// key returns the number of the class loader in its chunk.
func (l ClassLoader) key() int64 { return l.o.key }

// Name returns the name, such as "app"; empty if it has none. It stays valid, see
// [Value.Str].
func (l ClassLoader) Name() string { return l.o.str(pathName) }

// Type returns the class of the class loader.
func (l ClassLoader) Type() Class { return Class{l.o.child(pathType)} }

var (
	pathJavaName     = Path("javaName")
	pathOSName       = Path("osName")
	pathJavaThreadID = Path("javaThreadId")
	pathOSThreadID   = Path("osThreadId")
	pathGroup        = Path("group")
	pathVirtual      = Path("virtual")
	pathParent       = Path("parent")
)

// Thread is a view of a thread. The zero Thread is one that was not recorded.
type Thread struct {
	o object
}

// Thread returns the thread that the value is; an empty one for other values.
func (v Value) Thread() Thread { return Thread{v.object()} }

// IsZero reports whether there is no thread: it is null or was not recorded.
func (t Thread) IsZero() bool { return t.o.c == nil }

// Key returns the number of the thread in its chunk. Virtual machines keep it
// through all chunks of a recording.
func (t Thread) Key() int64 { return t.o.key }

// value returns the thread as the struct that it is.
func (t Thread) value() Value { return t.o.value() }

// Name returns the name in Java, or, for threads that Java does not know, the name in the
// operating system. It stays valid, see [Value.Str].
func (t Thread) Name() string {
	return t.o.text(threadName, nil, func(o object, _ *FieldPath) string {
		if v := o.get(pathJavaName); v.Kind() == KindString {
			return v.str()
		}
		return o.get(pathOSName).str()
	})
}

// JavaName returns the name in Java; empty if it has none. It stays valid, see [Value.Str].
func (t Thread) JavaName() string { return t.o.str(pathJavaName) }

// OSName returns the name that the operating system knows. It stays valid, see [Value.Str].
func (t Thread) OSName() string { return t.o.str(pathOSName) }

// JavaThreadID returns the number of the thread in Java; 0 if Java does not
// know the thread.
func (t Thread) JavaThreadID() int64 { return t.o.integer(pathJavaThreadID) }

// OSThreadID returns the number of the thread in the operating system.
func (t Thread) OSThreadID() int64 { return t.o.integer(pathOSThreadID) }

// IsVirtual reports whether the thread is a virtual one.
func (t Thread) IsVirtual() bool { return t.o.bool(pathVirtual) }

// Group returns the thread group.
func (t Thread) Group() ThreadGroup { return ThreadGroup{t.o.child(pathGroup)} }

// ThreadGroup is a view of a thread group.
type ThreadGroup struct {
	o object
}

// IsZero reports whether there is no group: it is null or was not recorded.
func (g ThreadGroup) IsZero() bool { return g.o.c == nil }

// Name returns the name of the group. It stays valid, see [Value.Str].
func (g ThreadGroup) Name() string { return g.o.str(pathName) }

// Parent returns the group that holds the group.
func (g ThreadGroup) Parent() ThreadGroup { return ThreadGroup{g.o.child(pathParent)} }

var (
	pathFrames        = Path("frames")
	pathTruncated     = Path("truncated")
	pathMethod        = Path("method")
	pathLineNumber    = Path("lineNumber")
	pathBytecodeIndex = Path("bytecodeIndex")
	pathType          = Path("type")
	pathName          = Path("name")
	pathDescriptor    = Path("descriptor")
	pathModifiers     = Path("modifiers")
	pathHidden        = Path("hidden")
)

// StackTrace is a view of a stack trace, the innermost frame first. The zero
// StackTrace is that of an event that has none.
type StackTrace struct {
	o object
}

// StackTrace returns the stack trace that the value is; an empty one for other
// values.
func (v Value) StackTrace() StackTrace { return StackTrace{v.object()} }

// IsZero reports whether there is no stack trace: it is null or was not recorded.
func (s StackTrace) IsZero() bool { return s.o.c == nil }

// Key returns the number of the stack trace in its chunk. Equal stack traces of
// one chunk mostly have equal keys.
func (s StackTrace) Key() int64 { return s.o.key }

// value returns the stack trace as the struct that it is.
func (s StackTrace) value() Value { return s.o.value() }

// IsTruncated reports whether the stack was deeper than the recorder's limit.
func (s StackTrace) IsTruncated() bool { return s.o.bool(pathTruncated) }

// Len returns the number of frames.
func (s StackTrace) Len() int { return s.o.field(pathFrames).Len() }

// Frames returns the frames, the innermost first, hidden ones included.
func (s StackTrace) Frames() iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		s.o.field(pathFrames).eachElement(func(v Value) bool { return yield(Frame{v.object()}) })
	}
}

// Frame returns frame i, 0 being the innermost; an empty one beyond the last.
// It steps over those before it: use [StackTrace.Frames] to read them all.
func (s StackTrace) Frame(i int) Frame { return Frame{s.o.field(pathFrames).Index(i).object()} }

// appendFrames appends the frames to dst and returns it.
func (s StackTrace) appendFrames(dst []Frame) []Frame {
	for f := range s.Frames() {
		dst = append(dst, f)
	}
	return dst
}

// Frame is a view of a frame of a stack trace.
type Frame struct {
	o object
}

// Frame returns the frame that the value is, as an element of a stack trace's frames;
// an empty one for other values.
func (v Value) Frame() Frame { return Frame{v.object()} }

// value returns the frame as the struct that it is.
func (f Frame) value() Value { return f.o.value() }

// Method returns the method that the frame executes.
func (f Frame) Method() Method { return Method{f.o.child(pathMethod)} }

// Line returns the line in the method's source file; not above 0 if it is not
// known.
func (f Frame) Line() int { return int(f.o.integer(pathLineNumber)) }

// BytecodeIndex returns the position in the method's code; -1 if it is not
// known.
func (f Frame) BytecodeIndex() int { return int(f.o.integer(pathBytecodeIndex)) }

// Kind returns how the method was executed, such as "Interpreted",
// "JIT compiled", "Inlined" or "Native". It stays valid, see [Value.Str].
func (f Frame) Kind() string { return f.o.str(pathType) }

// Text returns the method as [Method.Signature], and the line if it is known, as in
// "java.lang.Thread.run():1474": what [Value.Str] returns, and a [FieldPath] that ends with
// text. It is "" if there is no frame, or no method was recorded. It stays valid, and
// allocates as Signature does.
func (f Frame) Text() string { return f.o.plain() }

// printed returns the frame as the JDK's jfr print writes it, with " line: 1474".
func (f Frame) printed() (text string) {
	if f.o.c.mayFault() {
		defer f.o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if f.o.c == nil {
		return ""
	}
	buf := textBuffers.Get().(*[]byte)
	defer textBuffers.Put(buf)
	dst := (*buf)[:0]
	if m := f.Method(); m.IsZero() {
		dst = append(dst, "an unknown method"...)
	} else {
		dst = m.o.appendPlain(dst)
	}
	if line := f.o.field(pathLineNumber); line.Kind() >= KindByte && line.Kind() <= KindLong && line.integer() >= 0 {
		dst = strconv.AppendInt(append(dst, " line: "...), line.integer(), 10)
	}
	*buf = dst
	return f.o.c.rec.strings.Plain(dst)
}

// Method is a view of a method. The zero Method is one that was not recorded.
type Method struct {
	o object
}

// Method returns the method that the value is; an empty one for other values.
func (v Value) Method() Method { return Method{v.object()} }

// IsZero reports whether there is no method: it is null or was not recorded.
func (m Method) IsZero() bool { return m.o.c == nil }

// key returns the number of the method in its chunk.
func (m Method) key() int64 { return m.o.key }

// value returns the method as the struct that it is.
func (m Method) value() Value { return m.o.value() }

// Class returns the class that declares the method.
func (m Method) Class() Class { return Class{m.o.child(pathType)} }

// Name returns the name of the method. It stays valid, see [Value.Str].
func (m Method) Name() string { return m.o.str(pathName) }

// descriptor returns the types of parameters and result as the virtual machine
// writes them, such as "(I)Ljava/lang/String;". It stays valid, see [Value.Str].
func (m Method) descriptor() string { return m.o.str(pathDescriptor) }

// Signature returns the method as people write it: its class, its name, and the types of its
// parameters without their packages, as in "java.util.Map.get(Object)" or
// "gen.Foo.bar(int, String[])". It is "" if there is no method. Frames of native code, as
// profilers other than the JDK's have them, may be a name alone. It stays valid, and
// allocates only for methods that were not asked for before.
func (m Method) Signature() string { return m.o.plain() }

// appendSignature appends [Method.Signature] to dst, and allocates nothing but room in it.
func (m Method) appendSignature(dst []byte) (to []byte) {
	to = dst
	if m.o.c.mayFault() {
		defer m.o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return m.o.appendPlain(dst)
}

// modifiers returns the access flags of the method.
func (m Method) modifiers() int { return int(m.o.integer(pathModifiers)) }

// IsHidden reports whether stack traces do not usually show the method.
func (m Method) IsHidden() bool { return m.o.bool(pathHidden) }
