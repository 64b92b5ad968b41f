package query

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// partial is what has been summed up of some events: groups by the raw values of their keys. It can
// be merged with others in any order to the same result.
type partial struct {
	plan   *Plan
	keys   []int64  // of all groups, one after the other
	firsts []moment // by group: of its first event
	last   moment   // of the last event
	slots  []uint32 // a hash table of the numbers of groups, plus 1
	states []state  // by aggregate
	values values
	span   rateTime // that rates are taken over
	jvm    string   // the virtual machine whose events they are, if the plan has to know; severalJVMs
}

func newPartial(p *Plan) *partial {
	r := &partial{plan: p, values: values{byID: p.o.JDK}}
	for i := range p.aggs {
		r.states = append(r.states, p.aggs[i].newState())
	}
	return r
}

// len returns the number of groups.
func (p *partial) len() int { return len(p.firsts) }

// group returns the number of the group with a key, which it makes if it is new.
func (p *partial) group(key []int64, at moment) uint32 {
	if len(p.slots) == 0 || 4*p.len() >= 3*len(p.slots) {
		p.rehash(slotsFor(p.len()))
	}
	mask := uint64(len(p.slots) - 1)
	for slot := hashKey(key) & mask; ; slot = (slot + 1) & mask {
		n := p.slots[slot]
		if n == 0 {
			p.slots[slot] = uint32(p.len()) + 1
			p.keys = append(p.keys, key...)
			p.firsts = append(p.firsts, at)
			return uint32(p.len() - 1)
		}
		if g := int(n - 1); slices.Equal(p.key(g), key) {
			if at.compare(p.firsts[g]) < 0 {
				p.firsts[g] = at
			}
			return uint32(g)
		}
	}
}

// key returns the key of a group.
func (p *partial) key(g int) []int64 {
	width := len(p.plan.keys)
	return p.keys[g*width : (g+1)*width]
}

func (p *partial) rehash(n int) {
	p.slots = make([]uint32, n)
	mask := uint64(n - 1)
	for g := range p.len() {
		slot := hashKey(p.key(g)) & mask
		for p.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		p.slots[slot] = uint32(g) + 1
	}
}

// slotsFor returns how many slots a hash table has that n things have filled up: a power of 2.
func slotsFor(n int) int { return max(16, 1<<bits.Len(uint(4*n/3))) }

// hashKey returns a hash of raw values.
func hashKey(key []int64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, k := range key {
		h = (h ^ uint64(k)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// grow makes room in the states for all groups.
func (p *partial) grow() {
	for _, s := range p.states {
		s.grow(p.len())
	}
}

// add adds events that readers have read.
func (p *partial) add(b *feed, groups []uint32, key []int64) {
	for i := range b.n {
		if b.moments[i].compare(p.last) > 0 {
			p.last = b.moments[i]
		}
		same := i > 0
		for j, in := range p.plan.keys {
			raw := b.columns[in][i]
			same = same && raw == key[j]
			key[j] = raw
		}
		if same && b.moments[i].compare(b.moments[i-1]) >= 0 {
			groups[i] = groups[i-1]
			continue
		}
		groups[i] = p.group(key, b.moments[i])
	}
	p.grow()
	if !p.plan.o.JDK {
		b.dropInfinite()
	}
	for _, s := range p.states {
		s.add(b, groups[:b.n])
	}
}

// merge adds the groups of another partial result of the same statement. Value returns the value of
// a raw one of an input in the other, as one of the kind that it has here, unless raw values are the
// same in both.
func (p *partial) merge(from *partial, same []bool, value func(in int, raw int64) Value) {
	jvm := int64(nullRaw) // that becomes a key
	if p.plan.perJVM && p.jvm == severalJVMs && from.jvm != severalJVMs && from.jvm != "" {
		jvm = p.values.raw(textValue(from.jvm))
	}
	if from.last.compare(p.last) > 0 {
		p.last = from.last
	}
	m := &merger{from: from, to: p, value: value, same: same}
	to := make([]uint32, from.len())
	key := make([]int64, len(p.plan.keys))
	for g := range from.len() {
		for j, raw := range from.key(g) {
			key[j] = m.raw(p.plan.keys[j], raw)
		}
		if jvm != nullRaw {
			key[len(key)-1] = jvm
		}
		to[g] = p.group(key, from.firsts[g])
	}
	p.grow()
	for i, s := range p.states {
		s.merge(from.states[i], to, m)
	}
}

// mergeAll is merge for a partial result whose raw values are those of its own.
func (p *partial) mergeAll(from *partial) {
	same := make([]bool, len(p.plan.inputs))
	for i, in := range p.plan.inputs {
		same[i] = in.shape.kind.isNumeric()
	}
	p.span.join(from.span)
	p.meet(from)
	p.merge(from, same, func(in int, raw int64) Value { return from.values.value(p.plan.inputs[in].shape.kind, raw) })
}

// ErrTooMuch matches errors about statements that would keep too many groups, values or events.
var ErrTooMuch = errors.New("the statement keeps too much in memory")

var (
	// maxKept is about how many bytes a partial result keeps.
	maxKept = 1 << 30
	// maxRows is how many events the rows of a statement without groups are, if they cannot be read again.
	maxRows = 1 << 22
)

// Err returns why the result is not complete; nil if it is. The error matches [ErrTooMuch] if more was to be
// kept than the engine is willing to: groups and values of about 1 GiB, or four million rows that are events
// and were added one by one. What would have come after it is left out.
func (r *Partial) Err() error { return r.err }

// check sets the error if the result keeps too much.
func (r *Partial) check() {
	if r.err == nil && r.groups != nil {
		r.err = r.groups.check()
	}
	if r.err == nil && r.rows != nil && r.rows.most == 0 && len(r.rows.list) > maxRows {
		r.err = fmt.Errorf("%w: more than %d rows; add LIMIT or WHERE, or group them", ErrTooMuch, maxRows)
	}
}

// check returns an error if groups and values take too much memory.
func (p *partial) check() error {
	if p.memory() <= maxKept {
		return nil
	}
	return fmt.Errorf("%w: %d groups, and their values take more than %d MB; select fewer events with WHERE, group by something "+
		"with fewer values, or ask for COUNT or UNIQUE and not for LIST or SET", ErrTooMuch, p.len(), maxKept>>20)
}

// memory returns how many bytes groups and values take, more or less.
func (p *partial) memory() int {
	kept := p.values.bytes + p.len()*(8*len(p.plan.keys)+momentSize+8)
	for _, s := range p.states {
		kept += s.memory()
	}
	return kept
}

// How many bytes things take in memory, more or less.
const (
	momentSize = 40
	valueSize  = 60
	edgeSize   = 2*8 + 2*momentSize + 8
	setSize    = 2*8 + momentSize + 40 // with its place in a map
	exactSize  = 8 * (limbs + 1)
	bucketSize = 40
)
