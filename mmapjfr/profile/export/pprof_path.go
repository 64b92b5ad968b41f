package export

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// packedPath packs the locations of stacks. Those that come one after the other mostly have their outer
// frames in common, which come last: the bytes of these stay.
type packedPath struct {
	p      *profile.Profile
	stacks []profile.StackID // of the last stack, the outermost first
	sizes  []int             // of the locations of each
	buf    []byte            // which they end
	todo   []profile.StackID
}

// locations returns the locations of a stack, the innermost first. They are valid until the next call.
func (l *packedPath) locations(s profile.StackID) []byte {
	l.todo = l.todo[:0]
	for s != 0 {
		n := len(l.stacks)
		for ; n > 0 && l.stacks[n-1] > s; n-- { // a caller has a smaller number
		}
		l.stacks, l.sizes = l.stacks[:n], l.sizes[:n]
		if n > 0 && l.stacks[n-1] == s {
			break
		}
		l.todo = append(l.todo, s)
		_, s = profiles.Innermost(l.p, s)
	}
	size := 0
	if s == 0 {
		l.stacks, l.sizes = l.stacks[:0], l.sizes[:0]
	} else {
		size = l.sizes[len(l.sizes)-1]
	}
	for i := len(l.todo) - 1; i >= 0; i-- {
		f, _ := profiles.Innermost(l.p, l.todo[i])
		n := protowire.SizeVarint(uint64(f) + 1)
		if size+n > len(l.buf) {
			longer := make([]byte, 2*len(l.buf)+n)
			copy(longer[len(longer)-size:], l.buf[len(l.buf)-size:])
			l.buf = longer
		}
		size += n
		protowire.AppendVarint(l.buf[:len(l.buf)-size], uint64(f)+1)
		l.stacks, l.sizes = append(l.stacks, l.todo[i]), append(l.sizes, size)
	}
	return l.buf[len(l.buf)-size:]
}
