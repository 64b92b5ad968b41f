package profiletest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Allocating says how a JVM allocates, and what of it a recording has. Lengths of time are in
// milliseconds.
type Allocating struct {
	Name string
	// Old is for how long the threads ran before the recording began, Long how long that lasts, and
	// Chunks how many it has.
	Old, Long, Chunks int
	// Threads are platform threads as old as the JVM, Carriers those that virtual threads run on,
	// and Short platform threads of which each lasts 20 ms, one after the other.
	Threads, Carriers, Short int
	// Every is how many milliseconds lie between samples, and SampledFor for how long samples were
	// taken before.
	Every, SampledFor int
	// Throttled says that threads allocate 100 times as much, and samples are taken in the first 8
	// of 200 milliseconds only.
	Throttled bool
	// Earlier is how much earlier recordings began than the file; one with 0 begins with it. None
	// are said if there are none.
	Earlier []int
	// EnabledAt is when samples were enabled, in the recording.
	EnabledAt int
	// Young says of the platform threads that they began with the recording.
	Young bool
	// Once says that platform threads allocate nothing more in the recording than one large object
	// each.
	Once bool
	// Statistics says that what threads have allocated is written when a chunk begins, and when it
	// ends.
	Statistics bool
	// NoStarts leaves out when threads began, and Inline writes threads into events.
	NoStarts, Inline bool
	// Rate is how many ticks the clock counts in a nanosecond.
	Rate int64
	// PID is the process that the JVM says it is; it says nothing if it is 0.
	PID int
}

// AllocatingPrograms are JVMs of all kinds that differ in what their first samples weigh.
func AllocatingPrograms() []Allocating {
	list := []Allocating{
		{Name: "recording as old as the JVM", Threads: 6},
		{Name: "late", Old: 12_000, Threads: 6, Earlier: []int{0}},
		{Name: "late, without a word about recordings", Old: 12_000, Threads: 6},
		{Name: "late, one thread", Old: 12_000, Threads: 1, Earlier: []int{0}},
		{Name: "late, many threads", Old: 12_000, Threads: 30, Earlier: []int{0}},
		{Name: "virtual", Carriers: 4, Earlier: []int{0}},
		{Name: "late, virtual", Old: 12_000, Carriers: 4, Earlier: []int{0}},
		{Name: "short", Short: 3, Threads: 1, Earlier: []int{0}},
		{Name: "late, short", Old: 12_000, Short: 3, Threads: 1, Earlier: []int{0}},
		{Name: "late, short, without starts", Old: 12_000, Short: 3, Threads: 3, Earlier: []int{0}, NoStarts: true},
		{Name: "all kinds, late", Old: 12_000, Short: 2, Threads: 3, Carriers: 3, Earlier: []int{0}},
		{Name: "dump", Old: 12_000, Threads: 4, Short: 1, Carriers: 2, SampledFor: 6_000, Earlier: []int{6_000}},
		{Name: "beside a recording with samples", Old: 12_000, Threads: 6, SampledFor: 6_000, Earlier: []int{6_000, 0}},
		{Name: "beside a recording without", Old: 12_000, Threads: 6, Earlier: []int{6_000, 0}},
		{Name: "after a recording with samples", Old: 12_000, Threads: 6, SampledFor: 1, Earlier: []int{0}},
		{Name: "enabled in between", Old: 12_000, Threads: 6, Earlier: []int{0}, EnabledAt: 1000},
		{Name: "threads of the recording, enabled later", Threads: 6, Earlier: []int{0}, EnabledAt: 1000, Young: true},
		{Name: "few samples", Old: 12_000, Threads: 2, Earlier: []int{0}, Every: 100},
		{Name: "late, inline", Old: 12_000, Threads: 6, Short: 1, Earlier: []int{0}, Inline: true},
		{Name: "virtual, throttled", Carriers: 4, Earlier: []int{0}, Every: 1, Throttled: true},
	}
	for _, p := range list {
		p.Name, p.Statistics = p.Name+", statistics", true
		list = append(list, p)
	}
	list = append(list, Allocating{Name: "old threads allocate once", Old: 12_000, Threads: 40, Once: true, Earlier: []int{0}, Statistics: true})
	for i, p := range list {
		if p.Chunks = 3; i%2 == 0 {
			p.Chunks = 1
		}
		if p.Every == 0 {
			p.Every = 5
		}
		p.Long, p.Rate = 3000, int64(1+i/2%2)
		list[i] = p
	}
	return list
}

// heapThread is a native thread, and the Java thread that allocates in it.
type heapThread struct {
	id, start   int64 // of the Java thread
	isVirtual   bool
	rate        int64 // bytes in a millisecond
	bytes, last int64 // allocated, and when the last sample was taken
	before      int64 // allocated before the file began or samples were enabled
}

// heapEvent is an event of a program: a sample, or the start of a thread.
type heapEvent struct {
	at     int64
	id     int64
	weight int64 // of a sample
	isSum  bool  // it has what a thread has allocated
}

// Recording returns a recording of the program, what its samples weigh as they were written, and
// what was allocated of that in the time in which samples were taken in the file.
func (p Allocating) Recording(rng *rand.Rand) (data []byte, written, right int64) {
	var events []heapEvent
	var threads []*heapThread
	id := int64(10)
	start := func(t *heapThread, at int64) {
		id++
		t.id, t.start = id, at
		if at == int64(-p.Old) && p.Young {
			at = 1
		}
		if at > 0 && !t.isVirtual && !p.NoStarts {
			events = append(events, heapEvent{at: at, id: id})
		}
	}
	for i := range p.Threads + p.Carriers + p.Short {
		t := &heapThread{rate: 2000 + rng.Int64N(4000), isVirtual: i >= p.Threads && i < p.Threads+p.Carriers}
		if p.Throttled {
			t.rate *= 100
		}
		start(t, int64(-p.Old))
		threads = append(threads, t)
	}
	isVirtual := make(map[int64]bool)
	next := make([]int64, len(threads))
	for at := int64(-p.Old); at < int64(p.Long); at++ {
		isSampled := at >= int64(p.EnabledAt) || p.SampledFor > 1 && at >= int64(-p.SampledFor) || p.SampledFor == 1 && at == -5000
		events = p.statistics(events, threads, at)
		var large *heapThread
		for i, t := range threads {
			if i >= p.Threads && at >= next[i] { // another thread of Java
				if next[i] = at + 20; i >= p.Threads+p.Carriers {
					*t = heapThread{rate: t.rate}
				}
				start(t, at)
				isVirtual[t.id] = t.isVirtual
			}
			if at == int64(p.EnabledAt) {
				t.before = t.bytes
			}
			if !p.Once || at < 0 {
				t.bytes += t.rate/2 + rng.Int64N(t.rate)
			} else if at == int64(100+70*i) {
				t.bytes, large = t.bytes+10e6, t
			}
		}
		if !isSampled || p.Throttled && at%200 >= 8 || at%int64(p.Every) != 0 && p.SampledFor != 1 {
			continue
		}
		t := threads[rng.IntN(len(threads))]
		if p.Once {
			if t = large; t == nil {
				continue
			}
		}
		if at >= 0 {
			events = append(events, heapEvent{at: at, id: t.id, weight: t.bytes - t.last})
			written += t.bytes - t.last
			right += t.bytes - max(t.last, t.before)
			if p.SampledFor > 1 { // all of it was allocated since samples were taken
				right += max(t.last, t.before) - t.last
			}
		}
		t.last = t.bytes
	}
	for n := range p.Chunks {
		from, to := int64(p.Long*n/p.Chunks), int64(p.Long*(n+1)/p.Chunks)
		data = append(data, p.chunk(rng, events, isVirtual, from, to)...)
	}
	return data, written, right
}

// statistics appends what threads have allocated when a chunk begins or ends.
func (p Allocating) statistics(events []heapEvent, threads []*heapThread, at int64) []heapEvent {
	isBegin, isEnd := at*int64(p.Chunks)%int64(p.Long) == 0, (at+1)*int64(p.Chunks)%int64(p.Long) == 0
	for _, t := range threads {
		if p.Statistics && at >= 0 && (isBegin || isEnd) && !t.isVirtual {
			events = append(events, heapEvent{at, t.id, t.bytes, true})
		}
	}
	return events
}

func (p Allocating) chunk(rng *rand.Rand, events []heapEvent, isVirtual map[int64]bool, from, to int64) []byte {
	const ms = int64(time.Millisecond)
	b := jfrtest.NewChunk()
	first, rate := b.Header.StartTicks, max(p.Rate, 1)
	b.Header.StartNanos += from * ms
	b.Header.StartTicks, b.Header.DurationNanos, b.Header.TickRate = first+from*ms*rate, (to-from)*ms, rate*1e9
	thread := jfrtest.EventThread()
	if p.Inline {
		thread = jfrtest.Of("eventThread", "java.lang.Thread")
	}
	text := func(name string) jfrtest.Field { return jfrtest.Of(name, jfrtest.StringClass) }
	setting := b.Event("jdk.ActiveSetting", jfrtest.Of("id", "long"), text("name"), text("value"))
	recording := b.Event("jdk.ActiveRecording", jfrtest.Of("recordingStart", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH")))
	sample := b.Event("jdk.ObjectAllocationSample", thread, jfrtest.Of("weight", "long"))
	started := b.Event("jdk.ThreadStart", jfrtest.Const("thread", "java.lang.Thread"))
	statistic := b.Event("jdk.ThreadAllocationStatistics", jfrtest.Of("allocated", "long"), jfrtest.Const("thread", "java.lang.Thread"))
	cp := b.Checkpoint(jfrtest.MaskFlush)
	known := make(map[int64]bool)
	values := func(id int64) []any {
		name, os := fmt.Sprint("thread ", id), 1000+id
		if isVirtual[id] {
			os = 0
		}
		return []any{name, os, name, id, int64(0), isVirtual[id]}
	}
	constant := func(id int64) int64 {
		if !known[id] {
			known[id] = true
			cp.Add("java.lang.Thread", id, values(id)...)
		}
		return id
	}
	at := func(n int64) int64 { return first + n*ms*rate }
	if p.PID != 0 {
		b.Emit(b.Event("jdk.JVMInformation", jfrtest.Of("pid", "long")), at(from), int64(p.PID))
	}
	for _, earlier := range p.Earlier {
		b.Emit(recording, at(from), (b.Header.StartNanos-from*ms)/ms-int64(earlier))
	}
	b.Emit(setting, at(from), started.ID, "enabled", strconv.FormatBool(!p.NoStarts))
	b.Emit(setting, at(from), sample.ID, "enabled", strconv.FormatBool(p.EnabledAt == 0 || from > int64(p.EnabledAt)))
	if n := int64(p.EnabledAt); n > 0 && from <= n && n < to {
		b.Emit(setting, at(n+50), sample.ID, "enabled", "true") // JVMs write it when samples are taken already
	}
	events = slices.DeleteFunc(slices.Clone(events), func(e heapEvent) bool { return e.at < from || e.at >= to })
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, e := range events {
		switch {
		case e.isSum:
			b.Emit(statistic, at(e.at), e.weight, constant(e.id))
		case e.weight == 0:
			b.Emit(started, at(e.at), constant(e.id))
		case p.Inline:
			b.Emit(sample, at(e.at), jfrtest.Inline(values(e.id)), e.weight)
		default:
			b.Emit(sample, at(e.at)+1, constant(e.id), e.weight)
		}
	}
	return b.Bytes()
}
