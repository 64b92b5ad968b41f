package mmapjfr

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// pathCache holds the resolved paths of one set of types. All chunks with these types share
// it.
type pathCache struct {
	types  *schema.TypeSet
	byType []atomic.Pointer[pathTable] // by ordinal
}

// pathTable is the resolved paths of a type, by the ids of paths: a hash table without locks for those who read it. Types
// have few of the paths of a program that asks for many types. The one who adds to it holds the lock of the recording.
type pathTable struct {
	slots []atomic.Pointer[resolvedPath]
	n     int
}

// find returns where the path with an id is, or would be.
func (t *pathTable) find(id int) *atomic.Pointer[resolvedPath] {
	for i := id; ; i++ {
		slot := &t.slots[i&(len(t.slots)-1)]
		if r := slot.Load(); r == nil || r.id == id {
			return slot
		}
	}
}

// resolvedPath is a path resolved for one type: the steps from a value of the type to the value
// that the path names.
type resolvedPath struct {
	id   int // of the path
	hops []hop
	// field is the one the path ends at; nil if it leads nowhere.
	field *schema.Field
	// elem reports whether the path ends at an element of the field's array.
	elem bool
	// direct reports whether the value is a primitive in slot, of the type itself.
	direct bool
	// inside reports whether the value, or the key of the constant, is in slot.
	inside bool
	// refers reports whether the path begins with the key of a constant, in slot.
	refers bool
	slot   int
	// computed is how the value is computed: from the value of source or its element, or from
	// the value that the path begins at if source is nil. No metadata describes field then.
	computed computation
	source   *schema.Field
	// err says why the path leads nowhere.
	err error
}

type hopCode uint8

const (
	// hopSlot goes to a slot of a value of typ.
	hopSlot hopCode = iota
	// hopConstant goes to the constant of typ whose key lies here.
	hopConstant
	// hopElement goes to an element of the array that lies here.
	hopElement
)

type hop struct {
	typ   *schema.Type
	field *schema.Field // of the array, for hopElement
	n     int           // slot or element
	code  hopCode
}

// resolve returns the resolved path for values of the type. It resolves a path once for each
// set of types.
func (c *chunk) resolve(typ *schema.Type, p *FieldPath) *resolvedPath {
	p.check()
	if l := c.pathCache.Load(); l != nil && typ.Ordinal() < len(l.byType) {
		if t := l.byType[typ.Ordinal()].Load(); t != nil {
			if r := t.find(p.id).Load(); r != nil {
				return r
			}
		}
	}
	return c.resolveAndCache(typ, p)
}

//go:noinline
func (c *chunk) resolveAndCache(typ *schema.Type, p *FieldPath) *resolvedPath {
	r := resolve(typ, p)
	l := c.loadPathCache(typ)
	if l == nil {
		return r
	}
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	at := &l.byType[typ.Ordinal()]
	t := at.Load()
	if t == nil || 2*t.n >= len(t.slots) {
		more := &pathTable{slots: make([]atomic.Pointer[resolvedPath], 8)}
		if t != nil {
			more.n, more.slots = t.n, make([]atomic.Pointer[resolvedPath], 2*len(t.slots))
			for i := range t.slots {
				if r := t.slots[i].Load(); r != nil {
					more.find(r.id).Store(r)
				}
			}
		}
		t = more
		at.Store(t)
	}
	slot := t.find(p.id)
	if known := slot.Load(); known != nil { // another was faster
		return known
	}
	slot.Store(r)
	t.n++
	return r
}

// loadPathCache returns the resolved paths of the chunk's types, of which typ is one.
func (c *chunk) loadPathCache(typ *schema.Type) *pathCache {
	types, err := c.types()
	if err != nil || typ.Ordinal() >= len(types.Types) {
		return nil
	}
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	l := c.rec.pathCache[types]
	if l == nil {
		l = &pathCache{types: types, byType: make([]atomic.Pointer[pathTable], len(types.Types))}
		c.rec.pathCache[types] = l
	}
	c.pathCache.Store(l)
	return l
}

// resolve resolves a path for values of the type.
func resolve(typ *schema.Type, p *FieldPath) *resolvedPath {
	w, err := walk(typ, p)
	if err != nil {
		return &resolvedPath{id: p.id, err: err}
	}
	w.land()
	r := &resolvedPath{id: p.id, hops: w.hops, field: w.field, elem: w.elem, computed: w.computed, source: w.source}
	f := r.field
	switch {
	case r.computed != recorded || len(r.hops) == 0 || r.hops[0].code != hopSlot:
	case len(r.hops) == 1:
		r.inside, r.slot = true, r.hops[0].n
		r.direct = !f.Array && !f.Constant && f.Type.Kind != schema.Struct && f.Type.Kind != schema.String
	case r.hops[1].code == hopConstant:
		r.refers, r.slot = true, r.hops[0].n
	}
	return r
}

// walk goes from the type to where a path ends.
func walk(typ *schema.Type, p *FieldPath) (w pathResolver, err error) {
	w.root, w.typ = typ, typ
	for rest := p.parts; len(rest) > 0; {
		if rest, err = w.step(rest); err != nil {
			return w, &pathError{p.text, err}
		}
	}
	return w, nil
}

// fieldAt returns the position of the field that the first parts name, and how
// many parts do so: names can have dots. It is -1 if no field has such a name.
func fieldAt(typ *schema.Type, parts []pathPart) (at, used int) {
	names := 0
	for names < len(parts) && parts[names].index < 0 {
		names++
	}
	for used = names; used > 0; used-- {
		name := parts[0].name
		for _, part := range parts[1:used] {
			name += "." + part.name
		}
		if at = typ.Field(name); at >= 0 {
			return at, used
		}
	}
	return -1, 0
}

// pathResolver resolves a path. An inline struct takes no hop: its slots are those of the struct
// around it.
type pathResolver struct {
	hops []hop
	root *schema.Type // the struct that slots are counted in
	base int          // the first slot of the inline struct we are in
	slot int          // the slot of the value we are at, if open
	open bool         // the hop to slot is still to be made

	typ   *schema.Type  // the type that field belongs to
	field *schema.Field // where we are; nil at the beginning
	elem  bool          // we are at an element of its array
	// computed and source are as in resolvedPath.
	computed computation
	source   *schema.Field
}

// step takes the first of the parts, or several that are one name, and returns the rest.
func (w *pathResolver) step(parts []pathPart) (rest []pathPart, err error) {
	if n := parts[0].index; n >= 0 {
		return parts[1:], w.index(n)
	}
	if w.field != nil && w.field.Array && !w.elem {
		return nil, fmt.Errorf("field %s is an array; say which element, as in %s[0]", w.field.Name, w.field.Name)
	}
	asRecorded := parts[0].name == rawStep && len(parts) > 1 && parts[1].index < 0
	if asRecorded {
		parts = parts[1:]
	}
	outside := *w
	w.goInside()
	for wraps := 0; ; wraps++ {
		name := parts[0].name
		at, used := fieldAt(w.typ, parts)
		if !asRecorded && (at < 0 || used == 1 && shadows(w.typ, name)) && (outside.field == nil || !w.typ.IsEvent()) {
			if f, alias := computed(w.typ, name); alias != "" {
				parts = slices.Concat(mustParts(alias), parts[1:])
				at, used = fieldAt(w.typ, parts)
			} else if f != nil {
				outside.compute(f, w.typ)
				*w = outside
				return parts[1:], nil
			}
		}
		if at >= 0 {
			return parts[used:], w.goTo(&w.typ.Fields[at])
		}
		if !w.typ.IsWrapper() || w.typ.Fields[0].Array || wraps == maxHops {
			return nil, &noFieldError{w.typ, parts[0].name}
		}
		if err := w.goTo(&w.typ.Fields[0]); err != nil {
			return nil, err
		}
		outside = *w
		w.goInside()
	}
}

// index goes to element n of the array that we are at.
func (w *pathResolver) index(n int) error {
	f := w.field
	for inner := range f.Type.Wrapped() {
		if f.Array && !w.elem {
			break
		}
		w.goInside()
		if err := w.goTo(inner); err != nil {
			return err
		}
		f = w.field
	}
	if !f.Array || w.elem {
		return fmt.Errorf("field %s is not an array", f.Name)
	}
	w.element(f, n)
	w.elem = true
	return nil
}

// goInside goes into the struct that we are at.
func (w *pathResolver) goInside() {
	if w.field != nil {
		w.enter(w.field)
		w.typ = w.field.Type
	}
}

// goTo goes to a field of the type that we are in.
func (w *pathResolver) goTo(f *schema.Field) error {
	if f.Type == nil {
		return fmt.Errorf("the type of field %s is not described", f.Name)
	}
	w.field, w.elem = f, false
	w.slot, w.open = w.base+f.Slot(), true
	return nil
}

// compute ends the path at a field that is computed from the value that we are at.
func (w *pathResolver) compute(f *computedField, of *schema.Type) {
	w.source, w.computed = w.field, f.code
	w.field = schema.NewComputedField(f.name, f.label, f.typ, of, f.unit)
}

// land makes the hop to the slot.
func (w *pathResolver) land() {
	if w.open {
		w.hops = append(w.hops, hop{code: hopSlot, typ: w.root, n: w.slot})
		w.open = false
	}
}

// enter goes from the value of a field into the struct that it is.
func (w *pathResolver) enter(f *schema.Field) {
	switch {
	case f.Constant:
		w.land()
		w.hops = append(w.hops, hop{code: hopConstant, typ: f.Type})
		w.root, w.base = f.Type, 0
	case w.open:
		w.base, w.open = w.slot, false
	default:
		w.root, w.base = f.Type, 0
	}
}

// element goes to an element of the array.
func (w *pathResolver) element(f *schema.Field, n int) {
	w.land()
	w.hops = append(w.hops, hop{code: hopElement, field: f, n: n})
}

// maxHops is how many nested wrappers are looked through.
const maxHops = schema.MaxWrappers

// pathError is the error for a path that leads nowhere. Its text is made when somebody asks for it: those who look for a
// field in all types do not.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Unwrap() error { return e.err }

func (e *pathError) Error() string { return fmt.Sprintf("field path %q: %v", e.path, e.err) }

// noFieldError is the error for a name that no field of the type has.
type noFieldError struct {
	typ  *schema.Type
	name string
}

func (e *noFieldError) Unwrap() error { return ErrNoField }

func (e *noFieldError) Error() string {
	what, names := "field ", fieldNames(e.typ)
	if strings.HasPrefix(e.name, "@") {
		what, names = "", slices.DeleteFunc(computedNames(e.typ), func(name string) bool { return !strings.HasPrefix(name, "@") })
	}
	text := fmt.Sprintf("type %s has no %s%s", e.typ.Name, what, e.name)
	if len(names) > 0 {
		text += "; it has " + strings.Join(names, ", ")
	}
	return text + suggest.Question(e.name, names)
}

// fieldNames returns the names that a path can use.
func fieldNames(typ *schema.Type) []string {
	names := make([]string, len(typ.Fields))
	for i := range names {
		names[i] = typ.Fields[i].Name
		wire.StepBytes(len(names[i]) + 8)
	}
	if !typ.IsEvent() {
		names = append(names, computedNames(typ)...)
	}
	return names
}

// follow follows a path from a value of its type that begins at pos. It takes the slots of the
// first struct from s, if s is not nil. If the path ends early, absent is the kind of what is
// there instead of a value.
func (c *chunk) follow(r *resolvedPath, b []byte, pos int, s *scratch) (at int, absent Kind, ok bool) {
	for i := range r.hops {
		h := &r.hops[i]
		switch h.code {
		case hopSlot:
			if i == 0 && s != nil {
				pos += int(s.offs[h.n])
				continue
			}
			plan, err := h.typ.Plan()
			if err != nil {
				return 0, KindNone, false
			}
			if pos, ok = plan.SlotOffset(b, pos, h.n); !ok {
				return 0, KindNone, false
			}
		case hopConstant:
			key, n := c.form.Long(b[min(pos, len(b)):])
			if n == 0 {
				return 0, KindNone, false
			}
			if pos, ok = c.constant(h.typ, key); !ok {
				return 0, missing(key), false
			}
			b = c.bytes()
		case hopElement:
			if pos, ok = c.element(h.field, b, pos, h.n); !ok {
				return 0, KindNone, false
			}
		}
	}
	return pos, KindNone, true
}
