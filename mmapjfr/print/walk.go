package print

import (
	"context"
	"errors"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// walk calls yield with the events that the options select, in their order.
func (o *Options) walk(ctx context.Context, recs []*mmapjfr.Recording, contexts bool, yield func(item) bool) error {
	yield, flush := o.limited(yield)
	o.progress.report = o.Progress
	var err error
	if o.Tail > 0 {
		if o.start, err = o.startOfTail(ctx, recs, o.Tail); err != nil {
			return err
		}
	}
	switch {
	case o.Order == ByFile:
		err = o.inFile(ctx, recs, yield)
	case o.sortsChunks():
		err = o.inWindow(ctx, windowSize, recs, contexts, yield)
	default:
		err = o.byChunk(ctx, recs, yield)
	}
	if err != nil {
		return err
	}
	flush()
	return nil
}

// inFile calls yield with the events in the order of the file.
func (o *Options) inFile(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	for i, rec := range recs {
		more, err := o.eventsOf(ctx, i, rec, func(ev mmapjfr.Event) bool {
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
func (o *Options) eventsOf(ctx context.Context, i int, rec *mmapjfr.Recording, yield func(mmapjfr.Event) bool) (more bool, err error) {
	defer o.progress.end(rec)
	from := o.start.chunkOf(i, rec)
	if from == 0 {
		return o.events(ctx, rec, rec.Select(o.Filters...), yield)
	}
	for _, c := range rec.Chunks()[from:] {
		if more, err = o.events(ctx, rec, c.Select(o.Filters...), yield); !more {
			return false, err
		}
	}
	o.report(rec, rec.TrailingErr())
	return true, nil
}

// walkBytes is after how many bytes of the file the context is looked at again, and
// progress reported.
const walkBytes = 1 << 20

// events calls yield with the events of a selection that the options want, in the order
// of the file, and reports what cannot be read. More is false if yield was.
func (o *Options) events(ctx context.Context, rec *mmapjfr.Recording, sel *mmapjfr.Selection, yield func(mmapjfr.Event) bool) (more bool, err error) {
	next := uint64(0)
	for ev, err := range sel.Events() {
		if err != nil {
			if !isOfConstants(rec, err) { // reportConstants does that
				o.report(rec, err)
			}
			continue
		}
		if at := ev.Offset(); at >= next {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			o.progress.reach(at)
			next = at + walkBytes
		}
		if (o.Where == nil || o.Where(ev)) && !yield(ev) {
			return false, nil
		}
	}
	return true, nil
}

func (o *Options) report(rec *mmapjfr.Recording, err error) {
	if o.OnError == nil || err == nil {
		return
	}
	if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
		if o.truncated == nil {
			o.truncated = make(map[*mmapjfr.Recording]bool)
		}
		o.truncated[rec] = true
	}
	o.OnError(rec, err)
}

// isOfConstants reports whether an error of an iteration is about the constants of a
// chunk. Whether the iteration meets it is a matter of chance: the workers read constants
// at the same time, and in another order.
func isOfConstants(rec *mmapjfr.Recording, err error) bool {
	var at *mmapjfr.FormatError
	if !errors.As(err, &at) {
		return false
	}
	chunks := rec.Index().Chunks()
	return at.Chunk < len(chunks) && errors.Is(err, constantsErr(chunks[at.Chunk]))
}

// reportConstants reports what is wrong with constants that have been read: to select
// events or to render them. All workers must have ended.
func (o *Options) reportConstants(recs []*mmapjfr.Recording) {
	for _, rec := range recs {
		for _, c := range rec.Index().Chunks() {
			o.report(rec, constantsErr(c))
		}
	}
}

// constantsErr returns the first error of the constants of a chunk, or nil if they have
// not been read.
func constantsErr(c *index.Chunk) error {
	if k := c.CachedConstants(); k != nil {
		return k.Err()
	}
	return nil
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
