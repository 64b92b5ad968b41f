package print

import "github.com/mmapjfr/jfr/mmapjfr"

// The bounds of what is kept of rendered constants: the text of one, and all of
// them.
const (
	maxKept    = 16 << 10
	maxKeptAll = 32 << 20
)

// constants are the texts of a chunk's constants that have been rendered, each at
// the depth at which it stood. They belong to one goroutine.
type constants struct {
	chunk mmapjfr.Chunk
	texts map[constantKey][]byte
	slab  []byte
	size  int
	// open are the constants that are being rendered, one inside the other.
	open []constantKey
}

type constantKey struct {
	typ   mmapjfr.Type
	key   int64
	depth int
}

// enter begins with a chunk: its keys are of its own.
func (c *constants) enter(chunk mmapjfr.Chunk) {
	if c.texts == nil {
		c.texts = make(map[constantKey][]byte)
	}
	if c.chunk != chunk {
		c.chunk = chunk
		c.forget()
	}
}

// forget forgets all texts. Their memory is used again: where chunks overlap, events of
// one and of another take turns.
func (c *constants) forget() {
	clear(c.texts)
	c.slab, c.size = c.slab[:0], 0
}

// keep takes note of a text.
func (c *constants) keep(key constantKey, text []byte) {
	if len(text) > maxKept {
		return
	}
	if c.size += len(text); c.size > maxKeptAll {
		c.forget()
		c.size = len(text)
	}
	if len(c.slab)+len(text) > cap(c.slab) {
		c.slab = make([]byte, 0, 1<<20)
	}
	at := len(c.slab)
	c.slab = append(c.slab, text...)
	c.texts[key] = c.slab[at:len(c.slab):len(c.slab)]
}

// begin tells whether a constant may be rendered: not inside itself.
func (c *constants) begin(key constantKey) bool {
	for _, k := range c.open {
		if k.typ == key.typ && k.key == key.key {
			return false
		}
	}
	c.open = append(c.open, key)
	return true
}

func (c *constants) end() { c.open = c.open[:len(c.open)-1] }
