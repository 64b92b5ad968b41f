package rewrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// contextTypes are types of events that say what others mean.
var contextTypes = strings.Fields(`ActiveRecording ActiveSetting JVMInformation OSInformation CPUInformation CPUTimeStampCounter
	VirtualizationInformation ContainerConfiguration PhysicalMemory GCConfiguration GCHeapConfiguration GCSurvivorConfiguration
	GCTLABConfiguration YoungGenerationConfiguration CompilerConfiguration CodeCacheConfiguration InitialSystemProperty
	InitialEnvironmentVariable IntFlag UnsignedIntFlag LongFlag UnsignedLongFlag DoubleFlag BooleanFlag StringFlag JavaAgent
	NativeAgent`)

// isContext reports whether events of a type say what others mean.
func isContext(t mmapjfr.Type) bool {
	for _, name := range contextTypes {
		if t.Name() == "jdk."+name {
			return true
		}
	}
	return false
}

// Starts of threads and statistics of them say which samples of allocations weigh what their threads allocated before the
// recording, and how much that was.
const (
	allocationSample    = "jdk.ObjectAllocationSample"
	threadStart         = "jdk.ThreadStart"
	allocationStatistic = "jdk.ThreadAllocationStatistics"
)

// headersAtOnce is the number of event headers that are read at once.
const headersAtOnce = 256

// copyEvents copies the events of a chunk that stay, and counts them all.
func (m *maker) copyEvents(c *inputChunk) error {
	all := !m.plan.selects()
	counts := make([]Count, len(c.types.Types))
	m.plain = make([]uint64, len(c.types.Types))
	defer func() {
		if m.report.Types == nil {
			m.report.Types = make(map[string]Count)
		}
		for i, n := range counts {
			n.After += m.plain[i]
			if all { // else all have been counted before the first was copied
				n.Before += m.plain[i]
			}
			m.lost = m.lost || n.After < n.Before
			if name := c.types.Types[i].CurrentName(); n.Before > 0 {
				sum := m.report.Types[name]
				m.report.Types[name] = Count{sum.Before + n.Before, sum.After + n.After}
			}
		}
	}()
	if err := m.eachHeaders(c, func(headers []index.EventHeader) error {
		for len(headers) > 0 {
			if all {
				n, err := m.copyPlain(headers)
				if err != nil {
					return err
				}
				if headers = headers[n:]; len(headers) == 0 {
					break
				}
			}
			ev := &headers[0]
			headers = headers[1:]
			if ev.Type == schema.MetadataID || ev.Type == schema.CheckpointID {
				continue
			}
			ordinal, ok := c.types.Ordinal(ev.Type)
			var t *schema.Type
			if ok {
				counts[ordinal].Before++
				t = c.types.Types[ordinal]
			}
			if !all {
				continue
			}
			if err := m.copyEvent(c, ev, t, counts); err != nil {
				return err
			}
		}
		return nil
	}); err != nil || all {
		return err
	}
	return m.copySelected(c, counts)
}

// eachHeaders calls do with the headers of all events, some at a time.
func (m *maker) eachHeaders(c *inputChunk, do func(headers []index.EventHeader) error) error {
	in := engine.ChunkIndex(c.Chunk)
	var headers [headersAtOnce]index.EventHeader
	passed := uint64(0)
	for next, end := in.FirstEvent(), c.Size(); next < end; {
		passed = in.Pass(passed, next)
		if m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		n, after, err := in.ReadHeaders(next, end, headers[:])
		if err := do(headers[:n]); err != nil {
			return err
		}
		next = after
		if err != nil {
			m.errs = append(m.errs, err)
			return nil
		}
	}
	return nil
}

// copyEvent copies an event of a type, or of an unknown one, unless it goes, and begins another chunk if this one is long enough.
func (m *maker) copyEvent(c *inputChunk, ev *index.EventHeader, t *schema.Type, counts []Count) error {
	if t != nil && (c.dropped[t.Ordinal()] || t == c.settings && m.source.isSettingOf(ev, t, c.dropped)) {
		return nil
	}
	if err := m.source.event(ev, t); err != nil {
		m.report.Unreadable++
		if m.report.Unreadable <= mostErrors {
			m.errs = append(m.errs, err)
		}
		return nil
	}
	counts[t.Ordinal()].After++
	return m.flushFull()
}

// copyPlain copies the events at the beginning of some that stay as they are, and returns how many these are.
func (m *maker) copyPlain(headers []index.EventHeader) (n int, err error) {
	if n = m.source.copyPlain(headers, m.plain); n == 0 {
		return 0, nil
	}
	return n, m.flushFull()
}

// flushFull sends the chunk that is made, and begins another one, if it is long enough.
func (m *maker) flushFull() error {
	if m.out.len() < m.limit {
		return nil
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.begin()
	return nil
}

// mostErrors is how many events of a task are reported that cannot be read.
const mostErrors = 8

// isSettingOf reports whether an event is a setting of a type that goes.
func (s *source) isSettingOf(ev *index.EventHeader, t *schema.Type, dropped []bool) bool {
	i := s.names.find(t, "id")
	if i < 0 || t.Fields[i].Array || t.Fields[i].Constant || t.Fields[i].Type.Kind != schema.Long {
		return false
	}
	at, ok := s.slotOffset(t, int(ev.Body()), int(ev.End()), t.Fields[i].Slot())
	if !ok {
		return false
	}
	id, _ := s.form.Long(s.data[at:ev.End()])
	of := s.types.ByID(schema.TypeID(id))
	return of != nil && dropped[of.Ordinal()]
}

// copySelected copies the events of a chunk that are selected, and those that say what they mean.
func (m *maker) copySelected(c *inputChunk, counts []Count) error {
	filters := append([]mmapjfr.Filter(nil), m.plan.Filters...)
	var during []mmapjfr.Filter
	if !m.plan.From.IsZero() || !m.plan.To.IsZero() {
		during = append(during, mmapjfr.Between(m.plan.From, m.plan.To))
		filters = append(filters, during...)
	}
	rest := &offsets{m: m, c: c, counts: counts}
	if m.plan.Context {
		if err := rest.addContext(filters, during); err != nil {
			return err
		}
	}
	any := false
	if err := m.cursor(c.Select(filters...), func(ev mmapjfr.Event) error {
		if m.plan.Keep != nil && !m.plan.Keep(ev) {
			return nil
		}
		any = true
		at := ev.Offset() - c.Offset()
		if err := rest.copyBefore(at); err != nil {
			return err
		}
		return rest.copyAt(at)
	}); err != nil || !any {
		return err
	}
	return rest.copyBefore(c.Size())
}

// cursor calls do with the events of a selection, and notes what cannot be read.
func (m *maker) cursor(sel *mmapjfr.Selection, do func(ev mmapjfr.Event) error) error {
	cur := sel.Cursor()
	for n := 0; ; n++ {
		if n%headersAtOnce == 0 && m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		if cur.Next() {
			if err := do(cur.Event()); err != nil {
				return err
			}
			continue
		}
		err := cur.Err()
		if err == nil {
			return nil
		}
		for _, fatal := range []error{mmapjfr.ErrClosed, mmapjfr.ErrChanged} {
			if errors.Is(err, fatal) {
				return err
			}
		}
		if len(m.errs) < mostErrors {
			m.errs = append(m.errs, err)
		}
	}
}

// offsets are those of events that are copied together with others of a chunk.
type offsets struct {
	m      *maker
	c      *inputChunk
	counts []Count
	list   []uint64 // ascending
}

// addContext adds the events that say what those mean that filters select, some of them only if they were during a time.
func (o *offsets) addContext(filters, during []mmapjfr.Filter) error {
	add := func(ev mmapjfr.Event) error {
		o.list = append(o.list, ev.Offset()-o.c.Offset())
		return nil
	}
	err := o.m.cursor(o.c.Select(mmapjfr.TypesFunc(isContext)), add)
	if err != nil {
		return err
	}
	samples := o.c.Select(append(slices.Clone(filters), mmapjfr.Types(allocationSample))...)
	err = o.m.cursor(samples, func(ev mmapjfr.Event) error {
		if o.m.plan.Keep != nil && !o.m.plan.Keep(ev) {
			return nil
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		starts := append(slices.Clone(during), mmapjfr.Types(threadStart))
		until := []mmapjfr.Filter{mmapjfr.Types(allocationStatistic), mmapjfr.Between(time.Time{}, o.m.plan.To)}
		err = cmp.Or(o.m.cursor(o.c.Select(starts...), add), o.m.cursor(o.c.Select(until...), add))
		slices.Sort(o.list)
	}
	return err
}

var errFound = errors.New("found")

// copyBefore copies the events that begin before an offset. One that begins there is copied by the caller.
func (o *offsets) copyBefore(offset uint64) error {
	for len(o.list) > 0 && o.list[0] < offset {
		if err := o.copyAt(o.list[0]); err != nil {
			return err
		}
		o.list = o.list[1:]
	}
	if len(o.list) > 0 && o.list[0] == offset {
		o.list = o.list[1:]
	}
	return nil
}

// copyAt copies the event at an offset.
func (o *offsets) copyAt(offset uint64) error {
	var one [1]index.EventHeader
	if n, _, err := engine.ChunkIndex(o.c.Chunk).ReadHeaders(offset, offset+1, one[:]); n == 0 {
		return fmt.Errorf("rewrite: %w", errors.Join(mmapjfr.ErrChanged, err))
	}
	if n, err := o.m.copyPlain(one[:]); n > 0 || err != nil {
		return err
	}
	return o.m.copyEvent(o.c, &one[0], o.c.types.ByID(one[0].Type), o.counts)
}
