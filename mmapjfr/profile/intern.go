package profile

import (
	"hash/maphash"
	"math/bits"
)

// interner numbers distinct values in the order in which they come. It is a hash table that is several
// times as fast as a map: stacks of large recordings are looked up a hundred million times.
type interner[K comparable] struct {
	list []K
	// slots have the number of a value, plus 1, in the lower half, and in the upper half the upper half
	// of its hash, whose first bits say where in slots the search begins.
	slots []uint64
	shift int // 64 less the number of these bits
}

var seed = maphash.MakeSeed()

// reset takes all values away, and keeps the room of about as many.
func (in *interner[K]) reset() {
	if len(in.slots) > 16*len(in.list) {
		in.slots = nil
	}
	clear(in.slots)
	in.list = in.list[:0]
}

// find returns the number of a value, if it has one.
func (in *interner[K]) find(k K) (n uint32, ok bool) {
	n, _, _, ok = in.search(k)
	return n, ok
}

// id returns the number of a value.
func (in *interner[K]) id(k K) uint32 {
	n, slot, hash, ok := in.search(k)
	if ok {
		return n
	}
	n = uint32(len(in.list))
	in.list = append(in.list, k)
	in.slots[slot] = hash | uint64(n) + 1
	if 4*len(in.list) > 3*len(in.slots) {
		in.resize(2 * len(in.slots))
	}
	return n
}

// search returns the number of a value, or the slot for it with the upper half of its hash.
func (in *interner[K]) search(k K) (n uint32, slot, hash uint64, ok bool) {
	if in.slots == nil { // as of a sorted profile
		in.index()
	}
	const upper = 0xffff_ffff << 32
	hash = maphash.Comparable(seed, k) & upper
	mask := uint64(len(in.slots) - 1)
	for slot = hash >> in.shift; ; slot = (slot + 1) & mask {
		switch s := in.slots[slot]; {
		case uint32(s) == 0:
			return 0, slot, hash, false
		case s&upper == hash && in.list[uint32(s)-1] == k:
			return uint32(s) - 1, slot, hash, true
		}
	}
}

// index makes the slots of a list.
func (in *interner[K]) index() {
	const least = 16
	in.resize(max(least, 1<<bits.Len(uint(len(in.list)*4/3))))
	list := in.list
	in.list = list[:0]
	for _, k := range list {
		in.id(k)
	}
}

// resize makes that many slots, a power of two.
func (in *interner[K]) resize(n int) {
	old := in.slots
	in.slots, in.shift = make([]uint64, n), 64-bits.TrailingZeros(uint(n))
	for _, s := range old {
		if uint32(s) == 0 {
			continue
		}
		slot := s >> in.shift
		for ; uint32(in.slots[slot]) != 0; slot = (slot + 1) & uint64(n-1) {
		}
		in.slots[slot] = s
	}
}

// stackTree holds stacks: a tree of frames, each of which was called by its parent. A stack is
// the node of its innermost frame; node 0 is the empty stack.
type stackTree struct{ interner[node] }

// node is a frame that a stack has called.
type node struct {
	parent StackID
	frame  FrameID
}

// noNode is the node of the empty stack, whose caller is none.
var noNode = node{parent: ^StackID(0)}

func newStackTree() stackTree { return stackTree{interner[node]{list: []node{noNode}}} }
