package mmapjfr

import (
	"iter"

	"github.com/mmapjfr/jfr/index"
)

// object is a struct that is no event: an inline one or a constant.
type object struct {
	c     *chunk
	class *index.Class
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
	if r.field == nil {
		return Value{}
	}
	b := o.c.bytes()
	pos, nothing, ok := o.c.follow(r, b, o.pos, nil)
	if !ok {
		return o.c.valueAt(r.field, nothing, 0, 0)
	}
	return o.c.valueOf(r.field, o.c.bytes(), pos, r.elem, 0)
}

// Get returns the value inside a struct that the path leads to; an absent one
// if there is none.
func (v Value) Get(p *FieldPath) Value { return v.object().get(p) }

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
		b := v.bytes() // the loop may have closed the recording
		plan := f.Plan()
		if plan == nil {
			return
		}
		next, ok := plan.Skip(b, pos)
		if !ok || !yield(Field{f}, v.c.valueOf(f, b, pos, false, 0)) {
			return
		}
		pos = next
	}
}

// value returns the struct as a value.
func (o object) value() Value {
	if o.c == nil {
		return Value{key: o.key}
	}
	return o.c.valueAt(o.class.Self(), KindStruct, o.pos, o.key)
}
