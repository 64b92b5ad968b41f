package verify_test

import (
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

func metadataCases(t testing.TB) (all []damaged) {
	add := func(d damaged) { all = append(all, d) }
	build := func(name string, kind verify.Kind, text string, make func(b *jfrtest.Builder, ty *jfrtest.Class), at func(data []byte, l *jfrtest.Layout) int64, also ...verify.Kind) {
		b, ty := plain()
		make(b, ty)
		data, l := b.Build()
		add(damaged{name: name, kind: kind, data: data, offset: at(data, l), text: text, also: also})
	}
	inHeader := func([]byte, *jfrtest.Layout) int64 { return 24 }
	sound, _ := plain()
	_, l := sound.Build()

	build("an event", verify.MetadataOffset, "event has type", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.ForceMetadataOffset = new(l.Events[0].Offset)
	}, inHeader)
	build("outside", verify.MetadataOffset, "outside the chunk", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.ForceMetadataOffset = new(int64(1 << 40))
	}, inHeader)
	build("none", verify.MetadataOffset, "names no metadata", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.ForceMetadataOffset = new(int64(0))
	}, inHeader)
	build("inside an event", verify.MetadataOffset, "inside another event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Bare = true
		bytes := b.Event("test.Bytes", jfrtest.Of("bytes", "byte").Array())
		// What the metadata says must hold for the event that holds it, too.
		c, _ := plain()
		c.Event("test.Bytes", jfrtest.Of("bytes", "byte").Array())
		data, l := c.Build()
		copied := l.Metadata[0].Of(data)
		n := b.EmitWith(jfrtest.EventOptions{SizeWidth: 4}, bytes, soon, jfrtest.Raw(append(varint(len(copied)), copied...)))
		_, l = b.Build()
		b.ForceMetadataOffset = new(l.Events[n].End() - int64(len(copied)))
	}, inHeader)

	build("strings", verify.BadMetadata, "more strings than bytes", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Metadata(&jfrtest.Metadata{StringCount: new(int64(1 << 30))})
	}, func(_ []byte, l *jfrtest.Layout) int64 { return l.Metadata[0].Offset + 4 + 4 })
	build("no metadata inside", verify.BadMetadata, `no element "metadata"`, func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Metadata(&jfrtest.Metadata{Root: &jfrtest.Element{Name: "root"}})
	}, func(_ []byte, l *jfrtest.Layout) int64 { return l.Metadata[0].Offset },
		verify.UnknownType, verify.PoolType)
	build("older", verify.NewerMetadata, "is older", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Metadata(&jfrtest.Metadata{ID: 1})
		b.Metadata(&jfrtest.Metadata{ID: 2})
		_, l := b.Build()
		b.ForceMetadataOffset = new(l.Metadata[0].Offset)
	}, func(_ []byte, l *jfrtest.Layout) int64 { return l.Metadata[1].Offset })
	build("bytes after", verify.MetadataTrailingBytes, "3 bytes", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		m := b.Metadata(&jfrtest.Metadata{})
		_, l := b.Build()
		m.Size = new(l.Metadata[0].Size + 3)
		b.Insert([]byte{0, 0, 0})
	}, func(_ []byte, l *jfrtest.Layout) int64 { return l.Metadata[0].End() })
	return all
}

// varint is a compressed integer.
func varint(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func typeCases(t testing.TB) (all []damaged) {
	// odd adds a type that no event uses, or changes the tree that describes it.
	odd := func(name string, kind verify.Kind, text string, typ *jfrtest.Class, change func(e *jfrtest.Element) (at *jfrtest.Element), also ...verify.Kind) {
		b, _ := plain()
		typ.ID = 5000
		b.Add(typ)
		root := b.Tree(b.Classes())
		at := change(typeNamed(root, typ.Name))
		b.Metadata(&jfrtest.Metadata{Root: root})
		data, l := b.Build()
		all = append(all, damaged{
			name: name, kind: kind, data: data, typ: typ.Name, text: text, also: also,
			offset: elementAt(t, data, l.Metadata[0], root, at),
		})
	}
	itself := func(e *jfrtest.Element) *jfrtest.Element { return e }
	field := func(n int) func(e *jfrtest.Element) *jfrtest.Element {
		return func(e *jfrtest.Element) *jfrtest.Element {
			for _, c := range e.Children {
				if c.Name == "field" {
					if n--; n < 0 {
						return c
					}
				}
			}
			return nil
		}
	}
	odd("no number", verify.BadTypeID, `"x"`, &jfrtest.Class{Name: "test.Odd"}, func(e *jfrtest.Element) *jfrtest.Element {
		for i := range e.Attributes {
			if e.Attributes[i].Name == "id" {
				e.Attributes[i].Value = "x"
			}
		}
		return e
	})
	odd("of a type", verify.BadName, `""`, &jfrtest.Class{Name: ""}, itself)
	odd("of a field", verify.BadName, `"a b"`, &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{jfrtest.Of("a b", "int")}}, field(0))
	odd("same name", verify.DuplicateField, "another field is called x", &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{
		jfrtest.Of("x", "int"), jfrtest.Of("x", "long"),
	}}, field(1))
	odd("of a field", verify.UndescribedType, "field x is of type 999", &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{
		{Name: "x", ClassID: 999},
	}}, field(0), verify.TypeLayout)
	odd("annotation", verify.UnknownReference, "an annotation of the type is of type 999", &jfrtest.Class{Name: "test.Odd", Annotations: []jfrtest.Annotation{
		{ClassID: 999},
	}}, func(e *jfrtest.Element) *jfrtest.Element { return e.Children[0] })
	odd("setting", verify.UnknownReference, "setting s is of type 999", &jfrtest.Class{Name: "test.Odd", SuperType: jfrtest.EventSuperType, Fields: []jfrtest.Field{jfrtest.Of("startTime", "long")}, Settings: []jfrtest.Setting{
		{Name: "s", ClassID: 999},
	}}, func(e *jfrtest.Element) *jfrtest.Element { return e.Children[0] })
	odd("setting of a struct", verify.RefusedMetadata, "setting s is not of an event type", &jfrtest.Class{
		Name: "test.Odd", Settings: []jfrtest.Setting{{Name: "s", Class: "int"}},
	}, func(e *jfrtest.Element) *jfrtest.Element { return e.Children[0] })
	odd("event name", verify.RefusedMetadata, "not one that a class can have", &jfrtest.Class{
		Name: "test.1", SuperType: jfrtest.EventSuperType, Fields: []jfrtest.Field{jfrtest.Of("startTime", "long")},
	}, func(e *jfrtest.Element) *jfrtest.Element { return e })
	odd("no fields", verify.RefusedMetadata, "has no fields", &jfrtest.Class{Name: "test.Odd", SuperType: jfrtest.EventSuperType},
		func(e *jfrtest.Element) *jfrtest.Element { return e })
	annotation := func(e *jfrtest.Element) *jfrtest.Element { return field(0)(e).Children[0] }
	odd("timestamp", verify.BadUnit, `field x counts in "SECONDS_SINCE_EPOCH"`, &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{
		jfrtest.Of("x", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "SECONDS_SINCE_EPOCH")),
	}}, annotation)
	odd("timespan", verify.BadUnit, `field x counts in "HOURS"`, &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{
		jfrtest.Of("x", "long").With(jfrtest.Note("jdk.jfr.Timespan", "HOURS")),
	}}, annotation)
	odd("two", verify.Dimension, `dimension "2"`, &jfrtest.Class{Name: "test.Odd", Fields: []jfrtest.Field{
		{Name: "x", Class: "int", Dimension: 2},
	}}, field(0))

	b, _ := plain()
	b.Add(&jfrtest.Class{ID: 5000, Name: "test.Ring", Fields: []jfrtest.Field{jfrtest.Of("ring", "test.Ring")}})
	data, l := b.Build()
	all = append(all, damaged{name: "contains itself", kind: verify.TypeLayout, data: data, offset: l.Metadata[0].Offset, typ: "test.Ring", text: "contains itself"})

	b, _ = plain()
	b.Add(&jfrtest.Class{ID: 5000, Name: "test.One"})
	b.Add(&jfrtest.Class{ID: 5000, Name: "test.Two"})
	root := b.Tree(b.Classes())
	b.Metadata(&jfrtest.Metadata{Root: root})
	data, l = b.Build()
	all = append(all, damaged{
		name: "two types", kind: verify.DuplicateType, data: data, typ: "test.Two", text: "type 5000 is described at",
		offset: elementAt(t, data, l.Metadata[0], root, typeNamed(root, "test.Two")),
	})

	for name, names := range map[string][2]string{"other words": {"test.One", "test.Two"}, "an array": {"test.Two", "test.Two"}} {
		b, _ = plain()
		first, second := b.Tree(b.Classes()), b.Tree(b.Classes())
		first.Children[0].Child("class").Attr("name", names[0]).Attr("id", "5000").Child("field").Attr("name", "x").Attr("class", "5000").Attr("constantPool", "true")
		again := second.Children[0].Child("class").Attr("name", names[1]).Attr("id", "5000").Child("field").Attr("name", "x").Attr("class", "5000").Attr("constantPool", "true")
		if name == "an array" {
			again.Attr("dimension", "1")
		}
		b.Metadata(&jfrtest.Metadata{Root: first})
		b.Metadata(&jfrtest.Metadata{Root: second})
		data, l = b.Build()
		all = append(all, damaged{
			name: name, kind: verify.ConflictingType, data: data, typ: "test.Two", text: "as " + names[0],
			offset: elementAt(t, data, l.Metadata[1], second, typeNamed(second, "test.Two")),
		})
	}
	return all
}
