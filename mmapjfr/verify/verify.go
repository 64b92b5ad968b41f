package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Option changes how a recording is checked.
type Option func(*options) error

type options struct {
	max      int
	progress func(bytes uint64)
}

// MaxFindings sets how many findings of each kind and chunk are listed. It is 10 without the
// option; 0 lists none. All are counted.
func MaxFindings(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("verify: cannot list %d findings, name 0 or more", n)
		}
		o.max = n
		return nil
	}
}

// Progress calls f, from any of the goroutines, with numbers of bytes that have been checked:
// all bytes of the recording in the end.
func Progress(f func(bytes uint64)) Option {
	return func(o *options) error {
		if f != nil {
			o.progress = f
		}
		return nil
	}
}

// Check checks a recording and reports what is wrong with it. It does not believe a saved index
// that the recording was opened with, and finds all anew in the same file. It reads the recording once or twice, on
// as many goroutines as [mmapjfr.Workers] says.
//
// It fails if an option is wrong, with the cause of the context when that ends, and with an
// error that matches [mmapjfr.ErrClosed] or [mmapjfr.ErrTruncated] if the recording is closed or
// its file truncated meanwhile. What is wrong in the file is not an error but a finding.
func Check(ctx context.Context, rec *mmapjfr.Recording, opts ...Option) (*Report, error) {
	v := &verifier{ctx: ctx, workers: engine.RecordingWorkers(rec), report: &Report{}}
	v.max, v.progress = 10, func(uint64) {}
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(&v.options); err != nil {
			return nil, err
		}
	}
	err := rec.Protect(func() error {
		x := engine.RecordingIndex(rec)
		if x.Loaded() {
			var err error
			if x, err = index.New(x.Data()); err != nil {
				return err
			}
			x.SetFile(rec.Path())
			x.SetWorkers(engine.RecordingWorkers(rec))
		}
		return v.run(x)
	})
	if err != nil {
		return nil, err
	}
	return v.report, nil
}

// verifier checks one recording.
type verifier struct {
	options
	ctx     context.Context
	workers int
	report  *Report
	groups  [kinds]int    // in how many chunks findings of each kind are listed
	counts  [kinds]uint64 // how many findings of each kind there are
	passed  uint64        // how many bytes have been reported as progress
}

// Chunks are checked together up to this number of bytes and of chunks. So the memory that this
// takes does not grow with the number of chunks.
const (
	togetherBytes = 128 << 20
	togetherMost  = 32
)

func (v *verifier) run(x *index.Index) error {
	chunks := x.Chunks()
	v.report.Chunks = len(chunks)
	var before *index.Chunk
	for len(chunks) > 0 {
		n := together(chunks)
		subjects, err := v.check(chunks[:n])
		if err != nil {
			return err
		}
		for _, s := range subjects {
			s.end()
			s.follows(before)
			before = s.c
			v.add(s)
		}
		chunks = chunks[n:]
	}
	v.trailing(x)
	v.count()
	return nil
}

func together(chunks []*index.Chunk) (n int) {
	for size := 0; n < len(chunks) && n < togetherMost && size < togetherBytes; n++ {
		size += int(chunks[n].Size())
	}
	return n
}

// check checks some chunks.
func (v *verifier) check(chunks []*index.Chunk) ([]*chunkCheck, error) {
	subjects := make([]*chunkCheck, len(chunks))
	parallel.ForEach(v.workers, len(chunks), func(_, i int) { subjects[i] = v.begin(chunks[i]) })
	if err := index.Sweep(v.ctx, chunks, v.workers, nil); err != nil {
		return nil, err
	}
	parallel.ForEach(v.workers, len(chunks), func(_, i int) { subjects[i].findConstants() })
	walkers := make([]*walker, v.workers)
	left := func(i int) bool { return v.ctx.Err() == nil && subjects[i].hasParts() }
	parallel.Share(v.workers, len(subjects), left, func(number, i int) {
		if walkers[number] == nil {
			walkers[number] = newWalker(v.max)
		}
		v.work(walkers[number], subjects[i])
	})
	if v.ctx.Err() != nil {
		return nil, context.Cause(v.ctx)
	}
	return subjects, nil
}

// add adds the result for a chunk to the report.
func (v *verifier) add(s *chunkCheck) {
	r := v.report
	r.Events += s.events
	r.Checkpoints += uint64(len(s.checkpoints))
	r.Constants += s.constants
	r.References += s.references
	v.list(s.c.Number(), &s.findings)
	v.passed += s.bytes
	v.advance(uint64(len(s.c.Data())) - s.bytes)
}

// trailing reports what lies after the last chunk.
func (v *verifier) trailing(x *index.Index) {
	l := findings{most: v.max}
	var format *index.FormatError
	if errors.As(x.TrailingErr(), &format) {
		foreignBytes(&l, format, trailingBytes)
		v.list(len(x.Chunks()), &l)
	}
	v.advance(uint64(len(x.Data())) - v.passed)
}

// advance reports bytes that need no more checking.
func (v *verifier) advance(bytes uint64) {
	v.passed += bytes
	v.progress(bytes)
}
