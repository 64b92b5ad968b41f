package print

import (
	"errors"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// isDamage reports whether an error of an iteration is about the constants of a chunk. When
// an iteration comes to know of it is a matter of chance: events are rendered by other
// goroutines, and in another order.
func isDamage(rec *mmapjfr.Recording, err error) bool {
	var at *mmapjfr.FormatError
	if !errors.As(err, &at) {
		return false
	}
	chunks := rec.Index().Chunks()
	return at.Chunk < len(chunks) && errors.Is(err, damageOf(chunks[at.Chunk]))
}

// noteDamage tells what is wrong with constants that have been asked for: to select events
// or to render them, which must have come to an end.
func (o *Options) noteDamage(recs []*mmapjfr.Recording) {
	for _, rec := range recs {
		for _, c := range rec.Index().Chunks() {
			o.note(rec, damageOf(c))
		}
	}
}

// damageOf returns the first thing that is wrong with the constants of a chunk, as far as
// anybody has asked for them; or nil.
func damageOf(c *index.Chunk) error {
	if k := c.CachedConstants(); k != nil {
		return k.Err()
	}
	return nil
}
