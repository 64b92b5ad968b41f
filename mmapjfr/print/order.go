package print

import (
	"context"
	"errors"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Paths to the fields by which events are ordered.
var (
	startTime = mmapjfr.Path("startTime")
	duration  = mmapjfr.Path("duration")
)

// endTicks returns when the event ended, by the clock of its chunk.
func endTicks(ev mmapjfr.Event) int64 { return ev.Int(startTime) + ev.Int(duration) }

// walkBytes is how often, in bytes of the file, it is looked whether the context has
// been cancelled, and progress told.
const walkBytes = 1 << 20

// events calls yield with the events that the options want of some of a recording's,
// in the order of the file, and tells what is wrong with them. It is false if yield was.
func (o *Options) events(ctx context.Context, rec *mmapjfr.Recording, sel *mmapjfr.Selection, yield func(mmapjfr.Event) bool) (more bool, err error) {
	next := uint64(0)
	for ev, err := range sel.Events() {
		if err != nil {
			if !isDamage(rec, err) { // that is told when all has been rendered
				o.note(rec, err)
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

func (o *Options) note(rec *mmapjfr.Recording, err error) {
	if o.OnError == nil || err == nil {
		return
	}
	if errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, mmapjfr.ErrChanged) {
		if o.lost == nil {
			o.lost = make(map[*mmapjfr.Recording]bool)
		}
		o.lost[rec] = true
	}
	o.OnError(rec, err)
}

// inFile calls yield with the events in the order of the file.
func (o *Options) inFile(ctx context.Context, recs []*mmapjfr.Recording, yield func(item) bool) error {
	for _, rec := range recs {
		more, err := o.eventsOf(ctx, rec, func(ev mmapjfr.Event) bool {
			return yield(item{event: ev.Detached()})
		})
		if !more {
			return err
		}
	}
	return nil
}

// eventsOf calls yield with the events that the options want of a recording, in the
// order of the file. It is false if yield was.
func (o *Options) eventsOf(ctx context.Context, rec *mmapjfr.Recording, yield func(mmapjfr.Event) bool) (more bool, err error) {
	defer o.progress.end(rec)
	from := o.skip.of(rec)
	if from == 0 {
		return o.events(ctx, rec, rec.Select(o.Filters...), yield)
	}
	for _, c := range rec.Chunks()[from:] {
		if more, err = o.events(ctx, rec, c.Select(o.Filters...), yield); !more {
			return false, err
		}
	}
	o.note(rec, rec.Index().TrailingErr())
	return true, nil
}
