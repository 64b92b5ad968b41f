package corrupt

import (
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// FewBytes are recordings with few bytes that stand for much: structs that hold structs
// twice each, elements of no bytes, names that all classes have. n is about how many
// bytes each has.
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
			return slices.Concat(numbered().Bytes(), slices.Repeat(b.Bytes(), n/jfrtest.HeaderSize))
		}},
		{"arrays of arrays, twice each", func(int) []byte {
			b := numbered()
			const depth = 40
			for i := range depth {
				inner := "damage.C" + decimal(i+1)
				b.Class("damage.C"+decimal(i), of("one", inner).Array(), of("two", inner).Array())
			}
			b.Class("damage.C"+decimal(depth), of("n", "int"))
			ty := b.Event("damage.Arrays", of("root", "damage.C0").Array())
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, slices.Concat(varint(nil, startTicks), slices.Repeat([]byte{1}, 200)))
			b.EmitRaw(jfrtest.EventOptions{}, ty.ID, slices.Concat(varint(nil, startTicks), slices.Repeat([]byte{2, 0}, 200)))
			return b.Bytes()
		}},
		{"elements of no bytes", func(n int) []byte {
			b := numbered()
			b.Class("damage.Nothing")
			b.Class("damage.Twice", of("a", "damage.Nothing"), of("b", "damage.Nothing"))
			ty := b.Event("damage.Nothings", of("a", "damage.Nothing").Array(), of("b", "damage.Twice").Array())
			for _, count := range []uint64{1, uint64(n), 1 << 31, 1 << 63, 1<<64 - 1} {
				b.EmitRaw(jfrtest.EventOptions{}, ty.ID, append(varint(nil, startTicks, count, count), make([]byte, n/8)...))
			}
			return b.Bytes()
		}},
		{"constants with elements of no bytes", func(n int) []byte {
			b := numbered()
			b.Class("damage.Nothing")
			b.Class("damage.Nothings", of("all", "damage.Nothing").Array())
			ty := b.Event("damage.Event", konst("all", "damage.Nothings"))
			for i := range n / 8 {
				b.Constant("damage.Nothings", i+1, jfrtest.Raw(varint(nil, uint64(n/2-6*i))))
			}
			b.Emit(ty, startTicks, 1)
			return b.Bytes()
		}},
		{"a long name that all classes have", func(n int) []byte {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			b, metadata := tree()
			for i := range n / 20 {
				metadata.Child("class").Attr("id", decimal(firstID+i)).Attr("name", long)
			}
			return b.Bytes()
		}},
		{"a long name that all fields have", func(n int) []byte {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			b, metadata := tree()
			class := eventClass(metadata, firstID, "damage.Fields")
			for range n / 20 {
				class.Child("field").Attr("name", long).Attr("class", "3")
			}
			b.EmitRaw(jfrtest.EventOptions{}, firstID, make([]byte, n/20+8))
			return b.Bytes()
		}},
		{"a long text for all numbers of classes", func(n int) []byte {
			n = min(n, mostShared)
			long := strings.Repeat("0", n/2) + "x"
			b, metadata := tree()
			for range n / 20 {
				metadata.Child("class").Attr("id", long)
			}
			return b.Bytes()
		}},
		{"a long text for all annotations", func(n int) []byte {
			n = min(n, mostShared)
			long := strings.Repeat("n", n/2)
			b, metadata := tree()
			metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Timespan").Child("field").Attr("name", "value").Attr("class", "4")
			for i := range n / 40 {
				eventClass(metadata, firstID+i, "E").Child("annotation").Attr("class", "5").Attr("value", long)
			}
			return b.Bytes()
		}},
		{"annotations with many members each", func(n int) []byte {
			b, metadata := tree()
			category := metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Category")
			for range n / 20 {
				category.Child("field").Attr("name", "value").Attr("class", "4").Attr("dimension", "1")
			}
			for i := range n / 40 {
				eventClass(metadata, firstID+i, "E").Child("annotation").Attr("class", "5").Attr("value-0", "x")
			}
			return b.Bytes()
		}},
		{"an annotation of many values and many members", func(n int) []byte {
			b, metadata := tree()
			category := metadata.Child("class").Attr("id", "5").Attr("name", "jdk.jfr.Category")
			note := eventClass(metadata, firstID, "E").Child("annotation").Attr("class", "5")
			for range n / 20 {
				category.Child("field").Attr("name", "value").Attr("class", "4").Attr("dimension", "1")
				note.Attr("value-0", "x")
			}
			return b.Bytes()
		}},
		{"a long name that all threads have", func(n int) []byte {
			b := numbered()
			b.Constant(jfrtest.StringClass, key, strings.Repeat("t", n/2))
			for i := range n / 40 {
				b.Constant("java.lang.Thread", i+1, jfrtest.Pooled(key), 1, jfrtest.Pooled(key), 1, 0, false)
			}
			b.Emit(b.Event("damage.InThread", jfrtest.EventThread()), startTicks, 1)
			return b.Bytes()
		}},
		{"a short event of very many fields", func(n int) []byte {
			b, metadata := tree()
			class := eventClass(metadata, firstID, "damage.Wide")
			for range n / 10 {
				class.Child("field").Attr("class", "3")
			}
			for range 10 {
				b.EmitRaw(jfrtest.EventOptions{}, firstID, []byte{0, 0})
			}
			return b.Bytes()
		}},
		{"an event of very many fields that takes turns", func(n int) []byte {
			b, metadata := tree()
			metadata.Child("class").Attr("id", "5").Attr("name", "byte")
			class := eventClass(metadata, firstID, "damage.Wide")
			for range n / 22 {
				class.Child("field").Attr("class", "3")
				class.Child("field").Attr("class", "5")
			}
			b.EmitRaw(jfrtest.EventOptions{}, firstID, make([]byte, n/11+1))
			return b.Bytes()
		}},
		{"events of types that nothing describes", func(n int) []byte {
			b := numbered()
			for i := range n / 4 {
				b.EmitRaw(jfrtest.EventOptions{}, int64(i+20_000), nil)
			}
			return b.Bytes()
		}},
		{"pools of classes that nothing describes", func(n int) []byte {
			b := numbered()
			for i := range n / 20 {
				b.Checkpoint(0).PoolID(int64(i + 20_000)).Count = new(int64(1))
			}
			return b.Bytes()
		}},
		{"metadata events that are no use", func(n int) []byte {
			b := numbered()
			for range n / 20 {
				b.EmitRaw(jfrtest.EventOptions{}, jfrtest.MetadataTypeID, make([]byte, 4))
				b.EmitRaw(jfrtest.EventOptions{}, 4711, nil)
			}
			return b.Bytes()
		}},
		{"an event that looks like many, one inside the other", func(n int) []byte {
			// In its array of longs an event of the same type begins at each tenth byte. Read
			// from any other byte, what lies there is of a type that nothing describes.
			b, metadata := tree()
			eventClass(metadata, firstID, "damage.Longs").Child("field").Attr("name", "list").Attr("class", "2").Attr("dimension", "1")
			inner := jfrtest.AppendVarint(nil, uint64(n/4), 4)
			inner = varint(inner, firstID, 5)
			inner = jfrtest.AppendVarint(inner, uint64(n/4-20), 4)
			list := slices.Repeat(inner, n/len(inner))
			body := jfrtest.AppendVarint(varint(nil, startTicks), uint64(4*(n/len(inner))), 4)
			b.EmitRaw(jfrtest.EventOptions{SizeWidth: 5}, firstID, append(body, list...))
			return b.Bytes()
		}},
		{"texts and arrays longer than the file", func(int) []byte {
			b := numbered()
			ty := b.Event("damage.Long", of("text", jfrtest.StringClass), of("list", "int").Array())
			for _, count := range []int64{1000, 1 << 20, 1 << 31, 1<<32 + 1, 1 << 62, -1} {
				b.Emit(ty, startTicks, jfrtest.UTF8("x").Claiming(count), nil)
				b.Emit(ty, startTicks, jfrtest.UTF16("x").Claiming(count), nil)
				b.Emit(ty, startTicks, jfrtest.Latin1("x").Claiming(count), nil)
				b.Emit(ty, startTicks, nil, jfrtest.Counted{Count: count})
				b.Checkpoint(0).Add(jfrtest.StringClass, count, jfrtest.UTF8("x").Claiming(count))
			}
			return b.Bytes()
		}},
	}
}

// mostShared bounds recordings with a text that many elements share: making them takes
// what reading them would, were there no bound to that.
const mostShared = 400_000

// repeated returns a recording of about n bytes, of chunks each with metadata of its own.
func repeated(n int, describe func(metadata *jfrtest.Element)) []byte {
	data := numbered().Bytes()
	for i := 0; len(data) < n; i++ {
		b, metadata := tree()
		describe(metadata)
		metadata.Child("x").Attr(decimal(i), "") // so that no two are the same
		data = append(data, b.Bytes()...)
	}
	return data
}
