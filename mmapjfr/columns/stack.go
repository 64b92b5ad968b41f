package columns

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"sync"

	"github.com/mmapjfr/jfr/internal/bytecache"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Frame is a frame of a stack trace.
type Frame struct {
	Method *Method
	// Type is how it was compiled.
	Type string
	// Line is 0 and BCI -1 if they are not known.
	Line, BCI int64
}

// frameFields are the columns that frames have.
var frameFields = []Column{
	{Name: "class", Kind: Text}, {Name: "method", Kind: Text}, {Name: "descriptor", Kind: Text},
	{Name: "line", Kind: Int}, {Name: "bci", Kind: Int}, {Name: "type", Kind: Text},
}

// field returns the value of one of frameFields; false if it is null.
func (f *Frame) field(i int) (text string, n int64, ok bool) {
	switch i {
	case 0:
		text = f.Method.Class
	case 1:
		text = f.Method.Name
	case 2:
		text = f.Method.Descriptor
	case 3:
		return "", f.Line, f.Line > 0
	case 4:
		return "", f.BCI, f.BCI >= 0
	default:
		text = f.Type
	}
	return text, 0, text != ""
}

// stack is a stack trace by its frames. It is the same one in all chunks.
type stack struct {
	id          int64
	truncated   bool
	top, app    cell
	frames      []Frame
	list        *Elements // the frames, if rows have them
	constant    *Constant // of all columns of stacks
	tablesKnown bool      // the tables of stacks and frames have it; what takes parts sets it
}

// ofJDK matches the names of classes of the JDK.
var ofJDK = lazy.Regexp(`^(java|javax|jdk|sun|com\.sun|org\.graalvm)\.`)

func appendTexts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(append(b, text...), 0)
	}
	return b
}

func appendPlace(b []byte, kind string, line, bci int64) []byte {
	b = append(append(b, kind...), 0)
	b = append(strconv.AppendInt(b, line, 10), 0)
	return append(strconv.AppendInt(b, bci, 10), 0)
}

// stackID returns the number of a stack for the bytes of its frames.
func stackID(b []byte, truncated bool) int64 {
	if truncated {
		b = append(b, 1)
	}
	sum := sha256.Sum256(b)
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// numbersOfFrame is how many numbers a frame has in keys, and framePaths lead to them.
const numbersOfFrame = 4

var framePaths = [numbersOfFrame]*mmapjfr.FieldPath{pathMethod, pathLine, pathBCI, pathType}

// readStack reads a stack trace, or returns the one that was read last for the same key.
func (x *reader) readStack(v mmapjfr.Value) *stack {
	st := v.StackTrace()
	if st.IsZero() {
		return nil
	}
	key := stackKey{st.Key(), v.Type()}
	if key.key != 0 {
		if x.lastStack == nil || key != x.lastKey {
			x.lastStack, x.lastKey = x.chunk.stackOf(key), key
		}
		if x.lastStack != nil {
			return x.lastStack
		}
	}
	x.lastStack, x.lastKey = x.stack(v, st), key
	if key.key != 0 {
		x.chunk.know(key, x.lastStack)
	}
	return x.lastStack
}

// frame is a frame as it is read.
type frame struct {
	method    *Method
	kind      *kind
	line, bci int64
}

// stack reads a stack trace. One that was in a chunk before is found by its frames.
func (x *reader) stack(v mmapjfr.Value, st mmapjfr.StackTrace) *stack {
	truncated := st.IsTruncated()
	if !x.readByKeys(v) {
		x.readViews(st)
	}
	b := x.bytes[:0]
	for i := range x.frames {
		f := &x.frames[i]
		b = binary.AppendUvarint(b, f.method.number)
		b = binary.AppendUvarint(b, f.kind.number)
		b = binary.AppendUvarint(b, uint64(f.line))
		b = binary.AppendUvarint(b, uint64(f.bci+1))
	}
	if truncated {
		b = append(b, 1)
	}
	x.bytes = b
	return x.chunk.e.stacks.stack(b, func() *stack { return x.makeStack(truncated) })
}

// readByKeys reads the frames by the keys of their methods. It is false if they have none.
func (x *reader) readByKeys(v mmapjfr.Value) bool {
	if x.keysOf != v.Type() {
		x.keysOf = v.Type()
		x.hasKeys = x.typesOfFrames(v.Type())
	}
	if !x.hasKeys {
		return false
	}
	x.keys = engine.ValueAppendElementInts(v.Get(pathFrames), x.keys[:0], framePaths[:]...)
	x.frames = x.frames[:0]
	var kind *kind
	for i := 0; i < len(x.keys); i += numbersOfFrame {
		k := (*[numbersOfFrame]int64)(x.keys[i:])
		if k[0] == 0 {
			return false
		}
		m := x.methods.at(x.methodType, k[0])
		if m.of == nil || m.round != x.round {
			x.learn(m, engine.ChunkConstant(x.c, x.methodType, k[0]))
		}
		if i == 0 || k[3] != x.keys[i-1] {
			kind = x.kindAt(k[3])
		}
		x.frames = append(x.frames, frame{m.of, kind, max(k[1], 0), max(k[2], -1)})
	}
	return true
}

// typesOfFrames finds the types of methods and kinds for a type of stack traces. It is false if frames do not lie in
// these, refer to no constants, or have no plain numbers.
func (x *reader) typesOfFrames(t mmapjfr.Type) bool {
	frames, one, err := t.Resolve(pathFrames)
	if err != nil || !one || !frames.IsArray() || frames.IsConstant() {
		return false
	}
	for _, p := range []*mmapjfr.FieldPath{pathLine, pathBCI} {
		if f, _, err := frames.Type().Resolve(p); err == nil && (f.IsConstant() || f.IsArray() || !engine.TypeIsPrimitive(f.Type())) {
			return false
		}
	}
	m, _, err := frames.Type().Resolve(pathMethod)
	if err != nil || !m.IsConstant() || m.IsArray() {
		return false
	}
	k, _, err := frames.Type().Resolve(pathType)
	x.methodType, x.kindType = m.Type(), k.Type()
	return err == nil && k.IsConstant() && !k.IsArray()
}

// kindAt returns the kind of frames of a key.
func (x *reader) kindAt(key int64) *kind {
	at := x.kinds.at(x.kindType, key)
	if at.of == nil || at.round != x.round {
		at.of, at.round = x.chunk.e.names.kind(engine.ChunkConstant(x.c, x.kindType, key).Str()), x.round
	}
	return at.of
}

// readViews reads the frames one by one.
func (x *reader) readViews(st mmapjfr.StackTrace) {
	x.frames = x.frames[:0]
	for f := range st.Frames() {
		x.frames = append(x.frames, frame{x.methodAt(engine.FrameValue(f)), x.chunk.e.names.kind(f.Kind()), int64(max(f.Line(), 0)), int64(max(f.BytecodeIndex(), -1))})
	}
}

// makeStack makes a stack of the frames that have been read.
func (x *reader) makeStack(truncated bool) *stack {
	s := &stack{truncated: truncated, frames: make([]Frame, len(x.frames))}
	b := x.content[:0]
	for i := range x.frames {
		f := &x.frames[i]
		m := f.method
		b = appendPlace(append(b, m.bytes...), f.kind.name, f.line, f.bci)
		s.frames[i] = Frame{m, f.kind.name, f.line, f.bci}
		if !s.top.ok {
			s.top = text(m.signature)
		}
		if !s.app.ok && m.class.ofApp {
			s.app = text(m.signature)
		}
	}
	x.content = b
	s.id = stackID(b, truncated)
	if x.o.InlineStacks {
		s.list = &Elements{N: len(s.frames), Frames: s.frames}
	}
	cells := make([]cell, 0, len(columnsOfStack))
	for _, c := range stackColumns(x.o) {
		cells = append(cells, c.of(s))
	}
	s.constant = newConstant(cells)
	return s
}

// stackCache has stacks of all chunks: most are in many of them.
type stackCache struct {
	mu     sync.Mutex
	stacks bytecache.Cache[string, *stack] // by the numbers of their frames
}

// The bytes that the stacks of the cache take, one of them without its frames, and a frame.
const (
	mostStackBytes = 24 << 20
	stackBytes     = 160
	frameBytes     = 8
)

// stack returns the stack of some frames, which is made if it is new.
func (c *stackCache) stack(frames []byte, fill func() *stack) *stack {
	c.mu.Lock()
	s := c.stacks.Values[string(frames)]
	c.mu.Unlock()
	if s != nil {
		return s
	}
	made := fill()
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.stacks.Values[string(frames)]; s != nil { // of another goroutine
		return s
	}
	c.stacks.Limit = mostStackBytes
	c.stacks.Put(string(frames), made, stackBytes+frameBytes*len(made.frames)+len(frames))
	return made
}

type stackKey struct {
	key int64
	typ mmapjfr.Type
}

// stackColumn is a column of a stack trace.
type stackColumn struct {
	name string
	kind Kind
	of   func(*stack) cell
}

// stackColumns returns the columns of a stack trace.
func stackColumns(o *Options) []stackColumn {
	if o.InlineStacks {
		return columnsOfStack
	}
	return columnsOfStack[:len(columnsOfStack)-1]
}

var columnsOfStack = []stackColumn{
	{"stack_id", Int, func(s *stack) cell { return cell{n: s.id, ok: true} }},
	{"top_frame", Text, func(s *stack) cell { return s.top }},
	{"top_app_frame", Text, func(s *stack) cell { return s.app }},
	{"frames", Frames, func(s *stack) cell { return cell{list: s.list, ok: true} }},
}

// stackLeaves returns the columns of a stack trace.
func (x *reader) stackLeaves(f mmapjfr.Field, prefix string) (leaves []leaf) {
	for _, c := range stackColumns(x.o) {
		read := func(x *reader, v mmapjfr.Value) cell {
			if s := x.readStack(v); s != nil {
				return c.of(s)
			}
			return cell{}
		}
		leaves = append(leaves, leaf{describe(Column{Name: prefix + c.name, Kind: c.kind}, f, f.Name()), read})
	}
	return leaves
}
