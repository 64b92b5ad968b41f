package leakcheck

import (
	"iter"

	"github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Damaged returns recordings of marked values that are damaged in some way each, with the name of
// the way: those of every kind of fault there is, and some of each set of package corrupt.
func Damaged(random int) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, f := range faults {
			b := Chunk()
			kinds := b.Lookup("test.Kinds")
			f.make(b, kinds)
			data, _ := jfrtest.Concat(b, Chunk())
			if f.after != nil {
				data = f.after(data)
			}
			if !yield(f.name, data) {
				return
			}
		}
		whole, _ := jfrtest.Concat(Chunk(), Chunk().Uncompressed())
		a, err := corrupt.NewAtlas("marked", whole)
		if err != nil {
			panic(err) // a mistake in Chunk
		}
		sets := []corrupt.Set{a.Prefixes(), a.Bits(), a.Numbers(), a.Zeroes(), a.Removed(), a.Doubled(), a.Swapped()}
		for n := range random {
			s := sets[n%len(sets)]
			if c := s.At(s.Nth(n / len(sets))); !yield(c.Name, c.Data) {
				return
			}
		}
	}
}

func nothing(*jfrtest.Builder, *jfrtest.Class) {}

// faults are one of each kind, so that each error there is comes at least once.
var faults = []struct {
	name  string
	make  func(b *jfrtest.Builder, kinds *jfrtest.Class)
	after func(data []byte) []byte
}{
	{"whole", nothing, nil},
	{"unknown type", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{}, 4711, []byte(text("raw")))
	}, nil},
	{"type that is a value", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{}, number*10_000, []byte(text("raw")))
	}, nil},
	{"event of no size", func(b *jfrtest.Builder, k *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{Size: new(int64(0))}, k.ID, []byte(text("raw")))
	}, nil},
	{"event that is too large", func(b *jfrtest.Builder, k *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{Size: new(int64(1 << 30)), SizeWidth: 9}, k.ID, []byte(text("raw")))
	}, nil},
	{"event that is too small", func(b *jfrtest.Builder, k *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{}, k.ID, []byte("\x05\x05\x05\x05\x03\x04"+mark))
	}, nil},
	{"fields that are text", func(b *jfrtest.Builder, k *jfrtest.Class) {
		b.EmitRaw(jfrtest.EventOptions{}, k.ID, []byte(text("raw ")+text("raw ")+text("raw ")))
	}, nil},
	{"constants of an unknown class", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Checkpoint(0).PoolID(4711).Count = new(int64(1))
	}, nil},
	{"constant that is too long", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Checkpoint(0).Pool("jdk.types.Symbol").Add(77, jfrtest.UTF8(text("constant")).Claiming(100_000))
	}, nil},
	{"more constants than there are", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Checkpoint(0).Pool("jdk.types.Symbol").Add(77, text("constant")).Count = new(int64(1 << 40))
	}, nil},
	{"constant of no encoding", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		b.Checkpoint(0).Pool("jdk.types.Symbol").Add(77, jfrtest.Encoding(mark[0]))
	}, nil},
	{"chain that comes back", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		one, two := b.Checkpoint(0), b.Checkpoint(0)
		one.Prev, two.Prev = two, one
	}, nil},
	{"delta out of the chunk", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Checkpoint(0).Delta = new(int64(1 << 40)) }, nil},
	{"checkpoint that is an event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		_, l := b.Build()
		b.ForceCheckpointOffset = new(l.Events[3].Offset)
	}, nil},
	{"checkpoint inside an event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		_, l := b.Build()
		b.ForceCheckpointOffset = new(l.Events[3].Offset + 20)
	}, nil},
	{"metadata that is an event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		_, l := b.Build()
		b.ForceMetadataOffset = new(l.Events[3].Offset)
	}, nil},
	{"metadata inside an event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		_, l := b.Build()
		b.ForceMetadataOffset = new(l.Events[3].Offset + 20)
	}, nil},
	{"metadata beyond the chunk", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.ForceMetadataOffset = new(int64(1 << 40)) }, nil},
	{"class without its field's", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		c := b.Event("test.Lost", jfrtest.Field{Name: "lost", ClassID: 99_999})
		b.EmitRaw(jfrtest.EventOptions{}, c.ID, []byte(text("raw")))
	}, nil},
	{"unfinished", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Header.State = 7 }, nil},
	{"another version", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.Header.Major = 3 }, nil},
	{"chunk that is too small", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.ForceSize = new(int64(10)) }, nil},
	{"chunk that is too large", func(b *jfrtest.Builder, _ *jfrtest.Class) { b.ForceSize = new(int64(1 << 40)) }, nil},
	{"chunk that ends in an event", func(b *jfrtest.Builder, _ *jfrtest.Class) {
		_, l := b.Build()
		b.ForceSize = new(l.Events[4].Offset + 30)
	}, nil},
	{"empty", nothing, func([]byte) []byte { return nil }},
	{"values alone", nothing, func([]byte) []byte { return []byte(mark + mark + text("no recording")) }},
	{"trailing values", nothing, func(data []byte) []byte { return append(data, text(" and so on")...) }},
	{"header cut off", nothing, func(data []byte) []byte { return data[:50] }},
}
