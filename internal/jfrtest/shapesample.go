package jfrtest

// Shapely returns a chunk with events of many kinds, whose fields are structs, arrays of each
// kind, and arrays inside of structs: a content for [NewContent].
func Shapely() *Builder {
	b := NewChunk()
	b.Header.DurationNanos = 1_000_000_000
	symbol := func(name string) Field { return Const(name, "jdk.types.Symbol") }
	b.Class("test.Point", Of("x", "int"), Of("y", "double"), Of("tag", StringClass))
	b.Class("test.Box", Of("from", "test.Point"), Of("corners", "test.Point").Array(),
		Of("tags", StringClass).Array(), symbol("names").Array(), Of("sizes", "long").Array())
	arrays := b.Event("test.Arrays", Duration(), EventThread(), StackTrace(),
		Of("tags", StringClass).Array(), symbol("symbols").Array(), Of("bools", "boolean").Array(),
		Of("bytes", "byte").Array(), Of("chars", "char").Array(), Of("shorts", "short").Array(),
		Of("ints", "int").Array(), Of("longs", "long").Array(), Of("floats", "float").Array(),
		Of("doubles", "double").Array(), Of("points", "test.Point").Array(), Of("box", "test.Box"),
		Of("boxes", "test.Box").Array(), Const("threads", "java.lang.Thread").Array(),
		Const("classes", "java.lang.Class").Array(), Const("stacks", "jdk.types.StackTrace").Array(),
		Of("text", StringClass), Of("size", "long").With(Note("jdk.jfr.DataAmount", "BYTES")),
		Of("at", "long").With(Note(annTimestamp, "MILLISECONDS_SINCE_EPOCH")),
		Of("level", "byte").With(Mark("jdk.jfr.Unsigned")),
		Of("port", "short").With(Mark("jdk.jfr.Unsigned")),
		Of("flags", "int").With(Mark("jdk.jfr.Unsigned")))
	sample := b.Event("jdk.ExecutionSample", Const("sampledThread", "java.lang.Thread"),
		StackTrace(), Const("state", "jdk.types.ThreadState"))
	alloc := b.Event("jdk.ObjectAllocationSample", EventThread(), StackTrace(),
		Const("objectClass", "java.lang.Class"),
		Of("weight", "long").With(Note("jdk.jfr.DataAmount", "BYTES")))
	enter := b.Event("jdk.JavaMonitorEnter", Duration(), EventThread(), StackTrace(),
		Const("monitorClass", "java.lang.Class"), Const("previousOwner", "java.lang.Thread"),
		Of("address", "long").With(Mark("jdk.jfr.Unsigned"), Mark("jdk.jfr.MemoryAddress")))
	read := b.Event("jdk.FileRead", Duration(), EventThread(), StackTrace(), Of("path", StringClass),
		Of("bytesRead", "long").With(Note("jdk.jfr.DataAmount", "BYTES")),
		Of("endOfFile", "boolean"))
	trace := b.Event("jdk.MethodTrace", Duration(), EventThread(), StackTrace(), Const("method", "jdk.types.Method"))
	gc := b.Event("jdk.GarbageCollection", Duration(), Of("gcId", "int").With(Mark("jdk.types.GcId")),
		Const("name", "jdk.types.GCName"), Const("cause", "jdk.types.GCCause"),
		Of("sumOfPauses", "long").With(Note(annTimespan, "TICKS")),
		Of("longestPause", "long").With(Note(annTimespan, "TICKS")))

	b.shapelyConstants()

	point := func(n int) any { return Inline{n, float64(n) / 4, string(rune('A' + n))} }
	box := func(n int) any {
		return Inline{point(n), []any{point(1), point(n)}, []string{"t", "", "ü"}[:n%4], []int{6, 1}, []int64{1 << 40, -1}}
	}
	begin := b.Header.StartTicks
	for i := range 6 {
		at := begin + int64(i)*100_000_000
		b.Emit(arrays, at, 1000+i, 1+i%4, i%4, []any{"a", "b b", "", "ü日"}[:i%5], []int{1, 2, 6}[:i%4],
			[]bool{true, false}, []int{1, -1, 0}, []int{'a', 'ß'}, []int{-300, 300}, []int{1, -2, i},
			[]int64{1 << 40, -1, int64(i)}, []float64{0.5, -1}, []float64{1e300, 0.25},
			[]any{point(1), point(2), point(i)}[:i%4], box(i), []any{box(1), box(2)}[:i%3],
			[]int{1, 2, 3}[:i%4], []int{1, 3}, []int{1, 2}[:i%3],
			[]any{"plain", nil, "", "a, \"b\""}[i%4], 1<<20+i, int64(1_700_000_000_000)+int64(i),
			-1-i, -1-i, -1-i)
		b.Emit(sample, at+1, 1+i%3, 1+i%3, 1)
		b.Emit(sample, at+2, 1+i%2, i%4, 1)
		b.Emit(alloc, at+3, 1+i%3, 1+i%3, 2+i%2, (i+1)<<20)
		b.Emit(enter, at+4, 20_000_000+i, 1, 1+i%3, 1, i%3, int64(1<<40))
		b.Emit(read, at+5, 30_000_000+i, 2, 2, "/tmp/ü", 4096+i, i == 3)
		b.Emit(trace, at+5, 1_000_000+i, 1+i%3, i%4, 1+i%2)
		b.Emit(gc, at+6, 5_000_000, i, 1, 1, 5_000_000, 5_000_000)
	}
	return b
}

// shapelyConstants adds what the events of [Shapely] refer to.
func (b *Builder) shapelyConstants() {
	for key, text := range []string{
		"com/acme/Main", "run", "()V", "work", "(I[Ljava/lang/String;)J", "app", "byte[]",
		"java/lang/Object", "wait0", "com/acme", "acme.base",
	} {
		b.Constant("jdk.types.Symbol", 1+key, text)
	}
	b.Constant("jdk.types.FrameType", 1, "Interpreted")
	b.Constant("jdk.types.FrameType", 2, "JIT compiled")
	b.Constant("jdk.types.ThreadState", 1, "STATE_RUNNABLE")
	b.Constant("jdk.types.GCName", 1, "G1New")
	b.Constant("jdk.types.GCCause", 1, "G1 Evacuation Pause")
	b.Constant("jdk.types.ThreadGroup", 1, 0, "system")
	b.Constant("jdk.types.ThreadGroup", 2, 1, "main")
	b.Constant("java.lang.Thread", 1, "main-os", 101, "main", 1, 2, false)
	b.Constant("java.lang.Thread", 2, "w", 102, "worker-1", 2, 2, false)
	b.Constant("java.lang.Thread", 3, nil, 0, "virtual", 3, 1, true)
	b.Constant("java.lang.Thread", 4, "GC Thread#0", 104, nil, 0, 0, false)
	b.Constant("jdk.types.Module", 1, 11, 0, 0, 1)
	b.Constant("jdk.types.Package", 1, 10, 1, true)
	b.Constant("jdk.types.ClassLoader", 1, 1, 6)
	b.Constant("java.lang.Class", 1, 1, 1, 1, 1, false)
	b.Constant("java.lang.Class", 2, 0, 8, 0, 1, false)
	b.Constant("java.lang.Class", 3, 0, 7, 0, 1, false)
	b.Constant("jdk.types.Method", 1, 1, 2, 3, 1, false)
	b.Constant("jdk.types.Method", 2, 1, 4, 5, 9, false)
	b.Constant("jdk.types.Method", 3, 2, 9, 3, 257, true)
	frame := func(method, line, kind int) any { return Inline{method, line, line / 2, kind} }
	b.Constant("jdk.types.StackTrace", 1, false, []any{frame(2, 20, 2), frame(1, 10, 1)})
	b.Constant("jdk.types.StackTrace", 2, false, []any{frame(3, -1, 1), frame(2, 21, 2), frame(1, 10, 1)})
	b.Constant("jdk.types.StackTrace", 3, true, []any{frame(1, 12, 1)})
}
