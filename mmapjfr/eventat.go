package mmapjfr

import (
	"fmt"
	"math"
	"runtime/debug"
	"sort"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
)

// EventAtOffset returns the event that begins at the offset, in bytes from the start
// of the recording. It fails, with an error that matches [ErrNoEvent], for every
// offset at which none begins: inside an event, in a header, a checkpoint or a
// metadata event, and beyond the file. Behind damage that ends the walk over a
// chunk it fails with what is wrong there.
//
// The first use in a chunk goes through all its events, on several goroutines,
// see [Workers], and keeps blocks of them; after that it steps over no more than
// 2 KiB and allocates nothing. The event may be used in any goroutine.
func (r *Recording) EventAtOffset(offset uint64) (ev Event, err error) {
	if err := r.use(); err != nil {
		return Event{}, err
	}
	defer r.done()
	defer r.guard(debug.SetPanicOnFault(true), &err)
	ev, err = r.eventAtOffset(offset)
	return ev, r.addCause(err)
}

func (r *Recording) eventAtOffset(offset uint64) (Event, error) {
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].ix.Offset() > offset }) - 1
	if i < 0 {
		return Event{}, r.noEvent(0, offset)
	}
	c := r.chunks[i]
	rel := offset - c.ix.Offset()
	if rel >= uint64(len(c.data)) {
		return Event{}, r.noEvent(i, offset)
	}
	c.ix.BuildBlocks(r.workers)
	h, _, err := c.ix.EventAt(rel)
	if err != nil {
		return Event{}, err
	}
	return c.event(h)
}

func (r *Recording) noEvent(chunk int, offset uint64) error {
	return r.formatErr(chunk, offset, fmt.Errorf("%w: the recording has no chunk here", ErrNoEvent))
}

// typeOfEvent returns the type of an event. If the newest metadata has forgotten
// it, an older metadata event of the chunk may still describe it.
func (c *chunk) typeOfEvent(h index.EventHeader) (*schema.Type, error) {
	types, err := c.ix.Types()
	if err != nil {
		return nil, err
	}
	if class := types.EventType(h.Type); class != nil {
		return class, nil
	}
	if types, err = c.ix.AllTypes(); err != nil {
		return nil, err
	}
	switch class := types.ByID(h.Type); {
	case class == nil:
		return nil, c.eventErr(h, fmt.Errorf("%w %d", ErrUnknownType, h.Type))
	case !class.IsEvent():
		return nil, c.eventErr(h, fmt.Errorf("%w %d: %s is no type of events", ErrUnknownType, h.Type, class.Name))
	default:
		return class, nil
	}
}

//go:noinline
func (c *chunk) eventErr(h index.EventHeader, err error) error {
	return c.rec.formatErr(c.ix.Number(), c.ix.Offset()+h.Offset, err)
}

// overrunErr is the error for an event whose fields do not lie inside it.
//
//go:noinline
func (c *chunk) overrunErr(h index.EventHeader, class *schema.Type) error {
	return c.eventErr(h, fmt.Errorf("%w: the fields of %s do not end inside its %d bytes", ErrCorrupt, class.Name, h.Size))
}

// firstOrdinal returns how many events the chunks before c hold.
func (r *Recording) firstOrdinal(c *chunk) (n uint64) {
	if r.use() != nil {
		c.checkLateUse()
		return 0
	}
	defer r.done()
	var err error
	defer r.guard(debug.SetPanicOnFault(true), &err)
	return r.countTo(c.ix.Number(), math.MaxUint64)[c.ix.Number()]
}

// ordinal returns how many events of the chunk come before the one at pos.
func (c *chunk) ordinal(pos int) (n uint64) {
	if c.rec.use() != nil {
		return 0
	}
	defer c.rec.done()
	var err error
	defer c.rec.guard(debug.SetPanicOnFault(true), &err)
	_, n, _ = c.ix.EventAt(uint64(pos)) // an event does begin there
	return n
}
