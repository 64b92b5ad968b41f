package jfrtest

// Checkpoint is a checkpoint event: a link of the chain and some pools.
type Checkpoint struct {
	// Mask is the checkpoint's kind: [MaskFlush] and so on.
	Mask byte
	// Start and Duration are in ticks.
	Start, Duration int64
	// Prev, where not nil, is the next older checkpoint of the chain, wherever in
	// the chunk it lies. By default it is the one before.
	Prev *Checkpoint
	// Delta, where not nil, is written instead of the way to the next older
	// checkpoint; 0 ends the chain.
	Delta *int64
	// Unlinked keeps the checkpoint out of the chain of all others.
	Unlinked bool
	// SizeWidth is the width of the size; 0 is the chunk's, -1 as short as possible.
	SizeWidth int
	// Size, where not nil, is written instead of the true size.
	Size *int64
	// TypeID, where not nil, is written instead of the type of checkpoints.
	TypeID *int64
	// PoolCount, where not nil, is written instead of the number of pools.
	PoolCount *int64
	// Trailing are bytes after the last pool that the size includes.
	Trailing []byte

	b     *Builder
	pools []*Pool
}

// Pool is a pool of a checkpoint.
type Pool struct {
	// Count, where not nil, is written instead of the number of constants.
	Count *int64

	name    string
	id      int64
	entries []entry
}

type entry struct {
	key   any
	value []any
}

// Checkpoint adds a checkpoint after everything added so far, and returns it.
func (b *Builder) Checkpoint(mask byte) *Checkpoint {
	c := &Checkpoint{Mask: mask, Start: b.Header.StartTicks, b: b}
	b.items = append(b.items, c)
	return c
}

// Constants returns the checkpoint that [Builder.Constant] adds to.
func (b *Builder) Constants() *Checkpoint {
	if b.constants == nil {
		b.constants = &Checkpoint{Start: b.Header.StartTicks, b: b}
	}
	return b.constants
}

// Constant adds a constant to a checkpoint that the whole chunk shares. The key
// is any integer; the values are those of the class's fields, or the only one of
// a class without. It returns a reference, to be the value of a field.
func (b *Builder) Constant(class string, key any, values ...any) Constant {
	return b.Constants().Add(class, key, values...)
}

// Pool begins a new pool, also where there is one of that class already. With no
// constant added it stays empty; mind that the JDK's reader fails on that.
func (c *Checkpoint) Pool(class string) *Pool {
	p := &Pool{name: class}
	c.pools = append(c.pools, p)
	return p
}

// PoolID is [Checkpoint.Pool] with the id of the class, which need not exist.
func (c *Checkpoint) PoolID(id int64) *Pool {
	p := &Pool{id: id}
	c.pools = append(c.pools, p)
	return p
}

// Add adds a constant to the last pool of that class, or to a new one, and returns
// a reference to it.
func (c *Checkpoint) Add(class string, key any, values ...any) Constant {
	var pool *Pool
	for _, p := range c.pools {
		if p.name == class {
			pool = p
		}
	}
	if pool == nil {
		pool = c.Pool(class)
	}
	pool.Add(key, values...)
	if p, ok := key.(Padded); ok {
		key = p.Value
	}
	k, _ := bits(key)
	return Constant{Class: c.b.classOf(class, 0).ID, Key: int64(k)}
}

// Add adds a constant to the pool and returns the pool.
func (p *Pool) Add(key any, values ...any) *Pool {
	p.entries = append(p.entries, entry{key, values})
	return p
}

// CarryHeader adds, as the first pool, a copy of the chunk's header as it was when
// the checkpoint had just been written, sets [MaskHeader] and returns c. Readers
// of a stream learn from it what the file's header cannot tell them.
func (c *Checkpoint) CarryHeader(state byte) *Checkpoint {
	c.Mask |= MaskHeader
	p := &Pool{name: classChunkHeader}
	p.Add(1, headerCopy{of: c, state: state})
	c.pools = append([]*Pool{p}, c.pools...)
	return c
}

// delta writes the way to the next older checkpoint. Its length must not depend
// on offsets, which are not known the first time.
func (c *Checkpoint) delta(e *encoder, p *placement) {
	prev := c.Prev
	if prev == nil {
		prev = p.prev[c]
	}
	switch {
	case c.Delta != nil:
		e.long(*c.Delta)
	case prev == nil:
		e.long(0)
	default:
		// Older checkpoints lie before as a rule, and a negative number takes up nine bytes anyway.
		e.integer(uint64(p.at[prev]-p.at[c]), 8, 9)
	}
}

func (c *Checkpoint) encode(e *encoder, p *placement) any {
	body := e.sub()
	if c.TypeID != nil {
		body.long(*c.TypeID)
	} else {
		body.long(CheckpointTypeID)
	}
	body.long(c.Start)
	body.long(c.Duration)
	at := len(body.buf)
	c.delta(body, p)
	span := CheckpointSpan{Delta: Span{int64(at), int64(len(body.buf) - at)}}
	body.raw(uint64(c.Mask), 1)
	body.count(len(c.pools), c.PoolCount)
	for _, pool := range c.pools {
		span.Pools = append(span.Pools, pool.encode(body))
	}
	body.buf = append(body.buf, c.Trailing...)
	e.record(body.buf, width(c.SizeWidth, e.b.SizeWidth), c.Size)
	span.shift(int64(len(e.buf) - len(body.buf)))
	return span
}

func (p *Pool) encode(e *encoder) PoolSpan {
	at := len(e.buf)
	var span PoolSpan
	e.long(e.b.idOf(p.name, p.id))
	e.count(len(p.entries), p.Count)
	for _, x := range p.entries {
		span.Constants = append(span.Constants, e.constant(e.b.classOf(p.name, p.id), x))
	}
	span.Span = Span{int64(at), int64(len(e.buf) - at)}
	return span
}

func (e *encoder) constant(class *Class, x entry) ConstantSpan {
	at := len(e.buf)
	bad := func(why string) { panic("jfrtest: a constant of " + class.Name + ": " + why) }
	e.number(x.key, 8, bad)
	value := len(e.buf)
	switch {
	case len(class.Fields) > 0:
		if len(x.value) == 1 {
			if raw, ok := x.value[0].(Raw); ok {
				e.buf = append(e.buf, raw...)
				break
			}
		}
		e.structure(class, x.value)
	case len(x.value) == 1:
		e.value(class, x.value[0], bad)
	default:
		bad("needs one value")
	}
	return ConstantSpan{
		Span:  Span{int64(at), int64(len(e.buf) - at)},
		Value: Span{int64(value), int64(len(e.buf) - value)},
	}
}
