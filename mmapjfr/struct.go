package mmapjfr

import (
	"iter"
	"runtime/debug"

	"github.com/mmapjfr/jfr/index/schema"
)

// object is a struct that is no event: an inline one or a constant.
type object struct {
	c     *chunk
	class *schema.Type
	pos   int
	key   int64
}

// object returns the struct that the value is; an empty one if it is none.
func (v Value) object() object {
	if v.at.kind() != KindStruct {
		return object{key: v.key}
	}
	return object{v.c, v.class(), v.at.pos(), v.key}
}

// get returns the value that the path leads to.
func (o object) get(p *FieldPath) Value {
	if o.c == nil {
		return Value{}
	}
	r := o.c.route(o.class, p)
	if r.field == nil || r.computed != recorded {
		return o.compute(r)
	}
	return o.follow(r, r.field)
}

// follow returns the value of the field that the hops of the route lead to.
func (o object) follow(r *route, f *schema.Field) Value {
	pos, nothing, ok := o.c.follow(r, o.c.bytes(), o.pos, nil)
	if !ok {
		return o.c.valueAt(f, nothing, 0, 0)
	}
	return o.c.valueOf(f, o.c.bytes(), pos, r.elem, 0)
}

// Get returns the value inside a struct that the path leads to; an absent one
// if there is none.
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
	if v.at.kind() != KindStruct {
		return
	}
	pos := v.at.pos()
	for i := range v.class().Fields {
		f := &v.class().Fields[i]
		e, next, ok := v.nextField(f, pos)
		if !ok || !yield(Field{f}, e) {
			return
		}
		pos = next
	}
}

// nextField returns the field that begins there, and where the next one does. It gets the
// bytes anew, for the loop may have closed the recording.
func (v Value) nextField(f *schema.Field, pos int) (e Value, next int, ok bool) {
	if v.c.traps() {
		defer v.c.guard(debug.SetPanicOnFault(true))
	}
	plan := f.Plan()
	if plan == nil {
		return Value{}, 0, false
	}
	b := v.bytes()
	if next, ok = plan.Skip(b, pos); !ok {
		return Value{}, 0, false
	}
	return v.c.valueOf(f, b, pos, false, 0), next, true
}

// value returns the struct as a value.
func (o object) value() Value {
	if o.c == nil {
		return Value{key: o.key}
	}
	return o.c.valueAt(o.class.ValueField(), KindStruct, o.pos, o.key)
}

// field returns what the path leads to.
func (o object) field(p *FieldPath) (v Value) {
	if o.c.traps() {
		defer o.c.guard(debug.SetPanicOnFault(true))
	}
	return o.get(p)
}

// child returns the struct that the path leads to.
func (o object) child(p *FieldPath) object { return o.field(p).object() }

// str returns the string that the path leads to, see [Value.Str].
func (o object) str(p *FieldPath) (s string) {
	if o.c.traps() {
		defer o.c.guard(debug.SetPanicOnFault(true))
	}
	return o.get(p).str()
}

// integer returns the integer that the path leads to, see [Value.Int].
func (o object) integer(p *FieldPath) (n int64) {
	if o.c.traps() {
		defer o.c.guard(debug.SetPanicOnFault(true))
	}
	return o.get(p).integer()
}

// bool returns the boolean that the path leads to, see [Value.Bool].
func (o object) bool(p *FieldPath) bool { return o.integer(p) != 0 }
