package batch

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Opener opens the recordings of an object, of which ranges will be read. Each call opens them anew; onError gets what
// cannot be read of an object that can be opened. Objects are read by nothing else.
type Opener func(ctx context.Context, p Part, onError func(error)) (*input.Set, error)

// Open opens files, see package input.
func Open(ctx context.Context, p Part, onError func(error)) (*input.Set, error) {
	o := input.Options{OnError: func(_ string, err error) { onError(err) }}
	if p.From == 0 && p.To == 0 {
		o.Open = []mmapjfr.Option{mmapjfr.Workers(1)} // items are read side by side
	}
	return input.Open(ctx, []string{p.Object}, o)
}

// isPlain reports whether ranges of a file can be read: it is a recording that is not packed.
func isPlain(o Object) bool {
	rec, err := mmapjfr.Open(o.Name)
	if err != nil {
		return false
	}
	_ = rec.Close() // only read
	return true
}

// Input is a range of a recording.
type Input struct {
	Context   context.Context
	Recording *mmapjfr.Recording
	Range     mmapjfr.ChunkRange
	// OnError gets what cannot be read.
	OnError func(err error)
	// Once returns what make returned when it was called first for this recording, while that is open: what must
	// be known of all its chunks.
	Once func(make func() any) any
}

// opened is an object that several items may read.
type opened struct {
	once   sync.Once
	set    *input.Set
	err    error
	damage []error
	facts  map[*mmapjfr.Recording]func(make func() any) any
}

func (o *opened) open(ctx context.Context, p Part, open Opener) {
	o.once.Do(func() {
		o.set, o.err = open(ctx, p, func(err error) { o.damage = append(o.damage, err) })
		if o.err != nil {
			return
		}
		o.facts = make(map[*mmapjfr.Recording]func(make func() any) any)
		for _, rec := range o.set.Recordings {
			var once sync.Once
			var found any
			o.facts[rec] = func(make func() any) any {
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

// Map returns what a question finds in an item. Objects that cannot be read are damage of the partial result; an error
// means that there is no result.
func Map(ctx context.Context, q Question, item Item, open Opener) (*Partial, error) {
	m := mapper{question: q, open: open, known: make(map[string]*opened), left: make(map[string]int)}
	return m.item(ctx, item)
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
	return taken{o, func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.left[p.Object]--; m.left[p.Object] > 0 {
			return nil
		}
		delete(m.known, p.Object)
		return o.close()
	}}
}

// item reads an item.
func (m *mapper) item(ctx context.Context, item Item) (*Partial, error) {
	out := &Partial{Question: m.question.Text(), Note: m.note, Key: item.Key, Parts: public(item.Parts), Answer: m.question.New()}
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
		list = list[1:]
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	out.tidy()
	return out, nil
}

// part adds a range of an object. An object that cannot be fetched adds nothing.
func (m *mapper) part(ctx context.Context, out *Partial, p Part, o *opened) (err error) {
	o.open(ctx, p, m.open)
	if errors.Is(o.err, ErrWhole) {
		if p.From > 0 {
			return nil // it belongs to the part that begins at 0
		}
		p.To = 0
		o = &opened{}
		o.open(ctx, p, m.open)
		defer func() { err = errors.Join(err, o.close()) }()
	}
	if o.err != nil {
		out.Damage = append(out.Damage, unread(p, o.err))
		return nil
	}
	var mu sync.Mutex
	var damage []Damage
	damaged := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range errtext.Each(err) {
			isNote := errors.Is(e, mmapjfr.ErrUnfinished) || errors.As(e, new(input.Remark))
			damage = append(damage, Damage{Object: p.Object, Error: errtext.Error(e), Note: isNote})
		}
	}
	for _, err := range o.damage {
		damaged(err)
	}
	answer := m.question.New()
	for _, rec := range o.set.Recordings {
		if err := answer.Add(&Input{ctx, rec, p.Range(), damaged, o.facts[rec]}); err != nil {
			return err
		}
		if err := rec.FileErr(); errors.Is(err, mmapjfr.ErrUnfetched) {
			out.Damage = append(out.Damage, unread(p, err))
			return nil
		}
	}
	for _, rec := range o.set.Recordings {
		_, zone := rec.Start().In(rec.Location()).Zone()
		out.sees(rec.Start().UnixNano(), rec.End().UnixNano(), zone)
	}
	out.Damage = append(out.Damage, damage...)
	return out.Answer.Merge(answer)
}

// unread is the damage of an object of which nothing counts.
func unread(p Part, err error) Damage {
	d := Damage{Object: p.Object, Error: errtext.Opening(err), Unread: true}
	if errors.Is(err, mmapjfr.ErrUnfetched) {
		d.Error = strings.ReplaceAll(errtext.Message(err), p.Object+": ", "")
		d.Again = !errors.Is(err, mmapjfr.ErrChanged) && !errors.Is(err, fs.ErrNotExist)
	}
	return d
}
