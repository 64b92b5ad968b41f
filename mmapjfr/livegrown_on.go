//go:build jfrdebug

package mmapjfr

import (
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// regrow is grow for builds with the tag jfrdebug: what the chunk has become is another
// chunk, and views of what it was panic.
func (l *GrowingChunk) regrow(h wire.Header, m mapfile.Mapping, same, at uint64) (err error) {
	was := l.rec
	l.newRecording(was.index.Clone(), m)
	l.c.data = m.Data() // also if it cannot be read: what was mapped before goes
	if m.IsMapped() {
		was.mapping = mapfile.Mapping{} // the map goes on
	}
	defer func() { _ = was.Close() }() // there is no map to be given back
	defer l.rec.guard(debug.SetPanicOnFault(true), &err)
	if err := l.rec.index.Grow(h, m.Data(), same, at); err != nil {
		return err
	}
	l.reenter(l.c)
	return nil
}
