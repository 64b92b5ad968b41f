package print

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	// groupSize is how many events a worker renders at a time, and groupBytes about how
	// many bytes of the file.
	groupSize  = 512
	groupBytes = 128 << 10
	// groupsAhead is how many groups for each worker have been dealt and not written: enough that workers and
	// writer seldom wait for one another.
	groupsAhead = 6
	// maxPart is after how many bytes the text of a group is handed to the writer, and
	// maxSpare how many bytes the buffers have that wait to be used again.
	maxPart  = 4 << 20
	maxSpare = 64 << 20
)

// group is some events that are rendered together.
type group struct {
	items []item
	// parts are the text of the group, with what stands between events before each: one
	// part, unless the text is very long.
	parts chan []byte
}

// render renders the events of the source on several workers, and writes them in their
// order.
func render(ctx context.Context, w io.Writer, source func(func(item) bool) error, f format, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers = parallel.Workers(workers)
	var (
		todo  = make(chan *group, groupsAhead*workers)
		order = make(chan *group, groupsAhead*workers)
		spare = make(chan *group, groupsAhead*workers+2)
		bufs  buffers
		wait  sync.WaitGroup
		fail  error // of the source, once order is closed
	)
	for range workers {
		wait.Go(func() {
			r := f.renderer()
			for g := range todo {
				r = g.render(r, &f, &bufs)
			}
		})
	}
	wait.Go(func() {
		defer close(order)
		defer close(todo)
		fail = deal(ctx, source, todo, order, spare)
	})
	err := writeAll(w, f.between, order, spare, &bufs)
	if err != nil {
		cancel(err)
		for g := range order { // so that the workers can end
			drain(g.parts)
		}
	}
	wait.Wait()
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fail
}

// deal sends the events, in groups, to the workers and to the writer.
func deal(ctx context.Context, source func(func(item) bool) error, todo, order, spare chan *group) error {
	g, bytes, first := new(group), 0, true
	send := func() bool {
		first, bytes = false, 0
		g.parts = make(chan []byte, 1)
		select {
		case order <- g:
			todo <- g
		case <-ctx.Done():
			return false
		}
		select {
		case g = <-spare:
			g.items = g.items[:0]
		default:
			g = new(group)
		}
		return true
	}
	err := source(func(it item) bool {
		g.items = append(g.items, it)
		bytes += it.event.Size()
		if len(g.items) < groupSize && bytes < groupBytes && !first {
			return true
		}
		return send()
	})
	if len(g.items) > 0 {
		send()
	}
	return err
}

// render renders the events of the group, and returns the renderer for the next group. A
// part that is too long waits until the one before it has been written. An event whose
// bytes are lost while it is rendered is left out; [Write] reports why.
func (g *group) render(r renderer, f *format, bufs *buffers) renderer {
	defer close(g.parts)
	out := bufs.take()
	for i := range g.items {
		if len(out) > maxPart {
			g.parts <- out
			out = bufs.take()
		}
		text, ok := appendProtected(r, append(out, f.between...), &g.items[i])
		if !ok {
			r = f.renderer() // the old one may have cached half a text
			continue
		}
		out = text
	}
	g.parts <- out
	return r
}

// buffers are those whose text has been written: a text that grows to some MiB takes several times as much.
type buffers struct {
	mu    sync.Mutex
	list  [][]byte
	bytes int
}

// take returns an empty buffer, the one that was written last.
func (b *buffers) take() (buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last := len(b.list) - 1; last >= 0 {
		buf, b.list = b.list[last], b.list[:last]
		b.bytes -= cap(buf)
	}
	return buf[:0]
}

// give gives a buffer to the next that takes one.
func (b *buffers) give(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+cap(buf) <= maxSpare {
		b.list = append(b.list, buf)
		b.bytes += cap(buf)
	}
}

// writeAll writes the groups in their order. It leaves out what stands between events
// before the first.
func writeAll(w io.Writer, between string, order, spare chan *group, bufs *buffers) error {
	first := true
	for g := range order {
		for part := range g.parts {
			text := part
			if first && len(part) > 0 {
				text, first = part[len(between):], false
			}
			if _, err := w.Write(text); err != nil {
				go drain(g.parts)
				return err
			}
			bufs.give(part)
		}
		select {
		case spare <- g:
		default:
		}
	}
	return nil
}

// drain takes parts that are not written, so that their worker can end.
func drain(parts chan []byte) {
	for range parts {
	}
}

// appendProtected appends an event to dst. It is false if bytes of the event are lost
// meanwhile, because the file is truncated.
func appendProtected(r renderer, dst []byte, it *item) (out []byte, ok bool) {
	c := it.event.Chunk()
	for _, outer := range it.context {
		if outer.Chunk() != c {
			return appendAcross(r, dst, it)
		}
	}
	err := protect(c, func() error {
		out = r.append(dst, it)
		return nil
	})
	return out, err == nil
}

// appendAcross is appendProtected for an event that is enclosed by events of other chunks,
// perhaps of another recording. It allocates.
func appendAcross(r renderer, dst []byte, it *item) (out []byte, ok bool) {
	do := func() error {
		out = r.append(dst, it)
		return nil
	}
	for _, ev := range append(slices.Clip(it.context), it.event) {
		inner := do
		do = func() error { return protect(ev.Chunk(), inner) }
	}
	err := do()
	return out, err == nil
}

// protect calls do inside Protect of the chunk. Events of a closed recording read as empty
// and need no protection.
func protect(c mmapjfr.Chunk, do func() error) error {
	err := c.Protect(do)
	if errors.Is(err, mmapjfr.ErrClosed) {
		return do()
	}
	return err
}
