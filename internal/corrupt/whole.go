package corrupt

import "fmt"

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
