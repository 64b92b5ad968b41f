package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
)

// piece is a range, or some that settings have been worked out for, with the disputes in it and the settings that it leaves.
type piece struct {
	disputes []*dispute
	last     settings
	next     *piece
}

// each calls do with the disputes of a range.
func (r *openRange) each(do func(d *dispute)) {
	for _, d := range r.known {
		do(d)
	}
	for p := r.first; p != nil; p = p.next {
		for _, d := range p.disputes {
			do(d)
		}
	}
}

// disputes returns how many there are.
func (r *openRange) disputes() (n int) {
	r.each(func(*dispute) { n++ })
	return n
}

// addPieces adds pieces of the next range, from the first one to the last.
func (r *openRange) addPieces(first, end *piece) {
	switch {
	case first == nil:
		return
	case r.first == nil:
		r.first = first
	default:
		r.end.next = first
	}
	r.end = end
}

// withSettings calls do with the disputes in pieces, and the settings that they have if those before the range are known.
func (r *openRange) withSettings(known settings, do func(d *dispute, set settings)) {
	for p := r.first; p != nil; p = p.next {
		var own, set settings
		for i, d := range p.disputes {
			if i == 0 || !maps.Equal(own, d.settings) {
				own, set = d.settings, known.then(d.settings)
			}
			do(d, set)
		}
		known = known.then(p.last)
	}
}

// learn decides what the settings before a range decide about it. What waits for singles keeps the settings that it needs.
func (p *Profile) learn(r *openRange, known settings) {
	r.withSettings(known, func(d *dispute, set settings) {
		d.settings = set.of(d.list)
		if d.haveSingles() {
			r.known = append(r.known, d)
			return
		}
		delete(r.byChunk, chunkKind{d.kind.Name, d.chunk})
		p.settleDispute(d)
	})
	r.first, r.end = nil, nil
}

// flatten makes one piece of all, and one dispute of those that have the same settings. They are in an order that depends on their
// content alone.
func (r *openRange) flatten() {
	ids, list := make(map[disputeID]*dispute), []*dispute(nil)
	add := func(d *dispute, set settings) {
		d.settings = set
		id := d.id()
		if before := ids[id]; before != nil {
			before.addTallies(d)
			before.addRows(d)
			return
		}
		ids[id] = d
	}
	for _, d := range r.known {
		add(d, d.settings)
	}
	r.withSettings(nil, add)
	for _, id := range slices.SortedFunc(maps.Keys(ids), func(a, b disputeID) int { return bytes.Compare(a[:], b[:]) }) {
		list = append(list, ids[id])
	}
	p := &piece{disputes: list, last: r.last}
	r.known, r.first, r.end = nil, p, p
}

// disputeID is a hash of what disputes have in common that are one.
type disputeID [sha256.Size]byte

func (d *dispute) id() disputeID {
	text := func(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b := text(binary.AppendUvarint(nil, d.chunk), d.kind.Name)
	b = binary.AppendUvarint(b, uint64(len(d.list)))
	for _, v := range d.list {
		b = binary.AppendVarint(text(b, v.event), v.typ)
	}
	for _, key := range d.settings.keys() {
		b = text(text(binary.AppendVarint(b, key.id), key.name), d.settings[key])
	}
	return sha256.Sum256(b)
}
