package corrupt

import (
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Rings are recordings in which something leads back to itself: checkpoints, constants,
// classes. n is how long the rings are that can have any length.
func Rings() []Evil {
	of, konst := jfrtest.Of, jfrtest.Const
	return []Evil{
		numbered("a checkpoint that leads to itself by way of others", func(b *jfrtest.Builder, n int) {
			first := b.Checkpoint(0)
			last := first
			for range n {
				last = b.Checkpoint(0)
			}
			first.Prev = last
		}),
		numbered("checkpoints inside one another", func(b *jfrtest.Builder, n int) {
			// Each of them begins 16 bytes after the one before, and ends with all others.
			var raw []byte
			for i := range n {
				delta := uint64(16)
				if i == n-1 {
					delta = 0
				}
				head := wire.AppendVarint(nil, uint64(16*(n-i)), 4)
				head = varint(head, jfrtest.CheckpointTypeID, 0, 0, delta, 0, 0)
				raw = append(raw, append(head, make([]byte, 16-len(head))...)...)
			}
			_, l := b.Build()
			b.Insert(raw)
			at := l.Events[0].End()
			b.ForceCheckpointOffset = &at
		}),
		numbered("strings that stand for one another", func(b *jfrtest.Builder, n int) {
			for i := range n {
				b.Constant(jfrtest.StringClass, i+1, jfrtest.Pooled((i+1)%n+1))
			}
			b.Emit(b.Event("damage.Text", of("text", jfrtest.StringClass)), startTicks, jfrtest.Pooled(key))
		}),
		numbered("thread groups that hold one another", func(b *jfrtest.Builder, n int) {
			for i := range n {
				b.Constant("jdk.types.ThreadGroup", i+1, (i+1)%n+1, "group")
			}
			b.Constant("java.lang.Thread", key, "os", 1, "java", 1, key, false)
			b.Emit(b.Event("damage.InThread", jfrtest.EventThread()), startTicks, key)
		}),
		numbered("a class loader whose class it has loaded itself", func(b *jfrtest.Builder, _ int) {
			b.Constant("jdk.types.ClassLoader", key, key, key)
			b.Constant("java.lang.Class", key, key, key, key, 0, false)
			b.Constant("jdk.types.Symbol", key, "a/Loader")
			b.Constant("jdk.types.Package", key, key, key, true)
			b.Constant("jdk.types.Module", key, key, key, key, key)
			b.Emit(b.Event("damage.Class", konst("class", "java.lang.Class")), startTicks, key)
		}),
		numbered("wrappers that wrap one another", func(b *jfrtest.Builder, n int) {
			b.Class("damage.Wrapper", konst("inner", "damage.Wrapper")).Simple()
			for i := range n {
				b.Constant("damage.Wrapper", i+1, (i+1)%n+1)
			}
			b.Emit(b.Event("damage.Wrapped", konst("outer", "damage.Wrapper")), startTicks, key)
		}),
		numbered("constants that hold each other many times", func(b *jfrtest.Builder, n int) {
			// Each of n fields leads to a constant with n fields.
			fields := make([]jfrtest.Field, n)
			values := make([]any, n)
			for i := range fields {
				fields[i], values[i] = konst("f", "damage.Fan"), key+i%2
			}
			b.Class("damage.Fan", fields...)
			b.Constant("damage.Fan", key, values...)
			b.Constant("damage.Fan", key+1, values...)
			b.Emit(b.Event("damage.Fanned", konst("fan", "damage.Fan")), startTicks, key)
		}),
		numbered("arrays of constants that hold each other many times", func(b *jfrtest.Builder, n int) {
			keys := make([]int, n)
			for i := range keys {
				keys[i] = key + i%2
			}
			b.Class("damage.Fan", konst("all", "damage.Fan").Array())
			b.Constant("damage.Fan", key, keys)
			b.Constant("damage.Fan", key+1, keys)
			b.Emit(b.Event("damage.Fanned", konst("fan", "damage.Fan")), startTicks, key)
		}),
		numbered("classes that contain themselves", func(b *jfrtest.Builder, _ int) {
			b.Class("damage.Direct", of("self", "damage.Direct"))
			b.Class("damage.A", of("b", "damage.B"))
			b.Class("damage.B", of("a", "damage.A"))
			b.Class("damage.List", of("list", "damage.List").Array())
			b.Class("damage.Simple", of("self", "damage.Simple")).Simple()
			for _, name := range []string{"Direct", "A", "List", "Simple"} {
				ty := b.Event("damage.Of"+name, of("v", "damage."+name))
				b.EmitRaw(jfrtest.EventOptions{}, ty.ID, make([]byte, 20))
				b.Checkpoint(0).Pool("damage."+name).Add(key, jfrtest.Raw(make([]byte, 20)))
			}
		}),
		numbered("supertypes, annotations and settings of themselves", func(b *jfrtest.Builder, _ int) {
			b.Class("damage.Super").SuperType = "damage.Sub"
			b.Class("damage.Sub").SuperType = "damage.Super"
			b.Class("damage.Self").SuperType = "damage.Self"
			note := b.Class("damage.Note", of("value", "damage.Note").With(jfrtest.Mark("damage.Note")))
			note.Annotate(jfrtest.Mark("damage.Note"))
			note.SuperType = "java.lang.annotation.Annotation"
			note.Settings = []jfrtest.Setting{{Name: "s", Class: "damage.Note", Annotations: []jfrtest.Annotation{jfrtest.Mark("damage.Note")}}}
			ty := b.Event("damage.Noted").Annotate(jfrtest.Mark("damage.Note"))
			b.Emit(ty, startTicks)
		}),
	}
}
