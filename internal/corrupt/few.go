package corrupt

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// FewBytes are recordings with few bytes that stand for much: structs that hold structs twice each,
// elements of no bytes, names that all classes have. n is about how many bytes each has.
func FewBytes() []Evil {
	of, konst := jfrtest.Of, jfrtest.Const
	return []Evil{
		{"chunks of classes that flatten to thousands of fields", func(n int) []byte {
			return repeated(n, func(metadata *jfrtest.Element) {
				const doublings = 20
				for i := range doublings {
					class := metadata.Child("class").Attr("id", decimal(firstID+i))
					for range 2 {
						class.Child("field").Attr("class", decimal(firstID+i+1))
					}
				}
				metadata.Child("class").Attr("id", decimal(firstID+doublings)).Attr("name", "byte")
			})
		}},
		{"chunks of one class with a large number", func(n int) []byte {
			return repeated(n, func(metadata *jfrtest.Element) {
				metadata.Child("class").Attr("id", "16383")
			})
		}},
		{"chunks that are no more than a header", func(n int) []byte {
			b := jfrtest.NewEmptyChunk()
			b.Bare = true
			return slices.Concat(numberedChunk().Bytes(), slices.Repeat(b.Bytes(), n/jfrtest.HeaderSize))
		}},
		numbered("arrays of arrays, twice each", func(b *jfrtest.Builder, _ int) {
			const depth = 40
			for i := range depth {
				inner := "damage.C" + decimal(i+1)
				b.Class("damage.C"+decimal(i), of("one", inner).Array(), of("two", inner).Array())
			}
			b.Class("damage.C"+decimal(depth), of("n", "int"))
			ty := b.Event("damage.Arrays", of("root", "damage.C0").Array())
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, slices.Concat(varint(nil, startTicks), slices.Repeat([]byte{1}, 200)))
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, slices.Concat(varint(nil, startTicks), slices.Repeat([]byte{2, 0}, 200)))
		}),
		numbered("elements of no bytes", func(b *jfrtest.Builder, n int) {
			b.Class("damage.Nothing")
			b.Class("damage.Twice", of("a", "damage.Nothing"), of("b", "damage.Nothing"))
			ty := b.Event("damage.Nothings", of("a", "damage.Nothing").Array(), of("b", "damage.Twice").Array())
			for _, count := range []uint64{1, uint64(n), 1 << 31, 1 << 63, 1<<64 - 1} {
				b.EmitRaw(jfrtest.EventOptions{}, ty.ID, append(varint(nil, startTicks, count, count), make([]byte, n/8)...))
			}
		}),
		numbered("constants with elements of no bytes", func(b *jfrtest.Builder, n int) {
			b.Class("damage.Nothing")
			b.Class("damage.Nothings", of("all", "damage.Nothing").Array())
			ty := b.Event("damage.Event", konst("all", "damage.Nothings"))
			for i := range n / 8 {
				b.Constant("damage.Nothings", i+1, jfrtest.Raw(varint(nil, uint64(n/2-6*i))))
			}
			b.Emit(ty, startTicks, 1)
		}),
		tree("a long name that all classes have", func(_ *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			for i := range n / 20 {
				metadata.Child("class").Attr("id", decimal(firstID+i)).Attr("name", long)
			}
		}),
		tree("a long name that all fields have", func(b *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			class := eventClass(metadata, firstID, "damage.Fields")
			for range n / 20 {
				class.Child("field").Attr("name", long).Attr("class", "3")
			}
			b.EmitRaw(jfrtest.EventOptions{}, firstID, make([]byte, n/20+8))
		}),
		tree("a long text for all numbers of classes", func(_ *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			n = min(n, mostShared)
			long := strings.Repeat("0", n/2) + "x"
			for range n / 20 {
				metadata.Child("class").Attr("id", long)
			}
		}),
		tree("a long text for all annotations", func(_ *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Timespan").Child("field").Attr("name", "value").Attr("class", "4")
			for i := range n / 40 {
				eventClass(metadata, firstID+i, "E").Child("annotation").Attr("class", "5").Attr("value", long)
			}
		}),
		tree("annotations with many members each", func(_ *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			category := metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Category")
			for range n / 20 {
				category.Child("field").Attr("name", "value").Attr("class", "4").Attr("dimension", "1")
			}
			for i := range n / 40 {
				eventClass(metadata, firstID+i, "E").Child("annotation").Attr("class", "5").Attr("value-0", "x")
			}
		}),
		tree("an annotation of many values and many members", func(_ *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			category := metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Category")
			note := eventClass(metadata, firstID, "E").Child("annotation").Attr("class", "5")
			for range n / 20 {
				category.Child("field").Attr("name", "value").Attr("class", "4").Attr("dimension", "1")
				note.Attr("value-0", "x")
			}
		}),
		numbered("a long name that all threads have", func(b *jfrtest.Builder, n int) {
			b.Constant(jfrtest.StringClass, key, strings.Repeat("t", n/2))
			for i := range n / 40 {
				b.Constant("java.lang.Thread", i+1, jfrtest.Pooled(key), 1, jfrtest.Pooled(key), 1, 0, false)
			}
			b.Emit(b.Event("damage.InThread", jfrtest.EventThread()), startTicks, 1)
		}),
		tree("a short event of very many fields", func(b *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			class := eventClass(metadata, firstID, "damage.Wide")
			for range n / 10 {
				class.Child("field").Attr("class", "3")
			}
			for range 10 {
				b.EmitRaw(jfrtest.EventOptions{}, firstID, []byte{0, 0})
			}
		}),
		tree("an event of very many fields that takes turns", func(b *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			metadata.Child("class").Attr("id", "5").Attr("name", "byte")
			class := eventClass(metadata, firstID, "damage.Wide")
			for range n / 22 {
				class.Child("field").Attr("class", "3")
				class.Child("field").Attr("class", "5")
			}
			b.EmitRaw(jfrtest.EventOptions{}, firstID, make([]byte, n/11+1))
		}),
		numbered("events of types that nothing describes", func(b *jfrtest.Builder, n int) {
			for i := range n / 4 {
				b.EmitRaw(jfrtest.EventOptions{}, int64(i+20_000), nil)
			}
		}),
		numbered("pools of classes that nothing describes", func(b *jfrtest.Builder, n int) {
			for i := range n / 20 {
				b.Checkpoint(0).PoolID(int64(i + 20_000)).Count = new(int64(1))
			}
		}),
		numbered("metadata events that are no use", func(b *jfrtest.Builder, n int) {
			for range n / 20 {
				b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, make([]byte, 4))
				b.EmitRaw(jfrtest.EventOptions{}, 4711, nil)
			}
		}),
		tree("an event that looks like many, one inside the other", func(b *jfrtest.Builder, metadata *jfrtest.Element, n int) {
			// In its array of longs an event of the same type begins at each tenth byte. Read
			// from any other byte, what lies there is of a type that nothing describes.
			eventClass(metadata, firstID, "damage.Longs").Child("field").Attr("name", "list").Attr("class", "2").Attr("dimension", "1")
			inner := wire.AppendVarint(nil, uint64(n/4), 4)
			inner = varint(inner, firstID, 5)
			inner = wire.AppendVarint(inner, uint64(n/4-20), 4)
			list := slices.Repeat(inner, n/len(inner))
			body := wire.AppendVarint(varint(nil, startTicks), uint64(4*(n/len(inner))), 4)
			b.EmitRaw(jfrtest.EventOptions{SizeWidth: 5}, firstID, append(body, list...))
		}),
		numbered("texts and arrays longer than the file", func(b *jfrtest.Builder, _ int) {
			ty := b.Event("damage.Long", of("text", jfrtest.StringClass), of("list", "int").Array())
			for _, count := range []int64{1000, 1 << 20, 1 << 31, 1<<32 + 1, 1 << 62, -1} {
				b.Emit(ty, startTicks, jfrtest.UTF8("x").Claiming(count), nil)
				b.Emit(ty, startTicks, jfrtest.UTF16("x").Claiming(count), nil)
				b.Emit(ty, startTicks, jfrtest.Latin1("x").Claiming(count), nil)
				b.Emit(ty, startTicks, nil, jfrtest.Counted{Count: count})
				b.Checkpoint(0).Add(jfrtest.StringClass, count, jfrtest.UTF8("x").Claiming(count))
			}
		}),
	}
}

// mostShared bounds recordings with a text that many elements share: making them takes
// what reading them would, were there no bound to that.
const mostShared = 400_000

// repeated returns a recording of about n bytes, of chunks each with metadata of its own.
func repeated(n int, describe func(metadata *jfrtest.Element)) []byte {
	data := numberedChunk().Bytes()
	for i := 0; len(data) < n; i++ {
		b, metadata := treeChunk()
		describe(metadata)
		metadata.Child("x").Attr(decimal(i), "") // so that no two are the same
		data = append(data, b.Bytes()...)
	}
	return data
}
