package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// openRange is a range of a recording, or several that follow each other, with all that other ranges of the same recording decide,
// and with what it decides for these.
type openRange struct {
	object   string
	from, to uint64          // to is 0 at the end of the recording
	jvm      string          // the virtual machine, see partial; "" if the first range says it
	joins    [][]joinedEvent // by join: with which events of other ranges are joined
	groups   *partial        // of a machine that is not known; nil if it is
	rows     *partial        // of events that wait; nil if none can
}

func (r *openRange) compare(o *openRange) int {
	return cmp.Or(strings.Compare(r.object, o.object), cmp.Compare(r.from, o.from), cmp.Compare(r.to, o.to))
}

// addOpen adds a range, and joins it with those beside it.
func (r *Partial) addOpen(o *openRange) {
	at, _ := slices.BinarySearchFunc(r.open, o, (*openRange).compare)
	r.open = slices.Insert(r.open, at, o)
	r.advance(at)
	r.joinNext(at, false)
	if at > 0 {
		r.joinNext(at-1, false)
	}
}

// joinNext joins a range with the next ones as long as nothing lies between them. Joining takes time by the size of the next one, so
// one that is much larger waits, unless the first begins the recording or all are to be joined: of ranges side by side each is then
// twice as large as the one before it, and in whatever order n ranges come, each is joined some log n times.
func (r *Partial) joinNext(at int, all bool) {
	for at+1 < len(r.open) {
		a, b := r.open[at], r.open[at+1]
		if a.object != b.object || a.to != b.from || a.to == 0 || !all && a.from > 0 && b.size() > 2*a.size() {
			return
		}
		r.join(a, b)
		r.open = slices.Delete(r.open, at+1, at+2)
		r.advance(at)
	}
}

// size returns about how much there is to join.
func (r *openRange) size() int {
	n := 1
	for _, p := range []*partial{r.rows, r.groups} {
		if p != nil {
			n += p.len()
		}
	}
	return n
}

// joinAll joins all ranges that follow each other.
func (r *Partial) joinAll() {
	for at := 0; at < len(r.open); at++ {
		r.joinNext(at, true)
	}
}

// join adds the next range to one.
func (r *Partial) join(a, b *openRange) {
	if a.rows, b.rows = larger(a.rows, b.rows); b.rows != nil {
		a.rows.mergeAll(b.rows)
	}
	for i := range a.joins {
		x, y := a.joins[i], b.joins[i]
		if len(x) < len(y) {
			x, y = y, x
		}
		if a.joins[i] = append(x, y...); len(a.joins[i]) > maxJoined && r.err == nil {
			r.err = r.plan.joins[i].tooMany()
		}
	}
	if a.groups, b.groups = larger(a.groups, b.groups); b.groups != nil {
		a.groups.mergeAll(b.groups)
	}
	a.to = b.to
	r.named(a)
}

// larger returns the partial result with more groups first.
func larger(a, b *partial) (more, less *partial) {
	if a == nil || b != nil && b.len() > a.len() {
		return b, a
	}
	return a, b
}

// named adds the groups of a range of which the virtual machine is known.
func (r *Partial) named(o *openRange) {
	if o.groups != nil && o.jvm != "" {
		o.groups.setJVM(o.jvm)
		r.groups.mergeAll(o.groups)
		o.groups = nil
	}
}

// advance decides what is known of a range.
func (r *Partial) advance(at int) {
	o := r.open[at]
	r.named(o)
	if o.from == 0 && o.to == 0 {
		r.open = slices.Delete(r.open, at, at+1)
		r.settle(o)
		r.named(o)
	}
}

// Settle decides all that waits for other ranges of recordings, as if there were no others. See [ReadOptions].Object.
func (r *Partial) Settle() {
	for len(r.open) > 0 {
		first := r.open[0]
		n := 1
		for ; n < len(r.open) && r.open[n].object == first.object; n++ {
			r.join(first, r.open[n])
		}
		r.open = slices.Delete(r.open, 0, n)
		if first.jvm == "" && r.plan.perJVM {
			first.jvm = "range of " + first.object
		}
		r.settle(first)
		r.named(first)
	}
	r.check()
}

// maxOpen is about how many bytes the events that wait of one recording may take, in all its ranges: of those that wait by themselves,
// as in joins, that is some four million.
var maxOpen = 1 << 28

// errOpen says that more events of a range would wait than may.
var errOpen = errors.New("too many events wait for other ranges")

// leastShare is how many bytes events of a range may take in any case.
var leastShare = 1 << 16

// shareOf returns how many bytes the events of a range may take that wait, by the size of its chunks.
func shareOf(of mmapjfr.ChunkRange, rec *mmapjfr.Recording) int {
	own, all := uint64(0), uint64(1)
	for _, c := range rec.Chunks() {
		if all += c.Size(); of.Has(c) {
			own += c.Size()
		}
	}
	return max(leastShare, int(float64(maxOpen)*float64(own)/float64(all)))
}

// readRange reads a range of a recording, without looking through others unless too many events would wait for them.
func readRange(ctx context.Context, rec *mmapjfr.Recording, plans []*Plan, o *ReadOptions) ([]*Partial, error) {
	read, open, damage := rangePlans(plans), make([]*openRange, len(plans)), error(nil)
	weights := weightsOf(ctx, rec, plans...) // none depends on other ranges
	for i, p := range plans {
		if p.waitingPlan() == nil && !p.perJVM {
			continue
		}
		open[i] = &openRange{object: o.Object, from: o.Range.From, to: o.Range.To}
		if !p.perJVM || o.Range.From == 0 {
			open[i].jvm = p.jvmOf(rec)
		}
		joins, err := p.readJoins(ctx, rec, o.Range)
		if errors.Is(err, ErrTooMuch) || ctx.Err() != nil {
			return nil, err
		}
		damage = cmp.Or(damage, err)
		for n, j := range joins {
			open[i].joins = append(open[i].joins, p.carried(n, j.events, weights))
		}
	}
	shared := newShared(o, read...)
	shared.weights, shared.packing.never = weights, true
	found, err := shared.read(ctx, rec, read, func(p *Plan) *Partial {
		r := p.NewPartial()
		if p.wait != nil {
			r.most = shareOf(o.Range, rec)
		} else if i := slices.Index(plans, p); open[i] == nil || open[i].jvm != "" {
			r.groups.setJVM(p.jvmOf(rec))
		}
		return r
	})
	if errors.Is(err, errOpen) {
		found, err = readKnown(ctx, rec, plans, o)
		read = plans
	}
	if err == nil || damage == nil {
		damage = cmp.Or(err, damage)
	} else if err.Error() != damage.Error() { // joins have read the same damage
		damage = errors.Join(damage, err)
	}
	if found == nil {
		return nil, damage
	}
	return opened(plans, read, found, open), damage
}

// rangePlans returns the plans to read a range with: those of events that need not wait, and of those that do.
func rangePlans(plans []*Plan) (list []*Plan) {
	for _, p := range plans {
		if len(p.joins) == 0 {
			list = append(list, p)
		}
		if q := p.waitingPlan(); q != nil {
			list = append(list, q)
		}
	}
	return list
}

// opened returns what plans have found, with what is open of it.
func opened(plans, read []*Plan, found []*Partial, open []*openRange) []*Partial {
	results := make([]*Partial, len(plans))
	of := func(p *Plan) *Partial {
		if i := slices.Index(read, p); p != nil && i >= 0 {
			return found[i]
		}
		return nil
	}
	for i, p := range plans {
		if results[i] = of(p); results[i] == nil {
			results[i] = p.NewPartial()
		}
		r := results[i]
		if open[i] == nil {
			continue
		}
		if waits := of(p.waitingPlan()); waits != nil {
			open[i].rows, r.err = waits.groups, cmp.Or(r.err, waits.err)
		}
		if isKnown := r.groups.jvm != "" || open[i].jvm != ""; !isKnown && p.perJVM {
			open[i].groups = r.groups
			r.groups = newPartial(p)
		}
		r.addOpen(open[i])
	}
	return results
}

// carried returns what is read of events that others are joined with.
func (p *Plan) carried(join int, events []joinedEvent, weights *profile.Weights) []joinedEvent {
	d := newRowDecoder(p)
	d.weights = weights
	fields := p.carriedFields(join)
	for i := range events {
		e := &events[i]
		one := &carriedEvent{place: e.place()}
		for _, f := range fields {
			one.values = append(one.values, d.field(e.event, f).as(f.shape.kind))
		}
		e.event, e.carried = mmapjfr.Event{}, one
	}
	return events
}

// openMemory returns how many bytes open ranges take, more or less.
func (r *Partial) openMemory() (kept int) {
	for _, o := range r.open {
		for _, p := range []*partial{o.rows, o.groups} {
			if p != nil {
				kept += p.memory()
			}
		}
		for _, list := range o.joins {
			kept += carriedSize * len(list)
		}
	}
	return kept
}

// codeOpen codes open ranges.
func (r *Partial) codeOpen(c *coder) {
	slice(c, &r.open, func(o **openRange) {
		if c.reading {
			*o = &openRange{joins: make([][]joinedEvent, len(r.plan.joins))}
		}
		r.codeRange(c, *o)
	})
	if c.reading && !slices.IsSortedFunc(r.open, (*openRange).compare) {
		c.fail("its ranges are out of order")
	}
}

func (r *Partial) codeRange(c *coder, o *openRange) {
	c.string(&o.object)
	c.uint(&o.from)
	c.uint(&o.to)
	c.string(&o.jvm)
	for i := range o.joins {
		if !c.reading {
			slices.SortFunc(o.joins[i], func(a, b joinedEvent) int {
				x, y := a.place(), b.place()
				return cmp.Or(cmp.Compare(x.offset, y.offset), cmp.Compare(x.chunk, y.chunk))
			})
		}
		slice(c, &o.joins[i], c.joined)
	}
	c.partial(&o.groups, r.plan)
	c.partial(&o.rows, r.plan.waitingPlan())
}

// partial codes a partial result of a plan, or nil.
func (c *coder) partial(p **partial, of *Plan) {
	some := *p != nil
	if c.bool(&some); !some || c.err != nil {
		return
	}
	if !c.reading {
		(*p).inOrder().code(c)
		return
	}
	if of == nil {
		c.fail("nothing of it waits")
		return
	}
	*p = newPartial(of)
	(*p).code(c)
}

// joined codes an event that others are joined with.
func (c *coder) joined(e *joinedEvent) {
	if c.reading {
		e.carried = &carriedEvent{}
	}
	c.int(&e.start)
	c.int(&e.end)
	c.string(&e.thread)
	c.int(&e.carried.chunk)
	c.uint(&e.carried.offset)
	slice(c, &e.carried.values, c.value)
}

func (s *timesState) code(c *coder, _ *partial) {
	each(c, s.groups, func(list *[]waitingTimes) {
		if !c.reading {
			slices.SortFunc(*list, func(a, b waitingTimes) int { return a.at.compare(b.at) })
		}
		before := waitingTimes{}
		slice(c, list, func(t *waitingTimes) {
			for _, n := range []struct{ is, was *int64 }{
				{&t.at.time, &before.at.time}, {&t.at.chunk, &before.at.chunk}, {&t.at.end, &before.at.end}, {&t.began, &before.began}, {&t.ended, &before.ended},
			} {
				c.difference(n.is, *n.was)
			}
			offset := int64(t.at.offset)
			c.difference(&offset, int64(before.at.offset))
			t.at.offset = uint64(offset)
			c.int32(&t.at.flush)
			c.int32(&t.at.source)
			before = *t
		})
		if c.reading {
			s.n += len(*list)
		}
	})
}

// difference codes a number by how much it is more than another one.
func (c *coder) difference(n *int64, than int64) {
	d := *n - than
	c.int(&d)
	*n = d + than
}
