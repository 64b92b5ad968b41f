package query

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// streamed are the events of a statement that does not group them, which are read when rows are asked for. Without
// an order it is that of the file, and nothing of them is kept; with one they are read in slices.
type streamed struct {
	ctx   context.Context
	recs  []*mmapjfr.Recording
	o     ReadOptions
	found []rowJoins // by recording: what its rows are joined with and weigh, without matches
}

// isStreamed reports whether rows need not be kept.
func (p *Plan) isStreamed() bool { return !p.grouped && len(p.order) == 0 }

// stream makes the recordings the source of rows.
//
// Damage that joins have found is reported again by the rows, with the rest of the recording.
func (r *rows) stream(ctx context.Context, recs []*mmapjfr.Recording, o *ReadOptions) error {
	s := &streamed{ctx: ctx, recs: recs, o: *o}
	for _, rec := range recs {
		joins, err := r.plan.readJoins(ctx, rec)
		if errors.Is(err, ErrTooMuch) || ctx.Err() != nil {
			return err
		}
		s.found = append(s.found, rowJoins{joins: joins, weights: weightsOf(ctx, rec, r.plan)})
	}
	r.streamed = s
	return nil
}

// with returns the events of both.
func (s *streamed) with(o *streamed) *streamed {
	if s == nil || o == nil {
		return cmp.Or(s, o)
	}
	both := *s
	both.recs, both.found = slices.Concat(s.recs, o.recs), slices.Concat(s.found, o.found)
	return &both
}

// all returns the rows of all recordings in the order of the file; left is how many at most, negative all.
func (s *streamed) all(p *Plan, left int) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		left, b, out := left, newRowDecoder(p), make([]Value, p.visible)
		if left == 0 {
			return
		}
		for i, rec := range s.recs {
			for one, err := range s.rows(p, rec, s.found[i]) {
				if err != nil {
					if s.o.OnError != nil && s.ctx.Err() == nil {
						s.o.OnError(rec, err)
						continue
					}
				} else {
					b.decode(one, out)
					left--
				}
				if !yield(out, err) || left == 0 {
					return
				}
			}
		}
	}
}

// rows returns the events of a recording that the sources of the statement take.
func (s *streamed) rows(p *Plan, rec *mmapjfr.Recording, found rowJoins) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		found.matches = make([]int32, len(found.joins))
		one := &row{rowJoins: &found}
		for ev, err := range rec.Select(s.o.filters(p)...).Events() {
			if err = errors.Join(err, s.ctx.Err()); err != nil {
				if !yield(nil, err) || s.ctx.Err() != nil {
					return
				}
				continue
			}
			if s.o.Where != nil && !s.o.Where(ev) {
				continue
			}
			one.event = ev
			for i := range p.sources {
				one.at.source = int32(i)
				if p.sources[i].takes(ev) && one.join() && !yield(one, nil) {
					return
				}
			}
		}
	}
}

// takes reports whether an event is one of a source.
func (s *planSource) takes(ev mmapjfr.Event) bool {
	return s.types[ev.Type().Name()] && matches(s.where, ev)
}

// join finds the events that the row is joined with. It is false if one is missing.
func (r *row) join() bool {
	for i, j := range r.joins {
		if r.matches[i] = j.find(r.event); r.matches[i] < 0 && j.mode != asof {
			return false
		}
	}
	return true
}

// rowSlice is a part of the rows in their order: those after one that have been shown, as many as are kept at once.
// Rows that are ordered by their start are read by time, as blocks of other times are skipped then.
type rowSlice struct {
	most        int   // how many rows are kept; 0 is all
	after       *row  // nil is none
	from, until int64 // of what rows are ordered by first
	rec         int   // which of the recordings is read
}

// maxSlice is how many rows a slice has: a worker keeps one and a half.
var maxSlice = 5 << 13

// slices returns all rows, and reads those again that are not kept.
func (r *rows) slices() iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		b, part, left := newRowDecoder(r.plan), r, r.plan.st.limit
		end := r.streamed.end()
		for width := int64(time.Minute); ; {
			part.sort()
			if part.pruned {
				part.drop(part.most)
			}
			list := part.first(left)
			if left >= 0 {
				left -= len(list)
			}
			if !part.decode(b, list, yield) || !part.more || left == 0 {
				return
			}
			var next rowSlice
			next, width = part.next(width, end)
			var err error
			if part, err = r.streamed.slice(part, next); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// next returns the slice after this one. Its width in time is what this one had, more if that were few rows.
func (r *rows) next(width, end int64) (rowSlice, int64) {
	s := rowSlice{most: r.most, after: r.after, from: r.from, until: math.MaxInt64}
	if n := len(r.list); n > 0 {
		s.after = &r.list[n-1]
	}
	switch {
	case !r.isByTime():
		return s, width
	case r.pruned:
		s.from = s.after.key
		width = max(s.from-r.list[0].key, 1)
	default:
		s.from = r.until + 1
		if len(r.list) < r.most/2 {
			width *= 2
		}
	}
	if until := s.from + width; until > s.from && until < end {
		s.until = until
	}
	return s, width
}

// isByTime reports whether rows are ordered by when events began, and all of them have such a time.
func (r *rows) isByTime() bool {
	o := r.plan.order[0]
	n := r.plan.outputs[o.output].node
	in := &r.plan.inputs[n.index]
	return !r.timeless && !o.desc && n.shape.kind == Timestamp && in.node.op == opField && in.fields[in.node.index].isStart()
}

// end returns a time after that of all events.
func (s *streamed) end() int64 { return timeOf(s.recs).to }

// slice reads a slice of rows. What is damaged has been reported when the first was read.
func (s *streamed) slice(r *rows, of rowSlice) (*rows, error) {
	all := s.partial(r, of)
	o := ReadOptions{Filters: s.o.Filters, Where: s.o.Where}
	if r.isByTime() {
		const margin = int64(time.Second)
		var until time.Time
		if of.until < math.MaxInt64-margin {
			until = Value{kind: Timestamp, num: uint64(of.until)}.Time().Add(time.Duration(margin))
		}
		o.Filters = append(slices.Clone(o.Filters), mmapjfr.Between(Value{kind: Timestamp, num: uint64(of.from)}.Time().Add(-time.Duration(margin)), until))
	}
	for i, rec := range s.recs {
		of.rec = i
		shared := newShared(&o, r.plan)
		shared.joins[0], shared.weights = s.found[i].joins, s.found[i].weights
		found, err := shared.read(s.ctx, rec, []*Plan{r.plan}, func(*Plan) *Partial { return s.partial(r, of) })
		if s.ctx.Err() != nil {
			return nil, context.Cause(s.ctx)
		}
		if errors.Is(err, ErrTooMuch) {
			return nil, err
		}
		all.Merge(found[0])
	}
	all.rows.more, all.rows.timeless = all.rows.more || of.until < math.MaxInt64, r.timeless
	return all.rows, nil
}

// partial returns a slice of rows without any, after some of r.
func (s *streamed) partial(r *rows, of rowSlice) *Partial {
	p := r.plan.NewPartial()
	p.rows.rowSlice = of
	if a := of.after; a != nil {
		last := *a
		last.keys = slices.Clone(a.keys)
		for j := range r.plan.order {
			*last.order(j) = p.rows.values.raw(r.value(a, j))
		}
		p.rows.after = &last
	}
	return p
}
