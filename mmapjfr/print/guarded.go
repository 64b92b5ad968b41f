package print

import (
	"errors"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendGuarded appends an event to dst. Texts are copied from views of the file, which somebody
// may cut in that moment: then the event has gone, and it is false.
func appendGuarded(r renderer, dst []byte, it *item) (out []byte, ok bool) {
	c := it.event.Chunk()
	for _, outer := range it.context {
		if outer.Chunk() != c {
			return appendAcross(r, dst, it)
		}
	}
	err := guarded(c, func() error {
		out = r.append(dst, it)
		return nil
	})
	return out, err == nil
}

// appendAcross is appendGuarded for an event with others around it that are of other
// chunks, and maybe of another recording. It allocates.
func appendAcross(r renderer, dst []byte, it *item) (out []byte, ok bool) {
	do := func() error {
		out = r.append(dst, it)
		return nil
	}
	for _, outer := range append(slices.Clip(it.context), it.event) {
		inner := do
		do = func() error { return guarded(outer.Chunk(), inner) }
	}
	err := do()
	return out, err == nil
}

// guarded calls do in the guard of the chunk. There is nothing to guard in one that is
// closed: values answer as if nothing were there.
func guarded(c mmapjfr.Chunk, do func() error) error {
	err := c.Protect(do)
	if errors.Is(err, mmapjfr.ErrClosed) {
		return do()
	}
	return err
}
