package verify_test

import (
	"math"
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// third builds a chunk whose third event is the one that something is wrong with.
func third(name string, kind verify.Kind, typ, text string, make func(b *jfrtest.Builder, ty *jfrtest.Class), also ...verify.Kind) damaged {
	b, ty := plain()
	make(b, ty)
	b.Emit(ty, soon, 0, 1, 1, "after")
	data, l := b.Build()
	return damaged{name: name, kind: kind, data: data, offset: l.Events[2].Offset, typ: typ, text: text, also: also}
}

func eventCases(testing.TB) []damaged {
	raw := func(opts jfrtest.EventOptions, body ...byte) func(*jfrtest.Builder, *jfrtest.Class) {
		return func(b *jfrtest.Builder, ty *jfrtest.Class) { b.EmitRaw(opts, ty.ID, body) }
	}
	const ty = "test.Event"
	return []damaged{
		third("one", verify.ZeroSize, "", "size 0", raw(jfrtest.EventOptions{Size: new(int64(0))}, 1, 2, 3)),
		third("many", verify.ZeroSize, "", "100 bytes of zeros", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitRaw(jfrtest.EventOptions{Size: new(int64(0)), TypeWidth: 1}, 0, make([]byte, 98))
			b.Insert([]byte{9})
		}),
		third("less than its head", verify.EventSize, "", "less than its head", raw(jfrtest.EventOptions{Size: new(int64(1))})),
		third("beyond the chunk", verify.EventSize, "", "exceeds", raw(jfrtest.EventOptions{Size: new(int64(1 << 20))})),
		third("not described", verify.UnknownType, "", "type 4711", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte{1})
		}),
		third("an int", verify.NotAnEvent, "int", "is not an event type", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.EmitRaw(jfrtest.EventOptions{}, b.Lookup("int").ID, []byte{1})
		}),
		third("without a layout", verify.UnreadableEvent, "test.Odd", "type 999 is not described", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			odd := b.Event("test.Odd", jfrtest.Field{Name: "x", ClassID: 999})
			b.EmitRaw(jfrtest.EventOptions{}, odd.ID, []byte{1})
		}, verify.UndescribedType, verify.TypeLayout),
		third("no fields", verify.ShortEvent, ty, "startTime does not fit into the 0 bytes", raw(jfrtest.EventOptions{})),
		third("half a number", verify.ShortEvent, ty, "number does not fit into the 1 byte ", raw(jfrtest.EventOptions{}, 1, 1, 0, 0x80)),
		third("half a string", verify.ShortEvent, ty, "text does not fit into the 3 bytes", raw(jfrtest.EventOptions{}, 1, 1, 0, 1, 3, 2, 'x')),
		third("an array", verify.ShortEvent, "test.Array", "list has 1000 elements", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Emit(b.Event("test.Array", jfrtest.Of("list", "int").Array()), soon, jfrtest.Counted{Count: 1000})
		}),
		third("in an array", verify.ShortEvent, "test.Array", "list[1].string does not fit", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Class("test.Text", jfrtest.Of("string", jfrtest.StringClass))
			list := b.Event("test.Array", jfrtest.Of("list", "test.Text").Array())
			b.Emit(list, soon, jfrtest.Counted{Count: 2, Values: []any{jfrtest.Inline{"x"}, jfrtest.Inline{jfrtest.UTF8("x").Claiming(9)}}})
		}),
		third("two bytes", verify.EventTrailingBytes, ty, "2 bytes are left", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitWith(jfrtest.EventOptions{Trailing: []byte{1, 2}}, ty, soon, 0, 1, 1, "x")
		}),
		third("late", verify.EventTime, ty, "begins 4s after the end", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, begin+int64(5e9)+2, 0, 1, 1, "x")
		}),
		third("early", verify.EventTime, ty, "ends 2s before the beginning", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, begin-int64(3e9), int64(1e9), 1, 1, "x")
		}),
		third("negative", verify.NegativeDuration, ty, "-7 ticks", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, soon, -7, 1, 1, "x")
		}),
	}
}

func valueCases(testing.TB) []damaged {
	const ty = "test.Event"
	text := func(value any) func(*jfrtest.Builder, *jfrtest.Class) {
		return func(b *jfrtest.Builder, ty *jfrtest.Class) { b.Emit(ty, soon, 0, 1, 1, value) }
	}
	all := []damaged{
		third("field", verify.DanglingConstant, ty, "eventThread refers to java.lang.Thread 99", func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, soon, 0, 99, 1, "x")
		}),
		third("string", verify.DanglingConstant, ty, "text refers to java.lang.String 99", text(jfrtest.Pooled(99))),
		third("in a struct", verify.DanglingConstant, "test.Struct", "frame.method refers to jdk.types.Method 98", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Emit(b.Event("test.Struct", jfrtest.Of("frame", "jdk.types.StackFrame")), soon, jfrtest.Inline{98, 1, 2, 0})
		}),
		third("in an array", verify.DanglingConstant, "test.Array", "frames[1].method refers to jdk.types.Method 97", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Emit(b.Event("test.Array", jfrtest.Of("frames", "jdk.types.StackFrame").Array()), soon,
				[]any{jfrtest.Inline{0, 1, 2, 0}, jfrtest.Inline{97, 1, 2, 0}})
		}),
		third("array of keys", verify.DanglingConstant, "test.Array", "threads[2] refers to java.lang.Thread 96", func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Emit(b.Event("test.Array", jfrtest.Const("threads", "java.lang.Thread").Array()), soon, []int{1, 0, 96})
		}),
		third("unknown", verify.StringEncoding, ty, "text is a string of encoding 9", text(jfrtest.Encoding(9))),
		third("UTF-8", verify.MalformedString, ty, "text is not valid UTF-8 at byte 1 of 3", text(jfrtest.UTF8("x\xffy"))),
		third("half a surrogate", verify.MalformedString, ty, "text is not valid UTF-8 at byte 0 of 3", text(jfrtest.UTF8("\xedA\x80"))),
		third("code unit", verify.MalformedString, ty, "code unit 0x10000 at 1", text(jfrtest.Raw{4, 2, 'x', 0x80, 0x80, 0x04})),
		third("high", verify.LoneSurrogate, ty, "unpaired surrogate at 1", text(jfrtest.UTF16Units('x', 0xd83d, 'y'))),
		third("low", verify.LoneSurrogate, ty, "unpaired surrogate at 2", text(jfrtest.UTF16Units(0xd83d, 0xde00, 0xde00))),
		third("at the end", verify.LoneSurrogate, ty, "unpaired surrogate at 0", text(jfrtest.UTF16Units(0xd83d))),
	}
	b, _ := plain()
	b.Checkpoint(0).Add("jdk.types.Method", 1, 77, 0, 0, 0, false)
	data, l := b.Build()
	return append(all, damaged{
		name: "in a constant", kind: verify.DanglingConstant, data: data, typ: "jdk.types.Method",
		text: "type refers to java.lang.Class 77", offset: l.Checkpoints[0].Pools[0].Constants[0].Offset,
	})
}

// TestWhatIsRight has what looks odd and is not.
func TestWhatIsRight(t *testing.T) {
	for name, make := range map[string]func(b *jfrtest.Builder, ty *jfrtest.Class){
		"padded integers": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.EmitWith(jfrtest.EventOptions{SizeWidth: 5, TypeWidth: 3}, ty, soon, jfrtest.Padded{Value: 1, Width: 8}, jfrtest.Padded{Value: 1, Width: 9}, jfrtest.Wide(-1), "x")
		},
		"long ones": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, soon, 1, 1, math.MinInt32, "x")
		},
		"durations that are none": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, soon, int64(math.MinInt64), 1, 1, "x")
			b.Emit(ty, begin-int64(100e9), int64(math.MaxInt64), 1, 1, "x")
		},
		"a long event that began before": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, begin-int64(100e9), int64(100e9), 1, 1, "x")
		},
		"a little late": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			b.Emit(ty, begin+int64(1_900e6), 0, 1, 1, "x")
			b.Emit(ty, begin-int64(900e6), 0, 1, 1, "x")
		},
		"strings": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			for _, s := range []any{nil, jfrtest.Empty(), jfrtest.Pooled(0), jfrtest.Latin1("ß"), jfrtest.UTF16("😀"), jfrtest.UTF8("日本"),
				jfrtest.UTF8("modified \xed\xa0\xbd\xed\xb8\x80 \xc0\x80")} {
				b.Emit(ty, soon, 0, 1, 1, s)
			}
		},
		"copies of the header": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(jfrtest.MaskFlush).CarryHeader(2)
			b.Checkpoint(jfrtest.MaskFlush).CarryHeader(3)
		},
		"the same constant again": func(b *jfrtest.Builder, _ *jfrtest.Class) {
			b.Checkpoint(jfrtest.MaskThread).Add("jdk.types.Symbol", 1, "x")
			b.Checkpoint(jfrtest.MaskStatics).Add("jdk.types.Symbol", 1, "x")
		},
		"types that were forgotten": func(b *jfrtest.Builder, ty *jfrtest.Class) {
			all := b.Classes()
			b.Metadata(&jfrtest.Metadata{ID: 1})
			b.Metadata(&jfrtest.Metadata{ID: 2, Classes: all[:len(all)-1]}) // without ty
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, ty := plain()
			make(b, ty)
			r := check(t, b.Bytes(), 1)
			if len(r.Findings) > 0 {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}
