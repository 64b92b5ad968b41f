package verify

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// walker checks events, checkpoints and values. It belongs to one goroutine, and checks one
// chunk at a time.
type walker struct {
	s     *chunkCheck
	types *schema.TypeSet
	// complete means that the types are those of all metadata events of the chunk.
	complete bool
	found    *index.Constants
	strings  *schema.Type // the type of the constants that strings refer to
	data     []byte
	form     wire.IntEncoding
	programs []*valueProgram // by ordinal

	// begin is the offset of the event or constant that is being checked, and typeName its type.
	begin    uint64
	typeName string
	loaded   [loads]int64
	// arrays has the position in each array around the value.
	arrays []arrayPosition
	fault  fault

	headers []index.EventHeader
	counts
	findings
}

// arrayPosition is a position in an array.
type arrayPosition struct {
	program *valueProgram
	slot    int
	element int
}

// fault is why a value cannot be read.
type fault struct {
	kind Kind
	text string
}

func newWalker(most int) *walker {
	w := &walker{}
	w.most = most
	return w
}

// enter begins or continues a chunk.
func (w *walker) enter(s *chunkCheck) {
	w.s, w.types, w.found = s, s.types, s.found
	w.data, w.form, w.base = s.c.Data(), s.c.IntEncoding(), s.base
	w.complete, w.programs, w.strings = false, w.programs[:0], nil
	clear(w.programs[:cap(w.programs)])
	if w.found != nil {
		w.strings = w.found.Named(jdktypes.String)
	}
}

// leave adds the results to those of the chunk.
func (w *walker) leave() {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.s.findings.add(&w.findings)
	w.s.counts.add(w.counts)
	w.counts = counts{}
}

// check checks an event, a checkpoint or a metadata event.
func (w *walker) check(ev *index.EventHeader) {
	switch ev.Type {
	case schema.MetadataID:
		w.metadata(ev)
	case schema.CheckpointID:
		w.checkpoint(ev)
	default:
		w.event(ev)
	}
}

// describe returns the type with an id, or nil. It reads older metadata if it must.
func (w *walker) describe(id schema.TypeID) *schema.Type {
	if w.types == nil {
		return nil
	}
	typ := w.types.ByID(id)
	if typ == nil && !w.complete {
		w.complete = true
		if types, err := w.s.c.AllTypes(); err == nil {
			w.types = types
			typ = types.ByID(id)
		}
	}
	return typ
}

// value checks the value that begins at pos and may reach up to end. It returns where the value
// ends. If that is false, fault says why the value cannot be read.
func (w *walker) value(p *valueProgram, pos, end int) (next int, ok bool) {
	b := w.data[:end]
	for i := range p.steps {
		s := &p.steps[i]
		switch s.op {
		case opVarints:
			if pos, ok = over(b, pos, s.n); !ok {
				return w.tooShort(p, s.slot, pos, end)
			}
		case opFixed:
			if s.n > end-pos {
				return w.tooShort(p, s.slot, pos, end)
			}
			pos += s.n
		case opLoad:
			n, next := w.long(b, pos)
			if next == 0 {
				return w.tooShort(p, s.slot, pos, end)
			}
			w.loaded[s.n], pos = n, next
		case opKey:
			k, next := w.long(b, pos)
			if next == 0 {
				return w.tooShort(p, s.slot, pos, end)
			}
			pos = next
			if k == 0 {
				continue
			}
			if w.references++; k == s.last {
				continue
			}
			if w.has(s.typ, k) {
				s.last = k
			} else {
				w.dangling(p, s.slot, s.typ.Name, k)
			}
		case opText:
			if pos, ok = w.text(p, s.slot, pos, end); !ok {
				return pos, false
			}
		case opArray:
			if pos, ok = w.array(p, s, pos, end); !ok {
				return pos, false
			}
		}
	}
	return pos, true
}

// over returns where n compressed integers end.
func over(b []byte, pos, n int) (next int, ok bool) {
	for ; n > 0; n-- {
		size := wire.SkipVarint(b[pos:])
		if size == 0 {
			return pos, false
		}
		pos += size
	}
	return pos, true
}

// long decodes a long and returns where it ends; 0 if data ends before.
func (w *walker) long(b []byte, pos int) (v int64, next int) {
	if v, n := w.form.Long(b[pos:]); n > 0 {
		return v, pos + n
	}
	return 0, 0
}

// array checks the elements of an array.
func (w *walker) array(p *valueProgram, s *instruction, pos, end int) (next int, ok bool) {
	count, size := w.form.Count(w.data[pos:end])
	if size == 0 {
		return w.tooShort(p, s.slot, pos, end)
	}
	pos += size
	if count > uint64(end-pos) {
		w.fault = fault{shortEvent, fmt.Sprintf("%s has %d elements, more than the %d bytes that are left", w.path(p, s.slot), count, end-pos)}
		return pos, false
	}
	if len(s.elem.steps) == 0 {
		return pos, true // they take no bytes
	}
	w.arrays = append(w.arrays, arrayPosition{p, s.slot, 0})
	depth := len(w.arrays) - 1
	for i := range int(count) {
		w.arrays[depth].element = i
		if pos, ok = w.value(s.elem, pos, end); !ok {
			return pos, false
		}
	}
	w.arrays = w.arrays[:depth]
	return pos, true
}

// has reports whether a type has a constant with a key that is not 0.
func (w *walker) has(typ *schema.Type, key int64) bool {
	if w.found == nil || typ == nil {
		return false
	}
	_, ok := w.found.Lookup(typ, key)
	return ok
}

// dangling reports a key that no constant has.
func (w *walker) dangling(p *valueProgram, slot int, typ string, key int64) {
	if f := w.find(danglingConstant, w.begin); f != nil {
		f.Type, f.Text = w.typeName, fmt.Sprintf("%s refers to %s %d", w.path(p, slot), typ, key)
	}
}

// tooShort notes that a value does not fit.
func (w *walker) tooShort(p *valueProgram, slot, pos, end int) (next int, ok bool) {
	w.fault = fault{shortEvent, w.path(p, slot) + plural(" does not fit into the %d bytes that are left", max(end-pos, 0))}
	return pos, false
}

// path returns the path to a slot of a program, from the event or constant that is being checked.
func (w *walker) path(p *valueProgram, slot int) string {
	var b strings.Builder
	for _, at := range w.arrays {
		part := fmt.Sprintf("%s[%d]", name(at.program.typ, at.slot), at.element)
		if b.Len() > 0 && !strings.HasPrefix(part, "[") {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	if last := name(p.typ, slot); last != "" {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(last)
	}
	if b.Len() == 0 {
		return "its value"
	}
	return b.String()
}
