package jfrtest

import "fmt"

// readPools follows the chain of checkpoints from the newest to the oldest. Where several have the
// same key, the oldest one wins, as in the JDK, which overwrites on its way.
func (c *Chunk) readPools(data []byte) error {
	seen := map[int64]bool{}
	for offset := c.Header.CheckpointOffset; ; {
		if !c.inside(offset) {
			return fmt.Errorf("%w: checkpoint at offset %d of a chunk of %d", ErrBad, offset, c.Header.Size)
		}
		if seen[offset] {
			return fmt.Errorf("%w: the chain of checkpoints comes back to offset %d", ErrBad, offset)
		}
		seen[offset] = true
		cp, err := c.readCheckpoint(data, int(c.Offset+offset))
		if err != nil {
			return fmt.Errorf("checkpoint at offset %d: %w", offset, err)
		}
		c.Checkpoints = append(c.Checkpoints, cp)
		if cp.Delta == 0 {
			return nil
		}
		// May overflow: whatever comes out is checked like any other offset.
		offset += cp.Delta
	}
}

func (c *Chunk) readCheckpoint(data []byte, at int) (DecodedCheckpoint, error) {
	s, err := c.frame(data, at)
	if err != nil {
		return DecodedCheckpoint{}, err
	}
	if s.typ != CheckpointTypeID {
		return DecodedCheckpoint{}, fmt.Errorf("%w: event type %d is no checkpoint", ErrBad, s.typ)
	}
	cp := DecodedCheckpoint{Offset: int64(s.at), Size: int64(s.end - s.at)}
	r := c.reader(data, s.body, s.end)
	cp.Start, cp.Duration, cp.Delta = r.long("checkpoint start"), r.long("checkpoint duration"), r.long("delta")
	cp.Mask = r.byte("mask")
	n := r.count("pools")
	for range n {
		pool := c.readPool(r)
		if r.err != nil {
			return cp, r.err
		}
		cp.Pools = append(cp.Pools, pool)
	}
	if r.err == nil && r.left() > 0 {
		r.fail("%d bytes follow the last pool", r.left())
	}
	return cp, r.err
}

func (c *Chunk) readPool(r *refReader) DecodedPool {
	p := DecodedPool{Class: r.long("pool class")}
	n := r.count("constants")
	class := c.Classes[p.Class]
	if r.err == nil && n > 0 && class == nil {
		r.fail("pool of the unknown class %d", p.Class)
	}
	if r.err != nil {
		return p
	}
	values := c.Pools[p.Class]
	if values == nil {
		values = map[int64]any{}
		c.Pools[p.Class] = values
	}
	for range n {
		at := int64(r.pos)
		key := r.long("key")
		from := int64(r.pos)
		v := c.value(r, class, 0)
		if r.err != nil {
			return p
		}
		p.Keys, p.Offsets = append(p.Keys, key), append(p.Offsets, at)
		p.Values, p.Ends = append(p.Values, from), append(p.Ends, int64(r.pos))
		values[key] = v
	}
	return p
}
