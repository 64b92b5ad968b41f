package rewrite

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// decisions are what becomes of chunks, in the order in which they are written. Chunks at the beginning that are copied as
// they are do not wait for the others: one worker writes them while others decide.
type decisions struct {
	r        *rewriter
	ctx      context.Context
	cancel   context.CancelCauseFunc
	chunks   []*inputChunk
	done     []atomic.Bool
	verdicts []verdict
	errs     []error

	writing sync.Mutex
	written int // chunks at the beginning of which nothing is left to do
	stopped bool
}

// decide decides on all chunks. It fails with the error of a write, or with the cause of the context when that ends.
func (r *rewriter) decide(ctx context.Context, chunks []*inputChunk) (*decisions, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &decisions{
		r: r, ctx: ctx, cancel: cancel, chunks: chunks,
		done: make([]atomic.Bool, len(chunks)), verdicts: make([]verdict, len(chunks)), errs: make([]error, len(chunks)),
	}
	d.make()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return d, nil
}

func (d *decisions) make() {
	plan := d.r.plan
	var found flaws
	parallel.ForEach(parallel.Workers(plan.Workers), len(d.chunks), func(_, i int) {
		c := d.chunks[i]
		if d.ctx.Err() == nil {
			if d.verdicts[i], d.errs[i] = plan.decide(c, &found); d.verdicts[i] == made {
				known := false
				if c.process, known = plan.processes[engine.ChunkIndex(c.Chunk)]; !known {
					c.process = processOf(c.Chunk)
				}
			}
			engine.ChunkDropPages(c.Chunk)
			d.done[i].Store(true)
		}
		if d.writing.TryLock() {
			defer d.writing.Unlock()
			d.write()
		}
	})
	d.write() // what the last worker has decided while another one wrote
}

// write writes the chunks at the beginning that are copied as they are.
func (d *decisions) write() {
	for !d.stopped && d.written < len(d.chunks) && d.ctx.Err() == nil && d.done[d.written].Load() {
		c, v := d.chunks[d.written], d.verdicts[d.written]
		if v == made {
			d.stopped = true
			return
		}
		if !d.passes(d.written) {
			d.r.report.Copied++
			if err := d.r.emit(wholeOf(c)); err != nil {
				d.cancel(err)
				return
			}
			d.r.finish(c)
		}
		d.written++
	}
}

// passes says what could not be read of a chunk, and reports whether nothing of it stays.
func (d *decisions) passes(i int) bool {
	c := d.chunks[i]
	if d.errs[i] != nil {
		d.r.problem(c.rec, d.errs[i])
	}
	if d.verdicts[i] != left {
		return false
	}
	d.r.report.Left++
	d.r.progress(c.Size())
	return true
}

// wholeOf returns a chunk that is copied as it is.
func wholeOf(c *inputChunk) *output {
	return &output{parts: piece{engine.ChunkIndex(c.Chunk).Data()}, of: c, final: engine.ChunkFinal(c.Chunk)}
}
