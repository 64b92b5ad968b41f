package query

import (
	"context"
	"fmt"
	glob "path"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// weightField is what events stand for as samples; a kind of profile may follow, after a point.
const weightField = "@weight"

func parseWeight(kind string) (fieldPath, error) {
	if isKind := func(k weigh.Kind) bool { return k.Name == kind }; kind != "" && !slices.ContainsFunc(weigh.Kinds, isKind) {
		return fieldPath{}, fmt.Errorf("there is no profile type %.100s", kind)
	}
	return fieldPath{isWeight: true, sampleOf: kind}, nil
}

// findFields notes which fields the statement reads, and what it asks events to weigh.
func (p *parser) findFields() {
	for _, f := range p.paths {
		p.st.fields = append(p.st.fields, f.field)
		if kind, ok := strings.CutPrefix(f.field, weightField); ok {
			p.st.weighed = append(p.st.weighed, weighed{strings.TrimPrefix(kind, "."), f.sources})
		}
	}
}

// weighs reports whether the statement asks what events of a type weigh in profiles of a kind, as far as patterns say.
func (s *Statement) weighs(event, kind string) bool {
	return slices.ContainsFunc(s.weighed, func(w weighed) bool {
		return w.kind == kind &&
			(slices.ContainsFunc(s.from, func(of source) bool {
				return (len(w.sources) == 0 || slices.Contains(w.sources, of.name())) && of.mayBe(event)
			}) ||
				slices.ContainsFunc(s.joins, func(j join) bool { return slices.Contains(w.sources, j.event.name()) && j.event.mayBe(event) }))
	})
}

// mayBe reports whether a type of that name is one of the source, as far as its pattern says.
func (s source) mayBe(event string) bool {
	pattern, event := strings.ToLower(s.pattern), strings.ToLower(event)
	full, _ := glob.Match(pattern, event)
	simple, _ := glob.Match(pattern, event[strings.LastIndexByte(event, '.')+1:])
	return full || simple
}

// weighsByFacts reports whether the weight of an event can depend on other events of its recording, such as settings.
func (s *Statement) weighsByFacts() bool {
	return slices.ContainsFunc(s.weighed, func(w weighed) bool {
		return slices.ContainsFunc(weigh.WeighedByFacts(w.kind), func(event string) bool { return s.weighs(event, w.kind) })
	})
}

// weights returns what the plan asks events to weigh, or adds up of what they say that they weigh.
func (p *Plan) weights() (list []weigh.Weight) {
	for n, in := range p.inputs {
		for i := range in.fields {
			f := &in.fields[i]
			isRaw := !f.path.isWeight
			if isRaw && (f.path.path == nil || !p.adds(n)) {
				continue
			}
			for _, t := range p.types {
				w, ok := weigh.WeightOf(t.Name(), f.path.sampleOf)
				if !ok || isRaw && !w.IsHeavy(f.path.path) || !p.reads(t) && (f.join < 0 || !p.joins[f.join].types[t.Name()]) {
					continue
				}
				list = append(list, w)
			}
		}
	}
	return list
}

// adds reports whether values of an input are added up.
func (p *Plan) adds(input int) bool {
	return slices.ContainsFunc(p.aggs, func(a aggregate) bool { return a.in == input && (a.kind == sum || a.kind == average) })
}

// asksWeights reports whether the plan asks what events stand for as samples.
func (p *Plan) asksWeights() bool {
	return slices.ContainsFunc(p.inputs, func(in input) bool {
		return slices.ContainsFunc(in.fields, func(f eventField) bool { return f.path.isWeight })
	})
}

// weightShape returns the shape and the label of what events of a type stand for.
func (f fieldPath) weightShape(event string) (shape, string, error) {
	w, ok := weigh.WeightOf(event, f.sampleOf)
	switch {
	case !ok && f.sampleOf != "":
		return shape{}, "", fmt.Errorf("%s events are no samples of the kind %s", event, f.sampleOf)
	case !ok:
		return shape{}, "", fmt.Errorf("%s events are no samples", event)
	case w.Unit() == weigh.Nanoseconds:
		return shape{kind: Timespan}, "Weight", nil
	case w.Unit() == weigh.Bytes:
		return shape{kind: Int, unit: mmapjfr.Bytes}, "Weight", nil
	}
	return shape{kind: Int}, "Weight", nil
}

// weightsOf returns what the samples of a recording stand for, as far as plans ask; nil if none does.
func weightsOf(ctx context.Context, rec *mmapjfr.Recording, plans ...*Plan) *weigh.Weights {
	var list []weigh.Weight
	for _, p := range plans {
		list = append(list, p.weights()...)
	}
	if len(list) == 0 {
		return nil
	}
	return weigh.ReadWeights(ctx, rec, list)
}

// weigher returns what weighs the events of the chunk; nil if they are no samples.
func (b *binding) weigher(f *eventField) *weigh.Weigher {
	w, ok := weigh.WeightOf(b.typ.Name(), f.path.sampleOf)
	if !ok || b.weights == nil {
		return nil
	}
	return b.weights.Weigher(w, b.chunk, b.typ)
}

type weigherKey struct {
	field *eventField
	chunk mmapjfr.Chunk
	typ   mmapjfr.Type
}

// weight returns what an event stands for.
func (b *rowDecoder) weight(e mmapjfr.Event, f *eventField) Value {
	key := weigherKey{f, e.Chunk(), e.Type()}
	w, ok := b.weighers[key]
	if !ok {
		b.chunk, b.typ = e.Chunk(), e.Type()
		w = b.weigher(f)
		if b.weighers == nil {
			b.weighers = make(map[weigherKey]*weigh.Weigher)
		}
		b.weighers[key] = w
	}
	if w == nil {
		return Value{}
	}
	return b.values.value(b.resolve(f, e.Type()).shape.kind, rawWeight(w.Event(e)))
}

// weightReader reads what events stand for.
type weightReader struct {
	*binding
	is      Kind
	weigher *weigh.Weigher
	column  []int64
}

func (b *binding) weightReader(f *eventField) reader {
	w := b.weigher(f)
	if w == nil {
		return nil
	}
	s, _, _ := f.path.resolve(b.typ, b.plan.o.isJava())
	return &weightReader{binding: b, is: s.kind, weigher: w}
}

func (r *weightReader) kind() Kind            { return r.is }
func (r *weightReader) value(raw int64) Value { return r.values.value(r.is, raw) }

func (r *weightReader) read(b *mmapjfr.Batch, rows []int, dst []int64) {
	r.column = grown(r.column, mmapjfr.BatchLen)
	r.weigher.Batch(b, r.column)
	for i, row := range rows {
		dst[i] = rawWeight(r.column[row])
	}
}

// rawWeight returns the raw value of what an event stands for.
func rawWeight(n int64) int64 {
	if n == weigh.NoWeight {
		return nullRaw
	}
	return n
}
