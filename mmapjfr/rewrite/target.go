package rewrite

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
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
	space     keySpace
	next      *int64 // the number of the next key that is made up, in the chunks of a task
	joins     bool   // constants of several chunks come together
}

// pool is the constants of a type.
type pool struct {
	typ     schema.TypeID
	entries wire.Appender // keys and values
	count   int
	used    bool             // in this chunk
	known   map[uint64]entry // by the hash of the value, of those whose keys are made up
	byKey   map[int64]entry  // the others, if constants of several chunks come together
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
func (all *targets) take(form wire.IntEncoding, space keySpace, next *int64, joins bool) *target {
	t, ok := all.free.Get().(*target)
	if !ok {
		t = &target{pools: make(map[schema.TypeID]*pool), events: parts{blocks: &all.blocks}}
	}
	t.form, t.space, t.next, t.joins = form, space, next, joins
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
		clear(p.byKey)
	}
	all.free.Put(t)
}

// len returns how many bytes of memory the chunk takes, more or less: all but what stays where it is in a recording.
func (t *target) len() int { return t.events.copied + t.size }

// pool returns the pool of a type, for a constant of it.
func (t *target) pool(typ schema.TypeID) *pool {
	p := t.pools[typ]
	if p == nil {
		p = &pool{typ: typ, known: make(map[uint64]entry), byKey: make(map[int64]entry)}
		t.pools[typ] = p
	}
	if !p.used {
		p.used, p.entries.Encoding = true, t.form
		t.order = append(t.order, p)
	}
	return p
}

// newKey returns a key that no other constant has, in no chunk.
func (t *target) newKey(p *pool) int64 {
	*t.next++
	return *t.next*t.space.spaces + t.space.number
}

// has reports whether a constant with a key is there, if constants of several chunks come together.
func (t *target) has(p *pool, key int64) bool {
	_, ok := p.byKey[key]
	return ok
}

// internAs adds a constant with a key of its own, unless it is there already. If another one has the key, it gets a new
// one. It returns the key.
func (t *target) internAs(p *pool, key int64, value []byte) int64 {
	if e, ok := p.byKey[key]; ok {
		if bytes.Equal(p.entries.Bytes[e.from:e.to], value) {
			return key
		}
		return t.intern(p, value)
	}
	from, to := t.add(p, key, value)
	if t.joins {
		p.byKey[key] = entry{uint32(from), uint32(to), key}
	}
	return key
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
		if p.count == 0 {
			continue // the JDK's readers refuse empty pools
		}
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
	pools := 0
	t.eachPool(func(_, _ []byte) { pools++ })
	tail := wire.Appender{Encoding: t.form}
	at := tail.BeginEvent()
	tail.Long(int64(schema.CheckpointID))
	tail.CheckpointHead(wire.CheckpointHead{Start: h.StartTicks, Delta: -int64(older), Mask: index.CheckpointFlush, Pools: pools})
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
	return fmt.Errorf("rewrite: the constants of a chunk take %d bytes, and a checkpoint at most 2 GB", size)
}
