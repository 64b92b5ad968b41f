package rewrite

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// mayKeep reports whether the constants of a chunk may keep their keys: nothing but texts and numbers changes in it, and
// all that it has can be read and is described as it was.
func (p *Plan) mayKeep(c *inputChunk) bool {
	return p.Edits != nil && !p.Anew && !p.Join && !p.OneClock && !p.Convert && p.Prefix == nil && !p.selects() &&
		!slices.Contains(c.dropped, true) && c.Finished() && len(c.Errors(nil)) == 0 && c.described.IsWhole() && !c.jvm.Renumbers() &&
		!c.hasEmptyPool() && !c.described.Reorders()
}

// keptConstants are the checkpoints of a chunk whose constants keep their keys: all constants but pooled strings that
// only events refer to. The chunks that are made of it share them.
type keptConstants struct {
	parts
	last  int // how long the last checkpoint is
	count uint64
}

// keepConstants edits the constants of the chunk, and begins to copy events that keep their keys. Pooled strings are
// copied if something refers to them: an edit may put another text in the place of the reference.
// next is the number of the next key that is made up.
func (s *source) keepConstants(all *targets, next *int64) error {
	s.kept = &keptConstants{parts: parts{blocks: &all.blocks}}
	own := all.take(s.form, s.space, next, false)
	defer all.release(own)
	s.begin(own)
	pools := s.constants.Pools()
	for _, c := range s.constants.Checkpoints() {
		if err := s.keepCheckpoint(c, pools[c.FirstPool:][:c.Pools]); err != nil {
			return err
		}
	}
	if s.strings == nil {
		return nil
	}
	s.fixed, s.keys[s.strings.Ordinal()] = s.keys[s.strings.Ordinal()], keyTable{}
	return s.checkpoint(wire.CheckpointHead{Start: s.in.Header().StartTicks, Pools: len(own.order)}, func() error {
		own.eachPool(func(head, entries []byte) {
			s.kept.append(head)
			s.kept.append(entries)
		})
		return nil
	})
}

// keepCheckpoint edits the constants of a checkpoint.
func (s *source) keepCheckpoint(c index.Checkpoint, pools []index.Pool) error {
	var one [1]index.EventHeader
	if n, _, err := s.in.ReadHeaders(c.Offset, c.Offset+1, one[:]); n == 0 {
		return err
	}
	cur := wire.NewCursor(s.data[:one[0].End()], int(one[0].Body()), s.form)
	head := wire.ReadCheckpointHead(&cur)
	head.Mask &^= index.CheckpointHeader
	head.Pools = 0
	for i := range pools {
		if s.keepsPool(&pools[i]) {
			head.Pools++
		}
	}
	return s.checkpoint(head, func() error {
		for i := range pools {
			if !s.keepsPool(&pools[i]) {
				continue
			}
			if err := s.keepPool(&pools[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepsPool reports whether the constants of a pool are copied with their checkpoint: not those of a type that nothing
// leads to, since it is not described. Chunk headers say what is no longer so.
func (s *source) keepsPool(p *index.Pool) bool {
	t := s.types.ByID(p.Type)
	return t != nil && t.Kind == schema.Struct && s.led[t.Ordinal()] && t != s.strings && t.CurrentName() != jdktypes.ChunkHeader && p.Count > 0
}

// checkpoint appends a checkpoint whose pools are appended by a function, unless it has none.
func (s *source) checkpoint(head wire.CheckpointHead, pools func() error) error {
	if head.Pools == 0 {
		return nil
	}
	head.Delta = -int64(s.kept.last)
	a := wire.Appender{Encoding: s.form}
	at := a.BeginEvent()
	a.Long(int64(schema.CheckpointID))
	a.CheckpointHead(head)
	before := s.kept.size
	s.kept.own(a.Bytes)
	if err := pools(); err != nil {
		return err
	}
	s.kept.last = s.kept.size - before
	if s.kept.last > math.MaxInt32 {
		return tooLong(uint64(s.kept.last))
	}
	a.SetSize(at, uint32(s.kept.last))
	return nil
}

// keepPool edits the constants of a pool.
func (s *source) keepPool(p *index.Pool) error {
	t := s.types.ByID(p.Type)
	plan, err := t.Plan()
	if err != nil {
		return err
	}
	head := wire.Appender{Encoding: s.form}
	head.Long(int64(p.Type))
	head.Count(int(p.Count))
	s.kept.append(head.Bytes)
	s.kept.count += p.Count
	end := min(int(p.Offset+p.Size), len(s.data))
	if s.plain[t.Ordinal()] && !s.constants.Saved() { // what has just been read need not be read again
		s.kept.extend(s.data, int(p.Offset), end)
		return nil
	}
	for pos := int(p.Offset); pos < end && s.ctx.Err() == nil; {
		edited, next, ok := s.keepConstant(t, plan, pos, end)
		if !ok {
			return fmt.Errorf("%w: a constant of %s at %d does not fit its fields", mmapjfr.ErrCorrupt, t.Name, s.in.Offset()+uint64(pos))
		}
		if edited != nil {
			s.kept.append(edited)
		} else {
			s.kept.extend(s.data, pos, next)
		}
		pos = next
	}
	return s.finish()
}

// keepConstant edits the constant whose key begins at pos. It returns the constant with its key, or nil if it stays.
func (s *source) keepConstant(t *schema.Type, plan *schema.Plan, pos, end int) (edited []byte, next int, ok bool) {
	_, n := s.form.Long(s.data[pos:end])
	if n == 0 {
		return nil, 0, false
	}
	if s.plain[t.Ordinal()] {
		next, ok = plan.Skip(s.data[:end], pos+n)
		return nil, next, ok
	}
	if d := &s.direct[t.Ordinal()]; d.plan != nil {
		if edited, next, ok = s.texts(d, t, nil, pos, pos+n, end); ok {
			return edited, next, true
		}
	}
	s.edited = false
	edited, next, ok = s.value(append(s.take(0), s.data[pos:pos+n]...), t, pos+n, end, 0)
	s.room[0] = edited
	if !s.edited {
		edited = nil
	}
	return edited, next, ok
}
