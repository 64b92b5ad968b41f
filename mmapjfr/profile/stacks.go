package profile

import (
	"math"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Stacks adds stack traces of a chunk to a profile. It remembers what the numbers of stack traces,
// methods and kinds of frames mean in the chunk, and the last stack: stacks that lie near each other
// in a recording mostly have their outer frames in common. One goroutine alone may use it.
type Stacks struct {
	p     *Profile
	c     mmapjfr.Chunk
	place *mmapjfr.FieldPath // of a frame: its line, or the index of its bytecode
	known map[int64]StackID
	// keyed and raw number the frames of the chunk by their keys, and by their bytes; recent are those
	// that were looked up last. The frame [truncated] has number 0.
	keyed  interner[frameKey]
	raw    interner[rawFrame]
	rawIDs []uint32 // by number in raw
	recent [recentFrames]recentFrame
	// contents and frames are by number: what a frame is, and its number in the profile.
	contents []frameContent
	frames   []FrameID
	// methods and classes are by their keys, those of chunks before as well. methodType is the type of
	// methods in the chunk, if frames refer to constants.
	methods    map[int64]methodOf
	classes    map[int64]classOf
	methodType mmapjfr.Type
	kinds      map[int64]FrameKind
	round      int // counts chunks
	// texts are names by themselves, also of chunks before.
	texts map[string]string
	// keys and views are of the frames of the last stack, if they were needed.
	keys  []int64
	views []mmapjfr.Frame
	// last are the frames of the last stack, the outermost first, and path the stacks that they ended.
	last, list []uint32
	path       []StackID
	all        []uint32 // room of addAll
}

// frameKey is a frame as a chunk has it: the keys of the method and of the kind.
type frameKey struct{ method, line, kind int64 }

// frameContent is a frame with its method, which has no number.
type frameContent struct {
	method Method
	line   int32
	kind   FrameKind
}

// methodOf is what a key has meant in the chunk of a round. In the next one it mostly means the same, but
// need not.
type methodOf struct {
	Method
	round int
}

// classOf is what methodOf is, for the name of a class.
type classOf struct {
	name  string
	round int
}

// NewStacks returns what adds the stack traces of a chunk to a profile.
func NewStacks(p *Profile, c mmapjfr.Chunk) *Stacks {
	d := &Stacks{
		p: p, place: pathLine, known: make(map[int64]StackID), contents: []frameContent{{Method{Name: truncated}, 0, Text}}, frames: []FrameID{noFrame},
		methods: make(map[int64]methodOf), classes: make(map[int64]classOf), kinds: make(map[int64]FrameKind), texts: make(map[string]string),
	}
	d.reset(c)
	return d
}

// mostOfBefore is how many methods are kept for the next chunk, far more than a chunk mostly has.
const mostOfBefore = 1 << 17

// reset makes Stacks those of another chunk.
func (d *Stacks) reset(c mmapjfr.Chunk) {
	d.c, d.methodType = c, mmapjfr.Type{}
	d.keyed.reset()
	d.raw.reset()
	d.rawIDs, d.contents, d.frames, d.last = d.rawIDs[:0], d.contents[:1], d.frames[:1], d.last[:0]
	clear(d.known)
	clear(d.kinds)
	if len(d.methods) > mostOfBefore || len(d.classes) > mostOfBefore || len(d.texts) > 4*mostOfBefore {
		clear(d.methods)
		clear(d.classes)
		clear(d.texts)
	}
	d.round++
}

// begin begins to add to another profile, of the same chunk.
func (d *Stacks) begin(p *Profile) {
	d.p, d.path = p, d.path[:0]
	clear(d.recent[:])
	for i := range d.frames {
		d.frames[i] = noFrame
	}
}

// Add returns the stack that a stack trace of the chunk is; the empty stack for the zero StackTrace.
// Each stack trace is decoded once.
func (d *Stacks) Add(s mmapjfr.StackTrace) StackID {
	key := s.Key()
	if id, ok := d.known[key]; ok && key != 0 { // 0: none, or in the event itself
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
		id = d.p.Push(id, d.frames[f])
		d.path = append(d.path, id)
	}
	d.list, d.last = d.last, d.list
	d.known[key] = id
	return id
}

func commonPrefix(a, b []uint32) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// addAll adds stack traces to a profile that has none. All get the numbers that they have in a sorted
// profile; sorting them first takes less than looking up each frame of each stack. It returns their
// numbers, and must be the last call.
func (d *Stacks) addAll(traces []mmapjfr.StackTrace) []StackID {
	type trace struct{ number, from, to int }
	all := d.all[:0]
	list := make([]trace, len(traces))
	for i, t := range traces {
		from := len(all)
		all = d.appendFrames(all, t)
		list[i] = trace{i, from, len(all)}
	}
	sorted := d.p.sortFrames()
	for i, f := range d.frames {
		if f != noFrame {
			d.frames[i] = FrameID(sorted[f])
		}
	}
	for i, f := range all {
		all[i] = uint32(d.frames[f])
	}
	slices.SortFunc(list, func(a, b trace) int { return slices.Compare(all[a.from:a.to], all[b.from:b.to]) })
	d.all = all
	ids := make([]StackID, len(traces))
	var last []uint32
	for _, t := range list {
		stack := all[t.from:t.to]
		d.path = d.path[:commonPrefix(stack, last)]
		for _, f := range stack[len(d.path):] {
			caller := StackID(0)
			if n := len(d.path); n > 0 {
				caller = d.path[n-1]
			}
			d.path = append(d.path, StackID(len(d.p.stacks.list)))
			d.p.stacks.list = append(d.p.stacks.list, node{caller, FrameID(f)})
		}
		last = stack
		if n := len(d.path); n > 0 {
			ids[t.number] = d.path[n-1]
		}
	}
	return ids
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

// appendFrames appends the numbers of the frames of a stack trace, the outermost first.
func (d *Stacks) appendFrames(dst []uint32, s mmapjfr.StackTrace) []uint32 {
	if s.IsTruncated() {
		d.use(0)
		dst = append(dst, 0)
	}
	d.keys, d.views = d.keys[:0], d.views[:0]
	if list, ok := d.appendRaw(dst, s); ok {
		return list
	}
	d.readKeys(s)
	for i := len(d.keys)/numbersOfFrame - 1; i >= 0; i-- {
		n := d.number(s, i)
		d.use(n)
		dst = append(dst, n)
	}
	return dst
}

// noFrame is a frame that is not in the profile yet.
const noFrame = ^FrameID(0)

// use adds a frame to the profile.
func (d *Stacks) use(n uint32) {
	if d.frames[n] == noFrame {
		f := &d.contents[n]
		d.frames[n] = d.p.AddFrame(Frame{d.p.AddMethod(f.method), f.line, f.kind})
	}
}

// readKeys reads the keys of the frames of a stack trace, if they are not known.
func (d *Stacks) readKeys(s mmapjfr.StackTrace) {
	if len(d.keys) == 0 {
		d.keys = s.Value().Get(pathFrames).AppendElementInts(d.keys, pathMethod, d.place, pathType)
	}
}

// number returns the number of frame i of a stack trace, whose keys are known.
func (d *Stacks) number(s mmapjfr.StackTrace, i int) uint32 {
	k := d.keys[i*numbersOfFrame:][:numbersOfFrame]
	key := frameKey{k[0], k[1], k[2]}
	n := d.keyed.id(key) + 1
	if int(n) == len(d.contents) {
		method, ok := d.methods[key.method]
		if !ok || method.round != d.round {
			method = methodOf{d.content(d.method(s, i, key.method), method.Method), d.round}
			d.methods[key.method] = method
		}
		kind, ok := d.kinds[key.kind]
		if !ok {
			kind = frameKinds[d.view(s, i).Kind()]
			d.kinds[key.kind] = kind
		}
		d.contents = append(d.contents, frameContent{method.Method, d.line(key.line), kind})
		d.frames = append(d.frames, noFrame)
	}
	return n
}

// line returns the line of a frame, or its index as Frame has it.
func (d *Stacks) line(place int64) int32 {
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
func (d *Stacks) view(s mmapjfr.StackTrace, i int) (f mmapjfr.Frame) {
	if len(d.views) == 0 {
		d.views = s.AppendFrames(d.views)
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

// method returns the method of frame i of a stack trace, whose key is known.
func (d *Stacks) method(s mmapjfr.StackTrace, i int, key int64) mmapjfr.Value {
	if d.methodType == (mmapjfr.Type{}) {
		f := d.view(s, i)
		if m, _, err := f.Value().Type().Resolve(pathMethod); err == nil && m.IsConstant() {
			d.methodType = m.Type()
		}
		return f.Method().Value()
	}
	return d.c.Constant(d.methodType, key)
}

// content returns what a method is, which may be that of before.
func (d *Stacks) content(v mmapjfr.Value, before Method) Method {
	c := v.Get(pathType)
	class, ok := d.classes[c.Key()]
	if !ok || class.round != d.round || c.Key() == 0 {
		class = classOf{d.text(c.Get(pathRawName), class.name), d.round}
		d.classes[c.Key()] = class
	}
	descriptor := d.text(v.Get(pathDescriptor), before.Descriptor)
	if strings.HasSuffix(descriptor, noResult) {
		descriptor = ""
	}
	return Method{class.name, d.text(v.Get(pathName), before.Name), descriptor}
}

// text returns a string, which may be that of before. Most were in chunks before: a view is enough to
// find them.
func (d *Stacks) text(v mmapjfr.Value, before string) string {
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
