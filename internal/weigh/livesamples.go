package weigh

import (
	"math"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// liveSamples decides what samples of allocations of a stream weigh, one after the other: it does not know the next ones.
type liveSamples struct {
	chunk    mmapjfr.Chunk
	hasChunk bool
	isOff    bool // no samples are taken
	jvm      jvmID
	first    bool // the chunk is the first of the JVM
	// What recordings of a chunk say: of the first one, and of this one, which is the first of a JVM that is named later.
	began, own begins

	begin  int64 // when the first sample was taken, in nanoseconds since 1970
	newest int64 // the greatest number of the threads that were there at first
	seen   map[int64]bool
	told   int64              // when the first statistics were written
	before map[threadID]int64 // what threads had allocated then
	// outliers is how many samples weighed far more than was allocated in the time.
	outliers int
	sum      int64 // of right samples
	count    int64
	held     []heldSample
	late     int64 // what was held back, and counts now

	last    sampleAt // was decided last
	changed map[sampleAt]int64
}

// begins says that recordings began long before a chunk, or with it.
type begins struct{ older, newer bool }

// heldSample is a sample that seemed to weigh too much, and what it did not count of that.
type heldSample struct {
	at, weight, excess int64
	old                bool // its thread is older than samples, or can be
}

type sampleAt struct {
	chunk  int64
	offset uint64
}

// mostChanged is how many samples are remembered that weigh too much: statements may ask again until their window ends.
const mostChanged = 4096

func newLiveSamples() *liveSamples {
	return &liveSamples{seen: make(map[int64]bool), changed: make(map[sampleAt]int64), before: make(map[threadID]int64), newest: math.MinInt64}
}

// restart says that samples begin to be taken.
func (l *liveSamples) restart() {
	clear(l.seen)
	clear(l.before)
	l.told = 0
	l.isOff, l.first, l.began = false, false, begins{}
	l.begin, l.newest, l.outliers, l.sum, l.count, l.held, l.late = 0, math.MinInt64, 0, 0, 0, nil, 0
}

// nextJVM says that the chunk is of another JVM.
func (l *liveSamples) nextJVM() {
	l.restart()
	l.first, l.began = true, l.own
}

// add takes an event.
func (l *liveSamples) add(ev mmapjfr.Event) {
	name := ev.Type().Name()
	if name != sampleEvent && name != statisticEvent && name != SettingEvent && name != recordingEvent && name != jvmEvent {
		return
	}
	if c := ev.Chunk(); !l.hasChunk || c != l.chunk {
		l.first, l.own = !l.hasChunk, begins{}
		if l.hasChunk && !engine.ChunkSameJVM(c, l.chunk) {
			l.nextJVM()
		}
		l.chunk, l.hasChunk = c, true
	}
	switch name {
	case sampleEvent:
		l.sample(ev)
		return
	case statisticEvent:
		l.statistic(ev)
		return
	case jvmEvent: // clocks of one host agree
		id := jvmOf(ev)
		if l.jvm != (jvmID{}) && id != l.jvm {
			l.nextJVM()
		}
		l.jvm = id
		return
	case recordingEvent:
		if at := ev.Time(pathRecordingStart); !at.IsZero() {
			isOlder := at.Before(ev.Chunk().Start().Add(-time.Duration(begun)))
			l.own.older, l.own.newer = l.own.older || isOlder, l.own.newer || !isOlder
		}
		if l.first {
			l.began = l.own
		}
		return
	}
	if ev.Str(PathName) != "enabled" {
		return
	}
	if t, err := engine.ChunkEventType(ev.Chunk(), ev.Int(pathID)); err == nil && t.Name() == sampleEvent {
		isOff := ev.Str(pathValue) != "true"
		if l.isOff && !isOff {
			l.restart()
		}
		l.isOff = isOff
	}
}

// statistic takes what a thread has allocated, if that is said for the first time.
func (l *liveSamples) statistic(ev mmapjfr.Event) {
	if l.isOff {
		return
	}
	at, of := ev.StartNanos(), idOf(ev.Get(pathThread).Thread())
	if l.told == 0 {
		l.told = at
	}
	if _, ok := l.before[of]; !ok && at-soon <= l.told {
		l.before[of], l.newest = max(ev.Int(pathAllocated), 0), max(l.newest, of.java)
	}
}

// sample decides about a sample.
func (l *liveSamples) sample(ev mmapjfr.Event) {
	at := sampleAt{ev.Chunk().Start().UnixNano(), ev.Offset()}
	if at == l.last {
		return
	}
	l.last = at
	weight := max(ev.Int(pathWeight), 0)
	counts := weight
	before, isKnown := l.before[idOf(ev.Get(PathEventThread).Thread())]
	if isHeavy := l.isTooHeavy(ev, weight); isHeavy && isKnown && before <= weight {
		counts = weight - before
	} else if isHeavy {
		counts = 0
		if l.count > 0 {
			counts = min(weight, l.sum/l.count)
		}
		if len(l.held) < mostCarriers {
			l.held = append(l.held, heldSample{ev.StartNanos(), weight, weight - counts, !ev.Get(PathEventThread).Thread().IsVirtual()})
		}
	} else if l.sum < math.MaxInt64-weight {
		l.sum, l.count = l.sum+weight, l.count+1
		counts = saturate.Add(weight, l.explained(ev.StartNanos()))
	}
	if counts != weight {
		if len(l.changed) >= mostChanged {
			clear(l.changed)
		}
		l.changed[at] = counts
	}
}

// explained takes a sample that turns out to weigh no more than is allocated in such a time, and returns what it did not
// count: the sample that shows it counts that, as the former has been asked for. All of these together weigh no more than
// the others.
func (l *liveSamples) explained(now int64) int64 {
	rate := float64(l.sum) / l.millis(now)
	for i, h := range l.held {
		isLike := !h.old || h.weight/apart <= l.sum/l.count
		if isLike && float64(h.weight/4) <= rate*l.millis(h.at) && h.excess <= l.sum-l.late {
			l.held = slices.Delete(l.held, i, i+1)
			l.late += h.excess
			return h.excess
		}
	}
	return 0
}

// millis returns how long samples have been taken.
func (l *liveSamples) millis(now int64) float64 { return float64(now-l.begin)/1e6 + firstMillis }

// isTooHeavy reports whether a sample weighs what was allocated before samples were taken.
func (l *liveSamples) isTooHeavy(ev mmapjfr.Event, weight int64) bool {
	if l.began.older && !l.began.newer {
		return false // samples were taken long before
	}
	now := ev.StartNanos()
	if l.begin == 0 {
		l.begin = now
	}
	t := ev.Get(PathEventThread).Thread()
	if t.IsZero() {
		return false
	}
	if id := t.JavaThreadID(); !t.IsVirtual() {
		if now-soon <= l.begin {
			l.newest = max(l.newest, id)
		}
		if l.seen[id] {
			return false
		}
		if id <= l.newest {
			l.seen[id] = true
			if !l.began.older {
				return true
			}
		}
	}
	// It is not known whether its thread, or the carrier of that, allocated before.
	if l.outliers >= mostCarriers || weight/4 <= l.sum || float64(weight)/fewBytes <= l.millis(now) {
		return false
	}
	l.outliers++
	return true
}

// A thread that allocates fewBytes in a millisecond is nothing special; the first sample is taken as if firstMillis had passed.
const (
	fewBytes    = 100_000
	firstMillis = 20
)

// weight returns what a sample counts that weighs as much.
func (l *liveSamples) weight(ev mmapjfr.Event, weight int64) int64 {
	if counts, ok := l.changed[sampleAt{ev.Chunk().Start().UnixNano(), ev.Offset()}]; ok {
		return counts
	}
	return weight
}
