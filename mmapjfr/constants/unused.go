package constants

import (
	"context"
	"iter"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Unused returns the constants that no event refers to, nor a constant that is used, in
// the order of the file. Copies are left out: nothing can refer to them.
//
// It goes through all events of a chunk at a time, on several goroutines, see
// [mmapjfr.Workers], and follows what they refer to. For a chunk it keeps a bit for each
// byte of its constants. If it is not nil, progress is called, by any of the goroutines,
// with numbers of bytes that have been gone through: all of the recording's chunks.
func Unused(ctx context.Context, rec *mmapjfr.Recording, progress func(bytes uint64)) iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range rec.Chunks() {
			used, errs := use(ctx, rec, chunk)
			if ctx.Err() != nil {
				yield(Constant{}, context.Cause(ctx))
				return
			}
			if progress != nil {
				progress(chunk.Size())
			}
			if errs != nil && !yield(Constant{}, errs) {
				return
			}
			if used != nil && !used.marked(rec, false, yield) {
				return
			}
		}
	}
}

// usage is which constants of a chunk are used.
type usage struct {
	*pools
	used *marks
}

// marked yields the constants that are marked, or those that are not.
func (u *usage) marked(rec *mmapjfr.Recording, are bool, yield func(Constant, error) bool) bool {
	more := true
	err := rec.Protect(func() error {
		u.each(nil, func(c Constant) bool {
			if !c.Shadowed && u.used.has(uint64(c.at)) == are {
				more = yield(c, nil)
			}
			return more
		})
		return nil
	})
	return more && (err == nil || yield(Constant{}, err))
}

// use marks what the events of a chunk refer to. What could not be read comes with what
// has been found in the rest.
func use(ctx context.Context, rec *mmapjfr.Recording, chunk mmapjfr.Chunk) (*usage, error) {
	u := &usage{}
	err := rec.Protect(func() (err error) {
		u.pools, err = newPools(chunk)
		return err
	})
	if err != nil {
		return nil, err
	}
	u.used = newMarks(len(u.data))
	walkers := make([]*walker, rec.Workers())
	err = chunk.Select().Batches(ctx, func(worker int, b *mmapjfr.Batch) error {
		w := walkers[worker]
		if w == nil {
			w = newWalker(u)
			walkers[worker] = w
		}
		w.events(b)
		return nil
	})
	if err != nil {
		return u, err
	}
	return u, u.k.Err()
}

// walker marks what events refer to. It belongs to one goroutine.
type walker struct {
	*usage
	*references
	// left are constants that have been marked and not yet been looked into.
	left []found
	// follow is mark, once and for all.
	follow func(reference)
}

// found is a constant and where its value begins.
type found struct {
	class *schema.Type
	at    int
}

func newWalker(u *usage) *walker {
	w := &walker{usage: u, references: newReferences(u.pools)}
	w.follow = w.mark
	return w
}

// events marks all that the events of a batch refer to.
func (w *walker) events(b *mmapjfr.Batch) {
	types, err := w.ix.Types()
	if err != nil {
		return // then there is no batch
	}
	class := types.ByID(schema.TypeID(b.Type().ID()))
	if class == nil || len(w.shape(class).slots) == 0 {
		return
	}
	start := w.ix.Offset()
	for i := range b.Len() {
		w.event(class, start, b.Event(i))
	}
}

// event marks all that an event of a class refers to. Its chunk begins at start.
func (w *walker) event(class *schema.Type, start uint64, ev mmapjfr.Event) {
	at := int(ev.Offset() - start)
	end := at + ev.Size()
	w.references.each(class, w.body(at), end, w.follow)
	for n := len(w.left); n > 0; n = len(w.left) {
		c := w.left[n-1]
		w.left = w.left[:n-1]
		w.references.each(c.class, c.at, len(w.references.data), w.follow)
	}
}

// body returns where the first field of the event lies: behind size and type.
func (w *walker) body(at int) int {
	_, n := w.form.Count(w.references.data[at:])
	_, m := w.form.Long(w.references.data[at+n:])
	return at + n + m
}

// mark marks a constant, and leaves it to be looked into if it was not marked before.
func (w *walker) mark(ref reference) {
	at, ok := w.k.Lookup(ref.class, ref.key)
	if ok && w.used.set(at) && len(w.shape(ref.class).slots) > 0 {
		w.left = append(w.left, found{ref.class, int(at)})
	}
}
