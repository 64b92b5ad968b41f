package writer

import (
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// pool has the constants of a type, by content. A key never gets another meaning as long as the
// writer lives: the JDK's reader takes a constant from the chunk before if it has the same key.
// Constants that the chunk before does not have are forgotten, and get another key if they come
// again, so a pool does not outgrow the chunks.
type pool struct {
	contents map[string]*constant
	fixed    int   // how many constants have the keys from 0 on and are never forgotten
	next     int64 // the next key; 0 means that there has been no constant yet
	pending  wire.Appender
	count    int // constants in pending
}

// constant is a constant. Its bytes hold the keys of others, refs, which are constants of the same
// chunks.
type constant struct {
	owner *Writer
	typ   *definedType
	key   int64
	bytes string
	refs  []*constant
	chunk uint64 // the last chunk that it was written to
}

// setValues makes the constants that a type always has.
func (typ *definedType) setValues(values []string) {
	if len(values) == 0 {
		return
	}
	p := &typ.pool
	p.contents = make(map[string]*constant)
	for _, v := range values {
		var a wire.Appender
		a.Text(v)
		c := &constant{typ: typ, key: p.next, bytes: string(a.Bytes)}
		p.contents[c.bytes] = c
		p.next++
	}
	p.fixed = len(values)
}

// intern returns the constant with a content, which from now on belongs to the chunk; nil for null.
func (w *Writer) intern(typ *definedType, v *Value) (*constant, error) { return w.internAs(typ, v, 0) }

// internAs is intern with the key of the constant if it is new; 0 stands for the next one.
func (w *Writer) internAs(typ *definedType, v *Value, key int64) (*constant, error) {
	if v.kind == constantValue {
		c := v.constant
		if c.typ != typ || c.owner != w {
			return nil, fmt.Errorf("a constant of type %q of this writer is needed, not one of type %q", typ.name, c.typ.name)
		}
		w.touch(c)
		return c, nil
	}
	if v.kind == nullValue {
		if typ.pool.fixed > 0 {
			return nil, fmt.Errorf("constants of type %q cannot be null: key 0 is that of a value", typ.name)
		}
		return nil, nil
	}
	e := w.borrow()
	defer w.giveBack()
	if err := w.appendValue(e, typ, v); err != nil {
		return nil, err
	}
	p := &typ.pool
	c := p.contents[string(e.Bytes)]
	if c == nil {
		if p.contents == nil {
			p.contents = make(map[string]*constant)
		}
		if key == 0 {
			key = typ.nextKey()
		}
		c = &constant{typ: typ, key: key, bytes: string(e.Bytes), refs: slices.Clone(e.refs)}
		p.contents[c.bytes] = c
	}
	c.owner = w
	w.touch(c)
	return c, nil
}

// nextKey returns a key that no constant has had. Those of threads are even: odd ones are those of goroutines.
func (typ *definedType) nextKey() int64 {
	p := &typ.pool
	step := int64(1)
	if typ.name == jdktypes.Thread {
		step = 2
	}
	p.next = max(p.next, step)
	p.next += step
	return p.next - step
}

// touch writes a constant, and those that it refers to, unless the chunk has them.
func (w *Writer) touch(c *constant) {
	if c.chunk == w.chunk.number {
		return
	}
	c.chunk = w.chunk.number
	for _, ref := range c.refs {
		w.touch(ref)
	}
	p := &c.typ.pool
	if p.contents[c.bytes] == nil {
		p.contents[c.bytes] = c // it had been forgotten, but somebody held it
	}
	p.pending.Encoding = w.out.Encoding
	before := len(p.pending.Bytes)
	p.pending.Long(c.key)
	p.pending.Raw([]byte(c.bytes))
	w.chunk.pending += len(p.pending.Bytes) - before
	p.count++
}

// appendConstants appends a checkpoint with the constants that the chunk does not have yet.
func (w *Writer) appendConstants() {
	pools := 0
	for _, typ := range w.types.list {
		if typ.pool.count > 0 {
			pools++
		}
	}
	if pools == 0 {
		return
	}
	at := w.beginCheckpoint(0, pools)
	for _, typ := range w.types.list {
		if p := &typ.pool; p.count > 0 {
			w.out.Long(typ.id)
			w.out.Count(p.count)
			w.out.Raw(p.pending.Bytes)
			p.pending.Bytes, p.count = p.pending.Bytes[:0], 0
		}
	}
	w.chunk.pending = 0
	w.out.EndEvent(at)
}

// forget drops the constants that the chunk before this one has not used.
func (w *Writer) forget() {
	for _, typ := range w.types.list {
		for text, c := range typ.pool.contents {
			if c.chunk+1 < w.chunk.number && c.key >= int64(typ.pool.fixed) {
				delete(typ.pool.contents, text)
			}
		}
	}
	for pcs, c := range w.stacks {
		if c.chunk+1 < w.chunk.number {
			delete(w.stacks, pcs)
		}
	}
	for id, c := range w.goroutines {
		if c.chunk+1 < w.chunk.number {
			delete(w.goroutines, id)
		}
	}
}
