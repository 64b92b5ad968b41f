package mmapjfr_test

import (
	"math"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// headerID is the clock of a built chunk when it begins.
const start = 1_000_000

// newSample builds a chunk that has a bit of everything.
func newSample() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	early := b.Checkpoint(jfrtest.MaskStatics)
	runnable := early.Add("jdk.types.ThreadState", 5, "STATE_RUNNABLE")
	early.Add("jdk.types.FrameType", 0, "Interpreted")
	early.Add("jdk.types.FrameType", 1, "JIT compiled")
	thread := early.Add("java.lang.Thread", int64(-1)<<40, "main-os", 77, "main", 1, 2, false)
	early.Add("jdk.types.Symbol", 900, "the older one")

	unsigned := jfrtest.Mark("jdk.jfr.Unsigned")
	kinds := b.Event("test.Kinds",
		jfrtest.Duration(), jfrtest.EventThread(),
		jfrtest.Of("truth", "boolean"), jfrtest.Of("b", "byte"), jfrtest.Of("c", "char"),
		jfrtest.Of("s", "short"), jfrtest.Of("i", "int"), jfrtest.Of("l", "long"),
		jfrtest.Of("f", "float"), jfrtest.Of("d", "double"),
		jfrtest.Of("ub", "byte").With(unsigned), jfrtest.Of("us", "short").With(unsigned),
		jfrtest.Of("ui", "int").With(unsigned), jfrtest.Of("ul", "long").With(unsigned))
	texts := b.Event("test.Texts",
		jfrtest.Of("null", jfrtest.StringClass), jfrtest.Of("empty", jfrtest.StringClass),
		jfrtest.Of("pooled", jfrtest.StringClass), jfrtest.Of("utf8", jfrtest.StringClass),
		jfrtest.Of("utf16", jfrtest.StringClass), jfrtest.Of("latin1", jfrtest.StringClass),
		jfrtest.Const("constant", jfrtest.StringClass), jfrtest.Of("gone", jfrtest.StringClass),
		jfrtest.Of("chained", jfrtest.StringClass), jfrtest.Of("bad", jfrtest.StringClass))
	b.Class("test.Point", jfrtest.Of("x", "int"), jfrtest.Of("y", "int"))
	b.Class("test.Box",
		jfrtest.Of("from", "test.Point"), jfrtest.Of("to", "test.Point"),
		jfrtest.Of("tags", jfrtest.StringClass).Array())
	b.Class("test.Millis", jfrtest.Of("value", "long")).Simple()
	b.Class("test.Wrapped", jfrtest.Const("inner", "jdk.types.Symbol")).Simple()
	lists := b.Event("test.Lists",
		jfrtest.Of("truths", "boolean").Array(), jfrtest.Of("chars", "char").Array(),
		jfrtest.Of("shorts", "short").Array(), jfrtest.Of("longs", "long").Array(),
		jfrtest.Of("floats", "float").Array(),
		jfrtest.Of("ints", "int").Array(), jfrtest.Of("bytes", "byte").Array().With(unsigned),
		jfrtest.Of("doubles", "double").Array(), jfrtest.Of("strings", jfrtest.StringClass).Array(),
		jfrtest.Const("symbols", "jdk.types.Symbol").Array(), jfrtest.Of("points", "test.Point").Array(),
		jfrtest.Of("boxes", "test.Box").Array(),
		jfrtest.Of("none", "long").Array(), jfrtest.Of("wrapped", "test.Millis").Array())
	shapes := b.Event("test.Shapes", jfrtest.Of("box", "test.Box"), jfrtest.Of("code", "short"),
		jfrtest.Of("millis", "test.Millis"), jfrtest.Const("wrapped", "test.Wrapped"), jfrtest.Of("last", "test.Point"))
	samples := b.Event("jdk.ExecutionSample",
		jfrtest.Const("sampledThread", "java.lang.Thread"), jfrtest.StackTrace(),
		jfrtest.Const("state", "jdk.types.ThreadState"))

	b.Emit(kinds, start+10, 5, thread, true, -2, 'ß', -300, -70_000, int64(-1)<<62, 1.5, -2.25, 1, 2, 3, 4)
	b.EmitWith(jfrtest.EventOptions{SizeWidth: 4, TypeWidth: 3, Trailing: []byte{1, 2, 3}}, kinds,
		jfrtest.Padded{Value: start + 20, Width: 9}, 0, 0, false, 127, 0xffff,
		jfrtest.Padded{Value: 300, Width: 5}, jfrtest.Wide(-70_000), int64(1)<<56-1, 0, 1e300,
		-1, -1, -1, int64(-1))
	b.Emit(kinds, start+25, int64(math.MaxInt64), 12345, true, math.MinInt8, 0, math.MinInt16, math.MinInt32, int64(math.MinInt64),
		math.Inf(-1), math.NaN(), math.MinInt8, math.MinInt16, math.MinInt32, int64(math.MinInt64))
	b.Emit(texts, start+30, nil, jfrtest.Empty(), jfrtest.Pooled(3),
		jfrtest.UTF8("ü€"), jfrtest.UTF16("a😀b"), jfrtest.Latin1("Größe"), 3, jfrtest.Pooled(4), jfrtest.Pooled(6),
		jfrtest.UTF8("a\xed\xa0\xbd\xed\xb8\x80b\xff"))
	b.Emit(texts, start+31, jfrtest.Pooled(0), jfrtest.UTF8(""), jfrtest.Pooled(7),
		jfrtest.UTF16Units(0xd800, 'x', 0xdc00, 0xd83d, 0xde00), jfrtest.UTF16(""), jfrtest.Latin1(""), 0,
		"plain", jfrtest.UTF16("plain"), jfrtest.Latin1("plain"))
	b.Emit(lists, start+40, []bool{true, false}, []rune{'a', 0xffff}, []int{1, -1}, []int64{math.MinInt64, 7}, []float64{0.25},
		[]int32{1, -2, 3}, []byte{0, 0xff}, []float64{0.5, -1},
		[]any{"one", nil, jfrtest.UTF16("zwei"), "", jfrtest.Pooled(3)}, []int{901, 902, 0, 4711},
		[]any{jfrtest.Inline{1, 2}, jfrtest.Inline{-3, 4}},
		[]any{jfrtest.Inline{jfrtest.Inline{1, 2}, jfrtest.Inline{3, 4}, []string{"x"}}, jfrtest.Inline{jfrtest.Inline{5, 6}, jfrtest.Inline{7, 8}, nil}},
		nil, []int64{5, 6})
	b.Emit(shapes, start+50, jfrtest.Inline{
		jfrtest.Inline{1, 2}, jfrtest.Inline{30_000, -4}, []string{"a", "b"},
	}, -7, 99, 33, jfrtest.Inline{8, 9})
	b.Emit(samples, start+60, thread, 40, runnable)
	b.Emit(samples, start+70, 4711, 4712, 0)

	late := b.Checkpoint(jfrtest.MaskFlush)
	late.Add("jdk.types.StackTrace", 40, false, []any{
		jfrtest.Inline{50, 12, 3, 1}, jfrtest.Inline{51, 34, 0, 0}, jfrtest.Inline{52, 0, -1, 0},
	})
	late.Add("jdk.types.Method", 50, 60, 901, 902, 1, false)
	late.Add("jdk.types.Method", 51, 60, 901, 902, 8, true)
	// A class and its loader that refer to each other.
	late.Add("java.lang.Class", 60, 70, 904, 80, 1, false)
	late.Add("jdk.types.ClassLoader", 70, 60, 903)
	late.Add("jdk.types.Package", 80, 905, 0, true)
	late.Add("jdk.types.ThreadGroup", 2, 1, "main-group")
	late.Add("jdk.types.ThreadGroup", 1, 0, "system")
	late.Add(jfrtest.StringClass, 3, "from the pool")
	late.Add(jfrtest.StringClass, 6, jfrtest.Pooled(3))
	late.Add(jfrtest.StringClass, 7, nil)
	late.Add("jdk.types.Symbol", 900, "the newer one")
	late.Add("jdk.types.Symbol", 907, "the first one")
	late.Add("jdk.types.Symbol", 907, "the last one")
	late.Add("test.Wrapped", 33, 904)
	for key, name := range []string{"run", "()V", "app", "com/acme/App", "com/acme"} {
		late.Add("jdk.types.Symbol", 901+key, name)
	}
	b.Checkpoint(0).CarryHeader(1)
	return b
}
