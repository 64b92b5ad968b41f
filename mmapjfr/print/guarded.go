package print

import (
	"errors"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendGuarded appends an event to dst. Texts are copied from the file, which somebody
// may cut in that moment: then the event has gone, and it is false.
func appendGuarded(r renderer, dst []byte, it *item) (out []byte, ok bool) {
	do := func() error {
		out = r.append(dst, it)
		return nil
	}
	// Those that enclose an event can be of another recording.
	chunk := it.event.Chunk()
	for _, outer := range it.context {
		if c := outer.Chunk(); c != chunk {
			inner := do
			do = func() error { return guarded(c, inner) }
		}
	}
	err := guarded(chunk, do)
	return out, err == nil
}

// guarded calls do in the guard of the chunk. There is nothing to guard in one that is
// closed: values answer as if nothing were there.
func guarded(c mmapjfr.Chunk, do func() error) error {
	err := c.Guard(do)
	if errors.Is(err, mmapjfr.ErrClosed) {
		return do()
	}
	return err
}
