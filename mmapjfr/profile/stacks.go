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
	p       *Profile
	place   *mmapjfr.FieldPath // of a frame: its line, or the index of its bytecode
	known   map[int64]StackID
	keyed   interner[frameKey]
	frames  []FrameID // by number of the key
	recent  [recentFrames]recentFrame
	methods map[int64]MethodID
	kinds   map[int64]FrameKind
	// contents are methods and classes the names of classes, also of profiles before.
	contents map[int64]Method
	classes  map[int64]string
	// texts are names by themselves, also of chunks before.
	texts map[string]string
	// keys are those of the last stack and of the one before.
	keys, lastKeys []int64
	truncated      bool
	views          []mmapjfr.Frame
	// last are the frames of the last stack, the outermost first, and path the stacks that they ended.
	last, list []FrameID
	path       []StackID
	all        []FrameID // room of addAll
}

// frameKey is a frame as a chunk has it: the keys of the method and of the kind.
type frameKey struct{ method, line, kind int64 }

// recentFrame is a frame that was looked up.
type recentFrame struct {
	key   frameKey
	id    FrameID
	known bool
}

// recentFrames is how many frames that were looked up are found faster.
const (
	recentFrames = 1 << recentBits
	recentBits   = 13
)

// NewStacks returns what adds the stack traces of one chunk to a profile.
func NewStacks(p *Profile) *Stacks {
	return &Stacks{
		p: p, place: pathLine, known: make(map[int64]StackID), methods: make(map[int64]MethodID), kinds: make(map[int64]FrameKind),
		contents: make(map[int64]Method), classes: make(map[int64]string), texts: make(map[string]string),
	}
}

// newStacksAfter returns Stacks for another chunk, with the texts and the room of those of one before.
func newStacksAfter(before *Stacks, place *mmapjfr.FieldPath) *Stacks {
	d := NewStacks(nil)
	d.place = place
	if before != nil {
		d.texts, d.all = before.texts, before.all
	}
	return d
}

// begin begins to add to another profile, of the same chunk.
func (d *Stacks) begin(p *Profile) {
	*d = Stacks{p: p, place: d.place, methods: make(map[int64]MethodID), kinds: d.kinds, contents: d.contents, classes: d.classes, texts: d.texts, keys: d.keys, lastKeys: d.lastKeys, views: d.views, path: d.path[:0], all: d.all}
}

// Add returns the stack that a stack trace of the chunk is; the empty stack for the zero StackTrace.
// Each stack trace is decoded once.
func (d *Stacks) Add(s mmapjfr.StackTrace) StackID {
	key := s.Key()
	if id, ok := d.known[key]; ok && key != 0 { // 0: none, or in the event itself
		return id
	}
	d.list = d.appendFrames(d.list[:0], d.last, s)
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

// addAll adds stack traces to a profile that has none. All get the numbers that they have in a sorted
// profile; sorting them first takes less than looking up each frame of each stack. It returns their
// numbers, and must be the last call.
func (d *Stacks) addAll(traces []mmapjfr.StackTrace) []StackID {
	type trace struct{ number, from, to int }
	all := d.all[:0]
	list := make([]trace, len(traces))
	for i, t := range traces {
		from := len(all)
		all = d.appendFrames(all, d.last, t)
		d.last = all[from:]
		list[i] = trace{i, from, len(all)}
	}
	frames := d.p.sortFrames()
	for i, f := range all {
		all[i] = FrameID(frames[f])
	}
	slices.SortFunc(list, func(a, b trace) int { return slices.Compare(all[a.from:a.to], all[b.from:b.to]) })
	d.all = all
	ids := make([]StackID, len(traces))
	var last []FrameID
	for _, t := range list {
		stack := all[t.from:t.to]
		d.path = d.path[:commonPrefix(stack, last)]
		for _, f := range stack[len(d.path):] {
			caller := StackID(0)
			if n := len(d.path); n > 0 {
				caller = d.path[n-1]
			}
			d.path = append(d.path, StackID(len(d.p.stacks.list)))
			d.p.stacks.list = append(d.p.stacks.list, node{caller, f})
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

// appendFrames appends the frames of a stack trace, the outermost first.
// It may know the frames of the last stack, which have mostly the same outer ones.
func (d *Stacks) appendFrames(dst, last []FrameID, s mmapjfr.StackTrace) []FrameID {
	from, isTruncated := len(dst), s.IsTruncated()
	if isTruncated {
		dst = append(dst, d.p.AddText(truncated))
	}
	d.keys, d.lastKeys = s.Value().Get(pathFrames).AppendElementInts(d.lastKeys[:0], pathMethod, d.place, pathType), d.keys
	n := len(d.keys) / numbersOfFrame
	if len(last) > 0 && isTruncated == d.truncated {
		same := commonSuffix(d.keys, d.lastKeys) / numbersOfFrame
		dst = append(dst, last[len(dst)-from:][:same]...)
		n -= same
	}
	d.truncated = isTruncated
	inner := len(dst)
	dst = slices.Grow(dst, n)[:inner+n]
	unknown := false
	for i := range n {
		key := d.key(i)
		at := d.slot(key)
		if at.key != key || !at.known {
			id, ok := d.keyed.find(key)
			if !ok {
				unknown = true
				dst[len(dst)-1-i] = noFrame
				continue
			}
			*at = recentFrame{key, d.frames[id], true}
		}
		dst[len(dst)-1-i] = at.id
	}
	if unknown {
		d.addFrames(dst[inner:], s)
	}
	return dst
}

// commonSuffix returns how many numbers two lists end with that are the same.
func commonSuffix(a, b []int64) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// key returns a frame of the last stack, whose keys are known.
func (d *Stacks) key(i int) frameKey {
	k := d.keys[i*numbersOfFrame:][:numbersOfFrame]
	return frameKey{k[0], k[1], k[2]}
}

// noFrame is a frame that is not known yet.
const noFrame = ^FrameID(0)

// slot returns where a frame is that was looked up recently.
func (d *Stacks) slot(key frameKey) *recentFrame {
	const odd = 0x9e37_79b9_7f4a_7c15
	return &d.recent[(uint64(key.method)+uint64(key.line)<<40)*odd>>(64-recentBits)]
}

// addFrames adds the frames of a stack trace that are not known yet.
func (d *Stacks) addFrames(list []FrameID, s mmapjfr.StackTrace) {
	d.views = s.AppendFrames(d.views[:0])
	for i := range list {
		at := &list[len(list)-1-i]
		if *at != noFrame {
			continue
		}
		var f mmapjfr.Frame
		if i < len(d.views) { // it always is, unless the file changes
			f = d.views[i]
		}
		id := d.keyed.id(d.key(i))
		if int(id) == len(d.frames) {
			d.frames = append(d.frames, d.frame(f, d.keyed.list[id]))
		}
		*at = d.frames[id]
	}
}

// frame adds a frame.
func (d *Stacks) frame(f mmapjfr.Frame, key frameKey) FrameID {
	method, ok := d.methods[key.method]
	if !ok {
		content, ok := d.contents[key.method]
		if !ok {
			content = d.content(f.Method())
			d.contents[key.method] = content
		}
		method = d.p.AddMethod(content)
		d.methods[key.method] = method
	}
	kind, ok := d.kinds[key.kind]
	if !ok {
		kind = frameKinds[f.Kind()]
		d.kinds[key.kind] = kind
	}
	line := int32(min(max(key.line, 0), math.MaxInt32))
	switch {
	case d.place == pathLine:
	case line == unknownIndex:
		line = 0
	default:
		line = -line
	}
	return d.p.AddFrame(Frame{method, line, kind})
}

// unknownIndex is the index of frames whose place in the bytecode is not known.
const unknownIndex = 65_535

// noResult ends what async-profiler writes for functions that are no methods: ()L; and, for those of
// the kernel, (Lk;)L;.
const noResult = ")L;"

var (
	pathRawName    = mmapjfr.Path("@raw.name")
	pathDescriptor = mmapjfr.Path("descriptor")
)

// content returns what a method is.
func (d *Stacks) content(m mmapjfr.Method) Method {
	v, class := m.Value(), m.Class()
	name, ok := d.classes[class.Key()]
	if !ok || class.Key() == 0 {
		name = d.text(class.Value().Get(pathRawName))
		d.classes[class.Key()] = name
	}
	descriptor := d.text(v.Get(pathDescriptor))
	if strings.HasSuffix(descriptor, noResult) {
		descriptor = ""
	}
	return Method{name, d.text(v.Get(pathName)), descriptor}
}

// text returns a string. Most were in chunks before: a view is enough to find them.
func (d *Stacks) text(v mmapjfr.Value) string {
	view := v.StrView()
	text, ok := d.texts[view]
	if !ok {
		text = strings.Clone(view)
		d.texts[text] = text
	}
	return text
}
