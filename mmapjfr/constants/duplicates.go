package constants

import (
	"context"
	"iter"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Group is constants of a type and a chunk that say the same under different keys.
type Group struct {
	// Constants are at least two, in the order of the file.
	Constants []Constant
}

// WastedBytes returns how many bytes would not be needed if there were only the first of the
// constants.
func (g *Group) WastedBytes() (bytes uint64) {
	for _, c := range g.Constants[1:] {
		bytes += c.Bytes
	}
	return bytes
}

// Duplicates returns the groups of constants that say the same, chunk by chunk and type
// by type. Two say the same if their bytes are equal, but for keys of constants which
// say the same themselves. In chains of constants of the same type that is followed 32
// links deep; in a ring they say the same only if somewhere in it the keys do. Copies are
// left out.
//
// It keeps 16 bytes for each constant of the type that a chunk has most of, and 16 for
// each that says the same as another. If it is not nil, progress is called with numbers
// of bytes that have been gone through: all of the recording's chunks.
func Duplicates(ctx context.Context, rec *mmapjfr.Recording, progress func(bytes uint64)) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		for _, chunk := range rec.Chunks() {
			more := true
			err := rec.Protect(func() error {
				p, err := newPools(chunk)
				if err != nil {
					return err
				}
				f := newFinder(p)
				if err := f.find(ctx); err != nil {
					return err
				}
				more = f.groups(yield)
				return p.k.Err()
			})
			if ctx.Err() != nil {
				yield(Group{}, context.Cause(ctx))
				return
			}
			if !more || err != nil && !yield(Group{}, err) {
				return
			}
			if progress != nil {
				progress(chunk.Size())
			}
		}
	}
}
