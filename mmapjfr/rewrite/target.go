package rewrite

import (
	"bytes"
	"hash/maphash"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// target is a chunk that is being made: its events, and the constants that they lead to.
type target struct {
	form   wire.IntEncoding
	events []byte
	kept   uint64 // events
	pools  map[schema.TypeID]*pool
	order  []*pool
	size   int // of all entries of pools
	// phase and stride number the constants of this chunk: those of its neighbours get other numbers.
	phase, stride int64
	// before are the pools of the chunk before, if the same task has made it.
	before map[schema.TypeID]*pool
}

// pool is the constants of a type.
type pool struct {
	typ     schema.TypeID
	entries wire.Appender // keys and values
	count   int
	// from and next are the first key and the next one, as a number of strides.
	from, next int64
	known      map[uint64]entry // by the hash of the value
}

// entry is where the value of a constant lies in the entries of its pool.
type entry struct {
	from, to uint32
	key      int64
}

// seed is that of all hashes: they decide nothing that is written.
var seed = maphash.MakeSeed()

func newTarget(form wire.IntEncoding, phase, stride int64, before *target) *target {
	t := &target{form: form, pools: make(map[schema.TypeID]*pool), phase: phase, stride: stride}
	if before != nil {
		t.before = before.pools
	}
	return t
}

// len returns how many bytes the chunk has, more or less.
func (t *target) len() int { return len(t.events) + t.size }

// pool returns the pool of a type.
func (t *target) pool(typ schema.TypeID) *pool {
	p := t.pools[typ]
	if p == nil {
		p = &pool{typ: typ, entries: wire.Appender{Encoding: t.form}, from: 1, next: 1, known: make(map[uint64]entry)}
		t.pools[typ] = p
		t.order = append(t.order, p)
	}
	return p
}

// newKey returns a key that neither this chunk nor the one before has.
func (t *target) newKey(p *pool) int64 {
	if b := t.before[p.typ]; b != nil && p.next >= b.from && p.next < b.next {
		if p.count == 0 {
			p.from = b.next
		}
		p.next = b.next
	}
	n := p.next
	p.next++
	return n*t.stride + t.phase
}

// intern returns the key of the constant with a value: an old one, if the pool has that value already.
func (t *target) intern(p *pool, value []byte) int64 {
	h := maphash.Bytes(seed, value)
	for ; ; h++ {
		e, ok := p.known[h]
		if !ok {
			break
		}
		if bytes.Equal(p.entries.Bytes[e.from:e.to], value) {
			return e.key
		}
	}
	key := t.newKey(p)
	from, to := t.add(p, key, value)
	p.known[h] = entry{uint32(from), uint32(to), key}
	return key
}

// add adds a constant, and returns where its value lies in the entries.
func (t *target) add(p *pool, key int64, value []byte) (from, to int) {
	before := len(p.entries.Bytes)
	p.entries.Long(key)
	from = len(p.entries.Bytes)
	p.entries.Raw(value)
	p.count++
	to = len(p.entries.Bytes)
	t.size += to - before
	return from, to
}

// piece is a chunk to write: its parts, one after the other. The first begins with the chunk header.
type piece [][]byte

// piece returns the chunk.
func (t *target) piece(h wire.Header, metadata []byte) piece {
	tail := wire.Appender{Encoding: t.form}
	at := tail.BeginEvent()
	tail.Long(int64(schema.CheckpointID))
	tail.CheckpointHead(wire.CheckpointHead{Start: h.StartTicks, Mask: index.CheckpointFlush, Pools: len(t.order)})
	parts := piece{nil, metadata, t.events}
	size := uint64(len(tail.Bytes) - at)
	var pools [][]byte
	for _, p := range t.order {
		head := wire.Appender{Encoding: t.form}
		head.Long(int64(p.typ))
		head.Count(p.count)
		pools = append(pools, head.Bytes, p.entries.Bytes)
		size += uint64(len(head.Bytes) + len(p.entries.Bytes))
	}
	tail.SetSize(at, uint32(size))
	parts = append(append(parts, tail.Bytes), pools...)
	h.Metadata = wire.HeaderLen
	h.Checkpoint = wire.HeaderLen + uint64(len(metadata)+len(t.events))
	h.Size = h.Checkpoint + size
	h.State, h.Flags = wire.StateFinished, h.Flags&^wire.FlagCompressed
	if t.form == wire.Compressed {
		h.Flags |= wire.FlagCompressed
	}
	var head wire.Appender
	head.Header(h)
	parts[0] = head.Bytes
	return parts
}
