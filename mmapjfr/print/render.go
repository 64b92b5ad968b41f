package print

import (
	"context"
	"io"
	"sync"

	"github.com/mmapjfr/jfr/internal/parallel"
)

// groupSize is how many events a goroutine renders at a time, and groupBytes about
// how many bytes of the file these may have.
const (
	groupSize  = 64
	groupBytes = 64 << 10
	// maxPart is how much text of a group is kept before it is handed on, and maxSpare
	// how much memory a group may have and be used again.
	maxPart  = 4 << 20
	maxSpare = 8 << 20
)

// group is some events that are rendered together.
type group struct {
	items []item
	out   []byte
	// parts are the text of the group: one, but for events whose text is very long. What
	// stands between events comes before each.
	parts chan []byte
}

// render renders the events of the source on several goroutines and writes them in
// their order.
func render(ctx context.Context, w io.Writer, source func(func(item) bool) error, f format, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers = parallel.Workers(workers)
	var (
		todo  = make(chan *group)
		order = make(chan *group, 2*workers)
		spare = make(chan *group, 2*workers+2)
		wait  sync.WaitGroup
		fail  error // of the source, once order is closed
	)
	for range workers {
		wait.Go(func() {
			r := f.renderer()
			for g := range todo {
				r = g.render(r, &f)
			}
		})
	}
	wait.Go(func() {
		defer close(order)
		defer close(todo)
		fail = deal(ctx, source, todo, order, spare)
	})
	err := writeAll(w, f.between, order, spare)
	if err != nil {
		cancel(err)
		for g := range order { // those who render must not be left waiting
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

// deal deals the events out, in groups.
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

// render renders the events of the group, and returns what is to render the next. What
// becomes too long to be kept waits until the text before it has been written. An event
// that goes while it is rendered is left out, whole: [Write] tells why.
func (g *group) render(r renderer, f *format) renderer {
	defer close(g.parts)
	out := g.out[:0]
	for i := range g.items {
		if len(out) > maxPart {
			g.parts <- out
			out = nil
		}
		text, ok := appendGuarded(r, append(out, f.between...), &g.items[i])
		if !ok {
			r = f.renderer() // what the other knows may be half of something
			continue
		}
		out = text
	}
	g.parts <- out
	g.out = nil
	if cap(out) <= maxSpare {
		g.out = out // to be used again when it has been written
	}
	return r
}

// writeAll writes the groups in their order, as they are rendered, without what stands
// between events before the first.
func writeAll(w io.Writer, between string, order, spare chan *group) error {
	first := true
	for g := range order {
		for part := range g.parts {
			if first && len(part) > 0 {
				part, first = part[len(between):], false
			}
			if _, err := w.Write(part); err != nil {
				go drain(g.parts)
				return err
			}
		}
		select {
		case spare <- g:
		default:
		}
	}
	return nil
}

// drain takes what nobody writes any more, so that who renders it comes to an end.
func drain(parts chan []byte) {
	for range parts {
	}
}
