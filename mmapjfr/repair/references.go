package repair

import (
	"slices"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/refs"
)

// references counts references to constants that are missing, and notes which keys in
// constants are to be replaced.
type references struct {
	*refs.Visitor
	constants *index.Constants
	described *description
	missing   map[*schema.Type]uint64 // references, by the type of the constant
	// within is the type of the constant whose references are visited; nil for an event, and
	// if keys cannot be replaced.
	within  *schema.Type
	patches []patch
	visit   func(refs.Reference) // note; made once
}

func newReferences(c *index.Chunk, k *index.Constants, d *description) *references {
	r := &references{
		Visitor:   refs.New(c.Data(), c.IntEncoding(), named(d.types, jdktypes.String)),
		constants: k, described: d, missing: make(map[*schema.Type]uint64),
	}
	r.visit = r.note
	return r
}

// note counts a reference if its constant is missing, and patches it if the JDK needs the constant.
func (r *references) note(ref refs.Reference) {
	missing := ref.Key != 0 && !r.has(ref.Type, ref.Key)
	if missing {
		r.missing[ref.Type]++
	}
	if r.within != nil && ref.Slot.Constant && (missing || ref.Key == 0 && r.needs(ref.Type)) {
		r.patch(ref)
	}
}

// has reports whether a type has a constant with a key, and the constant is written.
func (r *references) has(typ *schema.Type, key int64) bool {
	_, ok := r.constants.Lookup(typ, key)
	return ok && r.described.pools(typ)
}

// needs reports whether the JDK needs the reference to a type of the constant that is visited.
func (r *references) needs(typ *schema.Type) bool {
	if r.has(typ, 0) {
		return false
	}
	owner := r.within.CurrentName()
	if owner != jdktypes.Method && owner != jdktypes.Class && owner != jdktypes.Reference {
		owner = jdktypes.StackFrame // it lies in a stack trace
	}
	return slices.ContainsFunc(required, func(q requirement) bool { return q.typ == owner && q.to == typ.CurrentName() })
}

// patch notes that the key of a reference is to be replaced.
func (r *references) patch(ref refs.Reference) {
	if len(r.patches) == maxPatches || !r.described.pools(ref.Type) {
		return
	}
	descriptor := false
	if i := r.within.Field(descriptorField); i >= 0 && r.within.CurrentName() == jdktypes.Method {
		p, err := r.within.Plan()
		descriptor = err == nil && p.Slot(r.within.Fields[i].Slot()) == ref.Slot
	}
	if key := placeholderFor(ref.Type, descriptor); key != 0 {
		r.patches = append(r.patches, patch{uint64(ref.From), uint8(ref.To - ref.From), key})
	}
}
