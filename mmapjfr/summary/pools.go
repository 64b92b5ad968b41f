package summary

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Pool is all constants of a type.
type Pool struct {
	// Type is the name of the type.
	Type string `json:"type"`
	// Pools is the number of pools of the type: a chunk mostly has several.
	Pools uint64 `json:"pools"`
	// Constants is the number of constants in them. A constant that is in several pools is
	// counted in each.
	Constants uint64 `json:"constants"`
	// Bytes is how many bytes they take.
	Bytes uint64 `json:"bytes"`
}

// ReadPools reads the constant pools and fills in Pools of the summary, and Pools and
// Constants of the chunks. Its cost is that of [mmapjfr.Recording.LoadConstants]. Faults in
// checkpoints are added to those of the summary. For progress and the error see [Count].
func (s *Summary) ReadPools(ctx context.Context, progress func(bytes uint64)) error {
	pools := make(map[string]*Pool)
	chunks := s.Chunks
	for _, rec := range s.Recordings {
		var own []Chunk
		own, chunks = s.split(chunks, rec)
		err := rec.Protect(func() error {
			for some := range slices.Chunk(own, loadedTogether) {
				if err := s.readPools(ctx, rec, some, pools, progress); err != nil {
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

// split returns the chunks at the beginning of the list that are of the recording, and the
// others.
func (s *Summary) split(chunks []Chunk, rec *mmapjfr.Recording) (own, rest []Chunk) {
	n := 0
	for n < len(chunks) && chunks[n].Recording == rec {
		n++
	}
	return chunks[:n], chunks[n:]
}

// loadedTogether is how many chunks are read at a time: of so few the constants stay in
// memory, see [mmapjfr.Recording.LoadConstants].
const loadedTogether = 16

// readPools adds the pools of some chunks of a recording.
func (s *Summary) readPools(ctx context.Context, rec *mmapjfr.Recording, chunks []Chunk, pools map[string]*Pool, progress func(bytes uint64)) error {
	list := make([]mmapjfr.Chunk, len(chunks))
	for i := range chunks {
		list[i] = chunks[i].Chunk
	}
	if err := rec.LoadConstants(ctx, list); err != nil {
		return err
	}
	for i := range chunks {
		s.addFault(rec, chunks[i].addPools(pools))
		if progress != nil {
			progress(chunks[i].Chunk.Size())
		}
	}
	return nil
}

// addPools adds the pools of a chunk. It returns an error for what cannot be read of them.
func (c *Chunk) addPools(pools map[string]*Pool) error {
	r, err := c.Chunk.ConstantReader()
	if err != nil {
		return err
	}
	c.Pools, c.Constants = 0, 0
	for _, cp := range r.Checkpoints() {
		for _, p := range cp.Pools {
			c.Pools++
			c.Constants += p.Count
			if p.Type.IsZero() {
				continue
			}
			sum := pools[p.Type.Name()]
			if sum == nil {
				sum = &Pool{Type: p.Type.Name()}
				pools[p.Type.Name()] = sum
			}
			sum.Pools++
			sum.Constants += p.Count
			sum.Bytes += p.Size
		}
	}
	return r.Err()
}
