package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"syscall"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Write copies recordings by a plan: one after the other, if the plan has no other order. Nothing is written if no event stays.
//
// It fails with the first error of w, with the cause of the context when that ends, and with an error that matches
// [mmapjfr.ErrClosed], [mmapjfr.ErrTruncated] or [mmapjfr.ErrChanged] if a recording is closed or its file changes
// meanwhile. What has been written then is of no use. What cannot be read is left out, see [Plan].OnError.
func Write(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, plan *Plan) (*Report, error) {
	own := *plan
	r := &rewriter{plan: &own, w: w, report: &Report{}}
	for _, rec := range recs {
		engine.RecordingDropPassed(rec)
	}
	if err := within(recs, func() error {
		if err := r.prepare(ctx, recs); err != nil {
			return err
		}
		return r.run(ctx)
	}); err != nil {
		return nil, err
	}
	return r.report, nil
}

// within calls do with all recordings protected.
func within(recs []*mmapjfr.Recording, do func() error) error {
	if len(recs) == 0 {
		return do()
	}
	return recs[0].Protect(func() error { return within(recs[1:], do) })
}

// rewriter copies recordings.
type rewriter struct {
	plan   *Plan
	w      io.Writer
	tasks  []*task
	report *Report
	held   *output // the last chunk so far, if it is a final one
	small  []byte  // parts of the chunk that are written together
	shared
}

// shared is what tasks share.
type shared struct {
	descriptions
	targets
}

// task makes one or several chunks of one, or of several that are joined.
type task struct {
	number int
	plan   *Plan
	shared *shared
	rec    *mmapjfr.Recording
	inputs []*inputChunk
	copied bool // the one chunk is copied as it is
	base   int64
	clocks bool // ticks become nanoseconds

	pieces chan output
	report Report
	errs   []error
	err    error
}

// inputChunk is a chunk that is read.
type inputChunk struct {
	mmapjfr.Chunk
	rec       *mmapjfr.Recording
	process   describe.Process
	enums     enumKeys
	space     keySpace
	types     *schema.TypeSet
	jvm       *describe.JVM
	described *describe.Description
	keeps     bool         // its constants keep their keys
	dropped   []bool       // types, by ordinal
	settings  *schema.Type // of settings that may go with their types; nil if no type goes
}

// output is a chunk to write.
type output struct {
	parts piece
	from  *target     // whose memory the parts are; nil for a chunk that is copied as it is
	of    *inputChunk // parts that lie in its bytes are copied from its file
	final bool        // its virtual machine wrote no other chunk after it
}

// prepare decides what becomes of each chunk.
func (r *rewriter) prepare(ctx context.Context, recs []*mmapjfr.Recording) error {
	var all []*inputChunk
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			if _, repeats := engine.ChunkRepeats(c); repeats && !r.plan.Repeats || r.plan.Skip != nil && r.plan.Skip(c) {
				r.report.Left++
				r.progress(c.Size())
				continue
			}
			all = append(all, &inputChunk{Chunk: c, rec: rec})
		}
	}
	if r.plan.Readable && slices.ContainsFunc(all, func(c *inputChunk) bool { return !engine.ChunkSameJVM(all[0].Chunk, c.Chunk) }) {
		// The JDK's reader keeps constants and types from chunk to chunk by their numbers, and takes the first chunk's
		// clock for all.
		r.plan.Anew, r.plan.OneClock = true, true
	}
	if r.plan.ByTime {
		slices.SortStableFunc(all, func(a, b *inputChunk) int {
			return cmp.Compare(engine.ChunkIndex(a.Chunk).Header().StartNanos, engine.ChunkIndex(b.Chunk).Header().StartNanos)
		})
	}
	d, err := r.decide(ctx, all)
	if err != nil {
		return err
	}
	verdicts := d.verdicts
	jvms := describe.JVMs{KeysApart: !slices.Contains(verdicts, copied)}
	anew := make(map[*describe.JVM]bool)
	type machine struct {
		types     *schema.TypeSet
		numbering *describe.Numbering
	}
	known := make(map[machine]*describe.Description)
	for i, c := range all {
		if i < d.written || d.passes(i) {
			continue
		}
		if verdicts[i] == made {
			c.jvm = jvms.Of(engine.ChunkIndex(c.Chunk).Header(), c.types, c.process)
			m := machine{c.types, c.jvm.Numbering()}
			if known[m] == nil {
				known[m] = describe.New(c.types, c.jvm, r.plan.Convert)
				c.described = known[m]
				r.tellBare(c)
			}
			c.described = known[m]
			anew[c.jvm] = anew[c.jvm] || !r.plan.mayKeep(c)
		}
		r.add(c, verdicts[i])
	}
	r.number()
	agree(slices.DeleteFunc(all, func(c *inputChunk) bool { return c.jvm == nil }), anew, !jvms.KeysApart)
	return nil
}

// tellBare says which values of a chunk are left out, since nothing can describe their types for the JDK's reader.
func (r *rewriter) tellBare(c *inputChunk) {
	for t, why := range c.described.Bare() {
		if !t.IsEvent() {
			r.problem(c.rec, fmt.Errorf("%w: chunk %d: values of %s are left out: %s", mmapjfr.ErrCorrupt, c.Number(), t.Name, why))
		}
	}
}

// number gives tasks what depends on all of them: their numbers, and the begin of a common clock.
func (r *rewriter) number() {
	base, clocks := int64(math.MaxInt64), false
	for _, t := range r.tasks {
		base = min(base, engine.ChunkIndex(t.inputs[0].Chunk).Header().StartNanos)
		clocks = clocks || t.clocks
	}
	for i, t := range r.tasks {
		// If one chunk has another clock than before, all get it: the JDK's reader uses the first chunk's for all.
		t.number, t.base, t.clocks = i, base, clocks
	}
}

// add adds a task for a chunk, or adds the chunk to the last task.
func (r *rewriter) add(c *inputChunk, v verdict) {
	if n := len(r.tasks); r.plan.Join && n > 0 && r.tasks[n-1].takes(c) {
		r.tasks[n-1].inputs = append(r.tasks[n-1].inputs, c)
		r.tasks[n-1].clocks = true
		return
	}
	r.tasks = append(r.tasks, &task{
		plan: r.plan, shared: &r.shared, rec: c.rec, inputs: []*inputChunk{c}, copied: v == copied, clocks: r.plan.OneClock, pieces: make(chan output),
	})
}

// takes reports whether a chunk can be joined to those of the task.
func (t *task) takes(c *inputChunk) bool {
	size := int(c.Size())
	for _, in := range t.inputs {
		size += int(in.Size())
	}
	first := t.inputs[0]
	return first.types == c.types && first.jvm == c.jvm && engine.ChunkSameJVM(first.Chunk, c.Chunk) && size <= t.plan.chunkSize()
}

// run makes and writes the chunks.
func (r *rewriter) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	workers := make(chan struct{}, parallel.Workers(r.plan.Workers))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)
	wg.Go(func() {
		for i, t := range r.tasks {
			select {
			case workers <- struct{}{}:
			case <-ctx.Done():
				for _, t := range r.tasks[i:] {
					t.err = context.Cause(ctx)
					close(t.pieces)
				}
				return
			}
			wg.Go(func() {
				defer func() { <-workers }()
				defer close(t.pieces)
				t.err = t.rec.Protect(func() error { return t.make(ctx) })
			})
		}
	})
	for _, t := range r.tasks {
		if err := r.write(t); err != nil {
			cancel(err)
			return err
		}
	}
	return r.emit(nil)
}

// write writes the chunks of a task.
func (r *rewriter) write(t *task) error {
	for p := range t.pieces {
		if err := r.emit(&p); err != nil {
			return err
		}
	}
	for _, err := range t.errs {
		r.problem(t.rec, err)
	}
	if t.err != nil {
		if why := t.rec.FileErr(); why != nil && errors.Is(t.err, mmapjfr.ErrChanged) {
			return why // it names the file
		}
		return t.err
	}
	r.report.add(&t.report)
	for _, c := range t.inputs {
		r.finish(c)
	}
	t.report, t.inputs = Report{}, nil
	return nil
}

// finish is called when a chunk has been read for the last time.
func (r *rewriter) finish(c *inputChunk) {
	engine.ChunkDropPages(c.Chunk) // so that the program does not grow with the file
	r.progress(c.Size())
}

// emit writes a chunk. One that may be the last is held until the next one comes, or nil for the end: only the last
// chunk of a file may be a final one.
func (r *rewriter) emit(next *output) error {
	if held := r.held; held != nil {
		r.held = nil
		if err := r.put(held, next == nil); err != nil {
			return err
		}
	}
	if next != nil && next.final {
		r.held = next
		return nil
	}
	if next != nil {
		return r.put(next, false)
	}
	return nil
}

// put writes a chunk, and takes back its memory.
func (r *rewriter) put(o *output, final bool) error {
	head := append([]byte(nil), o.parts[0][:wire.HeaderLen]...)
	head[wire.HeaderLen-1] &^= wire.FlagFinal
	if final {
		head[wire.HeaderLen-1] |= wire.FlagFinal
	}
	r.report.Chunks++
	for _, part := range append(piece{head, o.parts[0][wire.HeaderLen:]}, o.parts[1:]...) {
		write := r.gather
		if at, ok := o.of.find(part); ok && len(part) > smallPart {
			write = func(part []byte) error { return r.copy(o.of, at, at+uint64(len(part))) }
		}
		if err := write(part); err != nil {
			return err
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	if o.from != nil {
		r.release(o.from)
	}
	if o.final {
		engine.ChunkDropPages(o.of.Chunk) // it was held, and its task has ended before
	}
	return nil
}

// find returns where a part lies in the bytes of a chunk. It reports false if it does not lie there.
func (c *inputChunk) find(part []byte) (at uint64, ok bool) {
	data := engine.ChunkIndex(c.Chunk).Data()
	from := cap(data) - cap(part)
	return uint64(from), len(part) > 0 && from >= 0 && from < len(data) && &part[0] == &data[from]
}

// copy writes bytes of a chunk that lie between two offsets in it.
func (r *rewriter) copy(c *inputChunk, from, to uint64) error {
	if err := r.flush(); err != nil {
		return err
	}
	n, err := engine.ChunkWriteRange(c.Chunk, r.w, from, to)
	r.report.Bytes += uint64(n)
	return err
}

const (
	// writeSize is how many bytes are written at once.
	writeSize = 1 << 20
	// smallPart is how many bytes a part has at most that is written with others.
	smallPart = 64 << 10
)

// gather writes a part of a chunk, or puts it with others that are written together.
func (r *rewriter) gather(part []byte) error {
	if len(part) <= smallPart {
		if r.small = append(r.small, part...); len(r.small) < writeSize {
			return nil
		}
		return r.flush()
	}
	if err := r.flush(); err != nil {
		return err
	}
	for len(part) > 0 {
		n := min(len(part), writeSize)
		if err := r.writeBytes(part[:n]); err != nil {
			return err
		}
		part = part[n:]
	}
	return nil
}

// flush writes what has been gathered.
func (r *rewriter) flush() error {
	err := r.writeBytes(r.small)
	r.small = r.small[:0]
	return err
}

func (r *rewriter) writeBytes(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := r.w.Write(b)
	r.report.Bytes += uint64(n)
	return written(err)
}

// written returns the error of a write. Where the bytes come from a map of a file that has been cut, the system
// cannot read them.
func written(err error) error {
	if errors.Is(err, syscall.EFAULT) {
		return fmt.Errorf("rewrite: %w: the file became shorter while it was copied", mmapjfr.ErrTruncated)
	}
	return err
}

func (r *rewriter) progress(bytes uint64) {
	if r.plan.Progress != nil {
		r.plan.Progress(bytes)
	}
}

func (r *rewriter) problem(rec *mmapjfr.Recording, err error) {
	if r.plan.OnError != nil {
		r.plan.OnError(rec, err)
	}
}
