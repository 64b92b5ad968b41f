package corrupt

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
)

// hostile are the numbers that each number of a recording is set to, besides its neighbours.
var hostile = []struct {
	name  string
	value uint64
}{{"0", 0}, {"1", 1}, {"2^31", 1 << 31}, {"2^63", 1 << 63}, {"-1", math.MaxUint64}}

const neighbours = 2

// Numbers are the recording with each of its counts, sizes, offsets, deltas, ids and
// values set to 0, 1, 2^31, 2^63 and -1, and to one more and one less than it was. Where
// the number takes more bytes then, those after it move, and the sizes and offsets of
// the format are made right again: that number alone is wrong.
func (a *Atlas) Numbers() Set {
	each := len(hostile) + neighbours
	return Set{"number", a.Name, len(a.places) * each, func(i int) Case {
		p := a.places[i/each]
		name, v := "one more", p.value+1
		switch i %= each; {
		case i < len(hostile):
			name, v = hostile[i].name, hostile[i].value
		case i == len(hostile):
			name, v = "one less", p.value-1
		}
		return Case{
			Name: fmt.Sprintf("%s at %#x, %d, set to %s", p.what, p.at, int64(p.value), name),
			Data: a.set(p, v), From: a.least(p.at),
		}
	}}
}

// set returns the recording with another number at a place.
func (a *Atlas) set(p place, v uint64) []byte {
	e := edit{atlas: a, data: slices.Clone(a.data)}
	e.put(p, v)
	if e.grown == 0 {
		return e.data
	}
	c := a.chunkOf(p.at)
	if f, _ := a.frameOf(p.at); f.size.at != p.at {
		size := f.size.value + uint64(e.grown)
		if f.size.varint {
			size += uint64(max(len(number(size, true, 0))-f.size.len, 0)) // which may grow itself
		}
		e.put(f.size, size)
	}
	for _, q := range a.places {
		if q.at < c.start || q.at >= c.end || q.at == p.at {
			continue
		}
		switch q.what {
		case "chunk size":
			e.put(q, q.value+uint64(e.grown))
		case "checkpoint offset", "metadata offset":
			if c.start+int(q.value) > p.at {
				e.put(q, q.value+uint64(e.grown))
			}
		case "delta":
			f, _ := a.frameOf(q.at)
			from, to := f.start, f.start+int(int64(q.value))
			switch {
			case q.value == 0:
			case to <= p.at && p.at < from:
				e.put(q, q.value-uint64(e.grown))
			case from <= p.at && p.at < to:
				e.put(q, q.value+uint64(e.grown))
			}
		}
	}
	return e.data
}

// edit is a recording that is being changed. Numbers are put at their places in the good one.
type edit struct {
	atlas *Atlas
	data  []byte
	// grown is how many bytes have come in, and marks are where in the good recording.
	grown int
	marks []mark
}

type mark struct{ at, by int }

// put writes a number, in as many bytes as were there or in more.
func (e *edit) put(p place, v uint64) {
	at := p.at
	for _, m := range e.marks {
		if m.at < p.at {
			at += m.by
		}
	}
	text := number(v, p.varint, p.len)
	e.data = slices.Replace(e.data, at, at+p.len, text...)
	if by := len(text) - p.len; by > 0 {
		e.marks = append(e.marks, mark{p.at, by})
		e.grown += by
	}
}

// number returns a number in as few bytes as it takes, but no fewer than least.
func number(v uint64, varint bool, least int) []byte {
	if varint {
		return wire.AppendVarint(nil, v, least)
	}
	return binary.BigEndian.AppendUint64(nil, v)[8-least:]
}
