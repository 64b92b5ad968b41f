package columns

import (
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Frame is a frame of a stack trace.
type Frame struct {
	// Class is the name of the class with dots, Method that of the method, Descriptor what the virtual machine
	// calls its parameters, and Type how it was compiled.
	Class, Method, Descriptor, Type string
	// Line is 0 and BCI -1 if they are not known.
	Line, BCI int64
}

// FrameFields returns the columns that frames have.
func FrameFields() []Column {
	return []Column{{Name: "class", Kind: Text}, {Name: "method", Kind: Text}, {Name: "descriptor", Kind: Text},
		{Name: "line", Kind: Int}, {Name: "bci", Kind: Int}, {Name: "type", Kind: Text}}
}

// Field returns the value of one of [FrameFields]; false if it is null.
func (f *Frame) Field(i int) (text string, n int64, ok bool) {
	switch i {
	case 0:
		text = f.Class
	case 1:
		text = f.Method
	case 2:
		text = f.Descriptor
	case 3:
		return "", f.Line, f.Line > 0
	case 4:
		return "", f.BCI, f.BCI >= 0
	default:
		text = f.Type
	}
	return text, 0, text != ""
}

// stack is a stack trace.
type stack struct {
	id          int64
	truncated   bool
	top, app    cell
	frames      []Frame
	methods     []*method // of the frames
	list        *Elements // the frames, if rows have them
	tablesKnown bool      // the tables of stacks and frames have it; what takes parts sets it
}

// ofJDK matches the names of classes of the JDK.
var ofJDK = lazy.Regexp(`^(java|javax|jdk|sun|com\.sun|org\.graalvm)\.`)

// address matches what makes the name of a hidden class differ from run to run.
var address = lazy.Regexp(`[/.+]0x[0-9a-fA-F]+$`)

// StackID returns the number of a stack by its content, which docs/COLUMNS.md specifies: the first eight bytes of
// the SHA-256 of its frames, as an integer.
func StackID(frames []Frame, truncated bool) int64 {
	b := make([]byte, 0, 128*len(frames)+1)
	for i := range frames {
		f := &frames[i]
		b = appendPlace(appendTexts(b, stable(f.Class), f.Method, f.Descriptor), f.Type, f.Line, f.BCI)
	}
	return stackID(b, truncated)
}

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

// stable returns the name of a class without the address of a hidden class.
func stable(class string) string {
	if !strings.Contains(class, "0x") {
		return class
	}
	return withoutAddress(address(), class)
}

func withoutAddress(r *regexp.Regexp, class string) string {
	if at := r.FindStringIndex(class); at != nil {
		return class[:at[0]]
	}
	return class
}

var pathFrames, pathMethod, pathLine, pathBCI, pathType = mmapjfr.Path("frames"), mmapjfr.Path("method"), mmapjfr.Path("lineNumber"),
	mmapjfr.Path("bytecodeIndex"), mmapjfr.Path("type")

// numbersOfFrame is how many numbers a frame has in keys.
const numbersOfFrame = 4

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
	if x.o.onlyTop {
		x.lastStack, x.lastKey = x.readTop(st), key
		if key.key != 0 {
			x.chunk.know(key, x.lastStack)
		}
		return x.lastStack
	}
	truncated := st.IsTruncated()
	if !x.readByKeys(v, st) {
		x.readViews(st)
	}
	b, hidden := x.bytes[:0], false
	for i := range x.frames {
		f := &x.frames[i]
		b = appendPlace(append(b, f.method.bytes...), f.kind, f.line, f.bci)
		hidden = hidden || f.method.hidden
	}
	x.bytes = b
	id := stackID(b, truncated)
	if hidden { // others with the number can have another address: the first of the file counts, whichever is read first
		x.lastStack = &stack{id: id}
		x.makeStack(x.lastStack, truncated)
	} else {
		x.lastStack = x.chunk.e.stacks.stack(id, func(s *stack) { x.makeStack(s, truncated) })
	}
	x.lastKey = key
	if key.key != 0 {
		x.chunk.know(key, x.lastStack)
	}
	return x.lastStack
}

// frame is a frame as it is read.
type frame struct {
	method    *method
	kind      string
	line, bci int64
}

// readByKeys reads the frames by the keys of their methods. It is false if they have none.
func (x *reader) readByKeys(v mmapjfr.Value, st mmapjfr.StackTrace) bool {
	if x.keysOf != v.Type() {
		x.keysOf = v.Type()
		method, _, err := v.Type().Resolve(pathFrames)
		x.hasKeys = err == nil
		for _, p := range []*mmapjfr.FieldPath{pathMethod, pathType} {
			if x.hasKeys {
				f, _, err := method.Type().Resolve(p)
				x.hasKeys = err == nil && f.IsConstant() && !f.IsArray()
			}
		}
	}
	if !x.hasKeys {
		return false
	}
	x.keys = v.Get(pathFrames).AppendElementInts(x.keys[:0], pathMethod, pathLine, pathBCI, pathType)
	x.frames = x.frames[:0]
	var views []mmapjfr.Frame // if a method or a kind is new
	for i := 0; i < len(x.keys); i += numbersOfFrame {
		k := x.keys[i:][:numbersOfFrame]
		m, known := x.methods[k[0]]
		kind, kindKnown := x.kinds[k[3]]
		if k[0] == 0 {
			return false
		}
		if !known || !kindKnown {
			if views == nil {
				views = st.AppendFrames(nil)
			}
			n := i / numbersOfFrame
			if n >= len(views) {
				return false // the file has changed
			}
			m, kind = x.method(views[n].Method()), views[n].Kind()
			x.kinds[k[3]] = kind
		}
		x.frames = append(x.frames, frame{m, kind, max(k[1], 0), max(k[2], -1)})
	}
	return true
}

// readViews reads the frames one by one.
func (x *reader) readViews(st mmapjfr.StackTrace) {
	x.frames = x.frames[:0]
	for f := range st.Frames() {
		x.frames = append(x.frames, frame{x.method(f.Method()), f.Kind(), int64(max(f.Line(), 0)), int64(max(f.BytecodeIndex(), -1))})
	}
}

// readTop reads no more of a stack than its top frame.
func (x *reader) readTop(st mmapjfr.StackTrace) *stack {
	for f := range st.Frames() {
		if m := x.method(f.Method()); m.signature != "" {
			return &stack{top: text(m.signature)}
		}
	}
	return &stack{}
}

// method returns a method, which is read once for each key.
func (x *reader) method(m mmapjfr.Method) *method {
	known, ok := x.methods[m.Key()]
	if ok && m.Key() != 0 {
		return known
	}
	c := m.Class()
	known = &method{name: m.Name(), descriptor: m.Descriptor(), class: c, className: c.JavaName(), signature: m.Signature()}
	name := stable(known.className)
	known.hidden = name != known.className
	known.bytes = appendTexts(nil, name, known.name, known.descriptor)
	known.ofApp = known.signature != "" && known.className != "" && !ofJDK().MatchString(known.className)
	x.methods[m.Key()] = known
	return known
}

// makeStack makes a stack of the frames that have been read.
func (x *reader) makeStack(s *stack, truncated bool) {
	s.truncated = truncated
	s.frames, s.methods = make([]Frame, 0, len(x.frames)), make([]*method, 0, len(x.frames))
	for _, f := range x.frames {
		m := f.method
		s.frames = append(s.frames, Frame{Class: m.className, Method: m.name, Descriptor: m.descriptor, Type: f.kind, Line: f.line, BCI: f.bci})
		s.methods = append(s.methods, m)
		if !s.top.ok {
			s.top = text(m.signature)
		}
		if !s.app.ok && m.ofApp {
			s.app = text(m.signature)
		}
	}
	if x.o.InlineStacks {
		s.list = &Elements{N: len(s.frames), Frames: s.frames}
	}
}

// stackCache has stacks of all chunks: most are in many of them.
type stackCache struct {
	mu     sync.Mutex
	stacks map[int64]*stack
	frames int
}

// mostFrames is how many frames of stacks the cache has.
const mostFrames = 1 << 18

// stack returns the stack of a number, which is made if it is new.
func (c *stackCache) stack(id int64, fill func(*stack)) *stack {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stacks[id]
	if s != nil {
		return s
	}
	s = &stack{id: id}
	fill(s)
	if c.frames += len(s.frames) + 8; c.stacks == nil || c.frames > mostFrames {
		c.stacks, c.frames = make(map[int64]*stack), 0
	}
	c.stacks[id] = s
	return s
}

type stackKey struct {
	key int64
	typ mmapjfr.Type
}

// method is a method of a chunk.
type method struct {
	className, name, descriptor, signature string
	class                                  mmapjfr.Class
	bytes                                  []byte // those that stack_id hashes
	ofApp                                  bool   // its class is not of the JDK
	hidden                                 bool   // the name of its class has an address
	tableKnown                             bool   // the table of classes has its class; what takes parts sets it
}

// stackLeaves returns the columns of a stack trace.
func (x *reader) stackLeaves(f mmapjfr.Field, prefix string) []leaf {
	of := func(get func(*stack) cell) func(*reader, mmapjfr.Value) cell {
		return func(x *reader, v mmapjfr.Value) cell {
			if s := x.readStack(v); s != nil {
				return get(s)
			}
			return cell{}
		}
	}
	leaves := []leaf{
		{Column{Name: prefix + "stack_id", Kind: Int}, of(func(s *stack) cell { return cell{n: s.id, ok: true} })},
		{Column{Name: prefix + "top_frame", Kind: Text}, of(func(s *stack) cell { return s.top })},
		{Column{Name: prefix + "top_app_frame", Kind: Text}, of(func(s *stack) cell { return s.app })},
	}
	if x.o.InlineStacks {
		leaves = append(leaves, leaf{Column{Name: prefix + "frames", Kind: Frames}, of(func(s *stack) cell { return cell{list: s.list, ok: true} })})
	}
	for i := range leaves {
		leaves[i].column = describe(leaves[i].column, f, f.Name())
	}
	return leaves
}
