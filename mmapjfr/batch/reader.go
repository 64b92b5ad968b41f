package batch

import (
	"context"
	"sync"
)

// Reader reads items whose order and number nobody knows beforehand, several at once if need be: for engines that hand
// out work by themselves. Of the objects of which an item was a range it keeps some open, so that the next range finds
// what is already known of the rest.
type Reader struct {
	m    mapper
	mu   sync.Mutex
	held []Part // whole objects, the one that was used last at the end
}

// mostHeld is how many objects a [Reader] keeps open.
const mostHeld = 4

// NewReader returns a reader of items. Note goes into partial results, see [Partial]; nil for open is [Open].
func NewReader(q Question, note []string, open Opener) *Reader {
	if open == nil {
		open = Open
	}
	return &Reader{m: mapper{question: q, open: open, note: note, known: make(map[string]*opened), left: make(map[string]int)}}
}

// Map returns what the question finds in an item, as the function [Map] does. An item that was begun is read to its end,
// whatever becomes of the context: what is known of an object is shared with other items.
func (r *Reader) Map(ctx context.Context, item Item) (*Partial, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.m.expect(item.Parts)
	for _, p := range item.Parts {
		if p.From != 0 || p.To != 0 {
			if err := r.hold(p); err != nil {
				return nil, err
			}
		}
	}
	return r.m.item(context.WithoutCancel(ctx), item)
}

// hold keeps the object of a range open until others have been used.
func (r *Reader) hold(p Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.From, p.To = 0, 0
	for i, h := range r.held {
		if h == p {
			r.held = append(append(r.held[:i:i], r.held[i+1:]...), p)
			return nil
		}
	}
	r.held = append(r.held, p)
	r.m.expect([]Part{p})
	if len(r.held) <= mostHeld {
		return nil
	}
	oldest := r.held[0]
	r.held = r.held[1:]
	return r.m.release(oldest)
}

// Close closes all objects. No item may be read any more.
func (r *Reader) Close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.held {
		if e := r.m.release(p); err == nil {
			err = e
		}
	}
	r.held = nil
	return err
}
