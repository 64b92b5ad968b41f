package mmapjfr

import (
	"iter"
	"runtime/debug"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/stringtable"
	"github.com/mmapjfr/jfr/internal/wire"
)

// object is a struct that is no event: an inline one or a constant.
type object struct {
	c   *chunk
	typ *schema.Type
	pos int
	key int64
}

// object returns the struct that the value is; an empty one for other values.
func (v Value) object() object {
	if v.at.kind() != KindStruct {
		return object{key: v.key}
	}
	return object{v.c, v.typ(), v.at.pos(), v.key}
}

// get returns the value that the path leads to.
func (o object) get(p *FieldPath) Value {
	if o.c == nil {
		return Value{}
	}
	r := o.c.resolve(o.typ, p)
	if r.field == nil || r.computed != recorded {
		return o.compute(r)
	}
	return o.follow(r, r.field)
}

// follow returns the value of the field that the hops of the route lead to.
func (o object) follow(r *resolvedPath, f *schema.Field) Value {
	b := o.c.bytes()
	pos, nothing, ok := o.c.follow(r, b, o.pos, nil)
	switch {
	case !ok:
		return o.c.valueAt(f, nothing, 0, 0)
	case r.inside && f.Constant && !f.Array && pos < len(b) && !f.Type.IsWrapper():
		if v, ok := o.c.referred(f, b[pos:], pos); ok {
			return v
		}
	}
	return o.c.valueOf(f, o.c.bytes(), pos, r.elem, 0)
}

// Get returns the value inside a struct that the path leads to; an absent one
// if it leads to none.
func (v Value) Get(p *FieldPath) Value {
	p.check()
	return v.object().field(p)
}

// Fields returns the fields of a struct with their values, in the order in which
// they are written; none for other values.
func (v Value) Fields() iter.Seq2[Field, Value] {
	return func(yield func(Field, Value) bool) { v.eachField(yield) }
}

func (v Value) eachField(yield func(Field, Value) bool) {
	if v.at.kind() == KindStruct {
		v.object().eachField(yield)
	}
}

func (o object) eachField(yield func(Field, Value) bool) {
	var values [fieldsAtOnce]Value
	fields, pos := o.typ.Fields, o.pos
	for n := 0; len(fields) > 0; fields = fields[n:] {
		if n, pos = o.nextFields(fields, pos, &values); n == 0 {
			return
		}
		for i, v := range values[:n] {
			if i > 0 && o.c.isGone() { // the loop has closed the recording
				o.c.checkLateUse()
				return
			}
			if !yield(Field{&fields[i]}, v) {
				return
			}
		}
	}
}

// fieldsAtOnce is how many fields are decoded under one trap.
const fieldsAtOnce = 8

// nextFields decodes the first fields of those that begin there, and returns how many there are, and where
// the next one begins. It gets the bytes anew, for the loop may have closed the recording.
func (o object) nextFields(fields []schema.Field, pos int, values *[fieldsAtOnce]Value) (n, next int) {
	next = pos
	if o.c.mayFault() {
		defer o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	for b := o.c.bytes(); n < min(len(fields), fieldsAtOnce); n++ {
		f := &fields[n]
		plan := f.Plan()
		if plan == nil {
			break
		}
		if plan.IsVarint() && f.Type != nil && (f.Constant || f.Type.Kind != schema.Struct) && uint(next) < uint(len(b)) {
			// Most fields: decoding the number finds where the next one begins.
			number, size := uint64(b[next]), 1
			if number >= 0x80 {
				if number, size = wire.Varint(b[next:]); size == 0 {
					break
				}
			}
			values[n], next = o.c.varintValue(f, int64(number), next), next+size
			continue
		}
		end, ok := plan.Skip(b, next)
		if !ok {
			break
		}
		values[n], next = o.c.valueOf(f, b, next, false, 0), end
	}
	return n, next
}

// varintValue returns the value of a field that is one compressed integer: a number, or the key of a constant.
func (c *chunk) varintValue(f *schema.Field, number int64, pos int) Value {
	if f.Constant {
		return c.constantOf(f, number, pos, 0)
	}
	k := kinds[f.Type.Kind]
	return Value{c, f, decoded | placeOf(k, pos), narrow(k, number, false)}
}

// value returns the struct as a value.
func (o object) value() Value {
	if o.c == nil {
		return Value{key: o.key}
	}
	return o.c.valueAt(o.typ.ValueField(), KindStruct, o.pos, o.key)
}

// field returns what the path leads to.
func (o object) field(p *FieldPath) (v Value) {
	if !o.c.mayFault() {
		return o.get(p)
	}
	defer o.c.recoverFault(debug.SetPanicOnFault(true))
	return o.get(p)
}

// child returns the struct that the path leads to.
func (o object) child(p *FieldPath) object { return o.field(p).object() }

// str returns the string that the path leads to, see [Value.Str].
func (o object) str(p *FieldPath) string {
	return o.text(p.id, p, func(o object, p *FieldPath) string { return o.get(p).str() })
}

// The texts of a constant that are not at the end of a path. Others have the number of the path.
const (
	plainText = -1 - iota
	rawText
	threadName
	longText // a string by itself
)

// text returns what read does. The texts of a constant are read from the file once. After that
// they are in the string table: looking there needs no trap.
func (o object) text(what int, p *FieldPath, read func(o object, p *FieldPath) string) string {
	c := o.c
	if c == nil || o.key == 0 || c.id == 0 || c.isGone() {
		return o.readText(p, read)
	}
	key := stringtable.NewConstantKey(c.id, what, int64(o.typ.ID), o.pos)
	if s := c.rec.strings.Constant(&key); s != "" {
		return s
	}
	s := o.readText(p, read)
	if s != "" && c.status.Load() == 0 {
		c.rec.strings.AddConstant(&key, s)
	}
	return s
}

func (o object) readText(p *FieldPath, read func(o object, p *FieldPath) string) (s string) {
	if o.c.mayFault() {
		defer o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return read(o, p)
}

// integer returns the integer that the path leads to, see [Value.Int].
func (o object) integer(p *FieldPath) (n int64) {
	if o.c == nil {
		return 0
	}
	if o.c.mayFault() {
		defer o.c.recoverFault(debug.SetPanicOnFault(true))
	}
	r, b := o.c.resolve(o.typ, p), o.c.bytes()
	if !r.direct {
		return o.get(p).integer()
	}
	plan, err := o.typ.Plan()
	if err != nil {
		return 0
	}
	if pos, ok := plan.SlotOffset(b, o.pos, r.slot); ok {
		n = o.c.direct(r, b, pos)
	}
	return n
}

// bool returns the boolean that the path leads to, see [Value.Bool].
func (o object) bool(p *FieldPath) bool { return o.integer(p) != 0 }

// array returns how many elements the array of the field at pos has, and where
// the first is; none if it does not fit the bytes.
func array(f *schema.Field, b []byte, pos int) (n, first int) {
	if plan := f.Plan(); plan != nil {
		n, first, _ = plan.ArrayHeader(b, pos)
	}
	return n, first
}

// skipElement returns where the element after the one at pos begins.
func (c *chunk) skipElement(f *schema.Field, b []byte, pos int) (next int, ok bool) {
	elem := f.Elem()
	if elem == nil {
		return 0, false
	}
	return elem.Skip(b, pos)
}

// element returns where element i of the array at pos begins.
func (c *chunk) element(f *schema.Field, b []byte, pos, i int) (at int, ok bool) {
	n, at := array(f, b, pos)
	if i >= n {
		return 0, false
	}
	for ok = true; i > 0 && ok; i-- {
		at, ok = c.skipElement(f, b, at)
	}
	return at, ok
}

// Len returns the number of elements of an array, or of bytes of a string as it
// lies in the file; 0 for other values.
func (v Value) Len() (n int) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if v.at.kind() != KindArray {
		t, _ := v.text()
		return len(t.Bytes)
	}
	n, _ = array(v.field, v.bytes(), v.at.pos())
	return n
}

// Index returns element i of an array; an absent value if the array has none. It steps over the
// elements before it: use [Value.Elements] to read them all.
func (v Value) Index(i int) (e Value) {
	if v.at.kind() != KindArray || i < 0 {
		return Value{}
	}
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	b := v.bytes()
	at, ok := v.c.element(v.field, b, v.at.pos(), i)
	if !ok {
		return Value{}
	}
	return v.c.valueOf(v.field, b, at, true, 0)
}

// Elements returns the elements of an array, in order; none for other values.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.eachElement(yield) }
}

// eachElement finds several structs, such as the frames of a stack trace, under one trap, at first
// few: readers of frames often want the first one alone. It reads other elements where it finds them.
func (v Value) eachElement(yield func(Value) bool) {
	if v.at.kind() != KindArray {
		return
	}
	t := v.field.Type
	structs := t != nil && t.Kind == schema.Struct && !t.IsWrapper() && !v.field.Constant
	var found [16]Value
	n, at := v.elements()
	after := false
	for want := min(1, n); n > 0; n, want = n-want, min(4*want, n-want, len(found)) {
		if !structs {
			want = 1
		}
		var some int
		some, at = v.readElements(found[:want], at, after)
		for _, e := range found[:some] {
			if v.bytes() == nil || !yield(e) {
				return
			}
		}
		if some < want {
			return
		}
		after = true
	}
}

// readElements returns how many elements it has read: the one at that position, or those after it.
// They are fewer if the array has been cut off. It gets the bytes anew, for the loop may have closed
// the recording.
func (v Value) readElements(found []Value, from int, after bool) (n, at int) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	at = from
	b := v.bytes()
	for ; n < len(found); n++ {
		if after {
			var ok bool
			if at, ok = v.c.skipElement(v.field, b, at); !ok {
				return n, at
			}
		}
		found[n], after = v.c.valueOf(v.field, b, at, true, 0), true
	}
	return n, at
}

// elements returns how many elements there are, and where the first one begins.
func (v Value) elements() (n, at int) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	return array(v.field, v.bytes(), v.at.pos())
}

// appendElementInts appends the integers that the paths lead to in each element of an array of
// structs, one element after the other: integers as [Value.Int] returns them, and the keys of
// constants. For a path that leads to neither in the element itself it appends 0. It appends nothing
// for other values. The frames of a stack trace are read several times as fast as one by one.
func (v Value) appendElementInts(dst []int64, paths ...*FieldPath) (to []int64) {
	to = dst
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if v.at.kind() != KindArray || v.field.Constant || v.field.Type == nil {
		return dst
	}
	plan, err := v.field.Type.Plan()
	if err != nil || v.field.Elem() != plan {
		return dst
	}
	var direct [8]*resolvedPath
	routes := direct[:0]
	for _, p := range paths {
		r := v.c.resolve(v.field.Type, p)
		if !r.direct && (!r.inside || !r.field.Constant || r.field.Array) {
			r = nil
		}
		routes = append(routes, r)
	}
	var room [16]uint32
	slots := room[:]
	if plan.NumSlots() > len(slots) {
		slots = make([]uint32, plan.NumSlots())
	}
	b := v.bytes()
	n, at := array(v.field, b, v.at.pos())
	if plan.IsVarints() && plan.NumSlots() <= len(room) {
		return appendVarintElements(to, b, at, n, plan.NumSlots(), routes)
	}
	for ; n > 0; n-- {
		next, ok := plan.Layout(b, at, len(b), slots)
		if !ok {
			break
		}
		at = next
		for _, r := range routes {
			switch {
			case r == nil:
				to = append(to, 0)
			case r.direct:
				to = append(to, v.c.direct(r, b, int(slots[r.slot])))
			default:
				to = append(to, v.c.number(KindLong, b, int(slots[r.slot])))
			}
		}
	}
	return to
}

// varintElements returns how many elements an array of structs has that are compressed integers alone,
// how many integers each has, and the bytes of the chunk from the first element on: an integer ends at
// a byte below 0x80, or is nine bytes long. For other values all are zero. The bytes alias the
// recording; they are valid until [Recording.Close].
func (v Value) varintElements() (b []byte, elements, integers int) {
	if v.c.mayFault() {
		defer v.c.recoverFault(debug.SetPanicOnFault(true))
	}
	if v.at.kind() != KindArray || v.field.Constant || v.field.Type == nil {
		return nil, 0, 0
	}
	plan, err := v.field.Type.Plan()
	if err != nil || v.field.Elem() != plan || !plan.IsVarints() {
		return nil, 0, 0
	}
	b = v.bytes()
	n, at := array(v.field, b, v.at.pos())
	return b[min(at, len(b)):], n, plan.NumSlots()
}

// appendVarintElements is appendElementInts for n elements that are compressed integers alone,
// as stack frames are.
func appendVarintElements(to []int64, b []byte, at, n, slots int, routes []*resolvedPath) []int64 {
	var room [16]int64
	values := room[:slots]
	for ; n > 0; n-- {
		for i := range values {
			if uint(at) >= uint(len(b)) {
				return to
			}
			v, size := uint64(b[at]), 1
			if v >= 0x80 {
				if v, size = wire.Varint(b[at:]); size == 0 {
					return to
				}
			}
			values[i] = int64(v)
			at += size
		}
		for _, r := range routes {
			switch {
			case r == nil:
				to = append(to, 0)
			case r.direct:
				kind := kinds[r.field.Type.Kind]
				to = append(to, integerOf(kind, narrow(kind, values[r.slot], false), r.field.Unsigned))
			default:
				to = append(to, values[r.slot])
			}
		}
	}
	return to
}
