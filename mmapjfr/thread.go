package mmapjfr

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

// Thread returns the thread that the value is; an empty one if it is none.
func (v Value) Thread() Thread { return Thread{v.object()} }

// IsZero tells whether there is no thread: it is null or was not recorded.
func (t Thread) IsZero() bool { return t.o.c == nil }

// Key returns the number of the thread in its chunk. Virtual machines keep it
// through all chunks of a recording.
func (t Thread) Key() int64 { return t.o.key }

// Value returns the thread as the struct that it is.
func (t Thread) Value() Value { return t.o.value() }

// Name returns the name in Java, or, for threads that are none of Java's, the
// one of the operating system. It stays valid, see [Value.Str].
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

// JavaThreadID returns the number of the thread in Java; 0 if it is none of
// Java's.
func (t Thread) JavaThreadID() int64 { return t.o.integer(pathJavaThreadID) }

// OSThreadID returns the number of the thread in the operating system.
func (t Thread) OSThreadID() int64 { return t.o.integer(pathOSThreadID) }

// IsVirtual tells whether the thread is a virtual one.
func (t Thread) IsVirtual() bool { return t.o.bool(pathVirtual) }

// Group returns the thread group.
func (t Thread) Group() ThreadGroup { return ThreadGroup{t.o.child(pathGroup)} }

// ThreadGroup is a view of a thread group.
type ThreadGroup struct {
	o object
}

// IsZero tells whether there is no group: it is null or was not recorded.
func (g ThreadGroup) IsZero() bool { return g.o.c == nil }

// Name returns the name of the group. It stays valid, see [Value.Str].
func (g ThreadGroup) Name() string { return g.o.str(pathName) }

// Parent returns the group that holds the group.
func (g ThreadGroup) Parent() ThreadGroup { return ThreadGroup{g.o.child(pathParent)} }
