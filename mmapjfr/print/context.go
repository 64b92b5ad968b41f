package print

import "github.com/mmapjfr/jfr/mmapjfr"

// pathEventThread leads to the thread that an event happened in. Others have no context.
var pathEventThread = mmapjfr.Path("eventThread")

// contexts are the contextual events that have begun and not ended, for each thread.
type contexts struct {
	threads map[int64]*threadContext
}

// threadContext are the contextual events of a thread, in the order in which they
// began. Those that have ended leave a gap.
type threadContext struct {
	begun []mmapjfr.Event
	at    map[mmapjfr.Event]int
	// shown are those without the gaps; nil if that is to be made. It is not changed
	// any more, as events that are to be written hold it.
	shown []mmapjfr.Event
}

// begin takes note of an event that encloses others from now on.
func (c *contexts) begin(ev mmapjfr.Event) {
	thread := ev.Get(pathEventThread).Thread()
	if thread.IsZero() {
		return
	}
	if c.threads == nil {
		c.threads = make(map[int64]*threadContext)
	}
	t := c.threads[thread.Key()]
	if t == nil {
		t = &threadContext{at: make(map[mmapjfr.Event]int)}
		c.threads[thread.Key()] = t
	}
	t.at[ev] = len(t.begun)
	t.begun = append(t.begun, ev)
	t.shown = nil
}

// end takes note that the event does so no more.
func (c *contexts) end(ev mmapjfr.Event) {
	key := ev.Get(pathEventThread).Thread().Key()
	t := c.threads[key]
	if t == nil {
		return
	}
	at, ok := t.at[ev]
	if !ok {
		return
	}
	delete(t.at, ev)
	if len(t.at) == 0 {
		delete(c.threads, key)
		return
	}
	t.begun[at] = mmapjfr.Event{}
	t.shown = nil
	if len(t.begun) > 2*len(t.at) {
		t.close()
	}
}

// close closes the gaps.
func (t *threadContext) close() {
	n := 0
	for _, ev := range t.begun {
		if !ev.IsZero() {
			t.begun[n], t.at[ev] = ev, n
			n++
		}
	}
	t.begun = t.begun[:n]
}

// of returns the events that enclose this one: none if it is contextual itself.
func (c *contexts) of(ev mmapjfr.Event) []mmapjfr.Event {
	if len(c.threads) == 0 {
		return nil
	}
	thread := ev.Get(pathEventThread).Thread()
	if thread.IsZero() || isContextual(ev.Type()) {
		return nil
	}
	t := c.threads[thread.Key()]
	if t == nil {
		return nil
	}
	if t.shown == nil {
		t.close()
		t.shown = append(t.shown, t.begun...)
	}
	return t.shown
}
