package constants

import (
	"iter"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Constant is a constant as it lies in a recording. It is a view, valid until the
// recording is closed.
type Constant struct {
	Chunk mmapjfr.Chunk
	Type  mmapjfr.Type
	Key   int64
	// Offset is where it begins, with its key, in bytes from the start of the file.
	Offset uint64
	// Bytes is how many bytes key and value take.
	Bytes uint64
	// Copy tells that the key is in an earlier checkpoint of the chunk, too, so that
	// nothing leads here.
	Shadowed bool

	class *schema.Type
	at    int // where the value begins, in bytes from the start of the chunk
}

// Value returns the value: of a copy, that which counts.
func (c Constant) Value() mmapjfr.Value { return c.Chunk.Constant(c.Type, c.Key) }

// All returns the constants of the types that are wanted, in the order of the file,
// copies included; all constants if wants is nil. It allocates nothing per constant.
func All(rec *mmapjfr.Recording, wants func(mmapjfr.Type) bool) iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range rec.Chunks() {
			if !eachOf(rec, chunk, wants, yield) {
				return
			}
		}
	}
}

// eachOf yields the constants of a chunk, and what is wrong with them. It is false if
// yield is.
func eachOf(rec *mmapjfr.Recording, chunk mmapjfr.Chunk, wants func(mmapjfr.Type) bool, yield func(Constant, error) bool) bool {
	more := true
	err := rec.Protect(func() error {
		p, err := newPools(chunk)
		if err != nil {
			return err
		}
		p.each(wants, func(c Constant) bool {
			more = yield(c, nil)
			return more
		})
		return p.k.Err()
	})
	return more && (err == nil || yield(Constant{}, err))
}

// pools is the way through the constants of a chunk.
type pools struct {
	chunk mmapjfr.Chunk
	ix    *index.Chunk
	k     *index.Constants
	data  []byte
	types map[int64]mmapjfr.Type
}

// newPools goes through the checkpoints of a chunk, if nobody has done so yet.
func newPools(chunk mmapjfr.Chunk) (*pools, error) {
	ix := chunk.Index()
	k, err := ix.Constants()
	if err != nil {
		return nil, err
	}
	types, err := chunk.Types()
	if err != nil {
		return nil, err
	}
	p := &pools{chunk: chunk, ix: ix, k: k, data: ix.Data(), types: make(map[int64]mmapjfr.Type, len(types))}
	for _, t := range types {
		p.types[t.ID()] = t
	}
	return p, nil
}

// each calls do with the constants of the types that are wanted, until it is false.
func (p *pools) each(wants func(mmapjfr.Type) bool, do func(Constant) bool) {
	for _, pool := range p.k.Pools() {
		t, ok := p.types[int64(pool.Type)]
		if ok && (wants == nil || wants(t)) && !p.eachIn(pool, t, do) {
			return
		}
	}
}

// eachIn is each for one pool.
func (p *pools) eachIn(pool index.Pool, t mmapjfr.Type, do func(Constant) bool) bool {
	class := p.k.Type(pool.Type)
	if class == nil {
		return true // pools of no class are not read
	}
	plan, err := class.Plan()
	if err != nil {
		return true // and nor are those of a class that cannot be laid out
	}
	form := p.ix.IntEncoding()
	pos := int(pool.Offset)
	end := pos + int(pool.Size)
	for range pool.Count {
		if pos >= end {
			return true
		}
		key, n := form.Long(p.data[pos:end])
		next, ok := plan.Skip(p.data[:end], pos+n)
		if n == 0 || !ok {
			return true // the rest of the pool is damaged
		}
		counts, _ := p.k.Lookup(class, key)
		c := Constant{
			Chunk: p.chunk, Type: t, Key: key,
			Offset: p.ix.Offset() + uint64(pos), Bytes: uint64(next - pos),
			Shadowed: counts != uint64(pos+n),
			class:    class, at: pos + n,
		}
		if !do(c) {
			return false
		}
		pos = next
	}
	return true
}
