package summary

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Pool is all constants of a class.
type Pool struct {
	// Class is the name of the class.
	Class string
	// Pools is how many pools of the class there are: a chunk mostly has several.
	Pools uint64
	// Constants is how many constants they hold. One that is in several is counted
	// in each.
	Constants uint64
	// Bytes is how many bytes they take.
	Bytes uint64
}

// ReadPools goes through the constant pools, and fills in Pools of the summary, and
// Pools and Constants of the chunks. What that takes is told by [index.Index.Sweep]:
// the places of the constants are kept, for whoever reads events later. Faults in
// checkpoints are added to those of the summary. For progress and the error see
// [Count].
func (s *Summary) ReadPools(ctx context.Context, progress func(bytes uint64)) error {
	pools := make(map[string]*Pool)
	chunks := s.Chunks
	for _, rec := range s.Recordings {
		var own []Chunk
		own, chunks = s.cut(chunks, rec)
		err := rec.Protect(func() error {
			for some := range slices.Chunk(own, sweptTogether) {
				if err := s.sweep(ctx, rec, some, pools, progress); err != nil {
					return err
				}
			}
			return nil
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.addFault(rec, err)
	}
	s.Pools = nil
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		s.Pools = append(s.Pools, *pools[name])
	}
	slices.SortStableFunc(s.Pools, func(a, b Pool) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return nil
}

// cut returns the chunks at the beginning of the list that are of the recording, and
// those behind them.
func (s *Summary) cut(chunks []Chunk, rec *mmapjfr.Recording) (own, rest []Chunk) {
	n := 0
	for n < len(chunks) && chunks[n].Recording == rec {
		n++
	}
	return chunks[:n], chunks[n:]
}

// sweptTogether is how many chunks are gone through at a time. Of recordings with very
// many the constants are forgotten again, but not of so few.
const sweptTogether = 16

// sweep goes through the pools of some chunks of a recording.
func (s *Summary) sweep(ctx context.Context, rec *mmapjfr.Recording, chunks []Chunk, pools map[string]*Pool, progress func(bytes uint64)) error {
	all := rec.Index().Chunks()
	first := chunks[0].Chunk.Number()
	if err := index.SweepChunks(ctx, all[first:first+len(chunks)], rec.Workers()); err != nil {
		return err
	}
	for i := range chunks {
		s.addFault(rec, addPools(&chunks[i], all[first+i], pools))
		if progress != nil {
			progress(chunks[i].Chunk.Size())
		}
	}
	return nil
}

// addPools adds the pools of a chunk, and returns what is wrong with them.
func addPools(c *Chunk, in *index.Chunk, pools map[string]*Pool) error {
	k, err := in.Constants()
	if err != nil {
		return err
	}
	c.Pools, c.Constants = uint64(len(k.Pools())), 0
	for _, p := range k.Pools() {
		c.Constants += p.Count
		class := k.Type(p.Type)
		if class == nil {
			continue // pools of no class are not read
		}
		sum := pools[class.Name]
		if sum == nil {
			sum = &Pool{Class: class.Name}
			pools[class.Name] = sum
		}
		sum.Pools++
		sum.Constants += p.Count
		sum.Bytes += p.Size
	}
	return k.Err()
}
