package print

// The bounds of what is written of one event. No recording of a virtual machine comes
// near them, but in a file that is made for it, constants can lead to one another in
// such a way that a text would have no end.
const (
	// maxOpen is how many constants can be inside one another. The JVM's longest
	// chains, those from an old object to its root, take about 400.
	maxOpen = 4096
	// maxText is how long the text may get. Constants that would begin behind it are
	// left out.
	maxText = 16 << 20
)

// bounded are the constants of an event that is being rendered, within bounds.
type bounded struct {
	constants
	limit int // how long the text may get
	// cut counts the constants that were left out. Texts without them are not kept:
	// elsewhere they have to be there.
	cut int
}

// start begins with an event, the text of which is appended to so many bytes.
func (b *bounded) start(size int) { b.limit = size + maxText }

// admit tells whether a constant may be rendered behind so many bytes. If so, done is
// to be called when it has been.
func (b *bounded) admit(key constantKey, size int) bool {
	if size > b.limit || len(b.constants.open) >= maxOpen || !b.begin(key) {
		b.cut++
		return false
	}
	return true
}

// done keeps the text of a constant, if nothing has been left out since there were so
// many cuts.
func (b *bounded) done(key constantKey, text []byte, cut int) {
	b.end()
	if b.cut == cut {
		b.keep(key, text)
	}
}
