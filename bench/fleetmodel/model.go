package main

import "math"

// MB is the unit of speeds.
const MB = 1e6

// Fleet is what is written in a day.
type Fleet struct {
	Files int
	Bytes float64
	// Sigma is that of the logarithm of sizes; 0 makes all files equal.
	Sigma float64
	// Keys is how many results there are, and Largest the share of all bytes that the largest of them has.
	Keys    int
	Largest float64
}

// Question is what is asked, by what has been measured of it: docs/FLEET-MODEL.md says how.
type Question struct {
	Name string
	// Speed is that of reading, and Facts that of looking through the rest of a recording of which a range is read, in
	// bytes per second and core; 0 if nothing must be known of the rest.
	Speed, Facts float64
	// Partial is how many bytes the result of an item has, and Merged those of all items of a key.
	Partial, Merged float64
	// Decode is how many bytes of partial results are decoded in a second.
	Decode float64
	// Writes is how many files an item becomes; 0 if only keys become files.
	Writes float64
}

// Design is how the work is divided.
type Design struct {
	Name string
	// Item is the size of an item, and Split how many items of a file a task has at most; 0 is all of them.
	Item  float64
	Split int
	// Get is how many bytes a request asks for, and Chunk the size of chunks, whose headers are asked for one by one.
	Get, Chunk float64
	// Bundle is how many tasks are merged where they are read. Fanout is how many workers merge what there is of a key before
	// one merges the rest; 0 is none.
	Bundle, Fanout int
	// Facts says how ranges of a file get to know what must be known of all of it.
	Facts FactsFrom
}

// FactsFrom says where ranges of a file know from what must be known of all of it.
type FactsFrom int

// Each range looks through the rest of the file; one task looks through all of it and hands over what it has found; each range looks through
// its own bytes first, and what they have found is merged and handed over; or partial results carry what is not known, and
// merging them decides it.
const (
	FactsOfRest FactsFrom = iota
	FactsOnce
	FactsInRanges
	FactsCarried
)

// Cluster is what the work is done on, and what it costs.
type Cluster struct {
	Cores    int
	Network  float64 // bytes per second and core
	Memory   float64 // bytes of a worker
	Deadline float64 // seconds
	// Prefixes is how many parts of the key space the store serves side by side, each with Gets and Puts per second.
	Prefixes   int
	Gets, Puts float64
	Page       float64 // seconds for a page of a list, of 1000 objects
	// Prices, in dollars.
	CoreHour, Get1000, Put1000 float64
	// SlowShare of the cores are slower by SlowFactor; a core is lost LossPerHour times an hour, with the task that it has.
	SlowShare, SlowFactor, LossPerHour float64
}

// What merging costs besides decoding: seconds for each part and each doubling of their number, and bytes of the head of a
// partial result for each part.
const (
	mergePart = 3e-7
	headPart  = 71
	// inMemory is how many bytes a byte of a partial result takes once it is decoded.
	inMemory = 10
	pageSize = 1000
)

// Load is what a design asks of a cluster.
type Load struct {
	Tasks, Items       float64
	Fetched            float64 // bytes
	Gets, Puts, Lists  float64
	CoreSeconds        float64
	Shuffle            float64 // bytes
	LastSeconds        float64 // of the last merge of the largest key
	LastMemory         float64
	Dollars            float64
	ComputeDollars     float64
	RequestDollars     float64
	LongestTaskSeconds float64
}

// Expect returns the load of a fleet whose files have equal sizes.
func Expect(f Fleet, q Question, d Design, c Cluster) (l Load) {
	size := f.Bytes / float64(f.Files)
	items := math.Max(1, math.Ceil(size/d.Item))
	tasks := 1.0
	if d.Split > 0 {
		tasks = math.Ceil(items / float64(d.Split))
	}
	l.Items, l.Tasks = items*float64(f.Files), tasks*float64(f.Files)
	if size < d.Item { // small files are read together
		l.Items = math.Ceil(f.Bytes / d.Item)
		l.Tasks = l.Items
	}
	before, q := factsOf(size, size/tasks, q, d)
	perTask := taskOf(size, size/tasks, tasks > 1, q, d)
	all, longest := task{perTask.cpu * tasks, perTask.fetched * tasks, perTask.gets * tasks}, perTask.seconds(c)
	for _, t := range before {
		all, longest = task{all.cpu + t.cpu, all.fetched + t.fetched, all.gets + t.gets}, math.Max(longest, t.seconds(c))
	}
	l.Fetched, l.Gets, l.CoreSeconds = all.fetched*float64(f.Files), all.gets*float64(f.Files), all.cpu*float64(f.Files)
	l.LongestTaskSeconds = longest
	l.Lists = math.Ceil(float64(f.Files) / pageSize)
	l.Puts = q.Writes*l.Items + float64(f.Keys)
	l.merge(f, q, d)
	l.ComputeDollars = math.Max(l.CoreSeconds, l.Fetched/c.Network) / 3600 * c.CoreHour
	l.RequestDollars = l.Gets/1000*c.Get1000 + (l.Puts+l.Lists)/1000*c.Put1000
	l.Dollars = l.ComputeDollars + l.RequestDollars
	return l
}

// merge adds what merging costs.
func (l *Load) merge(f Fleet, q Question, d Design) {
	// of returns the bytes of a partial result of some items: it grows no more once it has all that a key has.
	of := func(items float64) float64 {
		return math.Min(q.Merged, q.Partial*math.Max(1, items)) + headPart*items
	}
	// chain returns how long one worker takes that merges one by one.
	chain := func(in, items float64) float64 { return in*of(items/in)/q.Decode + mergePart*items*math.Log2(items) }
	bundles := math.Ceil(l.Tasks / math.Max(1, float64(d.Bundle)))
	l.Shuffle = bundles * of(l.Items/bundles)
	in, items := math.Max(1, bundles*f.Largest), l.Items*f.Largest
	l.LastSeconds = chain(in, items)
	if n := float64(d.Fanout); n > 1 && in > n {
		l.LastSeconds = chain(in/n, items/n) + chain(n, items)
		l.Shuffle += n / f.Largest * of(items/n)
	}
	l.LastMemory = inMemory*(of(items)-headPart*items) + 3*headPart*items
}

// task is what a range of a file costs.
type task struct{ cpu, fetched, gets float64 }

// taskOf returns what is done for a range of a file, or all of it.
func taskOf(size, length float64, isPart bool, q Question, d Design) (t task) {
	t.cpu, t.fetched = length/q.Speed, length
	headers := math.Ceil(size / d.Chunk) // they are found one after the other, so all are asked for
	if isPart && q.Facts > 0 {
		t.cpu += (size - length) / q.Facts
		t.fetched = size
	}
	t.gets = math.Ceil(t.fetched/d.Get) + headers
	return t
}

// factsOf returns the tasks that find what must be known of all of a file, before its ranges are read, and the question as it is asked of
// these.
func factsOf(size, length float64, q Question, d Design) (list []task, ranges Question) {
	ranges = q
	if d.Facts == FactsOfRest || size <= length || q.Facts == 0 {
		return nil, q
	}
	ranges.Facts = 0
	of := func(bytes float64) task {
		return task{bytes / q.Facts, bytes, math.Ceil(bytes/d.Get) + math.Ceil(size/d.Chunk)}
	}
	switch d.Facts {
	case FactsOnce:
		list = []task{of(size)}
	case FactsInRanges:
		for at := 0.0; at < size*(1-1e-9); at += length {
			list = append(list, of(math.Min(length, size-at)))
		}
	}
	return list, ranges
}

// seconds returns how long a core takes that is not slow.
func (t task) seconds(c Cluster) float64 { return math.Max(t.cpu, t.fetched/c.Network) }

// Limit is something that can be too much.
type Limit struct {
	What  string
	Ratio float64 // of what is there; more than 1 breaks
}

// Limits returns how much of each limit a load takes.
func (l Load) Limits(f Fleet, c Cluster) []Limit {
	perSecond := func(n, rate float64) float64 { return n / c.Deadline / (rate * float64(c.Prefixes)) }
	all := float64(c.Cores) * c.Deadline
	return []Limit{
		{"cores: reading", l.CoreSeconds / all},
		{"network: bytes fetched", l.Fetched / c.Network / all},
		{"store: GET requests per second", perSecond(l.Gets, c.Gets)},
		{"store: PUT requests per second", perSecond(l.Puts, c.Puts)},
		{"one worker: list of objects, time", l.Lists * c.Page / c.Deadline},
		{"one worker: list of objects, memory", float64(f.Files) * 1000 / c.Memory},
		{"one worker: last merge, time", l.LastSeconds / c.Deadline},
		{"one worker: last merge, memory", l.LastMemory / c.Memory},
		{"longest task", l.LongestTaskSeconds * c.SlowFactor / c.Deadline},
	}
}
