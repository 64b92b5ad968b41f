package corrupt

import "github.com/mmapjfr/jfr/internal/jfrtest"

// Deep are recordings in which something nests n deep.
func Deep() []Evil {
	return []Evil{
		{"elements of metadata", func(n int) []byte {
			b := jfrtest.NewEmptyChunk()
			body := varint(nil, 0, 0, 0, 1) // start, duration, id, and one string:
			body = append(body, 3, 1, 'x')
			for range n {
				body = varint(body, 0, 0, 1) // its name, no attributes, one child
			}
			b.Bare = true
			at := int64(jfrtest.HeaderSize)
			b.ForceMetadataOffset = &at
			b.EmitRaw(jfrtest.EventOptions{SizeWidth: 5}, jfrtest.MetadataTypeID, append(body, 0, 0, 0))
			return b.Bytes()
		}},
		{"structs in structs", func(n int) []byte { return nested(n, "", "") }},
		{"arrays in arrays", func(n int) []byte { return nested(n, "dimension", "1") }},
		{"wrappers in wrappers", func(n int) []byte { return nested(n, "simpleType", "true") }},
		{"wrappers around constants of wrappers", func(n int) []byte { return nested(n, "constantPool", "true") }},
		numbered("thread groups in thread groups", func(b *jfrtest.Builder, n int) {
			for i := range n {
				b.Constant("jdk.types.ThreadGroup", i+1, i+2, "g")
			}
			b.Constant("java.lang.Thread", key, "os", 1, "java", 1, key, false)
			b.Emit(b.Event("damage.InThread", jfrtest.EventThread()), startTicks, key)
		}),
		numbered("strings that stand for strings", func(b *jfrtest.Builder, n int) {
			for i := range n {
				b.Constant(jfrtest.StringClass, i+1, jfrtest.Pooled(i+2))
			}
			b.Constant(jfrtest.StringClass, n+1, "at last")
			b.Emit(b.Event("damage.Text", jfrtest.Of("text", jfrtest.StringClass)), startTicks, jfrtest.Pooled(key))
		}),
		numbered("checkpoints in a chain", func(b *jfrtest.Builder, n int) {
			for range n {
				b.Checkpoint(0)
			}
		}),
	}
}

// nested returns a recording with classes each of which has a field of the next. The
// attribute is one of the field; or of the class, if it makes it simple.
func nested(n int, attribute, value string) []byte {
	b, metadata := treeChunk()
	event := eventClass(metadata, firstID, "damage.Deep")
	event.Child("field").Attr("name", "v").Attr("class", decimal(firstID+1))
	for i := range n {
		class := metadata.Child("class").Attr("id", decimal(firstID+1+i))
		f := class.Child("field").Attr("name", "v").Attr("class", decimal(firstID+2+i))
		switch attribute {
		case "":
		case "constantPool":
			f.Attr(attribute, value)
			class.Attr("simpleType", value)
		case "simpleType":
			class.Attr(attribute, value)
		default:
			f.Attr(attribute, value)
		}
	}
	metadata.Child("class").Attr("id", decimal(firstID+1+n)).Attr("name", "int")
	b.EmitRaw(jfrtest.EventOptions{}, firstID, varint(nil, startTicks, 1, 1, 1, 1))
	return b.Bytes()
}
