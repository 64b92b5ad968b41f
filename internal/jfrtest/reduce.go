package jfrtest

import "fmt"

// Reduce returns one chunk of a recording with at most n events of each of the named types, in the
// order of the file, and what they lead to: their classes without annotations that nobody reads,
// and the constants that they refer to. The bytes of events and constants are those of the writer.
// A chunk of a virtual machine so becomes one of a few KB, nearly all of which matters.
func Reduce(recording []byte, chunk, events int, types ...string) (*Builder, error) {
	rec, err := Decode(recording)
	if chunk >= len(rec.Chunks) {
		return nil, fmt.Errorf("jfrtest: chunk %d of %d: %w", chunk, len(rec.Chunks), err)
	}
	c := rec.Chunks[chunk]
	r := &reducer{c: c, b: NewEmptyChunk(), classes: map[int64]bool{}, keys: map[Constant]bool{}}
	h := c.Header
	r.b.Header = Header{
		Major: h.Major, Minor: h.Minor, StartNanos: h.StartNanos, DurationNanos: h.DurationNanos,
		StartTicks: h.StartTicks, TickRate: h.TickRate, Flags: h.Flags,
	}
	r.b.Region = c.Region
	wanted := map[string]int{}
	for _, name := range types {
		wanted[name] = events
	}
	for i := range c.Events {
		e := &c.Events[i]
		if wanted[e.TypeName] == 0 {
			continue
		}
		wanted[e.TypeName]--
		r.class(e.TypeID)
		for _, f := range e.Fields {
			r.value(f.Value)
		}
		r.b.items = append(r.b.items, &bytesItem{recording[e.Offset : e.Offset+e.Size]})
	}
	r.constants(recording)
	return r.b, nil
}

// reducer collects what values lead to.
type reducer struct {
	c       *Chunk
	b       *Builder
	classes map[int64]bool
	keys    map[Constant]bool
}

// class adds a class with all that its fields are of.
func (r *reducer) class(id int64) {
	class := r.c.Classes[id]
	if class == nil || r.classes[id] {
		return
	}
	r.classes[id] = true
	kept := *class
	kept.Annotations, kept.Settings = nil, nil
	kept.Fields = nil
	for _, f := range class.Fields {
		var notes []Annotation
		for _, a := range f.Annotations {
			if a.Class == annTimestamp || a.Class == annTimespan {
				r.class(a.ClassID)
				notes = append(notes, a)
			}
		}
		f.Annotations = notes
		r.class(f.ClassID)
		kept.Fields = append(kept.Fields, f)
	}
	r.b.Add(&kept)
}

// value collects the constants that a value leads to.
func (r *reducer) value(v any) {
	switch v := v.(type) {
	case Constant:
		if r.keys[v] {
			return
		}
		if to, ok := r.c.Pools[v.Class][v.Key]; ok {
			r.keys[v] = true
			r.class(v.Class)
			r.value(to)
		}
	case *Struct:
		for _, f := range v.Fields {
			r.value(f.Value)
		}
	case []any:
		for _, e := range v {
			r.value(e)
		}
	}
}

// constants adds the constants that have been collected, checkpoint by checkpoint.
func (r *reducer) constants(recording []byte) {
	for i := len(r.c.Checkpoints) - 1; i >= 0; i-- {
		from := &r.c.Checkpoints[i]
		var to *Checkpoint
		for _, pool := range from.Pools {
			for j, key := range pool.Keys {
				if !r.keys[Constant{pool.Class, key}] {
					continue
				}
				if to == nil {
					to = r.b.Checkpoint(from.Mask &^ MaskHeader)
					to.Start, to.Duration = from.Start, from.Duration
				}
				r.pool(to, pool.Class).Add(key, Raw(recording[pool.Values[j]:pool.Ends[j]]))
			}
		}
	}
}

// pool returns the last pool of a checkpoint if it is of that class, or a new one.
func (r *reducer) pool(cp *Checkpoint, class int64) *Pool {
	if n := len(cp.pools); n > 0 && cp.pools[n-1].id == class {
		return cp.pools[n-1]
	}
	return cp.PoolID(class)
}
