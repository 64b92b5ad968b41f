package jfrtest

import (
	"fmt"
	"slices"
	"strings"
)

// Size is something of which a recording may have any number.
type Size struct {
	Name string
	// N is a number of which all verbs take a moment, if they take time by the number.
	N int
	// Build returns a recording with n of it, whose size in bytes goes with n.
	Build func(n int) []byte
}

// Sizes are the sizes by which work could grow faster than the bytes of the recording.
var Sizes = []Size{
	{"fields", 4000, one(func(b *sized, n int) { b.wide(n, Of("", "long"), 7) })},
	{"texts of an event", 4000, one(func(b *sized, n int) { b.wide(n, Of("", StringClass), "password=secret") })},
	{"structs of an event", 2000, one(func(b *sized, n int) {
		b.Class("test.P", Of("key", StringClass), Of("value", StringClass))
		b.wide(n, Of("", "test.P"), Inline{"token", "secret"})
	})},
	{"constants of an event", 4000, one(func(b *sized, n int) {
		b.wide(n, Const("", "java.lang.Class"), b.class("a.B"))
	})},
	{"stacks of an event", 1000, one(func(b *sized, n int) {
		b.wide(n, Const("", "jdk.types.StackTrace"), b.stack(b.method("a.B", "run")))
	})},
	{"elements of an array", 20_000, one(func(b *sized, n int) {
		b.emit(b.Event("test.List", Of("list", "int").Array()), make([]int, n))
	})},
	{"texts of an array", 10_000, one(func(b *sized, n int) {
		b.emit(b.Event("test.List", Of("list", StringClass).Array()), slices.Repeat([]any{"password=secret"}, n))
	})},
	{"structs of an array", 10_000, one(func(b *sized, n int) {
		b.Class("test.P", Of("key", StringClass), Const("class", "java.lang.Class"))
		b.emit(b.Event("test.List", Of("list", "test.P").Array()), slices.Repeat([]any{Inline{"a", b.class("a.B")}}, n))
	})},
	{"types", 1500, one(func(b *sized, n int) {
		for i := range n {
			b.emit(b.Event(fmt.Sprint("test.T", i), Duration(), EventThread(), StackTrace()), 5, b.thread("main"), b.stack(b.method("a.B", "run")))
		}
	})},
	{"types with fields of their own", 400, one(func(b *sized, n int) {
		for i := range n {
			b.emit(b.Event(fmt.Sprint("test.T", i), Duration(), Of(fmt.Sprint("a", i), "long"), Of(fmt.Sprint("b", i), StringClass)), 5, i, "b")
		}
	})},
	{"types of one short name", 1500, one(func(b *sized, n int) {
		for i := range n {
			b.emit(b.Event(fmt.Sprintf("test.t%d.FileRead", i), Duration()), 5)
		}
	})},
	{"types without events", 4000, one(func(b *sized, n int) {
		for i := range n {
			b.Class(fmt.Sprint("test.T", i), Of("a", "long"))
		}
		b.emit(b.Event("test.Event"))
	})},
	{"types that hold each other", 200, one(func(b *sized, n int) {
		b.Class("test.T0", Of("a", StringClass))
		for i := 1; i < n; i++ {
			b.Class(fmt.Sprint("test.T", i), Const("a", fmt.Sprint("test.T", i-1)), Of("b", StringClass))
			b.Constant(fmt.Sprint("test.T", i), 1, 1, "b")
		}
		b.emit(b.Event("test.Event", Const("t", fmt.Sprint("test.T", n-1))), 1)
	})},
	{"annotations", 10_000, one(func(b *sized, n int) {
		e := b.Event("test.Event", Of("a", "long").With(slices.Repeat([]Annotation{Note("jdk.jfr.Description", "a")}, n)...))
		e.Annotate(slices.Repeat([]Annotation{Note("jdk.jfr.Label", "a")}, n)...)
		b.emit(e, 1)
	})},
	{"settings of a type", 4000, one(func(b *sized, n int) {
		e := b.Event("test.Event")
		for i := range n {
			e.Settings = append(e.Settings, Setting{Name: fmt.Sprint("s", i), Class: "jdk.settings.Enabled", Default: "true"})
		}
		b.emit(e)
	})},
	{"settings", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.ActiveSetting", Of("id", "long"), Of("name", StringClass), Of("value", StringClass))
		for i := range n {
			b.emit(e, e.ID, fmt.Sprint("s", i), "true")
		}
	})},
	{"properties", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.InitialSystemProperty", Of("key", StringClass), Of("value", StringClass))
		for i := range n {
			b.emit(e, fmt.Sprint("a.b", i), "true")
		}
	})},
	{"constants", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.ClassLoad", Duration(), Const("loadedClass", "java.lang.Class"))
		for i := range n {
			b.emit(e, 1, b.class(fmt.Sprint("a.B", i)))
		}
	})},
	{"constants of one value", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.ClassLoad", Duration(), Const("loadedClass", "java.lang.Class"))
		b.class("a.B")
		for i := range n {
			b.Constant("java.lang.Class", 1000+i, 0, 1, 0, 0, false)
			b.emit(e, 1, 1000+i)
		}
	})},
	{"constants that are missing", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.ClassLoad", Duration(), Const("loadedClass", "java.lang.Class"))
		for i := range n {
			b.emit(e, 1, 1000+i)
		}
	})},
	{"checkpoints", 3000, one(func(b *sized, n int) {
		e := b.Event("jdk.ClassLoad", Duration(), Const("loadedClass", "java.lang.Class"))
		for i := range n {
			c := b.Checkpoint(0)
			c.Add("jdk.types.Symbol", 1000+i, fmt.Sprint("a/B", i))
			c.Add("java.lang.Class", 1000+i, 0, 1000+i, 0, 0, false)
			b.emit(e, 1, 1000+i)
		}
	})},
	{"texts of a pool", 10_000, one(func(b *sized, n int) {
		e := b.Event("test.Event", Of("text", StringClass))
		for i := range n {
			b.emit(e, Pooled(b.Constant(StringClass, 1+i, fmt.Sprint("text ", i))))
		}
	})},
	{"threads", 5000, one(func(b *sized, n int) {
		start := b.Event("jdk.ThreadStart", EventThread(), Const("thread", "java.lang.Thread"))
		park := b.Event("jdk.ThreadPark", Duration(), EventThread(), StackTrace())
		alloc := b.Event("jdk.ObjectAllocationSample", EventThread(), StackTrace(), Const("objectClass", "java.lang.Class"), Of("weight", "long"))
		total := b.Event("jdk.ThreadAllocationStatistics", Of("allocated", "long"), Const("thread", "java.lang.Thread"))
		end := b.Event("jdk.ThreadEnd", EventThread(), Const("thread", "java.lang.Thread"))
		for i := range n {
			t := b.thread(fmt.Sprint("worker-", i))
			b.emit(start, t, t)
			b.emit(park, 10, t, b.stack(b.method("a.B", "run")))
			b.emit(alloc, t, b.stack(b.method("a.B", "run")), b.class("a.B"), 100)
			b.emit(total, 1000, t)
			b.emit(end, t, t)
		}
	})},
	{"groups of threads in each other", 3000, one(func(b *sized, n int) {
		for i := range n {
			b.Constant("jdk.types.ThreadGroup", 1+i, i, "group")
		}
		b.Constant("java.lang.Thread", 9, "os", 1, "java", 1, n, false)
		b.emit(b.Event("jdk.ThreadPark", Duration(), EventThread()), 1, 9)
	})},
	{"objects that hold each other", 3000, one(func(b *sized, n int) {
		b.Class("jdk.types.OldObject", Of("address", "long"), Const("type", "java.lang.Class"), Of("description", StringClass),
			Const("referrer", "jdk.types.Reference"))
		b.Class("jdk.types.Reference", Const("object", "jdk.types.OldObject"), Of("skip", "int"))
		for i := range n {
			b.Constant("jdk.types.OldObject", 1+i, 4096+i, b.class("a.B"), "", i)
			b.Constant("jdk.types.Reference", 1+i, 1+i, 0)
		}
		e := b.Event("jdk.OldObjectSample", EventThread(), StackTrace(), Of("allocationTime", "long"), Const("object", "jdk.types.OldObject"))
		for range 5 {
			b.emit(e, b.thread("main"), b.stack(b.method("a.B", "run")), 1_000_001, n)
		}
	})},
	{"length of a text", 200_000, text(func(n int) string { return strings.Repeat("a", n) })},
	{"words of a text", 50_000, text(func(n int) string { return strings.Repeat("ab ", n) })},
	{"lines of a text", 50_000, text(func(n int) string { return strings.Repeat("ab\n", n) })},
	{"characters of a text to be escaped", 50_000, text(func(n int) string { return strings.Repeat("\"\\\x01<,", n) })},
	{"wide characters of a text", 50_000, text(func(n int) string { return strings.Repeat("日本", n) })},
	{"combining characters of a text", 50_000, text(func(n int) string { return "e" + strings.Repeat("\u0301", n) })},
	{"secrets of a text", 10_000, text(func(n int) string { return strings.Repeat("password=secret ", n) })},
	{"keys of a text", 20_000, text(func(n int) string { return strings.Repeat("token=", n) })},
	{"headers of a text", 10_000, text(func(n int) string { return strings.Repeat("Cookie: ", n) })},
	{"addresses of a text", 20_000, text(func(n int) string { return strings.Repeat("http://a:", n) })},
	{"names of a text", 20_000, text(func(n int) string { return strings.Repeat("a@b.", n) })},
	{"brackets of a text", 50_000, text(func(n int) string { return strings.Repeat("{\"a\":[", n) })},
	{"dots of a text", 50_000, text(func(n int) string { return strings.Repeat("a.", n) })},
	{"slashes of a text", 50_000, text(func(n int) string { return strings.Repeat("/a", n) })},
	{"quotes of a text", 50_000, text(func(n int) string { return strings.Repeat("'a=\"", n) })},
	{"percent signs of a text", 50_000, text(func(n int) string { return strings.Repeat("%25", n) })},
	{"keys begun in a text", 5_000, text(func(n int) string { return strings.Repeat("-----BEGIN PRIVATE KEY-----", n) })},
	{"tokens of a text", 20_000, text(func(n int) string { return strings.Repeat("eyJhbGci.", n) })},
	{"letters of a statement", 20_000, text(func(n int) string { return "select " + strings.Repeat("(select '", n) })},
	{"parts of a name", 20_000, one(func(b *sized, n int) { b.samples(1, b.stack(b.method("a"+strings.Repeat(".b", n), "run"))) })},
	{"classes in a name", 20_000, one(func(b *sized, n int) {
		b.samples(1, b.stack(b.method("a.B"+strings.Repeat("$$Lambda/0x1", n), "lambda$1")))
	})},
	{"parameters of a method", 20_000, one(func(b *sized, n int) {
		descriptor := b.symbol("(" + strings.Repeat("[La/B;", n) + ")V")
		b.Constant("jdk.types.Method", 999_999, b.class("a.B"), b.symbol("run"), descriptor, 0, false)
		b.samples(1, b.stack(999_999))
	})},
	{"groups", 10_000, one(func(b *sized, n int) {
		e := b.Event("jdk.FileRead", Duration(), EventThread(), StackTrace(), Of("path", StringClass), Of("bytesRead", "long"))
		for i := range n {
			b.emit(e, 20_000_000+i, b.thread("main"), b.stack(b.method("a.B", "run")), fmt.Sprint("/tmp/", i), i)
		}
	})},
	{"collections", 2000, one(func(b *sized, n int) {
		gc := b.Event("jdk.GarbageCollection", Duration(), Of("gcId", "int").With(Mark("jdk.types.GcId")), Const("name", "jdk.types.GCName"),
			Const("cause", "jdk.types.GCCause"), Of("sumOfPauses", "long").With(Note(annTimespan, "TICKS")), Of("longestPause", "long").With(Note(annTimespan, "TICKS")))
		phase := b.Event("jdk.GCPhasePause", Duration(), EventThread(), Of("gcId", "int").With(Mark("jdk.types.GcId")), Of("name", StringClass))
		heap := b.Event("jdk.GCHeapSummary", Of("gcId", "int").With(Mark("jdk.types.GcId")), Of("when", StringClass), Of("heapUsed", "long"))
		b.Constant("jdk.types.GCName", 1, "G1New")
		b.Constant("jdk.types.GCCause", 1, "Allocation Failure")
		for i := range n {
			b.emit(heap, i, "Before GC", 1000)
			b.emit(gc, 100, i, 1, 1, 50, 50)
			b.emit(phase, 50, b.thread("GC"), i, "GC Pause")
			b.emit(heap, i, "After GC", 500)
		}
	})},
	{"spans in each other", 3000, one(func(b *sized, n int) {
		e := b.Event("test.Request", Duration(), EventThread(), StackTrace())
		sample := b.Event("jdk.ExecutionSample", Const("sampledThread", "java.lang.Thread"), StackTrace(), Const("state", "jdk.types.ThreadState"))
		b.Constant("jdk.types.ThreadState", 1, "STATE_RUNNABLE")
		for i := range n {
			b.Emit(e, 1_000_000+i, 10_000_000-2*i, b.thread("main"), b.stack(b.method("a.B", "run")))
			b.emit(sample, b.thread("main"), b.stack(b.method("a.B", "run")), 1)
		}
	})},
	{"frames", 5000, one(func(b *sized, n int) {
		var methods []int
		for i := range n {
			methods = append(methods, b.method("a.B", fmt.Sprint("m", i)))
		}
		b.samples(3, b.stack(methods...))
	})},
	{"frames of one method", 10_000, one(func(b *sized, n int) {
		b.samples(3, b.stack(slices.Repeat([]int{b.method("a.B", "run")}, n)...))
	})},
	{"stacks", 2000, one(func(b *sized, n int) {
		for i := range n {
			b.samples(1, b.stack(b.method("a.B", fmt.Sprint("m", i)), b.method("a.B", "run")))
		}
	})},
	{"callers of a method", 3000, one(func(b *sized, n int) {
		for i := range n {
			b.samples(1, b.stack(b.method("a.B", "run"), b.method("a.B", fmt.Sprint("m", i)), b.method("a.B", fmt.Sprint("n", i))))
		}
	})},
	{"samples", 10_000, one(func(b *sized, n int) { b.samples(n, b.stack(b.method("a.B", "run"))) })},
	{"chunks", 200, func(n int) (all []byte) {
		for i := range n {
			b := &sized{Builder: NewChunk(), keys: map[string]int{}}
			b.Header.StartNanos += int64(i) * b.Header.DurationNanos
			b.samples(2, b.stack(b.method("a.B", fmt.Sprint("m", i))))
			all = append(all, b.Bytes()...)
		}
		return all
	}},
	{"chunks that are equal", 200, func(n int) []byte {
		b := &sized{Builder: NewChunk(), keys: map[string]int{}}
		b.samples(2, b.stack(b.method("a.B", "run")))
		return slices.Repeat(b.Bytes(), n)
	}},
	{"chunks with types of their own", 100, func(n int) (all []byte) {
		for i := range n {
			b := &sized{Builder: NewChunk(), keys: map[string]int{}}
			b.Header.StartNanos += int64(i) * b.Header.DurationNanos
			b.emit(b.Event(fmt.Sprint("test.T", i), Of("a", "long")), 1)
			all = append(all, b.Bytes()...)
		}
		return all
	}},
	{"headers of chunks in garbage", 2000, func(n int) []byte {
		b := &sized{Builder: NewChunk(), keys: map[string]int{}}
		b.samples(2, b.stack(b.method("a.B", "run")))
		whole := b.Bytes()
		return slices.Concat(whole, slices.Repeat(append(whole[:HeaderSize:HeaderSize], "garbage"...), n), whole)
	}},
	{"gaps", 2000, one(func(b *sized, n int) {
		for range n {
			b.samples(2, b.stack(b.method("a.B", "run")))
			b.Insert([]byte{0, 0, 0xff, 0xff, 0xff})
		}
	})},
}

// sized is a chunk in which constants are found by their names.
type sized struct {
	*Builder
	keys map[string]int
	tick int64
}

// one returns a recording of one chunk.
func one(build func(b *sized, n int)) func(n int) []byte {
	return func(n int) []byte {
		b := &sized{Builder: NewChunk(), keys: map[string]int{}}
		build(b, n)
		b.Header.DurationNanos = max(b.Header.DurationNanos, b.tick*1000)
		return b.Bytes()
	}
}

// text returns a recording with a text in some events.
func text(of func(n int) string) func(n int) []byte {
	return one(func(b *sized, n int) {
		e := b.Event("test.Text", Of("text", StringClass))
		b.emit(e, of(n))
		b.emit(b.Event("jdk.InitialEnvironmentVariable", Of("key", StringClass), Of("value", StringClass)), "A", of(n))
	})
}

// emit adds an event after the last one.
func (b *sized) emit(e *Class, values ...any) {
	b.tick++
	b.Emit(e, append([]any{1_000_000 + b.tick*1000}, values...)...)
}

// wide adds events of a type with n fields.
func (b *sized) wide(n int, like Field, value any) {
	fields := make([]Field, n)
	for i := range fields {
		fields[i] = like
		fields[i].Name = fmt.Sprint("f", i)
	}
	e := b.Event("test.Wide", fields...)
	for range 3 {
		b.emit(e, slices.Repeat([]any{value}, n)...)
	}
}

// key returns the key of a constant, which is added when it is asked for the first time.
func (b *sized) key(class, name string, values func() []any) int {
	id := class + " " + name
	if b.keys[id] == 0 {
		list := values()
		b.keys[id] = len(b.keys) + 1
		b.Constant(class, b.keys[id], list...)
	}
	return b.keys[id]
}

func (b *sized) symbol(name string) int {
	return b.key("jdk.types.Symbol", name, func() []any { return []any{name} })
}

func (b *sized) class(name string) int {
	name = strings.ReplaceAll(name, ".", "/")
	return b.key("java.lang.Class", name, func() []any { return []any{0, b.symbol(name), 0, 0, false} })
}

func (b *sized) method(class, name string) int {
	return b.key("jdk.types.Method", class+"."+name, func() []any {
		return []any{b.class(class), b.symbol(name), b.symbol("()V"), 0, false}
	})
}

func (b *sized) thread(name string) int {
	return b.key("java.lang.Thread", name, func() []any {
		id := len(b.keys)
		return []any{name, id, name, id, 0, false}
	})
}

// stack returns a stack of frames, the top first.
func (b *sized) stack(methods ...int) int {
	return b.key("jdk.types.StackTrace", fmt.Sprint(methods), func() []any {
		frames := make([]Inline, len(methods))
		for i, m := range methods {
			frames[i] = Inline{m, i, 0, b.key("jdk.types.FrameType", "Interpreted", func() []any { return []any{"Interpreted"} })}
		}
		return []any{false, frames}
	})
}

// samples adds samples of execution.
func (b *sized) samples(n, stack int) {
	e := b.Lookup("jdk.ExecutionSample")
	if e == nil {
		e = b.Event("jdk.ExecutionSample", Const("sampledThread", "java.lang.Thread"), StackTrace(), Const("state", "jdk.types.ThreadState"))
		b.Constant("jdk.types.ThreadState", 1, "STATE_RUNNABLE")
	}
	for range n {
		b.emit(e, b.thread("main"), stack, 1)
	}
}
