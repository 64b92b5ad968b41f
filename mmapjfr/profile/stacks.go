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
	known   map[int64]StackID
	frames  map[frameKey]FrameID
	methods map[int64]MethodID
	kinds   map[int64]FrameKind
	// keys are the frames of the last stack, the innermost first, and stacks the stacks that they
	// ended, in the same order. Truncated says which stack the outermost frame was called by.
	keys, lastKeys []int64
	ids            []FrameID // of the frames that the last stack had not in common with the one before
	stacks         []StackID
	truncated      bool
}

// frameKey is a frame as a chunk has it: the keys of the method and of the kind.
type frameKey struct{ method, line, kind int64 }

// NewStacks returns what adds the stack traces of one chunk to a profile.
func NewStacks(p *Profile) *Stacks {
	return &Stacks{
		p: p, known: make(map[int64]StackID), frames: make(map[frameKey]FrameID),
		methods: make(map[int64]MethodID), kinds: make(map[int64]FrameKind),
	}
}

// Add returns the stack that a stack trace of the chunk is; the empty stack for the zero StackTrace.
// Each stack trace is decoded once.
func (d *Stacks) Add(s mmapjfr.StackTrace) StackID {
	key := s.Key()
	if key == 0 {
		return d.stack(s) // none, or in the event itself
	}
	id, ok := d.known[key]
	if !ok {
		id = d.stack(s)
		d.known[key] = id
	}
	return id
}

// truncated is the outermost frame of stacks whose outer frames the recorder left out.
const truncated = "[truncated]"

var (
	pathFrames = mmapjfr.Path("frames")
	pathMethod = mmapjfr.Path("method")
	pathLine   = mmapjfr.Path("lineNumber")
	pathType   = mmapjfr.Path("type")
)

// numbersOfFrame is how many numbers a frame has in keys.
const numbersOfFrame = 3

// stack returns the stack that a stack trace is.
func (d *Stacks) stack(s mmapjfr.StackTrace) (id StackID) {
	d.keys = s.Value().Get(pathFrames).AppendElementInts(d.keys[:0], pathMethod, pathLine, pathType)
	n := len(d.keys) / numbersOfFrame
	isTruncated := s.IsTruncated()
	common := d.common(isTruncated)
	switch {
	case common > 0:
		id = d.stacks[len(d.stacks)-common]
	case isTruncated:
		id = d.p.Push(0, d.p.AddText(truncated))
	}
	// The stacks of the frames in common move to the end.
	old := d.stacks[len(d.stacks)-common:]
	d.stacks = slices.Grow(d.stacks[:0], n)[:n]
	copy(d.stacks[n-common:], old)
	d.find(s, n-common)
	for i := n - common - 1; i >= 0; i-- {
		id = d.p.Push(id, d.ids[i])
		d.stacks[i] = id
	}
	d.keys, d.lastKeys, d.truncated = d.lastKeys, d.keys, isTruncated
	return id
}

// common returns how many outer frames the last stack has in common with the one in keys.
func (d *Stacks) common(isTruncated bool) (n int) {
	if isTruncated != d.truncated {
		return 0
	}
	a, b := d.keys, d.lastKeys
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return (len(d.keys) - len(a)) / numbersOfFrame
}

// find sets the numbers of the first n frames of a stack trace. It steps once over those up to the
// last that is new: stacks can be deep.
func (d *Stacks) find(s mmapjfr.StackTrace, n int) {
	d.ids = slices.Grow(d.ids[:0], n)[:n]
	last := -1
	for i := range d.ids {
		id, ok := d.frames[d.key(i)]
		if d.ids[i] = id; !ok {
			d.ids[i], last = noFrame, i
		}
	}
	if last < 0 {
		return
	}
	i := 0
	for f := range s.Frames() {
		if d.ids[i] == noFrame {
			key := d.key(i)
			id, ok := d.frames[key]
			if !ok {
				id = d.frame(f, key)
				d.frames[key] = id
			}
			d.ids[i] = id
		}
		if i++; i > last {
			return
		}
	}
}

// noFrame is no number of a frame.
const noFrame = ^FrameID(0)

// key returns frame i of the keys.
func (d *Stacks) key(i int) frameKey {
	k := d.keys[i*numbersOfFrame:]
	return frameKey{k[0], k[1], k[2]}
}

// frame adds a frame.
func (d *Stacks) frame(f mmapjfr.Frame, key frameKey) FrameID {
	method, ok := d.methods[key.method]
	if !ok {
		method = d.method(f.Method())
		d.methods[key.method] = method
	}
	kind, ok := d.kinds[key.kind]
	if !ok {
		kind = frameKinds[f.Kind()]
		d.kinds[key.kind] = kind
	}
	return d.p.AddFrame(Frame{method, int32(min(max(key.line, 0), math.MaxInt32)), kind})
}

// noResult ends what async-profiler writes for functions that are no methods: ()L; and, for those of
// the kernel, (Lk;)L;.
const noResult = ")L;"

var (
	pathRawName    = mmapjfr.Path("@raw.name")
	pathDescriptor = mmapjfr.Path("descriptor")
)

// method adds a method. Most are in the profile already, of other chunks: views are enough to find
// them.
func (d *Stacks) method(m mmapjfr.Method) MethodID {
	v := m.Value()
	class, name, descriptor := m.Class().Value().Get(pathRawName), v.Get(pathName), v.Get(pathDescriptor)
	view := Method{class.StrView(), name.StrView(), withoutNone(descriptor.StrView())}
	if id, ok := d.p.methods.find(view); ok {
		return MethodID(id)
	}
	return d.p.AddMethod(Method{class.Str(), name.Str(), withoutNone(descriptor.Str())})
}

func withoutNone(descriptor string) string {
	if strings.HasSuffix(descriptor, noResult) {
		return ""
	}
	return descriptor
}
