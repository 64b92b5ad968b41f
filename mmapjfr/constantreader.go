package mmapjfr

import (
	"context"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/refs"
)

// ConstantReader finds the checkpoints, pools and constants of a chunk, and the references to
// constants that values hold. It is for tools that look at constants themselves: field
// accessors follow references on their own.
//
// It belongs to one goroutine and must be used inside [Recording.Protect]. All its offsets
// are in bytes from the start of the recording.
type ConstantReader struct {
	c    *chunk
	k    *index.Constants
	refs *refs.Visitor
	base uint64

	visit func(Reference)
	relay func(refs.Reference) // calls visit; made once
}

// constantReader returns a reader of the chunk's constants. The first one of a chunk reads
// its checkpoints. It fails if the chunk has no metadata that can be read.
func (c Chunk) constantReader() (*ConstantReader, error) {
	k, err := c.orEmpty().constants()
	if err != nil {
		return nil, err
	}
	r := &ConstantReader{c: c.c, k: k, base: c.Offset()}
	r.refs = refs.New(c.c.data, c.c.form, k.Named(jdktypes.String))
	r.relay = func(ref refs.Reference) {
		r.visit(Reference{Type{ref.Type}, ref.Key, r.base + uint64(ref.From), uint64(ref.To - ref.From)})
	}
	return r, nil
}

// loadConstants reads the checkpoints of some chunks of the recording, on several goroutines,
// see [Workers]. The constants of the last 32 chunks at least stay in memory. It returns the
// cause of the context if that is cancelled. It must be used inside [Recording.Protect].
func (r *Recording) loadConstants(ctx context.Context, chunks []Chunk) error {
	list := make([]*index.Chunk, len(chunks))
	for i, c := range chunks {
		list[i] = c.orEmpty().ix
	}
	return index.Sweep(ctx, list, r.workers, nil)
}

// cachedConstantsErr is [Chunk.ConstantsErr] if the checkpoints of the chunk have been read; nil
// if not. It reads nothing.
func (c Chunk) cachedConstantsErr() error { return c.orEmpty().constantsErr() }

// Checkpoint is an event that carries pools of constants.
type Checkpoint struct {
	// Offset is where it begins, and Size its number of bytes.
	Offset, Size uint64
	// Pools are those that it carries, as far as they can be read.
	Pools []Pool
}

// Pool is constants of one type that lie side by side in a checkpoint.
type Pool struct {
	// Type is the type of the constants. It is zero if no metadata describes it: then nothing
	// in the pool can be read.
	Type Type
	// Offset is where the first constant begins, and Size how many bytes all of them take.
	Offset, Size uint64
	// Count is how many constants there are.
	Count uint64
}

// checkpoints returns the checkpoints of the chunk, the oldest first.
func (r *ConstantReader) checkpoints() []Checkpoint {
	all := r.k.Pools()
	list := make([]Checkpoint, len(r.k.Checkpoints()))
	pools := make([]Pool, len(all))
	for i, p := range all {
		pools[i] = Pool{Type{r.k.Type(p.Type)}, r.base + p.Offset, p.Size, p.Count}
	}
	for i, c := range r.k.Checkpoints() {
		list[i] = Checkpoint{r.base + c.Offset, uint64(c.Size), pools[c.FirstPool:][:c.Pools:c.Pools]}
	}
	return list
}

// err returns the first thing that is wrong with the checkpoints of the chunk, or nil.
func (r *ConstantReader) err() error { return r.k.Err() }

// len returns how many constants of the type the chunk has; of those with the same key only
// one counts.
func (r *ConstantReader) len(t Type) int { return r.k.Len(t.orEmpty()) }

// lookup returns where the value of the constant of that type and key begins. It is false if
// the chunk has none. The type must be one that this chunk describes.
func (r *ConstantReader) lookup(t Type, key int64) (offset uint64, ok bool) {
	offset, ok = r.k.Lookup(t.orEmpty(), key)
	return r.base + offset, ok
}

// PooledConstant is a constant as it lies in a pool.
type PooledConstant struct {
	Key int64
	// Offset is where it begins, with its key, and Size how many bytes key and value take.
	Offset, Size uint64
	// Value is where the value begins.
	Value uint64
	// Shadowed says that an earlier pool has a constant with the same key, so that no
	// reference leads to this one.
	Shadowed bool
}

// constants calls visit with the constants of a pool, in their order, until visit returns
// false. It returns false if visit has. Where the pool is damaged it ends early.
func (r *ConstantReader) constants(p Pool, visit func(PooledConstant) bool) bool {
	t := p.Type.typ
	if t == nil {
		return true
	}
	plan, err := t.Plan()
	if err != nil {
		return true
	}
	pos := int(p.Offset - r.base)
	end := pos + int(p.Size)
	for range p.Count {
		if pos >= end {
			return true
		}
		key, n := r.c.form.Long(r.c.data[pos:end])
		next, ok := plan.Skip(r.c.data[:end], pos+n)
		if n == 0 || !ok {
			return true
		}
		first, _ := r.k.Lookup(t, key)
		at := r.base + uint64(pos)
		if !visit(PooledConstant{key, at, uint64(next - pos), at + uint64(n), first != uint64(pos+n)}) {
			return false
		}
		pos = next
	}
	return true
}

// Reference is a key of a constant in a value.
type Reference struct {
	// Type and Key name the constant. Key 0 stands for null unless a pool has it.
	Type Type
	Key  int64
	// Offset is where the key lies, and Size how many bytes it takes.
	Offset, Size uint64
}

// canRefer reports whether values of the type can hold references.
func (r *ConstantReader) canRefer(t Type) bool { return r.refs.CanRefer(t.orEmpty()) }

// referredTypes calls visit with the types of the constants that values of the type can refer
// to. A type may come several times.
func (r *ConstantReader) referredTypes(t Type, visit func(Type)) {
	r.refs.Types(t.orEmpty(), func(typ *schema.Type) { visit(Type{typ}) })
}

// references calls visit with the references that a value holds, in their order, null ones
// included. The value is of that type and begins at the offset; lookup
// returns such offsets. It returns where the value ends; false if the value cannot be read.
// It does not follow references. It allocates for the first value of each type only.
func (r *ConstantReader) references(t Type, offset uint64, visit func(Reference)) (end uint64, ok bool) {
	r.visit = visit
	next, ok := r.refs.Value(t.orEmpty(), int(offset-r.base), len(r.c.data), r.relay)
	return r.base + uint64(next), ok
}

// eventReferences is references for the fields of an event of the chunk.
func (r *ConstantReader) eventReferences(ev Event, visit func(Reference)) {
	if b, pos := ev.body(); b != nil {
		r.visit = visit
		r.refs.Value(ev.typ, pos, len(b), r.relay)
	}
}
