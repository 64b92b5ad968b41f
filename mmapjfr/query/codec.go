package query

import (
	"bytes"
	le "encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// partialMagic begins the bytes of a partial result. Its last byte is the version of the format.
const partialMagic = "mjfrquer\x08"

// ErrPartial matches errors of [Plan.Unmarshal] about bytes that are no partial result of the plan, and of
// [Partial.Merge] about those of another statement.
var ErrPartial = errors.New("not a partial result of this statement")

// ErrRows matches the error of [Partial.MarshalBinary] for rows that are events.
var ErrRows = errors.New("the rows of this statement are events, which are no partial results; group them")

// MarshalBinary returns the partial result as bytes, for [Plan.Unmarshal]. Equal partial results have equal bytes,
// in whatever order they were merged. It fails if rows are events: those belong to their recording.
func (r *Partial) MarshalBinary() ([]byte, error) {
	if r.groups == nil {
		return nil, ErrRows
	}
	c := &coder{b: []byte(partialMagic)}
	heavy := r.heavy
	c.int(&heavy.Known)
	c.int(&heavy.Usual)
	r.groups.inOrder().code(c)
	return c.b, nil
}

// Unmarshal returns the partial result of the plan that [Partial.MarshalBinary] has written, maybe
// on another machine. The plan must be of the same statement, and find the same kinds of values.
func (p *Plan) Unmarshal(data []byte) (*Partial, error) {
	rest, ok := bytes.CutPrefix(data, []byte(partialMagic))
	if !ok || !p.grouped {
		return nil, fmt.Errorf("%w: they begin with other bytes, or with those of another version", ErrPartial)
	}
	c := &coder{b: rest, reading: true}
	r := p.NewPartial()
	c.int(&r.heavy.Known)
	if c.int(&r.heavy.Usual); r.heavy.Known < 0 || r.heavy.Usual < 0 {
		c.fail("it has a negative number of samples")
	}
	r.groups.code(c)
	if c.err == nil && len(c.b) > 0 {
		c.fail("bytes follow its end")
	}
	if c.err != nil {
		return nil, c.err
	}
	return r, nil
}

// coder writes values to bytes, or reads them from bytes, by the same calls.
type coder struct {
	b       []byte
	reading bool
	inList  bool // a value is one of a list
	err     error
}

func (c *coder) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrPartial, what)
	}
	c.b = nil
}

func (c *coder) uint(n *uint64) {
	if !c.reading {
		c.b = le.AppendUvarint(c.b, *n)
		return
	}
	v, size := le.Uvarint(c.b)
	if size <= 0 {
		c.fail("it is truncated")
		v, size = 0, 0
	}
	*n, c.b = v, c.b[size:]
}

func (c *coder) int(n *int64) {
	u := uint64(*n<<1) ^ uint64(*n>>63)
	c.uint(&u)
	*n = int64(u>>1) ^ -int64(u&1)
}

func (c *coder) int32(n *int32) {
	long := int64(*n)
	if c.int(&long); int64(int32(long)) != long {
		c.fail("a number is too large")
	}
	*n = int32(long)
}

func (c *coder) float(f *float64) {
	u := math.Float64bits(*f)
	c.uint(&u)
	*f = math.Float64frombits(u)
}

func (c *coder) bool(b *bool) {
	u := uint64(btoi(*b))
	c.uint(&u)
	*b = u == 1
}

func (c *coder) string(s *string) {
	n := c.count(len(*s), 1)
	if !c.reading {
		c.b = append(c.b, *s...)
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

// count codes a number of things, each of which takes at least some bytes.
func (c *coder) count(n, size int) int {
	u := uint64(n)
	if c.uint(&u); c.reading && u > uint64(len(c.b)/size) {
		c.fail("a count is beyond its end")
		return 0
	}
	return int(u)
}

// slice codes the elements of a slice, each of which takes at least a byte.
func slice[T any](c *coder, list *[]T, one func(e *T)) {
	n := c.count(len(*list), 1)
	if c.reading {
		*list = make([]T, 0, min(n, 1<<12))
		for range n {
			var e T
			if one(&e); c.err != nil {
				return
			}
			*list = append(*list, e)
		}
		return
	}
	for i := range *list {
		one(&(*list)[i])
	}
}

func (c *coder) value(v *Value) {
	kind, line, hash := uint64(v.kind), int64(v.line), int64(v.hash)
	c.uint(&kind)
	if kind > uint64(List) {
		c.fail("a value is of no kind")
	}
	c.int(&line)
	c.int(&hash)
	v.kind, v.line, v.hash = Kind(kind), int32(line), int32(hash)
	c.uint(&v.num)
	c.string(&v.text)
	if v.kind == List && c.err == nil {
		if c.inList = !c.inList; !c.inList {
			c.fail("a list is in a list")
			return
		}
		slice(c, &v.list, c.value)
		c.inList = false
	}
}

func (c *coder) moment(m *moment) {
	c.int(&m.time)
	c.int(&m.chunk)
	c.int32(&m.flush)
	c.int(&m.end)
	c.uint(&m.offset)
	c.int32(&m.source)
}

// raw codes a raw value of an input.
func (c *coder) raw(p *partial, in int, raw *int64) {
	c.int(raw)
	if c.reading && *raw != nullRaw && !p.plan.inputs[in].shape.kind.isNumeric() && (*raw < 0 || *raw >= int64(len(p.values.list))) {
		c.fail("a value is missing")
	}
}

// rawOf codes a raw value that is not known of all groups.
func (c *coder) rawOf(known bool, p *partial, in int, raw *int64) {
	if !known {
		c.int(raw)
		*raw = 0
		return
	}
	c.raw(p, in, raw)
}

func (p *partial) code(c *coder) {
	text := p.plan.signature()
	if c.string(&text); text != p.plan.signature() {
		c.fail("it is of another one, or of other types")
	}
	c.int(&p.span.from)
	c.int(&p.span.to)
	jvm := p.jvm
	if p.len() == 0 {
		jvm = "" // which one is chance, if results are merged
	}
	c.string(&jvm)
	p.setJVM(jvm)
	p.values.code(c)
	slice(c, &p.firsts, c.moment)
	c.moment(&p.last)
	if width := len(p.plan.keys); c.reading && c.err == nil {
		p.keys = make([]int64, width*len(p.firsts))
	}
	for i := range p.keys {
		c.raw(p, p.plan.keys[i%len(p.plan.keys)], &p.keys[i])
	}
	if c.err != nil {
		return
	}
	if c.reading {
		p.index(c)
		p.grow()
	}
	for _, s := range p.states {
		if c.err == nil {
			s.code(c, p)
		}
	}
}

// index numbers the groups that have been read.
func (p *partial) index(c *coder) {
	firsts, keys := p.firsts, p.keys
	p.firsts, p.keys = nil, nil
	for g, at := range firsts {
		if n := p.group(keys[g*len(p.plan.keys):][:len(p.plan.keys)], at); int(n) != g {
			c.fail("a group is there twice")
			return
		}
	}
}

// signature is the same for plans whose partial results can be merged.
func (p *Plan) signature() string {
	text := fmt.Sprintf("%s; %t %t", p.st, p.o.JDK, p.o.Exact)
	for _, in := range p.inputs {
		text += fmt.Sprintf("; %s %d", in.text, in.shape.kind)
	}
	return text
}

func (vs *values) code(c *coder) {
	for i := range c.count(len(vs.list), 1) {
		var v Value
		if !c.reading {
			v = vs.at(int64(i))
		}
		if c.value(&v); c.err != nil {
			return
		}
		if !c.reading {
			continue
		}
		if _, isNew := vs.add(v); !isNew {
			c.fail("a value is there twice")
			return
		}
	}
}

// each codes something of each group. There are as many groups as the partial result has.
func each[T any](c *coder, list []T, one func(e *T)) {
	for i := range list {
		if c.err == nil {
			one(&list[i])
		}
	}
}

func (s *countState) code(c *coder, _ *partial) { each(c, s.n, c.int) }

func (s *sumState) code(c *coder, _ *partial) {
	each(c, s.n, c.int)
	each(c, s.ints, func(w *wideInt) {
		c.int(&w.hi)
		c.uint(&w.lo)
	})
	for _, sums := range []*[]*exactSum{&s.floats, &s.squares} {
		*sums = grown(*sums, len(s.n))
		each(c, *sums, func(sum **exactSum) {
			some := *sum != nil
			if c.bool(&some); some && *sum == nil {
				*sum = new(exactSum)
				s.exact++
			}
			if some {
				(*sum).carry()
				each(c, (*sum).limbs[:], c.int)
				each(c, (*sum).infinities[:], c.int)
			}
		})
	}
}

func (s *distributionState) code(c *coder, _ *partial) {
	s.settle()
	c.bool(&s.over)
	each(c, s.groups, func(d *distribution) {
		buckets := d.buckets != nil
		list := d.runs
		if c.bool(&buckets); buckets {
			list = nil
			for _, b := range slices.Sorted(maps.Keys(d.buckets)) {
				list = append(list, run{float64(b), d.buckets[b]})
			}
		}
		slice(c, &list, func(r *run) {
			c.float(&r.value)
			c.int(&r.n)
		})
		if c.reading && c.err == nil {
			s.read(c, d, list, buckets)
		}
	})
}

// read sets a distribution to values, or to the numbers of buckets, that have been read.
func (s *distributionState) read(c *coder, d *distribution, list []run, buckets bool) {
	total := int64(0)
	for i, r := range list {
		isBucket := r.value == math.Trunc(r.value) && math.Abs(r.value) < 0x7ff<<(52-bucketShift)
		if i > 0 && !(list[i-1].value < r.value) || math.IsNaN(r.value-r.value) || r.n < 1 || r.n > math.MaxInt64-1-total || buckets && !isBucket {
			c.fail("its values are out of order")
			return
		}
		total += r.n
	}
	if !buckets {
		d.runs = list
		s.distinct += len(list)
		return
	}
	d.buckets, d.n = make(map[int32]int64, len(list)), total
	for _, r := range list {
		d.buckets[int32(r.value)] = r.n
	}
	s.buckets += len(list)
}

func (s *edgeState) code(c *coder, p *partial) {
	c.moment(&s.latest)
	each(c, s.groups, func(e *edge) {
		c.bool(&e.known)
		c.rawOf(e.known, p, s.a.in, &e.first)
		c.rawOf(e.known, p, s.a.in, &e.last)
		c.moment(&e.firstAt)
		c.moment(&e.lastAt)
	})
}

func (s *extremeState) code(c *coder, p *partial) {
	each(c, s.groups, func(e *extreme) {
		c.bool(&e.known)
		c.rawOf(e.known, p, s.looksAt(), &e.by)
		c.rawOf(e.known, p, s.a.in, &e.value)
		c.moment(&e.at)
	})
}

func (s *setState) code(c *coder, p *partial) {
	each(c, s.groups, func(g *set) {
		slice(c, &g.list, func(m *member) {
			c.raw(p, s.a.in, &m.raw)
			c.int(&m.n)
			c.moment(&m.at)
		})
		if c.reading && s.a.kind != listOf {
			g.known = make(map[int64]int, len(g.list))
			for i, m := range g.list {
				g.known[m.raw] = i
			}
			if len(g.known) != len(g.list) {
				c.fail("a value is there twice")
			}
		}
		if c.reading {
			s.n += len(g.list)
		}
	})
}
