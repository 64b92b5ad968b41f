package oracle

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// Sum is the multiset hash of a number of canonical texts: how many they are, and the wrapping sums
// of the first and of the second eight bytes of their SHA-256. Two Sums are compared with ==.
type Sum struct {
	N    uint64
	A, B uint64
}

// Add counts one more text. It does not keep it and does not allocate.
func (s *Sum) Add(canonical []byte) {
	h := sha256.Sum256(canonical)
	s.N++
	s.A += binary.BigEndian.Uint64(h[:8])
	s.B += binary.BigEndian.Uint64(h[8:16])
}

// Plus returns the sum over the texts of both.
func (s Sum) Plus(t Sum) Sum {
	return Sum{s.N + t.N, s.A + t.A, s.B + t.B}
}

// String returns the number of texts and the hash as 32 hex digits.
func (s Sum) String() string {
	return fmt.Sprintf("%d %016x%016x", s.N, s.A, s.B)
}

// MarshalText returns the text of String.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Sum) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d %016x%016x", &s.N, &s.A, &s.B)
	return err
}

// Multiset has one [Sum] per event type. A type without events has no entry.
type Multiset map[string]Sum

// Add counts one more event of a type.
func (m Multiset) Add(typeName string, canonical []byte) {
	s := m[typeName]
	s.Add(canonical)
	m[typeName] = s
}

// AddAll counts all events of n.
func (m Multiset) AddAll(n Multiset) {
	for name, s := range n {
		m[name] = m[name].Plus(s)
	}
}

// Len returns the number of events of all types.
func (m Multiset) Len() uint64 {
	var n uint64
	for _, s := range m {
		n += s.N
	}
	return n
}

// Classes has, per full class name, the hashes of its distinct blocks in ascending
// order. More than one means that chunks, or types of one chunk, differ.
type Classes map[string][]uint64

// Add notes a class block by the first eight bytes of its SHA-256. A block already noted
// changes nothing.
func (c Classes) Add(name string, canonical []byte) {
	h := sha256.Sum256(canonical)
	c.add(name, binary.BigEndian.Uint64(h[:8]))
}

// AddAll notes all blocks of d.
func (c Classes) AddAll(d Classes) {
	for name, hashes := range d {
		for _, h := range hashes {
			c.add(name, h)
		}
	}
}

func (c Classes) add(name string, hash uint64) {
	if i, found := slices.BinarySearch(c[name], hash); !found {
		c[name] = slices.Insert(c[name], i, hash)
	}
}
