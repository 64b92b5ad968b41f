package constants

import (
	"iter"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Constant is a constant as it lies in a recording. It is a view, valid until the recording
// is closed.
type Constant struct {
	Chunk mmapjfr.Chunk
	Type  mmapjfr.Type
	Key   int64
	// Offset is where it begins, with its key, in bytes from the start of the file.
	Offset uint64
	// Bytes is how many bytes key and value take.
	Bytes uint64
	// Shadowed says that an earlier checkpoint of the chunk has a constant with the same key,
	// so that no reference leads to this one.
	Shadowed bool

	value uint64 // where the value begins
}

// Value returns the value; that of the earlier constant if this one is shadowed.
func (c Constant) Value() mmapjfr.Value { return c.Chunk.Constant(c.Type, c.Key) }

// All returns the constants of the wanted types, in the order of the file, shadowed ones
// included; all constants if wants is nil. It allocates nothing per constant.
func All(rec *mmapjfr.Recording, wants func(mmapjfr.Type) bool) iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range rec.Chunks() {
			more := true
			err := rec.Protect(func() error {
				r, err := newReader(chunk)
				if err != nil {
					return err
				}
				r.each(wants, func(c Constant) bool {
					more = yield(c, nil)
					return more
				})
				return r.Err()
			})
			if !more || err != nil && !yield(Constant{}, err) {
				return
			}
		}
	}
}

// reader reads the constants of a chunk.
type reader struct {
	*mmapjfr.ConstantReader
	chunk mmapjfr.Chunk
}

func newReader(chunk mmapjfr.Chunk) (*reader, error) {
	r, err := chunk.ConstantReader()
	if err != nil {
		return nil, err
	}
	return &reader{r, chunk}, nil
}

// each calls visit with the constants of the wanted types until visit returns false.
func (r *reader) each(wants func(mmapjfr.Type) bool, visit func(Constant) bool) {
	for _, cp := range r.Checkpoints() {
		for _, p := range cp.Pools {
			if !p.Type.IsZero() && (wants == nil || wants(p.Type)) && !r.eachIn(p, visit) {
				return
			}
		}
	}
}

// eachIn is each for one pool. It returns false if visit has.
func (r *reader) eachIn(p mmapjfr.Pool, visit func(Constant) bool) bool {
	return r.Constants(p, func(c mmapjfr.PooledConstant) bool {
		return visit(Constant{
			Chunk: r.chunk, Type: p.Type, Key: c.Key, Offset: c.Offset, Bytes: c.Size, Shadowed: c.Shadowed, value: c.Value,
		})
	})
}
