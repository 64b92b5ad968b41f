package profile

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// stacks adds stack traces of a chunk to a profile. It remembers what the numbers of stack traces,
// methods and kinds of frames mean in the chunk, and the last stack: stacks that lie near each other
// in a recording mostly have their outer frames in common. One goroutine alone may use it.
type stacks struct {
	p       *Profile
	c       mmapjfr.Chunk
	table   *frameTable
	place   *mmapjfr.FieldPath   // of a frame: its line, or the index of its bytecode
	numbers []*mmapjfr.FieldPath // of a frame: what is in keys
	known   map[stackKey]StackID
	frames  interner[frame] // those that it has added, also of chunks before
	ids     []FrameID       // by number there, in the table
	cut     *FrameID        // the frame [truncated]; nil before the first one
	// raw numbers the frames of the chunk by their bytes; recent are those that were looked up last.
	raw    interner[rawFrame]
	rawIDs []FrameID // by number in raw
	recent [recentFrames]recentFrame
	// methods and classes are by their keys, those of chunks before as well. methodType is the type of
	// methods in the chunk, if frames refer to constants.
	methods    map[int64]methodOf
	classes    map[int64]classOf
	methodType mmapjfr.Type
	kinds      map[int64]FrameKind
	// layoutOf is the type of stack traces that hasKeys is about: whether frames lie in these, and
	// refer to methods and kinds by keys. Whole are frames that are constants, by their keys.
	layoutOf mmapjfr.Type
	hasKeys  bool
	whole    map[stackKey]FrameID
	round    int // counts chunks
	// texts are names by themselves, also of chunks before.
	texts map[string]string
	// keys and views are of the frames of the last stack, if they were needed.
	keys  []int64
	views []mmapjfr.Frame
	// last are the frames of the last stack, the outermost first, and path the stacks that they ended.
	last, list []FrameID
	path       []StackID
	all        []FrameID // room of addAll
}

// stackKey is a constant of a chunk.
type stackKey struct {
	key int64
	typ mmapjfr.Type
}

// frameTable numbers the methods and frames of stacks. Several goroutines may use it at once: what is in
// many chunks has one number in all of them, and its texts need not be compared again.
type frameTable struct {
	mu sync.Mutex
	p  *Profile // has them
}

func (t *frameTable) method(m Method) methodID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p.addMethod(m)
}

func (t *frameTable) frame(f frame) FrameID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p.addFrame(f)
}

func (t *frameTable) text(text string) FrameID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p.AddText(text)
}

// methodOf is what a key has meant in the chunk of a round. In the next one it mostly means the same, but
// need not.
type methodOf struct {
	Method
	id    methodID
	round int
}

// classOf is what methodOf is, for the name of a class.
type classOf struct {
	name  string
	round int
}

// stackAdder returns what adds the stack traces of a chunk to a profile, for one goroutine.
func stackAdder(p *Profile, c mmapjfr.Chunk) func(mmapjfr.StackTrace) StackID {
	d := newStacks(&frameTable{p: p}, pathLine)
	d.p = p
	d.reset(c)
	return d.add
}

// newStacks returns stacks of no chunk and no profile.
func newStacks(table *frameTable, place *mmapjfr.FieldPath) *stacks {
	return &stacks{
		table: table, place: place, numbers: []*mmapjfr.FieldPath{pathMethod, place, pathType}, known: make(map[stackKey]StackID), methods: make(map[int64]methodOf),
		classes: make(map[int64]classOf), kinds: make(map[int64]FrameKind), texts: make(map[string]string),
		whole: make(map[stackKey]FrameID),
	}
}

// mostOfBefore is how many methods are kept for the next chunk, far more than a chunk mostly has.
const mostOfBefore = 1 << 17

// reset makes stacks those of another chunk.
func (d *stacks) reset(c mmapjfr.Chunk) {
	d.c, d.methodType, d.layoutOf = c, mmapjfr.Type{}, mmapjfr.Type{}
	d.raw.reset()
	clear(d.recent[:])
	clear(d.known)
	clear(d.whole)
	clear(d.kinds)
	d.rawIDs, d.last, d.path = d.rawIDs[:0], d.last[:0], d.path[:0]
	if max(len(d.methods), len(d.classes), len(d.texts)/4, len(d.ids)/4) > mostOfBefore {
		clear(d.methods)
		clear(d.classes)
		clear(d.texts)
		d.frames.reset()
		d.ids = d.ids[:0]
	}
	d.round++
}

// add returns the stack that a stack trace of the chunk is; the empty stack for the zero StackTrace.
// Each stack trace is decoded once.
func (d *stacks) add(s mmapjfr.StackTrace) StackID {
	if s.IsZero() {
		return 0
	}
	key := stackKey{s.Key(), engine.StackTraceValue(s).Type()}
	if id, ok := d.known[key]; ok && key.key != 0 { // 0: in the event itself
		return id
	}
	d.list = d.appendFrames(d.list[:0], s)
	common := commonPrefix(d.list, d.last)
	d.path = d.path[:common]
	id := StackID(0)
	if common > 0 {
		id = d.path[common-1]
	}
	for _, f := range d.list[common:] {
		id = d.p.Push(id, f)
		d.path = append(d.path, id)
	}
	d.list, d.last = d.last, d.list
	d.known[key] = id
	return id
}

func commonPrefix(a, b []FrameID) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// addAll adds stack traces to a profile that has no stacks, in the order of the numbers of their frames;
// sorting them first takes less than looking up each frame of each stack. It returns their numbers.
func (d *stacks) addAll(p *Profile, traces []calledStack) []StackID {
	type trace struct{ number, from, to int }
	all := d.all[:0]
	list := make([]trace, len(traces))
	for i, t := range traces {
		from := len(all)
		all = d.appendFrames(all, t.trace)
		if t.method.Kind() != mmapjfr.KindNone {
			all = append(all, d.called(t.method))
		}
		list[i] = trace{i, from, len(all)}
	}
	slices.SortFunc(list, func(a, b trace) int { return slices.Compare(all[a.from:a.to], all[b.from:b.to]) })
	d.all = all
	ids := make([]StackID, len(traces))
	path, last := d.path[:0], []FrameID(nil)
	for _, t := range list {
		stack := all[t.from:t.to]
		path = path[:commonPrefix(stack, last)]
		for _, f := range stack[len(path):] {
			caller := StackID(0)
			if n := len(path); n > 0 {
				caller = path[n-1]
			}
			path = append(path, StackID(len(p.stacks.list)))
			p.stacks.list = append(p.stacks.list, node{caller, f})
		}
		last = stack
		if n := len(path); n > 0 {
			ids[t.number] = path[n-1]
		}
	}
	d.path = path
	return ids
}

// called returns the frame of a method that is not in the stack trace that it was called from.
func (d *stacks) called(method mmapjfr.Value) FrameID {
	return d.table.frame(frame{method: d.table.method(d.content(method, Method{}))})
}

// truncated is the outermost frame of stacks whose outer frames the recorder left out.
const truncated = "[truncated]"

var (
	pathFrames = mmapjfr.Path("frames")
	pathMethod = mmapjfr.Path("method")
	pathLine   = mmapjfr.Path("lineNumber")
	pathIndex  = mmapjfr.Path("bytecodeIndex")
	pathType   = mmapjfr.Path("type")
)

// numbersOfFrame is how many numbers a frame has in keys.
const numbersOfFrame = 3

// appendFrames appends the frames of a stack trace, the outermost first.
func (d *stacks) appendFrames(dst []FrameID, s mmapjfr.StackTrace) []FrameID {
	if s.IsTruncated() {
		if d.cut == nil {
			d.cut = new(d.table.text(truncated))
		}
		dst = append(dst, *d.cut)
	}
	if s.IsZero() {
		return dst
	}
	if !d.haveKeys(engine.StackTraceValue(s).Type()) {
		return d.appendViews(dst, s)
	}
	d.keys, d.views = d.keys[:0], d.views[:0]
	if list, ok := d.appendRaw(dst, s); ok {
		return list
	}
	d.readKeys(s)
	for i := len(d.keys)/numbersOfFrame - 1; i >= 0; i-- {
		dst = append(dst, d.frame(s, i))
	}
	return dst
}

// haveKeys reports whether frames of stack traces of a type lie in these, and have the keys of methods
// and kinds, as virtual machines write them. Other frames are read one by one.
func (d *stacks) haveKeys(t mmapjfr.Type) bool {
	if d.layoutOf == t {
		return d.hasKeys
	}
	d.layoutOf, d.hasKeys, d.round = t, false, d.round+1
	clear(d.kinds)
	clear(d.recent[:])
	d.raw.reset()
	d.rawIDs = d.rawIDs[:0]
	frames, one, err := t.Resolve(pathFrames)
	if err != nil || !one || !frames.IsArray() || frames.IsConstant() {
		return false
	}
	for _, p := range d.numbers {
		f, one, err := frames.Type().Resolve(p)
		switch {
		case err != nil && p != pathMethod:
			continue // it is 0 of all frames
		case err != nil || !one || f.IsArray(), p != d.place && !f.IsConstant(),
			p == d.place && (f.IsConstant() || !engine.TypeIsPrimitive(f.Type()) || !isAmount(f)):
			return false
		case p == pathMethod:
			d.methodType = f.Type()
		}
	}
	d.hasKeys = true
	return true
}

// appendViews appends the frames of a stack trace, the outermost first, which it reads one by one.
func (d *stacks) appendViews(dst []FrameID, s mmapjfr.StackTrace) []FrameID {
	from := len(dst)
	for v := range engine.StackTraceValue(s).Get(pathFrames).Elements() {
		dst = append(dst, d.viewed(v))
	}
	slices.Reverse(dst[from:])
	return dst
}

// viewed returns the frame that a value is. Those that are constants are read once.
func (d *stacks) viewed(v mmapjfr.Value) FrameID {
	key := stackKey{engine.ValueKey(v), v.Type()}
	if id, ok := d.whole[key]; ok && key.key != 0 {
		return id
	}
	f := v.Frame()
	method := d.table.method(d.content(engine.MethodValue(f.Method()), Method{}))
	line := v.Get(d.place).Int()
	if d.place != pathLine && v.Get(d.place).Kind() == mmapjfr.KindNone {
		line = unknownIndex
	}
	id := d.table.frame(frame{method, d.line(line), frameKinds[f.Kind()]})
	if key.key != 0 {
		d.whole[key] = id
	}
	return id
}

// readKeys reads the keys of the frames of a stack trace, if they are not known.
func (d *stacks) readKeys(s mmapjfr.StackTrace) {
	if len(d.keys) == 0 {
		d.keys = engine.ValueAppendElementInts(engine.StackTraceValue(s).Get(pathFrames), d.keys, d.numbers...)
	}
}

// frame returns frame i of a stack trace, whose keys are known.
func (d *stacks) frame(s mmapjfr.StackTrace, i int) FrameID {
	k := d.keys[i*numbersOfFrame:][:numbersOfFrame]
	method, ok := d.methods[k[0]]
	if !ok || method.round != d.round {
		content := d.content(engine.ChunkConstant(d.c, d.methodType, k[0]), method.Method)
		if !ok || content != method.Method {
			method.Method, method.id = content, d.table.method(content)
		}
		method.round = d.round
		d.methods[k[0]] = method
	}
	kind, ok := d.kinds[k[2]]
	if !ok {
		kind = frameKinds[d.view(s, i).Kind()]
		d.kinds[k[2]] = kind
	}
	f := frame{method.id, d.line(k[1]), kind}
	n := d.frames.id(f)
	if int(n) == len(d.ids) {
		d.ids = append(d.ids, d.table.frame(f))
	}
	return d.ids[n]
}

// line returns the line of a frame, or its index as Frame has it.
func (d *stacks) line(place int64) int32 {
	line := int32(min(max(place, 0), math.MaxInt32))
	switch {
	case d.place == pathLine:
		return line
	case line == unknownIndex:
		return 0
	}
	return -line
}

// unknownIndex is the index of frames whose place in the bytecode is not known.
const unknownIndex = 65_535

// view returns frame i of a stack trace.
func (d *stacks) view(s mmapjfr.StackTrace, i int) (f mmapjfr.Frame) {
	if len(d.views) == 0 {
		d.views = engine.StackTraceAppendFrames(s, d.views)
	}
	if i < len(d.views) { // it always is, unless the file changes
		f = d.views[i]
	}
	return f
}

// noResult ends what async-profiler writes for functions that are no methods: ()L; and, for those of
// the kernel, (Lk;)L;.
const noResult = ")L;"

var (
	pathRawName    = mmapjfr.Path("@raw.name")
	pathDescriptor = mmapjfr.Path("descriptor")
)

// content returns what a method is, which may be that of before.
func (d *stacks) content(v mmapjfr.Value, before Method) Method {
	c := v.Get(pathType)
	class, ok := d.classes[engine.ValueKey(c)]
	if !ok || class.round != d.round || engine.ValueKey(c) == 0 {
		class = classOf{d.text(c.Get(pathRawName), class.name), d.round}
		d.classes[engine.ValueKey(c)] = class
	}
	descriptor := d.text(v.Get(pathDescriptor), before.Descriptor)
	if strings.HasSuffix(descriptor, noResult) {
		descriptor = ""
	}
	return Method{class.name, d.text(v.Get(weigh.PathName), before.Name), descriptor}
}

// text returns a string, which may be that of before. Most were in chunks before: a view is enough to
// find them.
func (d *stacks) text(v mmapjfr.Value, before string) string {
	view := v.StrView()
	if view == before {
		return before
	}
	text, ok := d.texts[view]
	if !ok {
		text = strings.Clone(view)
		d.texts[text] = text
	}
	return text
}
