package batch

import (
	"context"
	"errors"
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

// take returns an object, and what to call when a part of it has been read.
func (m *mapper) take(p Part) (o *opened, done func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o = m.known[p.Object]; o == nil {
		o = &opened{}
		m.known[p.Object] = o
	}
	return o, func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.left[p.Object]--; m.left[p.Object] > 0 {
			return nil
		}
		delete(m.known, p.Object)
		return o.close()
	}
}

// item reads an item.
func (m *mapper) item(ctx context.Context, item Item) (*Partial, error) {
	out := &Partial{Question: m.question.Text(), Note: m.note, Key: item.Key, Parts: item.Parts, Answer: m.question.New()}
	for _, p := range item.Parts {
		o, done := m.take(p)
		err := m.part(ctx, out, p, o)
		err = errors.Join(err, done())
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

// part adds a range of an object.
func (m *mapper) part(ctx context.Context, out *Partial, p Part, o *opened) error {
	o.open(ctx, p, m.open)
	if o.err != nil {
		out.Damage = append(out.Damage, Damage{Object: p.Object, Error: errtext.Opening(o.err), Unread: true})
		return nil //nolint:nilerr // it is in the list
	}
	var mu sync.Mutex
	damaged := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range errtext.Each(err) {
			isNote := errors.Is(e, mmapjfr.ErrUnfinished) || errors.As(e, new(input.Remark))
			out.Damage = append(out.Damage, Damage{Object: p.Object, Error: errtext.Error(e), Note: isNote})
		}
	}
	for _, err := range o.damage {
		damaged(err)
	}
	for _, rec := range o.set.Recordings {
		_, zone := rec.Start().In(rec.Location()).Zone()
		out.sees(rec.Start().UnixNano(), rec.End().UnixNano(), zone)
		if err := out.Answer.Add(&Input{ctx, rec, p.Range(), damaged, o.facts[rec]}); err != nil {
			return err
		}
	}
	return nil
}
