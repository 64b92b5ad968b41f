package print

import (
	"context"
	"io"
	"sync"

	"github.com/mmapjfr/jfr/internal/crew"
)

// groupSize is how many events a goroutine renders at a time, and groupBytes about
// how many bytes of the file these may have.
const (
	groupSize  = 64
	groupBytes = 64 << 10
	// maxSpare is how much memory a group may have and be used again.
	maxSpare = 8 << 20
)

// group is some events that are rendered together.
type group struct {
	items []item
	first bool // that nothing comes before it
	out   []byte
	done  chan struct{}
}

// render renders the events of the source on several goroutines and writes them in
// their order.
func render(ctx context.Context, w io.Writer, source func(func(item) bool) error, f format, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers = crew.Size(workers)
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
				g.render(r, f.between)
			}
		})
	}
	wait.Go(func() {
		defer close(order)
		defer close(todo)
		fail = deal(ctx, source, todo, order, spare)
	})
	err := writeAll(w, order, spare)
	if err != nil {
		cancel(err)
		for range order { // those who render must not be left waiting
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
	g, bytes, first := &group{first: true}, 0, true
	send := func() bool {
		g.first, first, bytes = first, false, 0
		g.done = make(chan struct{})
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

// render renders the events of the group.
func (g *group) render(r renderer, between string) {
	defer close(g.done)
	g.out = g.out[:0]
	for i := range g.items {
		if !g.first || i > 0 {
			g.out = append(g.out, between...)
		}
		g.out = r.append(g.out, &g.items[i])
	}
}

// writeAll writes the groups in their order, when they have been rendered.
func writeAll(w io.Writer, order, spare chan *group) error {
	for g := range order {
		<-g.done
		if _, err := w.Write(g.out); err != nil {
			return err
		}
		if cap(g.out) > maxSpare {
			continue
		}
		select {
		case spare <- g:
		default:
		}
	}
	return nil
}
