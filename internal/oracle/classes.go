package oracle

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

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
