package main

import (
	"math"
	"math/bits"

	"github.com/mmapjfr/jfr/mmapjfr"
)

const (
	// references is how many references to constants are followed from an event,
	// one after the other.
	references = 1
	// maxValues bounds the values that are read of one event. A stack of 2048
	// frames, the most that a virtual machine records, has a sixth of that.
	maxValues = 1 << 16
	// maxStr is the length from which on a string is not asked for as such:
	// one that has to be converted is not kept by the recording then.
	maxStr = 4 << 10
)

// reader reads every field of events, as the comment of the package says, and
// allocates nothing.
type reader struct {
	// sum depends on all that was read, in its order.
	sum uint64
	// cut is the number of events that had more than maxValues.
	cut uint64

	left int // values that may still be read of the event
	text []byte
}

func (r *reader) event(ev mmapjfr.Event) {
	r.left = maxValues
	for f, v := range ev.Fields() {
		r.field(f, v, references)
	}
	if r.left < 0 {
		r.cut++
	}
}

// field reads the value of a field. It follows so many references; if there are
// none left it reads no more of a constant than its key and the plain value that
// it may stand for.
func (r *reader) field(f mmapjfr.Field, v mmapjfr.Value, refs int) {
	if v.Kind() == mmapjfr.KindArray {
		if inner, _ := v.Field(); inner == f {
			r.elements(v, f.IsConstant(), refs)
			return
		}
	}
	r.single(v, f.IsConstant(), refs)
}

func (r *reader) elements(v mmapjfr.Value, constant bool, refs int) {
	r.add(uint64(v.Len()))
	for e := range v.Elements() {
		if r.left < 0 {
			return
		}
		r.single(e, constant, refs)
	}
}

// single reads a value that is no array, or a constant that stands for one.
func (r *reader) single(v mmapjfr.Value, constant bool, refs int) {
	if r.left--; r.left < 0 {
		return
	}
	if constant {
		refs--
		r.add(uint64(v.Key()))
	}
	switch v.Kind() {
	case mmapjfr.KindNone:
		if v.IsNull() {
			r.add(1)
		}
	case mmapjfr.KindFloat, mmapjfr.KindDouble:
		r.add(math.Float64bits(v.Float()))
	case mmapjfr.KindString:
		r.str(v)
	case mmapjfr.KindStruct:
		if refs < 0 {
			return
		}
		for f, v := range v.Fields() {
			r.field(f, v, refs)
		}
	case mmapjfr.KindArray:
		if refs < 0 {
			return
		}
		inner, _ := v.Field()
		r.elements(v, inner.IsConstant(), refs)
	default:
		r.add(v.Uint())
	}
}

func (r *reader) str(v mmapjfr.Value) {
	n := v.Len()
	r.add(uint64(n))
	if n > maxStr {
		r.text = v.AppendStr(r.text[:0])
		r.ends(r.text[0], r.text[len(r.text)-1])
		return
	}
	if s := v.Str(); s != "" {
		r.ends(s[0], s[len(s)-1])
	}
}

func (r *reader) ends(first, last byte) { r.add(uint64(first)<<8 | uint64(last)) }

func (r *reader) add(n uint64) {
	r.sum = (bits.RotateLeft64(r.sum, 5) ^ n) * 0x9E3779B97F4A7C15
}
