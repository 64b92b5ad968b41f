package profile

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// counter sums up the samples of a chunk that a worker reads. Stacks and labels have the numbers
// of the chunk.
type counter struct {
	r        *reader
	c        mmapjfr.Chunk
	settings weigh.Settings    // of the chunk, if they are known before its samples
	found    []weigh.SettingAt // otherwise, those that the worker has read

	rows   interner[countKey]
	values [][maxValues]int64 // by row
	// stacks are the keys of stack traces in the chunk, and stackType is the type of these. Stacks that
	// are no constants of that type are others, by the keys that they get from their events.
	stacks    interner[int64]
	stackType mmapjfr.Type
	others    map[int64]calledStack
	called    map[call]int64            // the keys of others with a method
	types     map[sourceID]mmapjfr.Type // of events
	// labels are by number; labelIDs are their numbers by those of constants.
	labels    interner[Labels]
	labelKeys interner[labelKey]
	labelIDs  []uint32
	// recent are labels that were looked up last.
	recent [1 << recentLabelBits]recentLabel
	texts  interner[string]
	// threads and names are what labels are made of, by the numbers of constants.
	threads map[int64]Labels
	names   map[nameKey]string

	notes   map[sourceNote]int64
	tallies map[sourceID]*tally
	weights [maxValues][]int64
	moment  int // the logarithm of its length, as of tally
}

type countKey struct {
	stack  uint32
	labels uint32
	at     int64 // as the Time of a Sample
	src    sourceID
}

// labelKey is the constants that labels are made of.
type labelKey struct {
	source                    sourceID
	thread, class, state      int64
	span, traceHigh, traceLow int64
}

// recentLabel is labels that were looked up, and their number plus 1; 0 for none.
type recentLabel struct {
	key labelKey
	id  uint32
}

const recentLabelBits = 8

// slot returns where labels are that were looked up recently.
func (w *counter) slot(k *labelKey) *recentLabel {
	const odd = 0x9e37_79b9_7f4a_7c15
	hash := (uint64(k.thread)*odd ^ uint64(k.class)) * odd
	return &w.recent[(hash^uint64(k.state)<<56)>>(64-recentLabelBits)]
}

func newCounter(r *reader, c mmapjfr.Chunk) counter {
	return counter{
		r: r, c: c, settings: r.facts.Settings[c.Number()], stackType: stackTypeOf(c),
		types: make(map[sourceID]mmapjfr.Type), notes: make(map[sourceNote]int64), tallies: make(map[sourceID]*tally),
		threads: make(map[int64]Labels), names: make(map[nameKey]string), called: make(map[call]int64),
		moment: bits.Len64(uint64(max(engine.ChunkTicksPerSecond(c), 0)) / momentsPerSecond),
	}
}

var (
	pathStack     = mmapjfr.Path("stackTrace")
	pathSpan      = mmapjfr.Path("spanId")
	pathTraceHigh = mmapjfr.Path("traceIdHi")
	pathTraceLow  = mmapjfr.Path("traceIdLo")
	pathTimeSpan  = mmapjfr.Path("timeSpan")
	pathFile      = mmapjfr.Path("path")
	pathHost      = mmapjfr.Path("host")
	pathPort      = mmapjfr.Path("port")
)

// batch adds the events of a batch.
func (w *counter) batch(b *mmapjfr.Batch) {
	if w.r.settled != nil && engine.BatchType(b).Name() == weigh.SettingEvent {
		w.found = weigh.AppendSettings(w.found, b)
	}
	for _, id := range w.r.sources[engine.BatchType(b).Name()] {
		w.types[id] = engine.BatchType(b)
		w.count(b, id, &w.r.kinds[id.kind].Sources[id.source])
	}
}

func (w *counter) count(b *mmapjfr.Batch, id sourceID, s *weigh.Source) {
	stacks := w.calls(b, s.Called, w.stackKeys(b))
	threads, classes, states := w.keys(b, s.Thread), w.keys(b, s.Class), w.keys(b, s.State)
	if s.Class == nil && w.r.o.Paths {
		classes = w.paths(b)
	}
	failed := w.keys(b, s.Failed)
	starts, tally := engine.BatchInts(b, weigh.PathStart), w.tally(id)
	spans, high, low := engine.BatchInts(b, pathSpan), engine.BatchInts(b, pathTraceHigh), engine.BatchInts(b, pathTraceLow)
	for i := range s.Values {
		w.weigh(b, i, s.Values[i])
	}
	var last labelKey
	lastID, known := uint32(0), false
	for i := range engine.BatchLen(b) {
		if w.r.o.Where != nil && !w.r.o.Where(engine.BatchEvent(b, i)) {
			continue
		}
		if s.Mode == weigh.Leaked && !w.r.facts.Leaks[engine.BatchEvent(b, i).Offset()] {
			continue
		}
		if s.Mode == weigh.Lost {
			tally.lost = saturate.Add(tally.lost, w.weights[0][i])
			continue
		}
		if at(failed, i) != 0 {
			tally.failed++
		}
		tally.moments |= 1 << (uint64(at(starts, i)) >> w.moment & 63)
		key := labelKey{id, at(threads, i), at(classes, i), at(states, i), at(spans, i), at(high, i), at(low, i)}
		if !known || key != last {
			last, known = key, true
			at := w.slot(&key)
			if at.id == 0 || at.key != key {
				*at = recentLabel{key, w.label(b, i, s, key) + 1}
			}
			lastID = at.id - 1
		}
		if s.Mode == weigh.NotErrors && w.r.facts.Errors[w.c.Number()][w.labels.list[lastID].Class] {
			continue
		}
		if s.SinceLast {
			if usual := w.r.facts.Heavy.Weight(engine.BatchEvent(b, i), w.weights[1][i]); usual != w.weights[1][i] {
				w.weights[1][i] = usual
				w.notes[sourceNote{id, w.r.facts.Heavy.Note(engine.BatchEvent(b, i))}]++
			}
		}
		row := countKey{stack: w.stacks.id(at(stacks, i)), labels: lastID, src: id}
		if w.r.o.Times == 0 {
			w.add(b, i, row, 1)
			continue
		}
		parts, step := w.parts(b, i, s)
		for part := range parts {
			row.at = lengthOf(engine.BatchEvent(b, i).StartNanos()+part*step, w.r.o.Times)
			w.add(b, i, row, parts)
		}
	}
}

// stackTypeOf returns the type of stack traces of a chunk.
func stackTypeOf(c mmapjfr.Chunk) mmapjfr.Type {
	types, _ := c.Types() // the scan reports it
	for _, t := range types {
		if t.Name() == jdktypes.StackTrace {
			return t
		}
	}
	return mmapjfr.Type{}
}

// stackKeys returns the keys of the stack traces of events; nil if these have none.
func (w *counter) stackKeys(b *mmapjfr.Batch) []int64 {
	f, _, err := engine.BatchType(b).Resolve(pathStack)
	if err != nil {
		return nil
	}
	if f.IsConstant() && !f.IsArray() && f.Type() == w.stackType {
		_ = engine.BatchValue(b, pathStack, 0) // constants that cannot be read are an error of the scan
		return engine.BatchInts(b, pathStack)
	}
	keys := make([]int64, engine.BatchLen(b))
	for i := range keys {
		s := engine.BatchValue(b, pathStack, i).StackTrace()
		if s.IsZero() {
			continue
		}
		keys[i] = w.other(b, i, calledStack{trace: s})
	}
	return keys
}

// calledStack is a stack trace, and the method that was called from it if that is no frame of it.
type calledStack struct {
	trace  mmapjfr.StackTrace
	method mmapjfr.Value
}

// other stores the stack of an event that is no constant, and returns its key.
func (w *counter) other(b *mmapjfr.Batch, i int, s calledStack) int64 {
	if w.others == nil {
		w.others = make(map[int64]calledStack)
	}
	key := math.MinInt64 + int64(engine.BatchEvent(b, i).Offset())
	w.others[key] = s
	return key
}

// calls returns the keys of the stacks of events with the methods that were called from them. Keys are those of
// the stacks alone.
func (w *counter) calls(b *mmapjfr.Batch, method *mmapjfr.FieldPath, keys []int64) []int64 {
	if method == nil {
		return keys
	}
	if _, _, err := engine.BatchType(b).Resolve(method); err != nil {
		return keys
	}
	called := w.keys(b, method)
	all := make([]int64, engine.BatchLen(b))
	for i := range all {
		c := call{at(keys, i), at(called, i)}
		key, ok := w.called[c]
		switch {
		case c.method == 0:
			key = c.stack
		case !ok:
			key = w.other(b, i, calledStack{engine.BatchValue(b, pathStack, i).StackTrace(), engine.BatchValue(b, method, i)})
			w.called[c] = key
		}
		all[i] = key
	}
	return all
}

// call is the keys of a stack and of the method that was called from it.
type call struct{ stack, method int64 }

// add adds a part of the weights of an event to a row.
func (w *counter) add(b *mmapjfr.Batch, i int, key countKey, parts int64) {
	n := w.rows.id(key)
	if int(n) == len(w.values) {
		w.values = append(w.values, [maxValues]int64{})
	}
	row := &w.values[n]
	for j := range row {
		row[j] = saturate.Add(row[j], w.weights[j][i]/parts)
	}
}

// tally returns the tally of a source.
func (w *counter) tally(id sourceID) *tally {
	t := w.tallies[id]
	if t == nil {
		t = &tally{typ: w.types[id].ID()}
		w.tallies[id] = t
	}
	return t
}

// lengthOf returns when the length of time began that a time is in, as samples have it.
func lengthOf(at int64, times time.Duration) int64 {
	length := int64(times)
	if length == 0 {
		return 0
	}
	return at - (at%length+length)%length
}

// mostParts is how many samples of a waiting thread async-profiler puts into one event.
const mostParts = 1000

// parts returns how many samples an event is, and the time between them: async-profiler writes those
// of a thread that waits as one event.
func (w *counter) parts(b *mmapjfr.Batch, i int, s *weigh.Source) (n, step int64) {
	if s.Event != weigh.WallSampleEvent || w.weights[0][i] <= 1 || w.weights[0][i] > mostParts {
		return 1, 0
	}
	n = w.weights[0][i]
	ev := engine.BatchEvent(b, i)
	if step = int64(ev.Timespan(pathTimeSpan)) / n; step <= 0 {
		step, _ = w.settings.Period(engine.BatchType(b).ID(), engine.BatchType(b).Name(), "wall")
	}
	if n > int64(w.c.Duration())/max(step, 1) {
		return 1, 0 // they would not fit in the chunk
	}
	return n, step
}

// at returns an element of a column; 0 if there is no column.
func at(column []int64, i int) int64 {
	if column == nil {
		return 0
	}
	return column[i]
}

// keys returns the numbers of constants that a path leads to; nil if it leads to none.
func (w *counter) keys(b *mmapjfr.Batch, p *mmapjfr.FieldPath) []int64 {
	if p == nil {
		return nil
	}
	if column := engine.BatchInts(b, p); column != nil {
		return column
	}
	if _, _, err := engine.BatchType(b).Resolve(p); err != nil {
		return nil
	}
	column := make([]int64, engine.BatchLen(b))
	for i := range column {
		v := engine.BatchValue(b, p, i)
		switch column[i] = engine.ValueKey(v); {
		case column[i] != 0 || v.Kind() == mmapjfr.KindNone:
		case v.Kind() == mmapjfr.KindStruct:
			t := v.Thread() // two can have one name
			id := string(binary.AppendVarint(binary.AppendVarint(nil, t.JavaThreadID()), t.OSThreadID()))
			column[i] = ^int64(w.texts.id(v.Text() + id))
		default: // what lies in the event itself has no key
			column[i] = ^int64(w.texts.id(v.Text()))
		}
	}
	return column
}

// paths returns the numbers of the files, or of the hosts and ports, that events are of; nil if they
// are of neither.
func (w *counter) paths(b *mmapjfr.Batch) []int64 {
	has := func(p *mmapjfr.FieldPath) bool {
		_, _, err := engine.BatchType(b).Resolve(p)
		return err == nil
	}
	isFile := has(pathFile)
	if !isFile && !has(pathHost) {
		return nil
	}
	column := make([]int64, engine.BatchLen(b))
	for i := range column {
		text := engine.BatchValue(b, pathFile, i).Str()
		if !isFile {
			text = cmp.Or(engine.BatchValue(b, pathHost, i).Str(), engine.BatchValue(b, weigh.PathAddress, i).Str())
			if strings.Contains(text, ":") {
				text = "[" + text + "]"
			}
			if text != "" {
				text += ":" + strconv.FormatInt(engine.BatchValue(b, pathPort, i).Int(), 10)
			}
		}
		column[i] = ^int64(w.texts.id(text))
	}
	return column
}

// label returns the number of the labels of an event.
func (w *counter) label(b *mmapjfr.Batch, i int, s *weigh.Source, key labelKey) uint32 {
	n := w.labelKeys.id(key)
	if int(n) < len(w.labelIDs) {
		return w.labelIDs[n]
	}
	var l Labels
	if s.Thread != nil {
		l = w.thread(b, i, s.Thread, key.thread)
	}
	if l.State = s.StateText; s.State != nil {
		l.State = w.name(key.source, s.State, key.state, func() string { return engine.BatchValue(b, s.State, i).Str() })
	}
	switch {
	case s.Class == nil && key.class != 0:
		l.Class = w.texts.list[^key.class]
	case s.Class != nil:
		l.Class = w.name(key.source, s.Class, key.class, func() string { return weigh.ClassName(engine.BatchValue(b, s.Class, i)) })
	}
	l.SpanID, l.TraceHigh, l.TraceLow = key.span, key.traceHigh, key.traceLow
	id := w.labels.id(l)
	w.labelIDs = append(w.labelIDs, id)
	return id
}

// thread returns labels with the thread of an event.
func (w *counter) thread(b *mmapjfr.Batch, i int, path *mmapjfr.FieldPath, key int64) Labels {
	l, ok := w.threads[key]
	if !ok {
		t := engine.BatchValue(b, path, i).Thread()
		l.Thread, l.ThreadID = t.Name(), t.JavaThreadID()
		if l.ThreadID <= 0 {
			l.ThreadID = t.OSThreadID()
		}
		w.threads[key] = l
	}
	return l
}

// nameKey is a constant that a path leads to from the events of a source.
type nameKey struct {
	source sourceID
	path   *mmapjfr.FieldPath
	key    int64
}

// name returns what read returns for a constant.
func (w *counter) name(source sourceID, path *mmapjfr.FieldPath, key int64, read func() string) string {
	k := nameKey{source, path, key}
	text, ok := w.names[k]
	if !ok {
		text = read()
		w.names[k] = text
	}
	return text
}

// weigh fills in a column of weights, without periods.
func (w *counter) weigh(b *mmapjfr.Batch, i int, factor weigh.Factor) {
	if cap(w.weights[i]) < engine.BatchLen(b) {
		w.weights[i] = make([]int64, mmapjfr.BatchLen)
	}
	w.weights[i] = w.weights[i][:engine.BatchLen(b)]
	factor.FillBatch(b, w.weights[i])
}
