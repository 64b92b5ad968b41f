package input

import (
	"bufio"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxDepth is how many times over something may be packed.
const maxDepth = 8

// plain opens a recording in place.
func (op *opener) plain(it item) error {
	opts := op.Open
	if it.name != it.path {
		opts = op.unpackedOptions()
	}
	rec, err := mmapjfr.Open(it.path, append(slices.Clip(opts), engine.Named(it.name))...)
	if err != nil {
		return OpenError(err)
	}
	op.set.add(rec, it.name)
	if it.name == it.path {
		op.set.paths[rec] = it.path
	}
	return nil
}

// contents opens what r reads, in any packing. file, if not nil, is the whole file that r reads.
func (op *opener) contents(name string, r *bufio.Reader, file *source, depth int) error {
	head, err := r.Peek(headLen)
	if stop := op.stopped(); stop != nil {
		return stop
	}
	if len(head) == 0 && (op.Bytes == nil || err != io.EOF) {
		if err != io.EOF {
			return err
		}
		return OpenError(mmapjfr.ErrEmpty)
	}
	p := packingOf(head)
	switch {
	case op.Bytes != nil && p == nil:
		if IsPacked(head) {
			return foreignError(head)
		}
		op.took = true
		return op.stopOr(op.Bytes(name, r))
	case isRecording(head), p == nil && op.Salvage:
		return orForeign(op.recording(name, r), head)
	case p == nil:
		reason := foreignError(head)
		if taken, err := op.Other(name, r); taken {
			op.took = op.took || err == nil
			return op.stopOr(err)
		}
		return reason
	case depth == maxDepth:
		return errTooDeep()
	case p.open == nil:
		return op.zip(name, r, file, depth+1)
	}
	var besides aside
	if op.Bytes != nil && (p.name == "zstd" || p.name == "lz4") {
		r = bufio.NewReaderSize(io.TeeReader(r, &skippedFrames{aside: &besides}), readSize)
	}
	z, end, err := p.open(r)
	if err != nil {
		return op.stopOr(damaged(p.name, err))
	}
	defer end()
	if g, ok := z.(*gzipMembers); ok && op.Bytes != nil {
		g.aside = &besides
		g.begin()
	}
	if err := op.contents(name, bufio.NewReaderSize(&layer{op: op, packing: p.name, r: z}, readSize), nil, depth+1); err != nil {
		return err
	}
	return op.besidesStream(name, &besides)
}

// stopOr returns why everything ends, or else err: packings return the errors of their readers in
// their own ways.
func (op *opener) stopOr(err error) error {
	if stop := op.stopped(); stop != nil {
		return stop
	}
	return err
}

// recording opens the recording that r reads, or as much of it as there is.
func (op *opener) recording(name string, r io.Reader) error {
	s := &store{op: op}
	defer s.discard()
	_, damage := io.Copy(s, r)
	if stop := op.stopped(); stop != nil {
		return stop
	}
	rec, err := s.open(name)
	if err != nil {
		if damage != nil {
			return damage
		}
		return OpenError(err)
	}
	op.set.add(rec, name)
	if damage != nil {
		op.OnError(name, damage)
	}
	return nil
}

// layer is the unpacked data of a packing. It counts bytes, can be stopped, and repeats its error.
type layer struct {
	op      *opener
	packing string
	r       io.Reader
	err     error
}

func (l *layer) Read(p []byte) (int, error) {
	if l.err == nil {
		l.err = l.op.stopped()
	}
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	switch limit := l.op.count(n); {
	case limit != nil:
		n, l.err = 0, limit
	case err == nil || err == io.EOF:
		l.err = err
	default:
		l.err = damaged(l.packing, err)
	}
	return n, l.err
}
