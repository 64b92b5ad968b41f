package mmapjfr

import (
	"errors"

	"github.com/mmapjfr/jfr/internal/jvmid"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Errors returns what is wrong with the chunk: before it, with its metadata, and with its
// end. Broken is what ended a walk over the chunk too early, or nil. It is left out if the
// missing end of the chunk, or missing metadata, explains it.
func (c Chunk) Errors(broken error) (list []error) {
	err := c.Protect(func() error {
		if err := c.c.ix.LeadingErr(); err != nil {
			list = append(list, err)
		}
		if _, err := c.c.ix.Types(); err != nil {
			broken = err
		}
		if broken != nil && !c.c.ix.EndExplains(broken) {
			list = append(list, broken)
		}
		return c.c.ix.TrailingErr()
	})
	if err != nil {
		list = append(list, err)
	}
	return list
}

// TrailingErr returns what is wrong after the last chunk: an error that matches [ErrTrailing]
// or [ErrUnsupported], or nil.
func (r *Recording) TrailingErr() error { return r.index.TrailingErr() }

// IsUnflushed reports whether the recorder has neither finished nor ever flushed the chunk:
// then nothing describes its events, and its duration means nothing.
func (c Chunk) IsUnflushed() bool {
	ix := c.orEmpty().ix
	return errors.Is(ix.TrailingErr(), ErrUnfinished) && ix.Header().Metadata == 0
}

// SameJVM reports whether two chunks, of one recording or of two, can come from the same
// virtual machine, by their versions and clocks. It takes no account of [Chunk.Final].
func (c Chunk) SameJVM(o Chunk) bool {
	return jvmid.Same(c.orEmpty().ix.Header(), o.orEmpty().ix.Header())
}

// Bytes returns the bytes of the chunk as they lie in the file, its header included, as far
// as they can be believed. They alias the recording: read them inside [Recording.Protect],
// and do not change them. It returns nil once the recording is closed.
func (c Chunk) Bytes() []byte { return c.orEmpty().bytes() }

// EventsOffset returns where the first event header begins, in bytes from the start of the
// chunk.
func (c Chunk) EventsOffset() uint64 { return c.orEmpty().ix.FirstEvent() }

// HasVarints reports whether the chunk writes integers as varints, as virtual machines do,
// and not with their full width.
func (c Chunk) HasVarints() bool { return c.orEmpty().form == wire.Compressed }

// AllTypes returns all types that any metadata event of the chunk describes, those that the
// newest one has forgotten among them. The first call walks over the whole chunk.
func (c Chunk) AllTypes() ([]Type, error) {
	if err := c.Protect(func() error {
		_, err := c.c.ix.AllTypes()
		return err
	}); err != nil {
		return nil, err
	}
	return c.Types()
}

// LayoutErr returns why values of the type cannot be read: the type contains itself, or no
// metadata describes the type of a field. It is nil if they can be read.
func (t Type) LayoutErr() error {
	_, err := t.orEmpty().Plan()
	return err
}
