package rewrite

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// target is a chunk that is being made: its events, and the constants that they lead to.
type target struct {
	form   wire.IntEncoding
	events parts
	kept   uint64 // events
	pools  map[schema.TypeID]*pool
	order  []*pool
	size   int // of all entries of pools
	// constants are those that keep their keys; nil if none do. The last chunk that has them owns their memory.
	constants *keptConstants
	owns      bool
	// phase and stride number the constants of this chunk: those of its neighbours get other numbers.
	phase, stride int64
	// before are the keys of the chunk before, if the same task has made it.
	before map[schema.TypeID]keyRange
}

// keyRange are the keys of a pool, as numbers of strides: from the first to that before next.
type keyRange struct{ from, next int64 }

// pool is the constants of a type.
type pool struct {
	typ     schema.TypeID
	entries wire.Appender // keys and values
	count   int
	used    bool // in this chunk
	keys    keyRange
	known   map[uint64]entry // by the hash of the value
}

// entry is where the value of a constant lies in the entries of its pool.
type entry struct {
	from, to uint32
	key      int64
}

// seed is that of all hashes: they decide nothing that is written.
var seed = maphash.MakeSeed()

// targets are those that have been written: their memory is used again.
type targets struct {
	blocks
	free sync.Pool
}

// take returns an empty target.
func (all *targets) take(form wire.IntEncoding, phase, stride int64, before map[schema.TypeID]keyRange) *target {
	t, ok := all.free.Get().(*target)
	if !ok {
		t = &target{pools: make(map[schema.TypeID]*pool), events: parts{blocks: &all.blocks}}
	}
	t.form, t.phase, t.stride, t.before = form, phase, stride, before
	return t
}

// release takes back a target that has been written.
func (all *targets) release(t *target) {
	t.events.release()
	if t.owns {
		t.constants.release()
	}
	t.constants, t.owns = nil, false
	t.kept, t.size, t.order = 0, 0, t.order[:0]
	for _, p := range t.pools {
		p.entries.Bytes, p.count, p.used = p.entries.Bytes[:0], 0, false
		clear(p.known)
	}
	all.free.Put(t)
}

// keys returns the keys that the chunk uses.
func (t *target) keys() map[schema.TypeID]keyRange {
	keys := make(map[schema.TypeID]keyRange, len(t.order))
	for _, p := range t.order {
		keys[p.typ] = p.keys
	}
	return keys
}

// len returns how many bytes of memory the chunk takes, more or less: all but what stays where it is in a recording.
func (t *target) len() int { return t.events.copied + t.size }

// pool returns the pool of a type, for a constant of it.
func (t *target) pool(typ schema.TypeID) *pool {
	p := t.pools[typ]
	if p == nil {
		p = &pool{typ: typ, known: make(map[uint64]entry)}
		t.pools[typ] = p
	}
	if !p.used {
		p.used, p.keys, p.entries.Encoding = true, keyRange{1, 1}, t.form
		t.order = append(t.order, p)
	}
	return p
}

// newKey returns a key that neither this chunk nor the one before has.
func (t *target) newKey(p *pool) int64 {
	if b := t.before[p.typ]; p.keys.next >= b.from && p.keys.next < b.next {
		if p.keys.next == p.keys.from {
			p.keys.from = b.next
		}
		p.keys.next = b.next
	}
	n := p.keys.next
	p.keys.next++
	return n*t.stride + t.phase
}

// internAs adds a constant with a key of its own, unless it is there already. Keys of others are greater.
func (t *target) internAs(p *pool, key int64, value []byte) {
	h := maphash.Bytes(seed, value)
	for ; ; h++ {
		e, ok := p.known[h]
		if !ok {
			break
		}
		if e.key == key {
			return
		}
	}
	from, to := t.add(p, key, value)
	p.known[h] = entry{uint32(from), uint32(to), key}
	after := max(p.keys.next, key/t.stride+1)
	p.keys = keyRange{after, after}
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

// eachPool calls do with the head and the entries of each pool.
func (t *target) eachPool(do func(head, entries []byte)) {
	for _, p := range t.order {
		head := wire.Appender{Encoding: t.form}
		head.Long(int64(p.typ))
		head.Count(p.count)
		do(head.Bytes, p.entries.Bytes)
	}
}

// piece returns the chunk. It fails if the constants take more bytes than a checkpoint can have.
func (t *target) piece(h wire.Header, metadata piece) (piece, error) {
	t.events.endRun()
	parts := slices.Concat(piece{nil}, metadata, t.events.list)
	h.Checkpoint = wire.HeaderLen + uint64(t.events.size)
	for _, part := range metadata {
		h.Checkpoint += uint64(len(part))
	}
	older := 0
	if t.constants != nil {
		t.constants.endRun()
		parts = append(parts, t.constants.list...)
		h.Checkpoint += uint64(t.constants.size)
		older = t.constants.last
	}
	tail := wire.Appender{Encoding: t.form}
	at := tail.BeginEvent()
	tail.Long(int64(schema.CheckpointID))
	tail.CheckpointHead(wire.CheckpointHead{Start: h.StartTicks, Delta: -int64(older), Mask: index.CheckpointFlush, Pools: len(t.order)})
	parts = append(parts, tail.Bytes)
	size := uint64(len(tail.Bytes))
	t.eachPool(func(head, entries []byte) {
		parts = append(parts, head, entries)
		size += uint64(len(head) + len(entries))
	})
	if size > math.MaxInt32 { // Java's int
		return nil, tooLong(size)
	}
	tail.SetSize(at, uint32(size))
	h.Metadata = wire.HeaderLen
	h.Size = h.Checkpoint + size
	h.State, h.Flags = wire.StateFinished, h.Flags&^wire.FlagCompressed
	if t.form == wire.Compressed {
		h.Flags |= wire.FlagCompressed
	}
	var head wire.Appender
	head.Header(h)
	parts[0] = head.Bytes
	return parts, nil
}

// tooLong returns the error of a checkpoint that cannot be written.
func tooLong(size uint64) error {
	return fmt.Errorf("rewrite: the constants of a chunk take %d bytes, and a checkpoint at most 2 GiB", size)
}
