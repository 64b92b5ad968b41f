package rewrite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// verdict is what becomes of a chunk.
type verdict uint8

const (
	copied verdict = iota // as it is
	made                  // anew
	left                  // nothing of it stays
)

// decide decides what becomes of a chunk.
func (p *Plan) decide(c *inputChunk, flaws *flaws) (verdict, error) {
	damaged := !c.Finished() || len(c.Errors(nil)) > 0 || !engine.ChunkIndex(c.Chunk).Header().SaneRate()
	changes := damaged || p.isAnew() || p.Convert || len(p.Filters) > 0 || p.Remake != nil && p.Remake(c.Chunk)
	if !changes && !p.selects() && p.Drop == nil && !p.Readable {
		return copied, nil
	}
	if !p.From.IsZero() || !p.To.IsZero() {
		some, all := p.timely(c)
		if !some {
			return left, nil
		}
		changes = changes || !all
	}
	// A chunk that stays is one that others can read.
	changes = changes || c.Chunk.ConstantsErr() != nil || c.hasEmptyPool()
	types, err := engine.ChunkIndex(c.Chunk).Types()
	changes = changes || err == nil && flaws.in(types)
	if !changes && p.Drop == nil && err == nil && p.selects() {
		return copied, nil // without another walk through its headers for metadata
	}
	if c.types, err = engine.ChunkIndex(c.Chunk).AllTypes(); err != nil {
		return left, err
	}
	changes = changes || engine.ChunkIndex(c.Chunk).Walked() < c.Size() || flaws.in(c.types)
	c.dropped = make([]bool, len(c.types.Types))
	if p.Drop != nil {
		types, err := engine.ChunkAllTypes(c.Chunk)
		if err != nil {
			return left, err
		}
		for _, t := range types {
			if own := c.types.ByID(schema.TypeID(t.ID())); own != nil && own.IsEvent() && p.Drop(t) {
				c.dropped[own.Ordinal()], changes = true, true
			}
		}
		if slices.Contains(c.dropped, true) {
			c.settings = typeOfSettings(c.types)
		}
	}
	if changes {
		return made, nil
	}
	return copied, nil
}

// hasEmptyPool reports whether a pool of the chunk has no constants, which the JDK's reader refuses.
func (c *inputChunk) hasEmptyPool() bool {
	constants, err := engine.ChunkIndex(c.Chunk).Constants()
	return err == nil && slices.ContainsFunc(constants.Pools(), func(p index.Pool) bool { return p.Count == 0 })
}

// flaws are the sets of types that the JDK refuses. Most chunks have one of a few sets.
type flaws struct {
	mu    sync.Mutex
	known map[*schema.TypeSet]bool
}

// in reports whether the JDK refuses types.
func (f *flaws) in(types *schema.TypeSet) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	has, ok := f.known[types]
	if !ok {
		if f.known == nil {
			f.known = make(map[*schema.TypeSet]bool)
		}
		has = describe.HasFlaws(types)
		f.known[types] = has
	}
	return has
}

// typeOfSettings returns the type of settings, or nil.
func typeOfSettings(types *schema.TypeSet) *schema.Type {
	for _, t := range types.Types {
		if t.CurrentName() == activeSetting && t.IsEvent() && types.ByID(t.ID) == t {
			return t
		}
	}
	return nil
}

const activeSetting = "jdk.ActiveSetting"

// timely reports whether events of a chunk began in the time of the plan: some of them, and all of them. Events
// without a time do not.
func (p *Plan) timely(c *inputChunk) (some, all bool) {
	early := func(t time.Time) bool { return !p.From.IsZero() && t.Before(p.From) }
	late := func(t time.Time) bool { return !p.To.IsZero() && !t.Before(p.To) }
	blocks := engine.ChunkIndex(c.Chunk).CachedBlocks()
	if blocks == nil {
		if least, greatest, ok := engine.ChunkIndex(c.Chunk).Starts(); ok {
			first, last := engine.ChunkTicksToTime(c.Chunk, least), engine.ChunkTicksToTime(c.Chunk, greatest)
			switch {
			case least > greatest: // there are no events
			case early(last) || late(first):
				return false, false
			case !early(first) && !late(last):
				return true, true
			}
		}
		blocks = engine.ChunkIndex(c.Chunk).Blocks()
	}
	all = blocks.Err() == nil
	for i := range blocks.Len() {
		least, greatest, ok := blocks.Times(i)
		if !ok {
			_, before := blocks.Begin(i)
			after := blocks.Events()
			if i+1 < blocks.Len() {
				_, after = blocks.Begin(i + 1)
			}
			all = all && after == before // there are only checkpoints and metadata
			continue
		}
		first, last := engine.ChunkTicksToTime(c.Chunk, least), engine.ChunkTicksToTime(c.Chunk, greatest)
		some = some || !early(last) && !late(first)
		all = all && !early(first) && !late(last)
	}
	return some, all
}

// make makes the chunks of a task.
func (t *task) make(ctx context.Context) error {
	if t.copied {
		t.report.Copied++
		return t.send(ctx, *wholeOf(t.inputs[0]))
	}
	m := &maker{task: t, ctx: ctx}
	if space := t.inputs[0].space; space.keeps {
		m.next = firstFree/space.spaces + int64(t.number)<<24 // greater than keys that stay, and apart from those of other tasks
	}
	for _, c := range t.inputs {
		if err := m.read(c); err != nil {
			return err
		}
	}
	if m.out != nil {
		m.out.owns = m.out.constants != nil
	}
	return m.flush()
}

func (t *task) send(ctx context.Context, o output) error {
	select {
	case t.pieces <- o:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// maker makes chunks anew.
type maker struct {
	*task
	ctx   context.Context
	out   *target
	limit int   // how much memory it takes at most, more or less
	next  int64 // of keys that are made up, see [target.newKey]
	sent  bool  // a chunk was sent
	head  wire.Header
	lost  bool // an event does not stay
	// inputHead is the header of the chunk that is read, with the clock of the new one.
	inputHead wire.Header
	end       int64 // of the last chunk that was read, in nanoseconds since 1970
	input     *inputChunk
	source    *source
	plain     []uint64 // events that were copied as bytes, by ordinal
}

// read copies what stays of a chunk.
func (m *maker) read(c *inputChunk) error {
	var clock *nanoClock
	if m.clocks {
		clock = &nanoClock{c.Chunk, m.base}
	}
	s, err := newSource(m.ctx, m.plan, c, clock, &m.report)
	if err == nil && c.keeps {
		err = s.keepConstants(&m.shared.targets, &m.next)
	}
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx)
	}
	if err != nil {
		m.errs = append(m.errs, err)
		m.report.Left++
		return nil
	}
	if err := s.constants.Err(); err != nil {
		m.errs = append(m.errs, err)
	}
	if c.keeps {
		m.report.Edited++
		m.report.Constants += s.kept.count
	} else {
		m.report.Made++
	}
	m.input, m.source = c, s
	h := engine.ChunkIndex(c.Chunk).Header()
	if !h.SaneRate() {
		err := fmt.Errorf("%w: its clock has %d ticks a second; a usual rate is used instead", mmapjfr.ErrCorrupt, h.TicksPerSecond)
		m.errs = append(m.errs, &mmapjfr.FormatError{Err: err, Section: "header", Offset: engine.ChunkIndex(c.Chunk).Offset(), Chunk: c.Number()})
		h.TicksPerSecond = wire.UsualRate
	}
	if clock != nil {
		h = clock.header(h)
	}
	if m.plan.Convert {
		h.Major, h.Minor = 2, 1
	}
	m.inputHead = h
	if m.out == nil {
		m.begin()
	} else {
		s.begin(m.out)
	}
	m.end = h.StartNanos + h.DurationNanos
	return m.copyEvents(c)
}

// begin begins another chunk.
func (m *maker) begin() {
	m.head = m.inputHead
	m.out = m.shared.take(m.plan.form(m.input.Chunk), m.input.space, &m.next, len(m.inputs) > 1)
	m.limit = m.plan.chunkSize()
	if kept := m.source.kept; kept != nil {
		// Each chunk that is made of one has all of its constants. So it may take as much memory as these.
		m.out.constants, m.limit = kept, max(m.limit, kept.size)
	}
	m.source.begin(m.out)
}

// flush sends the chunk that has been made, if it has events or never had any.
func (m *maker) flush() error {
	if m.ctx.Err() != nil {
		return context.Cause(m.ctx) // edits may have stopped
	}
	if m.out == nil || m.out.kept == 0 && (m.lost || m.sent) {
		return nil
	}
	h := m.head
	h.DurationNanos = m.end - h.StartNanos
	if h = shortened(h, m.plan.From, m.plan.To); h.Minor == 0 && h.Major == 2 {
		h.Minor = 1 // what is written, 2.1 says
	}
	for _, p := range m.out.order {
		m.report.Constants += uint64(p.count)
	}
	parts, err := m.out.piece(h, m.shared.event(m.plan, m.input, m.out.form, h.StartTicks))
	if err != nil {
		return err
	}
	o := output{parts: parts, from: m.out, of: m.input, final: engine.ChunkFinal(m.input.Chunk)}
	m.sent, m.out = true, nil
	return m.send(m.ctx, o)
}
