package mmapjfr

import (
	"fmt"
	"runtime/debug"
	"sort"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// EventByOrdinal returns the event that n events of the recording come before, in the
// order of the file: EventByOrdinal(0) is the first. Metadata and checkpoints are not
// counted, nor is what lies behind damage that ends the walk over a chunk. It
// fails with an error that matches [ErrNoEvent] if there are no more than n
// events, and with one that matches [ErrUnknownType] where the nth has a type that
// is no event type: such frames have a number, since older metadata may describe them.
//
// The first use goes through all events of the chunks up to the one that holds
// the event, on several goroutines, see [Workers], and keeps blocks of them;
// after that it steps over no more than 2 KiB and allocates nothing. The event
// may be used in any goroutine.
func (r *Recording) EventByOrdinal(n uint64) (ev Event, err error) {
	if err := r.use(); err != nil {
		return Event{}, err
	}
	defer r.done()
	defer r.guard(debug.SetPanicOnFault(true), &err)
	ev, err = r.eventByOrdinal(n)
	return ev, r.addCause(err)
}

func (r *Recording) eventByOrdinal(n uint64) (Event, error) {
	firsts := r.countTo(len(r.chunks), n)
	i := sort.Search(len(firsts), func(i int) bool { return firsts[i] > n }) - 1
	if i == len(r.chunks) {
		err := fmt.Errorf("%w: the recording has %d events, counted from 0", ErrNoEvent, firsts[i])
		return Event{}, r.formatErr(i-1, uint64(r.size), err)
	}
	c := r.chunks[i]
	h, ok := c.ix.EventN(n - firsts[i])
	if !ok {
		err := fmt.Errorf("%w: the index does not lead to event %d", ErrNoEvent, n)
		return Event{}, r.formatErr(i, c.ix.Offset(), err)
	}
	return c.event(h)
}

// countTo returns how many events come before each chunk: at least up to that
// chunk, or until they are more than n.
func (r *Recording) countTo(chunk int, n uint64) []uint64 {
	if known := r.firstOrdinals.Load(); known != nil {
		if last := len(*known) - 1; last >= chunk || (*known)[last] > n {
			return *known
		}
	}
	r.countMu.Lock()
	defer r.countMu.Unlock()
	firsts := []uint64{0}
	if known := r.firstOrdinals.Load(); known != nil {
		firsts = *known // what is appended lies behind what others look at
	}
	for i := len(firsts) - 1; i < chunk && firsts[i] <= n; i++ {
		wire.Step()
		firsts = append(firsts, firsts[i]+r.chunks[i].ix.BuildBlocks(r.workers).Events())
	}
	r.firstOrdinals.Store(&firsts)
	return firsts
}

// event returns the event of a frame, once its fields have been found to lie
// inside it.
func (c *chunk) event(h index.EventHeader) (Event, error) {
	class, err := c.typeOfEvent(h)
	if err != nil {
		return Event{}, err
	}
	plan, err := class.Plan()
	if err != nil {
		return Event{}, c.eventErr(h, err)
	}
	if _, ok := plan.Skip(c.data[:h.End()], int(h.Body())); !ok {
		return Event{}, c.overrunErr(h, class)
	}
	return Event{c: c, class: class, pos: int(h.Offset)}, c.checkUnchanged()
}
