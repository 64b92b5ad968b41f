package jfrtest_test

import "github.com/mmapjfr/jfr/internal/jfrtest"

// sample is a chunk that has a bit of everything, and what it has.
type sample struct {
	*jfrtest.Builder
	kinds, texts, lists, shapes, samples *jfrtest.Class
	newest                               *jfrtest.Checkpoint
}

const start = 1_000_000

func newSample() *sample {
	b := jfrtest.NewChunk()
	s := &sample{Builder: b}

	// Symbols come in an early checkpoint, the stacks that need them in a later one
	// and vice versa, so that references go both ways.
	early := b.Checkpoint(jfrtest.MaskStatics)
	runnable := early.Add("jdk.types.ThreadState", 5, "STATE_RUNNABLE")
	early.Add("jdk.types.FrameType", 0, "Interpreted")
	early.Add("jdk.types.FrameType", 1, "JIT compiled")
	thread := early.Add("java.lang.Thread", int64(-1)<<40, "main-os", 77, "main", 1, 2, false)
	early.Add("jdk.types.Symbol", 900, "overwritten")

	s.kinds = b.Event("test.Kinds",
		jfrtest.Duration(), jfrtest.EventThread(),
		jfrtest.Of("truth", "boolean"), jfrtest.Of("b", "byte"), jfrtest.Of("c", "char"),
		jfrtest.Of("s", "short"), jfrtest.Of("i", "int"), jfrtest.Of("l", "long"),
		jfrtest.Of("f", "float"), jfrtest.Of("d", "double")).
		Annotate(jfrtest.Note("jdk.jfr.Label", "All kinds"), jfrtest.Annotation{
			Class:  "jdk.jfr.Category",
			Values: []jfrtest.Attribute{{Name: "value-0", Value: "Test"}, {Name: "value-1", Value: "Kinds"}},
		})
	s.kinds.Settings = []jfrtest.Setting{{
		Name: "threshold", Class: "jdk.settings.Threshold", Default: "20 ms",
		Annotations: []jfrtest.Annotation{jfrtest.Note("jdk.jfr.Label", "Limit")},
	}}
	s.texts = b.Event("test.Texts",
		jfrtest.Of("null", jfrtest.StringClass), jfrtest.Of("empty", jfrtest.StringClass),
		jfrtest.Of("pooled", jfrtest.StringClass), jfrtest.Of("utf8", jfrtest.StringClass),
		jfrtest.Of("utf16", jfrtest.StringClass), jfrtest.Of("latin1", jfrtest.StringClass),
		jfrtest.Const("constant", jfrtest.StringClass))
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "int"))
	b.Class("test.Box",
		jfrtest.Of("from", "test.Point"), jfrtest.Of("to", "test.Point"),
		jfrtest.Of("tags", jfrtest.StringClass).Array())
	s.lists = b.Event("test.Lists",
		jfrtest.Of("ints", "int").Array(), jfrtest.Of("bytes", "byte").Array(),
		jfrtest.Of("doubles", "double").Array(), jfrtest.Of("strings", jfrtest.StringClass).Array(),
		jfrtest.Const("symbols", "jdk.types.Symbol").Array(), jfrtest.Of("points", "test.Point").Array(),
		jfrtest.Of("none", "long").Array())
	s.shapes = b.Event("test.Shapes", jfrtest.Of("box", "test.Box"), jfrtest.Of("code", "short"))
	s.samples = b.Event("jdk.ExecutionSample",
		jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.StackTrace(),
		jfrtest.Const("state", "jdk.types.ThreadState"))

	b.Emit(s.kinds, start+10, 5, thread, true, -2, 'ß', -300, -70_000, int64(-1)<<62, 1.5, -2.25)
	b.EmitWith(jfrtest.EventOptions{SizeWidth: 4, TypeWidth: 3, Trailing: []byte{1, 2, 3}}, s.kinds,
		jfrtest.Padded{Value: start + 20, Width: 9}, 0, 0, false, 127, 0xffff,
		jfrtest.Padded{Value: 300, Width: 5}, jfrtest.Wide(-70_000), int64(1)<<56-1, 0, 1e300)
	b.Emit(s.texts, start+30, nil, jfrtest.Empty(), jfrtest.Pooled(3),
		jfrtest.UTF8("ü€"), jfrtest.UTF16("a😀b"), jfrtest.Latin1("Größe"), 3)
	b.Emit(s.lists, start+40, []int32{1, -2, 3}, []byte{0, 0xff}, []float64{0.5, -1},
		[]any{"one", nil, jfrtest.UTF16("zwei"), ""}, []int{901, 902, 0},
		[]any{jfrtest.Inline{1, 2}, jfrtest.Inline{-3, 4}}, nil)
	b.Emit(s.shapes, start+50, jfrtest.Inline{
		jfrtest.Inline{1, 2}, jfrtest.Inline{30_000, -4}, []string{"a", "b"},
	}, -7)
	b.Emit(s.samples, start+60, thread, 40, runnable)
	b.Emit(s.samples, start+70, 4711, 4712, 0)

	late := b.Checkpoint(jfrtest.MaskFlush)
	late.Add("jdk.types.StackTrace", 40, false, []any{
		jfrtest.Inline{50, 12, 3, 1}, jfrtest.Inline{51, 34, 0, 0},
	})
	late.Add("jdk.types.Method", 50, 60, 901, 902, 1, false)
	late.Add("jdk.types.Method", 51, 60, 901, 902, 8, true)
	// A class and its loader that refer to each other.
	late.Add("java.lang.Class", 60, 70, 904, 0, 1, false)
	late.Add("jdk.types.ClassLoader", 70, 60, 903)
	late.Add("jdk.types.ThreadGroup", 2, 0, "main-group")
	late.Add(jfrtest.StringClass, 3, "from the pool")
	late.Add("jdk.types.Symbol", 900, "the newer one")
	for key, name := range []string{"run", "()V", "app", "com/acme/App"} {
		late.Add("jdk.types.Symbol", 901+key, name)
	}
	s.newest = b.Checkpoint(0).CarryHeader(1)
	return s
}
