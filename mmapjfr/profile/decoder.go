package profile

import (
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// decoder adds stack traces of a chunk to a profile. It remembers what the numbers of methods
// mean in the chunk.
type decoder struct {
	p       *Profile
	methods map[int64]MethodID
	frames  []mmapjfr.Frame
}

func newDecoder(p *Profile) decoder { return decoder{p: p, methods: make(map[int64]MethodID)} }

// truncated is the outermost frame of stacks whose outer frames the recorder left out.
const truncated = "[truncated]"

// stack returns the stack that a stack trace is.
func (d *decoder) stack(s mmapjfr.StackTrace) (id StackID) {
	if s.IsTruncated() {
		id = d.p.Push(id, d.p.AddText(truncated))
	}
	d.frames = s.AppendFrames(d.frames[:0])
	for _, f := range slices.Backward(d.frames) {
		id = d.p.Push(id, d.p.AddFrame(Frame{d.method(f.Method()), int32(max(f.Line(), 0)), frameKinds[f.Kind()]}))
	}
	return id
}

// noDescriptor is what async-profiler writes for functions that are no methods.
const noDescriptor = "()L;"

// method returns the number of a method.
func (d *decoder) method(m mmapjfr.Method) MethodID {
	key := m.Key()
	id, ok := d.methods[key]
	if !ok {
		descriptor := m.Descriptor()
		if descriptor == noDescriptor {
			descriptor = ""
		}
		id = d.p.AddMethod(Method{m.Class().InternalName(), m.Name(), descriptor})
		d.methods[key] = id
	}
	return id
}
