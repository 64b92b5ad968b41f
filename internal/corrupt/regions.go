package corrupt

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// regionSizes are how long damaged regions are: less than an event, an event, several,
// a page, and more than that.
var regionSizes = []int{1, 3, 8, 40, 512, 4096, 70_000}

// regionStarts returns where damaged regions begin: at each frame and inside it.
func (a *Atlas) regionStarts() (starts []int) {
	for _, c := range a.chunks {
		starts = append(starts, c.start, c.start+8)
	}
	for _, f := range a.frames {
		starts = append(starts, f.start, f.start+1, (f.start+f.end)/2)
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// regions returns the set of what change makes of the regions of a recording.
func (a *Atlas) regions(kind string, change func(at, size int, r *rand.Rand) []byte) Set {
	starts := a.regionStarts()
	return Set{kind, a.Name, len(starts) * len(regionSizes), func(i int) Case {
		at := starts[i/len(regionSizes)]
		size := min(regionSizes[i%len(regionSizes)], len(a.data)-at)
		data := change(at, size, rand.New(rand.NewPCG(uint64(i), 6)))
		c := Case{Name: fmt.Sprintf("%s, %d bytes at %#x", kind, size, at), Data: data}
		if len(data) == len(a.data) {
			c.From = a.leastOf(data)
		} else {
			// Offsets in the header lead elsewhere then.
			c.From = uint64(a.chunkOf(at).start)
		}
		return c
	}}
}

// fill overwrites a region.
func (a *Atlas) fill(at, size int, value func() byte) []byte {
	data := slices.Clone(a.data)
	for i := range data[at : at+size] {
		data[at+i] = value()
	}
	return data
}

// Random are regions overwritten with random bytes.
func (a *Atlas) Random() Set {
	return a.regions("random", func(at, size int, r *rand.Rand) []byte {
		return a.fill(at, size, func() byte { return byte(r.Uint32()) })
	})
}

// Zeroes are regions overwritten with zeroes, as a disk or a sparse file has them.
func (a *Atlas) Zeroes() Set {
	return a.regions("zeroes", func(at, size int, _ *rand.Rand) []byte {
		return a.fill(at, size, func() byte { return 0 })
	})
}

// Ones are regions overwritten with ones: to a reader, integers that never end.
func (a *Atlas) Ones() Set {
	return a.regions("ones", func(at, size int, _ *rand.Rand) []byte {
		return a.fill(at, size, func() byte { return 0xff })
	})
}

// Doubled are regions that come twice.
func (a *Atlas) Doubled() Set {
	return a.regions("doubled", func(at, size int, _ *rand.Rand) []byte {
		return slices.Concat(a.data[:at+size], a.data[at:])
	})
}

// Removed are regions that are left out.
func (a *Atlas) Removed() Set {
	return a.regions("removed", func(at, size int, _ *rand.Rand) []byte {
		return slices.Concat(a.data[:at], a.data[at+size:])
	})
}

// Swapped are regions that have changed places with others of the same size after them.
func (a *Atlas) Swapped() Set {
	return a.regions("swapped", func(at, size int, r *rand.Rand) []byte {
		data := slices.Clone(a.data)
		if room := len(data) - at - 2*size; room >= 0 {
			other := at + size + r.IntN(room+1)
			copy(data[at:], a.data[other:other+size])
			copy(data[other:], a.data[at:at+size])
		}
		return data
	})
}

// Prefixes are all beginnings of the recording, the empty one among them.
func (a *Atlas) Prefixes() Set {
	return Set{"prefix", a.Name, len(a.data) + 1, func(i int) Case {
		c := Case{Name: fmt.Sprintf("the first %#x bytes", i), Data: a.data[:i:i]}
		c.From = uint64(a.chunkOf(max(i-1, 0)).start)
		return c
	}}
}

// Bits are the recording with each of its bits turned.
func (a *Atlas) Bits() Set {
	return Set{"bit", a.Name, 8 * len(a.data), func(i int) Case {
		data := append([]byte(nil), a.data...)
		data[i/8] ^= 1 << (i % 8)
		return Case{fmt.Sprintf("bit %d at %#x", i%8, i/8), data, a.least(i / 8)}
	}}
}
