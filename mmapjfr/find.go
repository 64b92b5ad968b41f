package mmapjfr

// Resolve returns the field that a path ends at, for values of the type: what
// [Event.Get] and [Value.Get] read. one tells whether the path leads to one value,
// and not to all those of an array. The error says why the path leads nowhere, and
// names the fields that there are.
//
// It is resolved anew each time.
func (t Type) Resolve(p *FieldPath) (f Field, one bool, err error) {
	p.check()
	r := resolve(t.orEmpty(), p)
	if r.field == nil {
		return Field{}, false, r.err
	}
	return Field{r.field}, r.elem || !r.field.Array, nil
}
