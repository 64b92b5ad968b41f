package index_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// planReader reads values with the help of plans alone and checks on the way
// that Layout, Skip and Seek agree. What it returns can be compared with what
// the reference decoder has read, inline structs flattened; see [flat].
type planReader struct {
	t     testing.TB
	types *schema.TypeSet
}

// value reads a value that begins at pos of b; it returns its slots and its end.
func (r *planReader) value(p *schema.Plan, b []byte, pos int) (slots []any, end int) {
	offs := make([]uint32, p.NumSlots())
	end, ok := p.Layout(b, pos, len(b), offs)
	if !ok {
		r.fail("Layout at %d", pos)
	}
	skipped, ok := p.Skip(b, pos)
	if !ok || skipped != end {
		r.fail("Skip ends at %d, Layout at %d", skipped, end)
	}
	for i := range p.NumSlots() {
		at, ok := p.SlotOffset(b, pos, i)
		if !ok || at != int(offs[i]) {
			r.fail("slot %d: Seek finds it at %d, Layout at %d", i, at, offs[i])
		}
	}
	at, ok := p.SlotOffset(b, pos, p.NumSlots())
	if !ok || at != end {
		r.fail("Seek after the last slot gives %d, Layout %d", at, end)
	}
	if end > pos {
		_, ok = p.Skip(b[:end-1:end-1], pos)
		if ok {
			r.fail("Skip with a byte less")
		}
		_, ok = p.Layout(b[:end-1:end-1], pos, end-1, make([]uint32, p.NumSlots()))
		if ok {
			r.fail("Layout with a byte less")
		}
	}
	r.columns(p, b, pos, end, offs)
	for i := range p.NumSlots() {
		next := end
		if i+1 < p.NumSlots() {
			next = int(offs[i+1])
		}
		v, sawEnd := r.slot(p, i, b, int(offs[i]))
		if sawEnd != next {
			r.fail("slot %d ends at %d, the next begins at %d", i, sawEnd, next)
		}
		slots = append(slots, v)
	}
	return slots, end
}

// columns checks that Columns finds the same, decoding a value twice, and again
// with a byte less.
func (r *planReader) columns(p *schema.Plan, b []byte, pos, end int, offs []uint32) {
	columns := make([][]int64, p.NumSlots())
	for i := range columns {
		columns[i] = make([]int64, 2)
	}
	at := []int{pos, pos}
	p.DecodeColumns(b, at, columns)
	if at[0] != end || at[1] != end {
		r.fail("Columns ends at %d, Layout at %d", at, end)
	}
	for i := range columns {
		s := p.Slot(i)
		want := int64(offs[i])
		if !s.Array && (s.Constant || s.Type.Kind != schema.String) {
			next := end
			if i+1 < p.NumSlots() {
				next = int(offs[i+1])
			}
			want = r.number(s, b[offs[i]:next])
		}
		if columns[i][0] != want || columns[i][1] != want {
			r.fail("slot %d of Columns is %d, not %d", i, columns[i], want)
		}
	}
	if end > pos {
		less := b[: end-1 : end-1]
		at := []int{pos}
		if p.DecodeColumns(less, at, columns); at[0] <= len(less) {
			r.fail("Columns ends at %d of %d bytes", at[0], len(less))
		}
	}
}

// number decodes bytes that are one number.
func (r *planReader) number(s *schema.Slot, b []byte) (n int64) {
	fixed := !s.Constant && (s.Type.Kind == schema.Bool || s.Type.Kind == schema.Byte ||
		s.Type.Kind == schema.Float || s.Type.Kind == schema.Double)
	if r.types.IntEncoding == wire.Compressed && !fixed {
		v, size := wire.Varint(b)
		if size != len(b) {
			r.fail("%d bytes are no number", len(b))
		}
		return int64(v)
	}
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	return n
}

// fail is for the places where a call of require would be made millions of times.
func (r *planReader) fail(format string, args ...any) {
	r.t.Helper()
	require.Failf(r.t, "the plan fails", format, args...)
}

func (r *planReader) slot(p *schema.Plan, i int, b []byte, pos int) (v any, end int) {
	s := p.Slot(i)
	if !s.Array {
		return r.primitive(s, b, pos)
	}
	n, first, ok := p.ArrayHeader(b, pos)
	if !ok {
		r.fail("Array at %d", pos)
	}
	list := []any{}
	for range n {
		elem := make([]any, 1)
		if s.Constant {
			elem[0], first = r.primitive(s, b, first)
		} else {
			elem, first = r.value(r.plan(s.Type), b, first)
		}
		list = append(list, elem)
	}
	return list, first
}

func (r *planReader) primitive(s *schema.Slot, b []byte, pos int) (any, int) {
	c := wire.NewCursor(b, pos, r.types.IntEncoding)
	var v any
	switch {
	case s.Constant:
		v = jfrtest.Constant{Class: int64(s.Type.ID), Key: c.Long()}
	case s.Type.Kind == schema.Bool:
		v = c.Byte() != 0
	case s.Type.Kind == schema.Byte:
		v = int8(c.Byte())
	case s.Type.Kind == schema.Char:
		x, n := r.types.IntEncoding.Char(b[pos:])
		v = x
		c.Seek(pos + n)
	case s.Type.Kind == schema.Short:
		x, n := r.types.IntEncoding.Short(b[pos:])
		v = x
		c.Seek(pos + n)
	case s.Type.Kind == schema.Int:
		v = c.Int()
	case s.Type.Kind == schema.Long:
		v = c.Long()
	case s.Type.Kind == schema.Float:
		x, n := wire.Float(b[pos:])
		v = math.Float32bits(x)
		c.Seek(pos + n)
	case s.Type.Kind == schema.Double:
		x, n := wire.Double(b[pos:])
		v = math.Float64bits(x)
		c.Seek(pos + n)
	case s.Type.Kind == schema.String:
		v = textValue(c.Text(), int64(s.Type.ID))
	default:
		require.Fail(r.t, "slot of class "+s.Type.Name)
	}
	if !c.OK() {
		r.fail("value of class %s at %d", s.Type.Name, pos)
	}
	return v, c.Pos()
}

// textValue gives a string as the reference decoder does.
func textValue(text wire.Text, class int64) any {
	switch text.Encoding {
	case wire.Null:
		return jfrtest.Null{}
	case wire.Constant:
		return jfrtest.Constant{Class: class, Key: text.Key}
	case wire.UTF8:
		return string(text.Bytes) // the reference gives it as it was written
	}
	return string(text.Append(nil))
}

// flat gives a value of the reference decoder as slots.
func flat(v any) []any {
	switch v := v.(type) {
	case *jfrtest.Struct:
		return flatFields(v.Fields)
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, flat(x))
		}
		return []any{list}
	case float32:
		return []any{math.Float32bits(v)} // so that NaN equals itself
	case float64:
		return []any{math.Float64bits(v)}
	}
	return []any{v}
}

func flatFields(fields []jfrtest.Value) (all []any) {
	for _, f := range fields {
		all = append(all, flat(f.Value)...)
	}
	return all
}

func (r *planReader) plan(class *schema.Type) *schema.Plan {
	p, err := class.Plan()
	if err != nil {
		r.fail("%v", err)
	}
	return p
}

// requireSame is require.Equal without its costs.
func (r *planReader) requireSame(want, got []any, what string, at int64) {
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if !reflect.DeepEqual(want, got) {
		require.Equal(r.t, want, got, fmt.Sprintf("%s at %#x", what, at))
	}
}

// checkPlans reads every event and every constant of a chunk.
func checkPlans(t testing.TB, c *index.Chunk, want *jfrtest.Chunk) {
	t.Helper()
	types, err := c.AllTypes()
	require.NoError(t, err)
	r := &planReader{t, types}
	for i := range want.Events {
		e := &want.Events[i]
		rec, ordinal, err := c.EventAt(uint64(e.Offset))
		if err != nil || int64(rec.Type) != e.TypeID || rec.End() != uint64(e.Offset+e.Size) || ordinal != uint64(i) {
			r.fail("Find of event %d at %d: %v", i, e.Offset, err)
		}
		class := types.ByID(rec.Type)
		if known := want.Classes[e.TypeID] != nil; known != (class != nil) {
			r.fail("class %d is known: %v", rec.Type, !known)
		}
		if class == nil {
			continue
		}
		if class.Kind != schema.Struct {
			continue // an event of class long, say, has no fields for the reference
		}
		got, end := r.value(r.plan(class), c.Data()[:rec.End()], int(rec.Body()))
		if e.Rest != int64(rec.End())-int64(end) {
			r.fail("event at %d has %d bytes too many", e.Offset, e.Rest)
		}
		r.requireSame(flatFields(e.Fields), got, e.TypeName, e.Offset)
	}
	uses := keyUses(want)
	for _, cp := range want.Checkpoints {
		for _, pool := range cp.Pools {
			class := types.ByID(schema.TypeID(pool.Class))
			require.True(t, class != nil || len(pool.Keys) == 0)
			for i, at := range pool.Offsets {
				b := c.Data()[:cp.Offset+cp.Size]
				key, n := c.IntEncoding().Long(b[at:])
				if key != pool.Keys[i] {
					r.fail("key at %d", at)
				}
				got, end := r.value(r.plan(class), b, int(at)+n)
				if i+1 < len(pool.Offsets) && pool.Offsets[i+1] != int64(end) {
					r.fail("constant at %d", at)
				}
				// Of a key that comes twice the reference keeps one value only.
				if uses[jfrtest.Constant{Class: pool.Class, Key: key}] == 1 {
					r.requireSame(flat(want.Pools[pool.Class][key]), got, "constant", at)
				}
			}
		}
	}
}

// keyUses counts how often each key of each class comes.
func keyUses(c *jfrtest.Chunk) map[jfrtest.Constant]int {
	uses := map[jfrtest.Constant]int{}
	for _, cp := range c.Checkpoints {
		for _, p := range cp.Pools {
			for _, key := range p.Keys {
				uses[jfrtest.Constant{Class: p.Class, Key: key}]++
			}
		}
	}
	return uses
}
