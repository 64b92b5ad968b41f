package columns

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/bytecache"
)

// constantCache has constants by their content: most are in many chunks, and rows that wait for hours would keep one of
// each chunk.
type constantCache struct {
	mu    sync.Mutex
	known bytecache.Cache[string, *Constant]
	bytes []byte
}

// mostConstantBytes is how many bytes the constants of the cache take.
const mostConstantBytes = 16 << 20

// of returns the constant that makes the values. It takes a copy of them if it is new.
func (x *constantCache) of(cells []cell) *Constant {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.bytes[:0]
	for i := range cells {
		c := &cells[i]
		if c.list != nil {
			return newConstant(cells) // those of stacks are in a cache of their own
		}
		if !c.ok {
			b = append(b, 0)
			continue
		}
		b = binary.AppendVarint(append(b, 1), c.n)
		b = append(binary.AppendUvarint(b, uint64(len(c.text))), c.text...)
	}
	x.bytes = b
	known := x.known.Values[string(b)]
	if known != nil && len(known.cells) == len(cells) {
		return known
	}
	known = newConstant(cells)
	x.known.Limit = mostConstantBytes
	x.known.Put(string(b), known, 2*len(b)+48*len(cells)) // the key, and the texts of the cells
	return known
}

// constants is how many there have been.
var constants atomic.Int64

func newConstant(cells []cell) *Constant {
	c := &Constant{number: constants.Add(1), cells: slices.Clone(cells)}
	for i := range cells {
		if list := cells[i].list; list != nil {
			c.bytes += 64 * int64(list.N)
		}
	}
	return c
}
