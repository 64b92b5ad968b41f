package mmapjfr

import "runtime/debug"

var (
	pathClassLoader = Path("classLoader")
	pathPackage     = Path("package.name")
)

// Class is a view of a class of the recorded program. The zero Class is one that
// was not recorded.
type Class struct {
	o object
}

// Class returns the class that the value is; an empty one if it is none.
func (v Value) Class() Class { return Class{v.object()} }

// IsZero tells whether there is no class: it is null or was not recorded.
func (c Class) IsZero() bool { return c.o.c == nil }

// Key returns the number of the class in its chunk.
func (c Class) Key() int64 { return c.o.key }

// Value returns the class as the struct that it is.
func (c Class) Value() Value { return c.o.value() }

// Name returns the name with dots, such as "java.lang.String"; arrays are
// written as the virtual machine does, as in "[Ljava.lang.String;". It stays valid, see
// [Value.Str].
func (c Class) Name() (s string) {
	if c.o.c.traps() {
		defer c.o.c.guard(debug.SetPanicOnFault(true))
	}
	v := c.o.get(pathRawName)
	t, ok := v.text()
	if !ok {
		return ""
	}
	return v.c.rec.strings.text(t, dotted)
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

// IsHidden tells whether the class is a hidden one, such as a lambda's.
func (c Class) IsHidden() bool { return c.o.bool(pathHidden) }

// ClassLoader is a view of a class loader. The zero ClassLoader is one that was
// not recorded.
type ClassLoader struct {
	o object
}

// ClassLoader returns the class loader that the value is; an empty one if it is
// none.
func (v Value) ClassLoader() ClassLoader { return ClassLoader{v.object()} }

// IsZero tells whether there is no class loader: it is null or was not recorded.
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
