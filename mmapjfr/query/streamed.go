package query

import (
	"context"
	"errors"
	"iter"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// streamed are the events of a statement that neither groups nor orders them. They are read when rows are
// asked for, in the order of the file, and nothing of them is kept.
type streamed struct {
	ctx   context.Context
	recs  []*mmapjfr.Recording
	o     ReadOptions
	joins [][]*joined // by recording
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
		s.joins = append(s.joins, joins)
	}
	r.streamed = s
	return nil
}

// all returns the rows of all recordings.
func (s *streamed) all(p *Plan) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		b, out := newRowDecoder(p), make([]Value, p.visible)
		left := p.st.limit // negative is none
		if left == 0 {
			return
		}
		for i, rec := range s.recs {
			for one, err := range s.rows(p, rec, s.joins[i]) {
				if err != nil {
					if s.o.OnError != nil {
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
func (s *streamed) rows(p *Plan, rec *mmapjfr.Recording, joins []*joined) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		one := &row{rowJoins: &rowJoins{joins, make([]int32, len(joins)), weightsOf(s.ctx, rec, p)}}
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
				one.at.source = int64(i)
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
