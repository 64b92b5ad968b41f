package profile

import (
	"math"
	"math/bits"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// sampleEvent is the type of samples that weigh all that a thread has allocated since its last one.
const sampleEvent = "jdk.ObjectAllocationSample"

var (
	pathWeight = mmapjfr.Path("weight")
	pathStart  = mmapjfr.Path("startTime")
)

// firstSamples are the first samples of allocations of each thread in a recording. Each weighs all
// that its thread allocated before: since the thread began, or since an earlier recording ended.
// That can be hours, and more than all other samples together.
type firstSamples struct {
	first map[threadID]firstSample
	// count and sum, in 128 bits, are of all samples.
	count           uint64
	sumHigh, sumLow uint64
	// threads are those of a chunk by their numbers in it, and early their first samples so far.
	threads interner[int64]
	early   []earlySample

	offsets offsetSet // of the events; set by end
	usual   int64     // what the other samples weigh, on average
}

type threadID struct{ java, os int64 }

type firstSample struct {
	at, weight int64
	offset     uint64
}

// earlySample is a sample of a thread: those with a later start and a greater offset are no first ones.
type earlySample struct {
	id     threadID
	ticks  int64
	offset uint64
}

func newFirstSamples() firstSamples {
	return firstSamples{first: make(map[threadID]firstSample), usual: math.MaxInt64}
}

// batch adds samples.
func (f *firstSamples) batch(b *mmapjfr.Batch) {
	threads, weights, starts := b.Ints(pathEventThread), b.Ints(pathWeight), b.Ints(pathStart)
	if threads == nil || weights == nil || starts == nil {
		return // not as virtual machines write it
	}
	for i, key := range threads {
		n := f.threads.id(key)
		if int(n) == len(f.early) {
			t := b.Value(pathEventThread, i).Thread()
			f.early = append(f.early, earlySample{threadID{t.JavaThreadID(), t.OSThreadID()}, math.MaxInt64, math.MaxUint64})
		}
		f.add(1, 0, uint64(max(weights[i], 0)))
		e, offset := &f.early[n], b.Event(i).Offset()
		if starts[i] > e.ticks && offset > e.offset {
			continue
		}
		e.ticks, e.offset = starts[i], offset
		f.found(e.id, firstSample{b.Chunk().TicksToTime(starts[i]).UnixNano(), weights[i], offset})
	}
}

// merge adds the samples that another worker has read, which must not be used afterwards.
func (f *firstSamples) merge(o firstSamples) {
	f.add(o.count, o.sumHigh, o.sumLow)
	if len(o.first) > len(f.first) {
		f.first, o.first = o.first, f.first
	}
	for id, s := range o.first {
		f.found(id, s)
	}
}

func (f *firstSamples) add(count, sumHigh, sumLow uint64) {
	carry := uint64(0)
	f.count += count
	f.sumLow, carry = bits.Add64(f.sumLow, sumLow, 0)
	f.sumHigh += sumHigh + carry
}

// found takes the sample of a thread if it is the first so far.
func (f *firstSamples) found(id threadID, s firstSample) {
	before, ok := f.first[id]
	if !ok || s.at < before.at || s.at == before.at && s.offset < before.offset {
		f.first[id] = s
	}
}

// offsetSet is a set of a few offsets, which is asked about many others.
type offsetSet struct {
	all   map[uint64]bool
	likes *[1 << 10]uint64 // has a bit for each of the set; others may share it
}

func (s *offsetSet) like(offset uint64) (word *uint64, bit uint64) {
	const odd = 0x9e37_79b9_7f4a_7c15
	hash := offset * odd >> (64 - 16)
	return &s.likes[hash>>6], 1 << (hash & 63)
}

func (s *offsetSet) has(offset uint64) bool {
	if s.likes == nil {
		return false
	}
	word, bit := s.like(offset)
	return *word&bit != 0 && s.all[offset]
}

// starts returns the offsets of the samples.
func (f *firstSamples) starts() (s offsetSet) {
	s.all, s.likes = make(map[uint64]bool, len(f.first)), new([1 << 10]uint64)
	for _, first := range f.first {
		word, bit := s.like(first.offset)
		*word |= bit
		s.all[first.offset] = true
	}
	return s
}

// end ends the reading.
func (f *firstSamples) end() {
	f.offsets = f.starts()
	for _, s := range f.first {
		borrow := uint64(0)
		f.sumLow, borrow = bits.Sub64(f.sumLow, uint64(max(s.weight, 0)), 0)
		f.sumHigh -= borrow
		f.count--
	}
	if f.sumHigh < f.count { // it is not in bytes that are no profile
		usual, _ := bits.Div64(f.sumHigh, f.sumLow, f.count)
		f.usual = int64(min(usual, math.MaxInt64))
	}
}

// weight returns what an event weighs: a first sample no more than others do.
func (f *firstSamples) weight(ev mmapjfr.Event, weight int64) int64 {
	if weight > f.usual && f.offsets.has(ev.Offset()) {
		return f.usual
	}
	return weight
}
