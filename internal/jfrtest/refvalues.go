package jfrtest

import (
	"fmt"
	"math"
)

// Null is the value of a null string and of a constant with the key 0 that no pool has.
type Null struct{}

// Missing is the value of a constant with a key, not 0, that no pool has.
type Missing struct{ Class, Key int64 }

// Constant is a reference to a constant; [Chunk.Resolve] finds it.
type Constant struct{ Class, Key int64 }

// Value is the value of a named field. The value itself is a bool, int8, uint16 (a char), int16,
// int32, int64, float32, float64, string, [Null], [Constant], *[Struct] or []any.
//
// A string in UTF-8 (encoding 3) is given as it was written, and that need not be
// valid: HotSpot writes a character above 0xffff as two surrogates of three bytes.
// Lone surrogates in a char array (encoding 4) are replaced by U+FFFD.
type Value struct {
	Name  string
	Value any
}

// Struct is the value of a class with fields.
type Struct struct {
	Class  *Class
	Fields []Value
}

// Field returns the value of the named field, or nil.
func (s *Struct) Field(name string) any { return fieldOf(s.Fields, name) }

func fieldOf(fields []Value, name string) any {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Resolve returns what a constant refers to, or v itself if it is none. The result is never a
// constant, but what is inside of it can be one. A key that no pool has gives [Null] if it is 0,
// else [Missing]; a chain of constants that ends in itself gives [Null].
func (c *Chunk) Resolve(v any) any {
	seen := map[Constant]bool{}
	for {
		k, ok := v.(Constant)
		if !ok {
			return v
		}
		if seen[k] {
			return Null{}
		}
		seen[k] = true
		entry, ok := c.Pools[k.Class][k.Key]
		switch {
		case ok:
			v = entry
		case k.Key == 0:
			return Null{}
		default:
			return Missing(k)
		}
	}
}

// Path resolves v and goes on to the field named first, and so on. It returns
// nil where a name is unknown, and [Null] or [Missing] where the way ends in one.
// A simple type at the end gives its only field.
func (c *Chunk) Path(v any, names ...string) any {
	for _, name := range names {
		s, ok := c.Resolve(v).(*Struct)
		if !ok {
			return c.Resolve(v)
		}
		v = s.Field(name)
	}
	v = c.Resolve(v)
	if s, ok := v.(*Struct); ok && s.Class.SimpleType && len(s.Fields) == 1 {
		return c.Path(s.Fields[0].Value)
	}
	return v
}

// maxDepth is how far classes may be nested in place. A class inside of itself
// has no end, and no limit but this.
const maxDepth = 64

// fields reads the fields of a class.
func (c *Chunk) fields(r *refReader, class *Class, depth int) []Value {
	values := make([]Value, 0, len(class.Fields))
	for _, f := range class.Fields {
		v := c.field(r, f, depth)
		if r.err != nil {
			break
		}
		values = append(values, Value{f.Name, v})
	}
	return values
}

func (c *Chunk) field(r *refReader, f Field, depth int) any {
	if f.Dimension == 0 {
		return c.element(r, f, depth)
	}
	n := r.count("elements")
	list := make([]any, 0, min(n, 16))
	for range n {
		list = append(list, c.element(r, f, depth))
		if r.err != nil {
			return nil
		}
	}
	return list
}

func (c *Chunk) element(r *refReader, f Field, depth int) any {
	if f.ConstantPool {
		return Constant{Class: f.ClassID, Key: r.long("key of a constant")}
	}
	class := c.Classes[f.ClassID]
	if class == nil {
		r.fail("field %s is of the unknown class %d", f.Name, f.ClassID)
		return nil
	}
	return c.value(r, class, depth)
}

// value reads a value of a class that is written in place.
func (c *Chunk) value(r *refReader, class *Class, depth int) any {
	if len(class.Fields) > 0 {
		if depth == maxDepth {
			r.fail("class %s nests %d deep", class.Name, depth)
			return nil
		}
		return &Struct{Class: class, Fields: c.fields(r, class, depth+1)}
	}
	switch class.Name {
	case "boolean":
		return r.byte("byte") != 0
	case "byte":
		return int8(r.byte("byte"))
	case "char":
		return uint16(r.integer("short", 2))
	case "short":
		return int16(r.integer("short", 2))
	case "int":
		return int32(r.integer("int", 4))
	case "long":
		return r.long("long")
	case "float":
		return math.Float32frombits(uint32(r.raw("float", 4)))
	case "double":
		return math.Float64frombits(r.raw("double", 8))
	case StringClass:
		return r.str(class.ID)
	}
	r.fail("class %s has no fields and is not primitive", class.Name)
	return nil
}

// String returns "null".
func (Null) String() string { return "null" }

// String returns the reference in the form "missing 42:7".
func (m Missing) String() string { return fmt.Sprintf("missing %d:%d", m.Class, m.Key) }
