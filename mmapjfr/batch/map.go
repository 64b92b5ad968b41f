package batch

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Opener opens the recordings of an object, of which ranges will be read. Each call opens them anew; onError gets what
// cannot be read of an object that can be opened. Objects are read by nothing else.
type Opener func(ctx context.Context, p Part, onError func(error)) (*input.Set, error)

// isPlain reports whether ranges of a file can be read: it is a recording that is not packed.
func isPlain(o Object) bool {
	rec, err := mmapjfr.Open(o.Name)
	if err != nil {
		return false
	}
	_ = rec.Close() // only read
	return true
}

// section is a range of a recording.
type section struct {
	ctx       context.Context
	object    string // the name of what has the recording
	recording *mmapjfr.Recording
	chunks    mmapjfr.ChunkRange
	// onError gets what cannot be read.
	onError func(err error)
	// once returns what make returned when it was called first for this recording, while that is open: what its
	// ranges share.
	once func(make func() any) any
}

// opened is an object that several items may read.
type opened struct {
	once   sync.Once
	set    *input.Set
	err    error
	damage []error
	shared map[*mmapjfr.Recording]func(make func() any) any
}

func (o *opened) open(ctx context.Context, p Part, open Opener) {
	o.once.Do(func() {
		o.set, o.err = open(ctx, p, func(err error) { o.damage = append(o.damage, err) })
		if o.err != nil {
			return
		}
		o.shared = make(map[*mmapjfr.Recording]func(make func() any) any)
		for _, rec := range o.set.Recordings {
			var once sync.Once
			var found any
			o.shared[rec] = func(make func() any) any {
				once.Do(func() { found = make() })
				return found
			}
		}
	})
}

func (o *opened) close() error {
	if o.set == nil {
		return nil
	}
	return o.set.Close()
}

// Map yields what a question finds in each item, one after the other. Objects that cannot be read
// are damage of the partial result; after an error there are no more results. An object of which
// several items are ranges is opened once; nil opens those of the zero [Store]. Note goes into
// partial results, see [Partial].
func Map(ctx context.Context, q Question, note []string, items []Item, open Opener) iter.Seq2[*Partial, error] {
	return func(yield func(*Partial, error) bool) {
		m := newMapper(q, note, open)
		for _, item := range items {
			m.expect(item.Parts)
		}
		var err error
		for i := 0; i < len(items) && err == nil; i++ {
			var p *Partial
			if p, err = m.item(ctx, items[i]); err == nil && !yield(p, nil) {
				_ = m.close() // the caller has another error, or enough
				return
			}
		}
		if err = errors.Join(err, m.close()); err != nil {
			yield(nil, err)
		}
	}
}

// mapper reads items, several at once. An object of which several items are to be read stays open.
type mapper struct {
	question Question
	open     Opener
	note     []string

	mu    sync.Mutex
	known map[string]*opened
	left  map[string]int // how many parts are still to be read
}

func newMapper(q Question, note []string, open Opener) *mapper {
	if open == nil {
		open = new(Store).Open
	}
	return &mapper{question: q, note: note, open: open, known: make(map[string]*opened), left: make(map[string]int)}
}

// close closes the objects of which parts are left.
func (m *mapper) close() (err error) {
	for _, o := range m.known {
		err = errors.Join(err, o.close())
	}
	return err
}

// openAhead is how many objects of servers are opened while another one is read: opening small ones mostly is waiting.
const openAhead = 6

// taken is an object, and what to call when a part of it has been read.
type taken struct {
	*opened
	done func() error
}

// take returns the object of a part.
func (m *mapper) take(p Part) taken {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.known[p.Object]
	if o == nil {
		o = &opened{}
		m.known[p.Object] = o
	}
	return taken{o, func() error { return m.release(p) }}
}

// expect says that parts will be read, once more each.
func (m *mapper) expect(parts []Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range parts {
		m.left[p.Object]++
	}
}

// release says that a part has been read. The object is closed after the last one.
func (m *mapper) release(p Part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left[p.Object]--; m.left[p.Object] > 0 {
		return nil
	}
	o := m.known[p.Object]
	delete(m.known, p.Object)
	delete(m.left, p.Object)
	if o == nil {
		return nil
	}
	return o.close()
}

// item reads an item.
func (m *mapper) item(ctx context.Context, item Item) (*Partial, error) {
	out := &Partial{Question: m.question.Text(), Note: m.note, Key: item.Key, answer: m.question.newAnswer(), parts: byObject(public(item.Parts)), damage: slices.Clone(item.Unlisted)}
	var err error
	if answer, ok := out.answer.(itemAnswer); ok && len(item.Parts) > 0 {
		err = m.together(ctx, out, answer, item)
	} else {
		err = m.parts(ctx, out, item)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return out, nil
}

// parts adds the ranges of an item one after the other.
func (m *mapper) parts(ctx context.Context, out *Partial, item Item) error {
	var ahead sync.WaitGroup
	var list []taken
	defer func() {
		ahead.Wait()
		for _, t := range list {
			_ = t.done() // there is another error
		}
	}()
	for i, p := range item.Parts {
		for n := i + len(list); n < min(i+1+openAhead, len(item.Parts)); n++ {
			next := item.Parts[n]
			t := m.take(next)
			if list = append(list, t); n > i && strings.Contains(next.Object, "://") {
				ahead.Go(func() { t.open(ctx, next, m.open) })
			}
		}
		err := m.part(ctx, out, p, list[0].opened)
		err = errors.Join(err, list[0].done())
		if list = list[1:]; err != nil || ctx.Err() != nil {
			for _, rest := range item.Parts[i+1+len(list):] {
				err = errors.Join(err, m.release(rest))
			}
			return err
		}
	}
	return nil
}

// part adds a range of an object. An object that cannot be fetched adds nothing.
func (m *mapper) part(ctx context.Context, out *Partial, p Part, o *opened) error {
	r := m.begin(ctx, p, o)
	found := m.question.newAnswer()
	for _, in := range r.inputs {
		if err := found.add(in); err != nil {
			return errors.Join(err, r.close())
		}
		if r.isUnfetched() {
			break
		}
	}
	r.end(out, m.question)
	var err error
	if len(r.inputs) > 0 {
		err = out.answer.merge(found)
	}
	return errors.Join(err, r.close())
}

// itemAnswer is an answer that is made of all recordings of an item at once.
type itemAnswer interface {
	// addAll adds nothing if an input cannot be fetched.
	addAll(ctx context.Context, item Item, inputs []*section) error
}

// together adds all ranges of an item.
func (m *mapper) together(ctx context.Context, out *Partial, answer itemAnswer, item Item) (err error) {
	var readings []*reading
	defer func() {
		for _, r := range readings {
			err = errors.Join(err, r.close())
		}
	}()
	var group sync.WaitGroup
	slots := make(chan struct{}, openAhead)
	all := make([]taken, len(item.Parts))
	for i, p := range item.Parts {
		all[i] = m.take(p)
		if strings.Contains(p.Object, "://") {
			group.Go(func() {
				slots <- struct{}{}
				all[i].open(ctx, p, m.open)
				<-slots
			})
		}
	}
	group.Wait()
	for i, p := range item.Parts {
		r := m.begin(ctx, p, all[i].opened)
		r.done = all[i].done
		readings = append(readings, r)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for again := true; again; {
		var inputs []*section
		for _, r := range readings {
			if len(r.inputs) > 0 {
				r.begin()
			}
			inputs = append(inputs, r.inputs...)
		}
		if err := answer.addAll(ctx, item, inputs); err != nil {
			return err
		}
		again = false
		for _, r := range readings {
			again = r.isUnfetched() || again
		}
	}
	for _, r := range readings {
		r.end(out, m.question)
	}
	return nil
}

// reading is a range of an object that is read.
type reading struct {
	part   Part
	opened *opened
	own    *opened // to be closed, or nil
	done   func() error
	inputs []*section // none if nothing is to be read, or can be

	mu     sync.Mutex
	damage []Damage
}

// begin opens the object of a part.
func (m *mapper) begin(ctx context.Context, p Part, o *opened) *reading {
	r := &reading{part: p, opened: o}
	o.open(ctx, p, m.open)
	if errors.Is(o.err, ErrWhole) {
		if p.From > 0 {
			return r // it belongs to the part that begins at 0
		}
		r.part.To, r.part.isLarge = 0, true
		r.own = &opened{}
		r.opened, o = r.own, r.own
		o.open(ctx, r.part, m.open)
	}
	if o.err != nil {
		r.damage = []Damage{unread(p, o.err)}
		return r
	}
	for _, rec := range o.set.Recordings {
		r.inputs = append(r.inputs, &section{ctx, p.Object, rec, r.part.chunks(), func(err error) { r.add(rec, err) }, o.shared[rec]})
	}
	r.begin()
	return r
}

// begin notes what has been found when the object was opened, and forgets all else.
func (r *reading) begin() {
	r.damage = nil
	for _, err := range r.opened.damage {
		r.add(nil, err)
	}
}

// add notes what cannot be read of a recording; nil if it was found when the object was opened.
func (r *reading) add(rec *mmapjfr.Recording, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range errtree.Each(err) {
		d := damageOf(r.part, rec, e)
		if i := slices.IndexFunc(r.damage, func(d Damage) bool { return d.More > 0 }); d.More > 0 && i >= 0 {
			r.damage[i].More += d.More // of another chunk
			continue
		}
		r.damage = append(r.damage, d)
	}
}

// isUnfetched reports whether a recording could not be fetched. Then nothing of the object counts.
func (r *reading) isUnfetched() bool {
	for _, in := range r.inputs {
		if err := in.recording.FileErr(); errors.Is(err, mmapjfr.ErrUnfetched) {
			r.damage, r.inputs = []Damage{unread(r.part, err)}, nil
			return true
		}
	}
	return false
}

// end adds when recordings were, what of them could not be read, and whether they have what a question names.
func (r *reading) end(out *Partial, q Question) {
	for _, in := range r.inputs {
		out.Fits = MergeFits(out.Fits, q.fits(in))
		_, zone := in.recording.Start().In(engine.RecordingLocation(in.recording)).Zone()
		out.chunks = append(out.chunks, chunksOf(in)...)
		out.sees(in.recording.Start().UnixNano(), in.recording.End().UnixNano(), zone)
	}
	out.damage = append(out.damage, limited(r.damage)...)
}

func (r *reading) close() (err error) {
	if r.own != nil {
		err = r.own.close()
	}
	if r.done != nil {
		err = errors.Join(err, r.done())
	}
	return err
}

// unread is the damage of an object of which nothing counts.
func unread(p Part, err error) Damage {
	again := errors.Is(err, mmapjfr.ErrUnfetched) && !errors.Is(err, mmapjfr.ErrChanged) && !errors.Is(err, fs.ErrNotExist)
	return Damage{Object: p.Object, Error: errtree.Unnamed(err).Error(), Unread: true, Again: again}
}
