package weigh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// What a sample of allocations weighs is decided here, for recordings, and in livesamples.go, for streams.
//
// A JVM counts what each native thread has allocated since its last sample, or since it began: that is the weight of its
// next sample. So the first sample in a recording is too heavy if the thread allocated before: hours of that can be
// more than all other samples together. It is right if the thread began while samples were taken, or if these were taken long before
// the file begins, as in the dump of a recording that goes on. The counter of a virtual thread is that of its carrier, which
// no event names. What a thread had allocated when the recording began is in the first statistics of threads, which JVMs write
// when a chunk begins: that is not counted. Where none are before the sample, it counts as the others do on average.

// sampleEvent is the type of samples that weigh all that a thread has allocated since its last one.
const sampleEvent = "jdk.ObjectAllocationSample"

const (
	startEvent     = "jdk.ThreadStart"
	statisticEvent = "jdk.ThreadAllocationStatistics"
	recordingEvent = "jdk.ActiveRecording"
	jvmEvent       = "jdk.JVMInformation"
)

var (
	pathWeight         = mmapjfr.Path("weight")
	PathStart          = mmapjfr.Path("startTime")
	pathThread         = mmapjfr.Path("thread")
	pathAllocated      = mmapjfr.Path("allocated")
	pathRecordingStart = mmapjfr.Path("recordingStart")
	pathPID            = mmapjfr.Path("pid")
	pathJVMStart       = mmapjfr.Path("jvmStartTime")
)

// The notes about samples that weigh too much: what they count instead, and that sums of the raw field are too great.
const (
	noteBefore = "%d samples include what their threads allocated before the recording"
	noteUsual  = noteBefore + "; they count as average samples"
	noteKnown  = noteBefore + "; that is left out, as jdk.ThreadAllocationStatistics says how much it is"
	noteRaw    = noteBefore + "; this table includes it, sum(@weight) and mjfr profile do not"
)

// Heavy is how many samples of allocations weigh what their threads allocated before the recording.
type Heavy struct {
	Known int64 // count without it: jdk.ThreadAllocationStatistics says how much it was
	Usual int64 // count as the others do on average
}

// Add adds the samples of other recordings.
func (h *Heavy) Add(o Heavy) { h.Known, h.Usual = h.Known+o.Known, h.Usual+o.Usual }

// Notes says that samples count less than they weigh, or that sums of the raw field are too great.
func (h Heavy) Notes(isRaw bool) (notes []string) {
	add := func(text string, n int64) {
		if n > 0 {
			notes = append(notes, Counted(text, n))
		}
	}
	if isRaw {
		add(noteRaw, h.Known+h.Usual)
		return notes
	}
	add(noteKnown, h.Known)
	add(noteUsual, h.Usual)
	return notes
}

// Counted returns a text about a number of things.
func Counted(text string, n int64) string {
	if n == 1 {
		text = ofOne.Replace(text)
	}
	return strings.Replace(text, "%d", strconv.FormatInt(n, 10), 1)
}

// ofOne makes words of a note about one thing of those about several.
var ofOne = strings.NewReplacer("%d samples are", "%d sample is", "%d samples include what their threads", "%d sample includes what its thread",
	"they count as average samples", "it counts as an average sample", "stacks of %d samples", "stack of %d sample", "%d threads", "%d thread")

// IsAllocation reports whether some samples of the kind can weigh too much.
func (k Kind) IsAllocation() bool {
	return slices.ContainsFunc(k.Sources, func(s Source) bool { return s.SinceLast })
}

// heavySamples are the samples of allocations that weigh too much, by their offsets, and what they count instead.
type heavySamples struct {
	weights map[uint64]int64
	known   map[uint64]bool  // those of which statistics say what they count
	likes   *[1 << 10]uint64 // has a bit for each of the samples; others may share it; nil if there are none
	live    *liveSamples     // in the place of all, for streams
}

func like(offset uint64) (word int, bit uint64) {
	const odd = 0x9e37_79b9_7f4a_7c15
	hash := offset * odd >> (64 - 16)
	return int(hash >> 6), 1 << (hash & 63)
}

// Weight returns what a sample counts that weighs as much.
func (h *heavySamples) Weight(ev mmapjfr.Event, weight int64) int64 {
	if h.live != nil {
		return h.live.weight(ev, weight)
	}
	if h.likes == nil {
		return weight
	}
	if word, bit := like(ev.Offset()); h.likes[word]&bit == 0 {
		return weight
	}
	if less, ok := h.weights[ev.Offset()]; ok {
		return min(weight, less)
	}
	return weight
}

// Note returns the note about a sample that weighs too much.
func (h *heavySamples) Note(ev mmapjfr.Event) string {
	if h.known[ev.Offset()] {
		return noteKnown
	}
	return noteUsual
}

// samplesOf are the samples of a thread in a time in which they were taken.
type samplesOf struct {
	sampling int
	thread   threadID
}

type threadID struct{ java, os int64 }

func idOf(t mmapjfr.Thread) threadID { return threadID{t.JavaThreadID(), t.OSThreadID()} }

type firstSample struct {
	at, weight int64
	offset     uint64
	counts     int64 // what it weighs without what the thread had allocated before, if that is known
	isKnown    bool
}

func (s firstSample) isBefore(o firstSample) bool {
	return s.at < o.at || s.at == o.at && s.offset < o.offset
}

// firsts are the first samples of threads, or their first statistics, which weigh what the thread has allocated.
type firsts map[samplesOf]firstSample

func (f firsts) add(of samplesOf, one firstSample) {
	if before, ok := f[of]; !ok || one.isBefore(before) {
		f[of] = one
	}
}

// with returns the first ones of both, of which neither must be used afterwards.
func (f firsts) with(o firsts) firsts {
	if len(o) > len(f) {
		f, o = o, f
	}
	for of, one := range o {
		f.add(of, one)
	}
	return f
}

// total is how many samples there are, and what they weigh, in 128 bits.
type total struct{ count, high, low uint64 }

func (t *total) add(o total) {
	carry := uint64(0)
	t.count += o.count
	t.low, carry = bits.Add64(t.low, o.low, 0)
	t.high += o.high + carry
}

func (t *total) take(weight int64) {
	borrow := uint64(0)
	t.count--
	t.low, borrow = bits.Sub64(t.low, uint64(max(weight, 0)), 0)
	t.high -= borrow
}

func (t *total) sum() float64 { return float64(t.high)*(1<<64) + float64(t.low) }

// average returns what the samples weigh on average; false if there are none.
func (t *total) average() (int64, bool) {
	if t.high >= t.count { // in bytes that are no profile, too
		return math.MaxInt64, t.count > 0
	}
	n, _ := bits.Div64(t.high, t.low, t.count)
	return int64(min(n, math.MaxInt64)), true
}

// jvmSamples are the samples of a JVM.
type jvmSamples struct {
	jvm       *jvmFacts
	samplings []sampling

	total      total
	firsts     firsts // of platform threads
	statistics firsts
	started    map[samplesOf]bool // threads that began while samples were taken
	heaviest   [][]firstSample    // by sampling: of virtual threads
}

func newJVMSamples(jvm *jvmFacts, list []sampling) *jvmSamples {
	return &jvmSamples{
		jvm: jvm, samplings: list, firsts: make(firsts), statistics: make(firsts),
		started: make(map[samplesOf]bool), heaviest: make([][]firstSample, len(list)),
	}
}

// of returns the sampling that a time is in; -1 for none.
func (s *jvmSamples) of(at int64) int {
	n := len(s.samplings) - 1
	for n >= 0 && s.samplings[n].from > at { // there are few
		n--
	}
	return n
}

// begins reports whether samples begin to be taken in a chunk.
func (s *jvmSamples) begins(c mmapjfr.Chunk) bool {
	return c == s.jvm.first || slices.ContainsFunc(s.samplings, func(of sampling) bool {
		return of.since >= c.Start().UnixNano() && of.since < c.End().UnixNano()
	})
}

// sampleReader reads samples of a chunk for one worker.
type sampleReader struct {
	*jvmSamples
	threads map[int64]*knownThread // by their keys in the chunk
}

type knownThread struct {
	id        threadID
	isVirtual bool
	// Samples with a later start and a greater offset are no first ones.
	ticks  int64
	offset uint64
}

func (r *sampleReader) batch(b *mmapjfr.Batch) {
	if name := engine.BatchType(b).Name(); name != sampleEvent {
		for i := range engine.BatchLen(b) {
			ev := engine.BatchEvent(b, i)
			at := ev.StartNanos()
			n := r.of(at)
			if n < 0 || at < r.samplings[n].since {
				continue
			}
			of := samplesOf{n, idOf(engine.BatchValue(b, pathThread, i).Thread())}
			if name == startEvent {
				r.started[of] = true
			} else {
				r.statistics.add(of, firstSample{at: at, weight: ev.Int(pathAllocated), offset: ev.Offset()})
			}
		}
		return
	}
	threads, weights, starts := engine.BatchInts(b, PathEventThread), engine.BatchInts(b, pathWeight), engine.BatchInts(b, PathStart)
	for i := range engine.BatchLen(b) {
		var at *knownThread
		if threads != nil {
			at = r.threads[threads[i]]
		}
		if at == nil {
			if at = newKnownThread(b, i); threads != nil {
				r.threads[threads[i]] = at
			}
		}
		ev, weight := engine.BatchEvent(b, i), int64(0)
		if weights != nil {
			weight = max(weights[i], 0)
		} else {
			weight = max(ev.Int(pathWeight), 0)
		}
		r.total.add(total{1, 0, uint64(weight)})
		switch {
		case at.id == threadID{}:
		case at.isVirtual:
			r.virtual(ev, weight)
		case starts == nil || len(r.samplings) > 1:
			r.found(at.id, ev, weight)
		case starts[i] <= at.ticks || ev.Offset() <= at.offset:
			at.ticks, at.offset = starts[i], ev.Offset()
			r.found(at.id, ev, weight)
		}
	}
}

func newKnownThread(b *mmapjfr.Batch, i int) *knownThread {
	t := engine.BatchValue(b, PathEventThread, i).Thread()
	return &knownThread{idOf(t), t.IsVirtual(), math.MaxInt64, math.MaxUint64}
}

// found takes the sample of a thread if it is the first so far.
func (s *jvmSamples) found(id threadID, ev mmapjfr.Event, weight int64) {
	one := firstSample{at: ev.StartNanos(), weight: weight, offset: ev.Offset()}
	if n := s.of(one.at); n >= 0 {
		s.firsts.add(samplesOf{n, id}, one)
	}
}

// mostCarriers is how many virtual threads run at once at most, unless an option of the JVM says more.
const mostCarriers = 256

// virtual takes the sample of a virtual thread if it is one of the heaviest.
func (s *jvmSamples) virtual(ev mmapjfr.Event, weight int64) {
	at := ev.StartNanos()
	n := s.of(at)
	if n < 0 {
		return
	}
	list := append(s.heaviest[n], firstSample{at: at, weight: weight, offset: ev.Offset()})
	if len(list) >= 4*mostCarriers {
		list = heaviest(list)
	}
	s.heaviest[n] = list
}

// heaviest returns the heaviest samples, in their order: some more than can be first ones of carriers.
func heaviest(list []firstSample) []firstSample {
	slices.SortFunc(list, func(a, b firstSample) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.offset, b.offset))
	})
	return list[:min(len(list), mostCarriers+1)]
}

// merge adds the samples that another worker has read, which must not be used afterwards.
func (s *jvmSamples) merge(o *jvmSamples) {
	s.total.add(o.total)
	s.firsts, s.statistics = s.firsts.with(o.firsts), s.statistics.with(o.statistics)
	if len(o.started) > len(s.started) {
		s.started, o.started = o.started, s.started
	}
	for of := range o.started {
		s.started[of] = true
	}
	for n := range s.heaviest {
		s.heaviest[n] = heaviest(append(s.heaviest[n], o.heaviest[n]...))
	}
}

// soon is how long it takes until threads have been sampled that are busy when the first samples are taken.
const soon = int64(time.Second)

// know says of first samples what they count, if the statistics of the thread come before: those that are written when the
// recording begins. A sample that weighs less than these say had another one before the recording.
func (s *jvmSamples) know() {
	begin := make([]int64, len(s.samplings))
	for n := range begin {
		begin[n] = math.MaxInt64
	}
	for of, told := range s.statistics {
		begin[of.sampling] = min(begin[of.sampling], told.at)
	}
	for of, told := range s.statistics {
		one, ok := s.firsts[of]
		isOld := told.at-soon <= begin[of.sampling] // else the thread began later
		if ok && isOld && told.isBefore(one) && told.weight >= 0 && told.weight <= one.weight {
			one.counts, one.isKnown = one.weight-told.weight, true
			s.firsts[of] = one
		}
	}
}

// tooHeavy returns the samples that weigh too much.
func (s *jvmSamples) tooHeavy() (list []firstSample) {
	s.know()
	// Where no event says when threads began, those with numbers above all that were there at first are younger.
	hasStarts := s.jvm.hasStarts || len(s.started) > 0
	begin, newest := make([]int64, len(s.samplings)), make([]int64, len(s.samplings))
	for n := range begin {
		begin[n], newest[n] = math.MaxInt64, math.MinInt64
	}
	for of, one := range s.firsts {
		begin[of.sampling] = min(begin[of.sampling], one.at)
	}
	for of, one := range s.firsts {
		if hasStarts || one.at-soon <= begin[of.sampling] {
			newest[of.sampling] = max(newest[of.sampling], of.thread.java)
		}
	}
	old, unsure, rest := make([][]firstSample, len(s.samplings)), make([][]firstSample, len(s.samplings)), s.total
	for of, one := range s.firsts {
		switch n := of.sampling; {
		case s.started[of]:
		case s.samplings[n].isSure && (one.isKnown || of.thread.java <= newest[n]):
			old[n] = append(old[n], one)
			rest.take(one.weight)
		default:
			unsure[n] = append(unsure[n], one)
		}
	}
	usual, ok := rest.average()
	for n, some := range old {
		most, isCut := int64(apart), s.samplings[n].isCut
		if isCut { // hardly any sample is the first of its thread
			most = apart * apart / 2
		}
		for _, one := range some {
			switch {
			case one.isKnown && !isCut:
				rest.add(total{1, 0, uint64(one.counts)})
				list = append(list, one)
			case ok && one.weight/most <= usual:
				rest.add(total{1, 0, uint64(max(one.weight, 0))})
			default:
				list = append(list, one)
			}
		}
	}
	for n, some := range unsure {
		list = append(list, s.outliers(&s.samplings[n], append(some, s.heaviest[n]...), &rest)...)
	}
	return list
}

// apart is how many times heavier than others a sample is at least that is an outlier.
const apart = 8

// outliers returns the samples of a list that weigh more than the JVM allocates on average in the time since samples were
// taken: it is not known whether their threads, or the carriers of these, allocated before.
func (s *jvmSamples) outliers(of *sampling, list []firstSample, rest *total) (out []firstSample) {
	list = heaviest(list)
	from := max(of.since, s.jvm.first.Start().UnixNano())
	length := float64(max(s.jvm.end.UnixNano()-from, 1))
	for before := -1; before < len(out); {
		before = len(out)
		rate, usual := rest.sum()/length, rest.sum()/float64(max(rest.count, 1))
		list = slices.DeleteFunc(list, func(one firstSample) bool {
			weight := float64(one.weight)
			isOut := weight > rate*float64(one.at-from) && weight > apart*usual
			if isOut {
				out = append(out, one)
				rest.take(one.weight)
			}
			return isOut
		})
	}
	return out
}

// put replaces what too heavy samples of the JVM weigh by what is known of them, or by the average of the others.
func (h *heavySamples) put(s *jvmSamples) {
	list, rest := s.tooHeavy(), s.total
	least := int64(math.MaxInt64)
	for i, one := range list {
		if rest.take(one.weight); !one.isKnown {
			list[i].counts = one.weight
		}
		least = min(least, list[i].counts)
	}
	usual, ok := rest.average()
	if !ok {
		usual = least // there are no others
	}
	for _, one := range list {
		if !one.isKnown {
			one.counts = usual
		}
		if one.weight <= one.counts {
			continue
		}
		if h.likes == nil {
			h.weights, h.known, h.likes = make(map[uint64]int64), make(map[uint64]bool), new([1 << 10]uint64)
		}
		if one.isKnown {
			h.known[one.offset] = true
		}
		word, bit := like(one.offset)
		h.likes[word] |= bit
		h.weights[one.offset] = one.counts
	}
}

// ReadHeavy finds the samples of a recording that weigh too much. What cannot be read is left out.
func ReadHeavy(ctx context.Context, rec *mmapjfr.Recording) (h heavySamples) {
	chunks := rec.Chunks()
	facts, of := readSamplingFacts(ctx, rec), make([]*jvmSamples, len(chunks))
	var read []mmapjfr.Chunk
	var all []*jvmSamples
	for _, jvm := range jvmsOf(chunks, facts) {
		list := jvm.samplings()
		if len(list) == 0 {
			continue
		}
		s := newJVMSamples(jvm, list)
		all, read = append(all, s), append(read, jvm.chunks...)
		for _, c := range jvm.chunks {
			of[c.Number()] = s
		}
	}
	var mu sync.Mutex // guards all
	EachChunk(ctx, rec, read, func(c mmapjfr.Chunk, workers int) {
		s := of[c.Number()]
		readers := make([]sampleReader, workers)
		for i := range readers {
			readers[i] = sampleReader{newJVMSamples(s.jvm, s.samplings), make(map[int64]*knownThread)}
		}
		types := []string{sampleEvent, startEvent}
		if s.begins(c) {
			types = append(types, statisticEvent)
		}
		_ = engine.SelectionBatches(engine.SelectionWithWorkers(engine.SelectionWithRepeats(c.Select(mmapjfr.Types(types...))), workers), ctx, func(w int, b *mmapjfr.Batch) error {
			readers[w].batch(b)
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		for i := range readers {
			s.merge(readers[i].jvmSamples)
		}
	})
	for _, s := range all {
		h.put(s)
	}
	return h
}

// readSamplingFacts returns what each chunk says of samples.
func readSamplingFacts(ctx context.Context, rec *mmapjfr.Recording) []samplingFacts {
	facts := make([]samplingFacts, len(rec.Chunks()))
	EachChunk(ctx, rec, rec.Chunks(), func(c mmapjfr.Chunk, workers int) {
		readers := make([]samplingFacts, workers)
		_ = engine.SelectionBatches(engine.SelectionWithWorkers(engine.SelectionWithRepeats(c.Select(mmapjfr.Types(SettingEvent, recordingEvent, jvmEvent))), workers), ctx, func(w int, b *mmapjfr.Batch) error {
			for i := range engine.BatchLen(b) {
				readers[w].add(engine.BatchEvent(b, i))
			}
			return nil
		})
		for _, r := range readers {
			facts[c.Number()].merge(r)
		}
	})
	return facts
}
