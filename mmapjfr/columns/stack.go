package columns

import (
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"

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

// stack is a stack trace of a chunk.
type stack struct {
	id              int64
	truncated       bool
	frames          []Frame
	top, app        string
	list            *Elements
	classes         []mmapjfr.Class // of the frames
	hasTop, hasApp_ bool
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
		for _, text := range [...]string{stable(f.Class), f.Method, f.Descriptor, f.Type} {
			b = append(append(b, text...), 0)
		}
		b = append(strconv.AppendInt(b, f.Line, 10), 0)
		b = append(strconv.AppendInt(b, f.BCI, 10), 0)
	}
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

// readStack reads a stack trace, or returns the one that was read last for the same key.
func (x *reader) readStack(v mmapjfr.Value) *stack {
	st := v.StackTrace()
	if st.IsZero() {
		return nil
	}
	if key := (stackKey{st.Key(), v.Type()}); x.lastStack != nil && key.key != 0 && key == x.lastKey {
		return x.lastStack
	} else {
		x.lastKey = key
	}
	s := &stack{truncated: st.IsTruncated(), frames: make([]Frame, 0, 16)}
	for f := range st.Frames() {
		m := f.Method()
		class, ok := x.methods[m.Key()]
		if !ok || m.Key() == 0 {
			c := m.Class()
			class = &method{Frame{Class: c.JavaName(), Method: m.Name(), Descriptor: m.Descriptor()}, c, m.Signature()}
			x.methods[m.Key()] = class
		}
		frame := class.frame
		frame.Type, frame.Line, frame.BCI = f.Kind(), int64(max(f.Line(), 0)), int64(max(f.BytecodeIndex(), -1))
		s.frames, s.classes = append(s.frames, frame), append(s.classes, class.class)
		if !s.hasTop {
			s.top, s.hasTop = class.signature, class.signature != ""
		}
		if !s.hasApp_ && class.signature != "" && frame.Class != "" && !ofJDK().MatchString(frame.Class) {
			s.app, s.hasApp_ = class.signature, true
		}
	}
	s.id = StackID(s.frames, s.truncated)
	s.list = &Elements{N: len(s.frames), Frames: s.frames}
	x.lastStack = s
	return s
}

type stackKey struct {
	key int64
	typ mmapjfr.Type
}

// method is a method of a chunk.
type method struct {
	frame     Frame
	class     mmapjfr.Class
	signature string
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
		{Column{Name: prefix + "top_frame", Kind: Text}, of(func(s *stack) cell { return cell{text: s.top, ok: s.hasTop} })},
		{Column{Name: prefix + "top_app_frame", Kind: Text}, of(func(s *stack) cell { return cell{text: s.app, ok: s.hasApp_} })},
	}
	if x.o.InlineStacks {
		leaves = append(leaves, leaf{Column{Name: prefix + "frames", Kind: Frames}, of(func(s *stack) cell { return cell{list: s.list, ok: true} })})
	}
	for i := range leaves {
		leaves[i].column = describe(leaves[i].column, f, f.Name())
	}
	return leaves
}
