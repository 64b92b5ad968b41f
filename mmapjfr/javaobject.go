package mmapjfr

import (
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/stringtable"
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

// Key returns the number of the class in its chunk.
func (c Class) Key() int64 { return c.o.key }

// Value returns the class as the struct that it is.
func (c Class) Value() Value { return c.o.value() }

// Name returns the name with dots, such as "java.lang.String"; arrays are
// written as the virtual machine does, as in "[Ljava.lang.String;". It stays valid, see
// [Value.Str].
func (c Class) Name() (s string) {
	if c.o.c.mayFault() {
		defer c.o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	v := c.o.get(pathRawName)
	t, ok := v.text()
	if !ok {
		return ""
	}
	return v.c.rec.strings.Text(t, stringtable.Dotted)
}

// JavaName returns the name as people write it in Java: "java.lang.String", and of arrays
// "byte[]" or "java.lang.String[][]". Nested classes are as the virtual machine has them,
// "java.util.Map$Entry". It stays valid, see [Value.Str].
func (c Class) JavaName() string { return c.o.plain() }

// InternalName returns the name with slashes, such as "java/lang/String". It stays valid,
// see [Value.Str].
func (c Class) InternalName() string { return c.o.str(pathRawName) }

// Package returns the name of the package, with slashes. It stays valid, see [Value.Str].
func (c Class) Package() string { return c.o.str(pathPackage) }

// Loader returns the class loader; an empty one for the bootstrap loader in
// older recordings.
func (c Class) Loader() ClassLoader { return ClassLoader{c.o.child(pathClassLoader)} }

// Modifiers returns the access flags of the class.
func (c Class) Modifiers() int { return int(c.o.integer(pathModifiers)) }

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

// Key returns the number of the class loader in its chunk.
func (l ClassLoader) Key() int64 { return l.o.key }

// Value returns the class loader as the struct that it is.
func (l ClassLoader) Value() Value { return l.o.value() }

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

// Value returns the thread as the struct that it is.
func (t Thread) Value() Value { return t.o.value() }

// Name returns the name in Java, or, for threads that Java does not know, the name in the
// operating system. It stays valid, see [Value.Str].
func (t Thread) Name() string {
	if v := t.o.field(pathJavaName); v.Kind() == KindString {
		return v.Str()
	}
	return t.OSName()
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
