package print

import (
	"context"
	"errors"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// walker walks over the events that options select. It belongs to one goroutine, while the
// workers share the options.
type walker struct {
	*Options
	progress progress
	start    start
	// truncated are the recordings whose missing bytes have been reported.
	truncated map[*mmapjfr.Recording]bool
}

func newWalker(o *Options) *walker {
	return &walker{Options: o, progress: progress{report: o.Progress}, truncated: make(map[*mmapjfr.Recording]bool)}
}

// quietly returns a walker that reports nothing, for another pass over the same events.
func (o *Options) quietly() *walker {
	quiet := *o
	quiet.OnError, quiet.Progress = nil, nil
	return newWalker(&quiet)
}

// walk calls yield with the events that the options select, in their order.
func (w *walker) walk(ctx context.Context, recs []*mmapjfr.Recording, contexts bool, yield func(item) bool) error {
	for _, rec := range recs {
		engine.RecordingDropPassed(rec)
	}
	yield, flush := w.limited(touching(yield))
	var err error
	if w.Tail > 0 {
		if w.start, err = w.startOfTail(ctx, recs, w.Tail); err != nil {
			return err
		}
	}
	switch {
	case w.Order == ByFile:
		err = w.inFile(ctx, recs, yield)
	case w.sortsChunks() && contexts:
		err = w.inWindow(ctx, windowSize, recs, yield)
	case w.sortsChunks():
		err = w.sorted(ctx, windowSize, recs, yield)
	default:
		err = w.byChunk(ctx, recs, yield)
	}
	if err != nil {
		return err
	}
	flush()
	return nil
}

// inFile calls yield with the events in the order of the file.
func (w *walker) inFile(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	for i, rec := range recs {
		more, err := w.eventsOf(ctx, i, rec, func(ev mmapjfr.Event) bool {
			return yield(item{event: ev.Detached()})
		})
		if !more {
			return err
		}
	}
	return nil
}

// eventsOf calls yield with the selected events of the i-th recording, in the order of the
// file. More is false if yield was.
func (w *walker) eventsOf(ctx context.Context, i int, rec *mmapjfr.Recording, yield func(mmapjfr.Event) bool) (more bool, err error) {
	defer w.progress.end(rec)
	from := w.start.chunkOf(i, rec)
	if from == 0 {
		return w.events(ctx, rec, rec.Select(w.Filters...), yield)
	}
	for _, c := range rec.Chunks()[from:] {
		if more, err = w.events(ctx, rec, c.Select(w.Filters...), yield); !more {
			return false, err
		}
	}
	w.report(rec, engine.RecordingTrailingErr(rec))
	return true, nil
}

// walkBytes is after how many bytes of the file the context is looked at again, and
// progress reported.
const walkBytes = 1 << 20

// touching returns a yield that lets the pages of the file be given back: events are read a second time when they are
// yielded, and then the walk over their headers has passed them.
func touching(yield func(item) bool) func(item) bool {
	return func(it item) bool {
		more := yield(it)
		c, at := engine.ChunkIndex(it.event.Chunk()), it.event.Offset()
		c.Touch(at-c.Offset(), at-c.Offset()+uint64(it.event.Size()))
		return more
	}
}

// events calls yield with the events of a selection that the options want, in the order
// of the file, and reports what cannot be read. More is false if yield was.
func (w *walker) events(ctx context.Context, rec *mmapjfr.Recording, sel *mmapjfr.Selection, yield func(mmapjfr.Event) bool) (more bool, err error) {
	next := uint64(0)
	var chunks []mmapjfr.Chunk // all of them, for errors
	for ev, err := range sel.Events() {
		if err != nil {
			if chunks == nil {
				chunks = rec.Chunks()
			}
			if !isOfConstants(chunks, err) { // reportConstants does that
				w.report(rec, err)
			}
			continue
		}
		if at := ev.Offset(); at >= next {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			w.progress.reach(at)
			next = at + walkBytes
		}
		if (w.Where == nil || w.Where(ev)) && !yield(ev) {
			return false, nil
		}
	}
	return true, nil
}

func (w *walker) report(rec *mmapjfr.Recording, err error) {
	if w.OnError == nil || err == nil {
		return
	}
	if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
		w.truncated[rec] = true
	}
	w.OnError(rec, err)
}

// isOfConstants reports whether an error of an iteration is about the constants of a
// chunk. Whether the iteration meets it is a matter of chance: the workers read constants
// at the same time, and in another order.
func isOfConstants(chunks []mmapjfr.Chunk, err error) bool {
	var at *mmapjfr.FormatError
	return errors.As(err, &at) && at.Chunk < len(chunks) && errors.Is(err, engine.ChunkCachedConstantsErr(chunks[at.Chunk]))
}

// reportConstants reports what is wrong with constants that have been read: to select
// events or to render them. All workers must have ended.
func (w *walker) reportConstants(recs []*mmapjfr.Recording) {
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			w.report(rec, engine.ChunkCachedConstantsErr(c))
		}
	}
}

// progress reports how far a walk over recordings has come. It belongs to one goroutine.
type progress struct {
	report func(bytes uint64) // or nil
	at     uint64             // in the recording that is being read
}

// reach reports that all bytes up to an offset have been read.
func (p *progress) reach(offset uint64) {
	if p.report != nil && offset > p.at {
		p.report(offset - p.at)
		p.at = offset
	}
}

// end reports that a recording has been read.
func (p *progress) end(rec *mmapjfr.Recording) {
	p.reach(uint64(rec.Size()))
	p.at = 0
}

// limited returns a yield that passes on only the first events, or the last ones, as Limit
// and Tail say. Flush passes on the events that it has held back.
func (o *Options) limited(yield func(item) bool) (limited func(item) bool, flush func()) {
	if o.Limit > 0 {
		all, n := yield, o.Limit
		yield = func(it item) bool {
			n--
			return all(it) && n > 0
		}
	}
	if o.Tail > 0 {
		var last []item
		add := func(it item) bool {
			if last = append(last, it); len(last) > o.Tail {
				last[0], last = item{}, last[1:]
			}
			return true
		}
		return add, func() {
			for i := 0; i < len(last) && yield(last[i]); i++ {
			}
		}
	}
	return yield, func() {}
}

// start is the first chunk that a walk reads. The zero start is the first of all.
type start struct {
	rec   int // which of the recordings
	chunk int
}

// chunkOf returns the first chunk of the i-th recording that is read.
func (s start) chunkOf(i int, rec *mmapjfr.Recording) int {
	switch {
	case i < s.rec:
		return len(rec.Chunks())
	case i == s.rec:
		return s.chunk
	}
	return 0
}

// startOfTail returns where to begin for the last n events: one chunk before the chunks
// that hold as many, since an event can end after those of later chunks. No chunk can
// be skipped if events are sorted across chunks that overlap in time.
func (o *Options) startOfTail(ctx context.Context, recs []*mmapjfr.Recording, n int) (start, error) {
	if o.sortsChunks() && overlap(recs) {
		return start{}, nil
	}
	quiet := o.quietly()
	for i := len(recs) - 1; i >= 0; i-- {
		chunks := recs[i].Chunks()
		for j := len(chunks) - 1; j >= 0; j-- {
			if n <= 0 {
				return start{i, j}, nil
			}
			_, err := quiet.events(ctx, recs[i], chunks[j].Select(o.Filters...), func(mmapjfr.Event) bool {
				n--
				return true
			})
			if err != nil {
				return start{}, err
			}
		}
	}
	return start{}, nil
}

// overlap reports whether a chunk began before the end of the one before it.
func overlap(recs []*mmapjfr.Recording) bool {
	var end time.Time
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			if c.Start().Before(end) {
				return true
			}
			end = c.End()
		}
	}
	return false
}
