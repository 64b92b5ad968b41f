package stream

import (
	"context"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// source gives a stream what has been flushed, bit by bit.
type source interface {
	// next waits until something has been flushed that has not been delivered, and returns
	// the chunk and the part of it. Errors say what cannot be read: the stream tells them and
	// calls next again, but for io.EOF, which ends it, and for those of the context. A part
	// may come with an error: it is delivered first.
	next(ctx context.Context) (part, error)
	// close gives back what the source holds. Parts are no longer in use.
	close() error
}

// part is a part of a chunk that has been flushed.
type part struct {
	live *mmapjfr.GrowingChunk // nil if there is none
	span mmapjfr.Span
	// skip tells that nothing of it is to be delivered, which then is no matter of the span: it
	// was flushed before the stream began.
	skip bool
}
