package query

import (
	"errors"
	"math"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Add adds one event, such as one of a stream, if the statement takes it. It is slower than [Read],
// and does not join events: with DURING, WITHIN or ASOF it adds nothing, and [Partial.Err] says so. Events of a chunk must be
// added in the order of the file for FIRST, LAST and the order of equal rows to be those of Read. Samples weigh
// what the settings say that are among the events added before.
func (r *Partial) Add(e mmapjfr.Event) {
	if len(r.plan.joins) > 0 && r.err == nil {
		r.err = errors.New("DURING, WITHIN and ASOF need recordings: events one by one are not joined")
	}
	if r.err != nil {
		return
	}
	if r.weights == nil {
		r.weights = profile.NewWeights()
	}
	r.weights.Add(e)
	for i := range r.plan.sources {
		if r.plan.sources[i].takes(e) {
			r.add(e, i)
		}
	}
	r.check()
}

// add adds an event that a source takes.
func (r *Partial) add(e mmapjfr.Event, source int) {
	r.addRow(row{event: e, at: r.moment(e, source), rowJoins: &rowJoins{weights: r.weights}})
}

// moment returns where an event stands that comes now.
func (r *Partial) moment(e mmapjfr.Event, source int) moment {
	m := []moment{{chunk: e.Chunk().Start().UnixNano(), flush: r.flush, end: e.EndTicks(), offset: e.Offset(), source: int32(source)}}
	r.plan.setTimes(m, e.Chunk())
	return m[0]
}

// addRow adds an event with those that it is joined with.
func (r *Partial) addRow(one row) {
	b := newRowDecoder(r.plan)
	b.chunk, b.typ, b.source = one.event.Chunk(), one.event.Type(), int(one.at.source)
	b.weights = r.weights
	if r.rows != nil {
		one.event = one.event.Detached()
		one.keys = make([]int64, max(len(r.plan.order)-1, 0))
		for j, o := range r.plan.order {
			*one.order(j) = r.rows.values.raw(b.ofRow(&one, &r.plan.inputs[r.plan.outputs[o.output].node.index]))
		}
		r.rows.list = append(r.rows.list, one)
		r.rows.prune()
		return
	}
	f := &feed{moments: []moment{one.at}, n: 1}
	for i := range r.plan.inputs {
		in := &r.plan.inputs[i]
		raw, of := int64(nullRaw), reader(nil)
		if b.has(in) {
			raw = r.groups.values.raw(b.ofRow(&one, in))
			of = &rawReader{&r.groups.values, in.shape.kind}
		}
		f.columns, f.readers = append(f.columns, []int64{raw}), append(f.readers, of)
	}
	r.groups.add(f, make([]uint32, 1), make([]int64, len(r.plan.keys)))
}

// has reports whether events of the type and the source have one of the fields of an input.
func (b *binding) has(in *input) bool {
	for i := range in.fields {
		if b.fieldReader(&in.fields[i]) != nil {
			return true
		}
	}
	return !in.isNull()
}

// Flushed says that the events which follow come from the next flush of their chunk: the order of
// events is that of flushes first.
func (r *Partial) Flushed() {
	if r.flush < math.MaxInt32 {
		r.flush++
	}
}

// rawReader has raw values of a partial result.
type rawReader struct {
	values *values
	is     Kind
}

func (r *rawReader) kind() Kind                                { return r.is }
func (r *rawReader) value(raw int64) Value                     { return r.values.value(r.is, raw) }
func (r *rawReader) read(_ *mmapjfr.Batch, _ []int, _ []int64) {}

// SetSpan sets how long the time lasts that rates are taken over, unless events are grouped by time. Otherwise
// it is that of the recordings. Of merged results the longest counts: that of windows which follow one another
// must be set after they are merged.
func (r *Partial) SetSpan(d time.Duration) {
	if r.groups != nil {
		r.groups.span.length = d
	}
}
