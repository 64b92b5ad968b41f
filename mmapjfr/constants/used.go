package constants

import (
	"iter"
	"sync"

	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Usage finds out which constants some events of a recording refer to: directly, or through
// constants that they refer to. For each chunk with such an event it keeps a bit for each
// byte of the chunk's constants.
type Usage struct {
	rec     *mmapjfr.Recording
	workers []map[mmapjfr.Chunk]*walker

	mu     sync.Mutex // guards what follows
	chunks map[mmapjfr.Chunk]*usage
	errs   map[mmapjfr.Chunk]error
}

// NewUsage returns a Usage of no events.
func NewUsage(rec *mmapjfr.Recording) *Usage {
	return &Usage{
		rec: rec, workers: make([]map[mmapjfr.Chunk]*walker, rec.Workers()),
		chunks: make(map[mmapjfr.Chunk]*usage), errs: make(map[mmapjfr.Chunk]error),
	}
}

// Add adds an event of the recording. Workers are numbered from 0 up to
// [mmapjfr.Recording.Workers]; calls with the same number must not overlap. The first event
// of a chunk makes it go through the chunk's checkpoints.
func (u *Usage) Add(worker int, ev mmapjfr.Event) {
	chunk := ev.Chunk()
	err := chunk.Protect(func() error {
		w, err := u.walker(worker, chunk)
		if err != nil {
			return err
		}
		types, err := w.ix.Types()
		if err != nil {
			return err
		}
		if class := types.ByID(schema.TypeID(ev.Type().ID())); class != nil && len(w.shape(class).slots) > 0 {
			w.event(class, w.ix.Offset(), ev)
		}
		return nil
	})
	if err != nil {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.errs[chunk] = err
	}
}

// walker returns what marks constants of the chunk for a worker.
func (u *Usage) walker(worker int, chunk mmapjfr.Chunk) (*walker, error) {
	if w := u.workers[worker][chunk]; w != nil {
		return w, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.errs[chunk]; err != nil {
		return nil, err
	}
	of := u.chunks[chunk]
	if of == nil {
		p, err := newPools(chunk)
		if err != nil {
			return nil, err
		}
		of = &usage{p, newMarks(len(p.data))}
		u.chunks[chunk] = of
	}
	if u.workers[worker] == nil {
		u.workers[worker] = make(map[mmapjfr.Chunk]*walker)
	}
	w := newWalker(of)
	u.workers[worker][chunk] = w
	return w, nil
}

// Constants returns the constants that the events refer to which have been added, in the
// order of the file, without copies; and what could not be read of the chunks that have
// such an event. No event is to be added meanwhile.
func (u *Usage) Constants() iter.Seq2[Constant, error] {
	return func(yield func(Constant, error) bool) {
		for _, chunk := range u.rec.Chunks() {
			of, err := u.chunks[chunk], u.errs[chunk]
			if err == nil && of != nil {
				err = of.k.Err()
			}
			if err != nil && !yield(Constant{}, err) {
				return
			}
			if of != nil && !of.marked(u.rec, true, yield) {
				return
			}
		}
	}
}
