package jvmstats

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Rates are over these numbers of seconds.
const (
	rateSeconds = 10
	minute      = 60
)

// stateInterval is the least time between two states that others can see. A stream that is read from a
// file has thousands of flushes per second.
const stateInterval = 20 * time.Millisecond

// Vitals is the state of a JVM.
type Vitals struct {
	clock  clock
	kinds  map[string]*kind
	others *kind // types beyond the limit
	count  uint64
	events ring

	jvm       JVM
	cpu       processors
	heap      heap
	metaspace Metaspace
	gc        collections
	alloc     allocations
	samples   samples
	locks     locks
	thrown    exceptions
	threads   Threads
	io        traffic

	// paths are those that at has made.
	paths map[string]*mmapjfr.FieldPath
	// name is memory for the name of a class or method.
	name  []byte
	texts texts

	// wall returns the time of this process.
	wall    func() time.Time
	state   atomic.Pointer[published]
	remarks remarks
}

// published is a state that others can see. It is immutable.
type published struct {
	Snapshot
	at time.Time
}

// remarks are messages for the user, the oldest first.
type remarks struct {
	mu   sync.Mutex
	list []string
}

// New returns Vitals without events.
func New() *Vitals {
	v := &Vitals{
		kinds:  make(map[string]*kind),
		paths:  make(map[string]*mmapjfr.FieldPath),
		others: &kind{name: "(other types)"},
		wall:   time.Now,
		texts:  newTexts(),
	}
	v.alloc.weights = profile.NewWeights()
	v.state.Store(&published{Snapshot: Snapshot{State: Waiting, Types: []TypeRate{}}})
	return v
}

// Observe takes an event of any type. It keeps no reference to the event. It never fails: the error
// makes it a handler of a stream.
func (v *Vitals) Observe(ev mmapjfr.Event) error {
	second := v.clock.see(ev.EndNanos())
	k := v.kind(ev.Type().Name())
	k.total++
	k.count.add(second, 1)
	k.last = max(k.last, second*int64(time.Second))
	v.count++
	v.events.add(second, 1)
	if k.observe != nil {
		k.observe(v, ev, second)
	}
	v.texts.offer(k, ev)
	return nil
}

// Flushed publishes the state after a flush. at is the time of the caller: while there are no
// events, earlier events get older by it.
func (v *Vitals) Flushed(at time.Time) {
	v.clock.flush(at)
	v.texts.flush()
	if now := v.wall(); now.Sub(v.state.Load().at) >= stateInterval {
		v.publish(now, Live, "")
	}
}

// Ended says that no more events will be observed. If err is not nil, there may be more events, but
// they cannot be read.
func (v *Vitals) Ended(err error) {
	state, why := Ended, ""
	if err != nil {
		state, why = Lost, err.Error()
	}
	v.clock.flush(time.Time{})
	v.publish(v.wall(), state, why)
}

func (v *Vitals) publish(at time.Time, state State, why string) {
	p := &published{v.snapshot(), at}
	p.State, p.Why, p.Number = state, why, v.state.Load().Number+1
	v.state.Store(p)
}

// Snapshot returns the state after the last flush. The events of the picked type are the newest.
// Any goroutine may call it.
func (v *Vitals) Snapshot() Snapshot {
	p := v.state.Load()
	s := p.Snapshot
	if s.State == Live {
		s.Quiet = max(0, v.wall().Sub(p.at))
	}
	s.Picked, s.Recent = v.texts.recent()
	v.remarks.mu.Lock()
	defer v.remarks.mu.Unlock()
	s.Remarks = v.remarks.list
	return s
}

// Remark adds a message for the user. Any goroutine may call it.
func (v *Vitals) Remark(text string) {
	v.remarks.mu.Lock()
	defer v.remarks.mu.Unlock()
	v.remarks.list = append(v.remarks.list, text)
}

// Pick picks the type whose last events are kept as text. Of other types only the first few events
// after each flush are kept. An empty name picks no type. Any goroutine may call it.
func (v *Vitals) Pick(name string) { v.texts.pick(name) }

// snapshot returns the state now.
func (v *Vitals) snapshot() Snapshot {
	return Snapshot{
		Time:       jsonout.At(v.clock.time(v.clock.now)),
		Start:      jsonout.At(v.clock.time(v.clock.first)),
		Events:     Events{v.count, v.rate(&v.events, rateSeconds)},
		JVM:        v.jvm,
		CPU:        v.cpu.snapshot(),
		Heap:       v.heap.snapshot(),
		Metaspace:  v.metaspace,
		GC:         v.gc.snapshot(&v.clock),
		Alloc:      v.allocation(),
		Methods:    v.methods(&v.samples.java),
		Native:     v.methods(&v.samples.native),
		CPUTime:    v.methods(&v.samples.cpuTime),
		Locks:      v.locks.snapshot(v.clock.second()),
		Exceptions: v.exceptions(),
		Threads:    v.threads,
		IO:         v.bytes(),
		Types:      v.types(),
	}
}

// rate returns the sum of a ring over the last seconds, per second.
func (v *Vitals) rate(r *ring, seconds int64) float64 {
	return float64(r.sum(v.clock.second(), seconds)) / v.clock.covered(seconds)
}

// at returns the path to a field. Fields that are read often have paths of their own.
func (v *Vitals) at(field string) *mmapjfr.FieldPath {
	p := v.paths[field]
	if p == nil {
		p = mmapjfr.Path(field)
		v.paths[field] = p
	}
	return p
}
