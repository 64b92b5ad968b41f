package query

import (
	"bytes"
	"cmp"
	"compress/flate"
	"io"
	"slices"
	"sync"
)

// maxAlive is about how many bytes the groups of several statements take that are read at once; what is
// more is packed.
var maxAlive = 8 << 20

// packing keeps the groups of several statements small while recordings are read: where all take more than
// maxAlive, the largest are coded and compressed, and their statements begin anew. What is packed is merged when
// a result is asked for, one statement after the other. Groups take a tenth when they are packed.
type packing struct {
	mu    sync.Mutex
	alive []int // by plan: about how many bytes its groups take
	total int
}

// set says how many bytes the groups of a plan take. It returns the plan whose groups have to be packed; -1 if none
// has to be.
func (p *packing) set(plan, bytes int) (largest int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total += bytes - p.alive[plan]
	p.alive[plan] = bytes
	if len(p.alive) == 1 || p.total <= maxAlive {
		return -1
	}
	return slices.Index(p.alive, slices.Max(p.alive))
}

// pack packs the largest groups if those of all plans take too much. Bytes are what those of one plan
// take.
func (w *worker) pack(plan, bytes int) {
	for {
		if plan = w.packing.set(plan, bytes); plan < 0 {
			return
		}
		w.merging[plan].Lock()
		w.results[plan].pack()
		bytes = 0
		w.merging[plan].Unlock()
	}
}

// pack packs the groups, and begins anew.
func (r *Partial) pack() {
	if r.groups.len() == 0 {
		return // another worker has done it
	}
	c := &coder{}
	r.groups.code(c)
	var b bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&b)
	w.Write(c.b) // a buffer takes all bytes
	w.Close()
	r.packed = append(r.packed, bytes.Clone(b.Bytes()))
	r.groups = r.groups.like()
}

var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is one
	return w
}}

// unpack merges what has been packed. It returns an error if that is too much.
func (r *Partial) unpack() (err error) {
	defer func() { r.err = cmp.Or(r.err, err) }()
	packed := r.packed
	r.packed = nil
	for _, b := range packed {
		data, err := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
		if err != nil {
			return err
		}
		c := &coder{b: data, reading: true}
		from := newPartial(r.plan)
		if from.code(c); c.err != nil {
			return c.err
		}
		r.groups.mergeAll(from)
		if err := r.groups.check(); err != nil {
			return err
		}
	}
	return nil
}
