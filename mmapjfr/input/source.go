package input

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// readSize is how much is read at once of what is unpacked.
const readSize = 64 << 10

// source is a file, or standard input, that is read to be unpacked. It reports progress and can be
// stopped.
type source struct {
	op          *opener
	name        string
	r           io.Reader
	at          io.ReaderAt // nil if it cannot be read so
	done, total int64
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.op.stopped(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.report(n)
	return n, err
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if err := s.op.stopped(); err != nil {
		return 0, err
	}
	n, err := s.at.ReadAt(p, off)
	s.report(n)
	return n, err
}

// report reports progress. Bytes that are read twice, such as the directory of an archive, do not
// count beyond the total.
func (s *source) report(n int) {
	s.done += int64(n)
	if s.total > 0 {
		s.done = min(s.done, s.total)
	}
	s.op.Progress(s.name, s.done, s.total)
}

// end reports that everything has been read.
func (s *source) end() {
	total := max(s.total, s.done)
	s.op.Progress(s.name, total, total)
}

// file opens one file.
func (op *opener) file(it item) error {
	if op.known(it.info) {
		return nil
	}
	var err error
	if it.info.Mode().IsRegular() {
		op.set.mode &= it.info.Mode().Perm()
		err = op.regular(it)
	} else {
		err = op.stream(it.name, func() (io.ReadCloser, error) { return os.Open(it.path) })
	}
	if err == nil {
		op.seen = append(op.seen, it.info)
	}
	return at(it.name, err)
}

// regular opens a file that is no pipe: in place if it is not packed.
func (op *opener) regular(it item) error {
	f, err := os.Open(it.path)
	if err != nil {
		return OpenError(err)
	}
	defer f.Close() // only read
	head := make([]byte, headLen)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return OpenError(err)
	}
	if op.Bytes == nil && (isRecording(head[:n]) || op.Salvage && n > 0 && packingOf(head[:n]) == nil) {
		return orForeign(op.plain(it), head[:n])
	}
	s := &source{op: op, name: it.name, r: f, at: f, total: it.info.Size()}
	defer s.end()
	return op.contents(it.name, bufio.NewReaderSize(s, readSize), s, 0)
}

// stdin opens standard input: in place if it is a file of which nothing has been read.
func (op *opener) stdin() error {
	if op.stdinSeen {
		return nil
	}
	op.stdinSeen = true
	if f, ok := op.Stdin.(*os.File); ok {
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() {
			pos, err := f.Seek(0, io.SeekCurrent)
			if path := atomicfile.PathOf(f); err == nil && pos == 0 && path != "" {
				return op.file(item{stdinName, path, info})
			}
		}
	}
	return at(stdinName, op.stream(stdinName, func() (io.ReadCloser, error) { return io.NopCloser(op.Stdin), nil }))
}

// stream opens what can be read only once, from beginning to end.
func (op *opener) stream(name string, open func() (io.ReadCloser, error)) error {
	op.set.mode &= private
	p := newPump(op.ctx, open)
	defer p.Close()
	s := &source{op: op, name: name, r: p}
	defer s.end()
	return op.contents(name, bufio.NewReaderSize(&layer{op: op, r: s}, readSize), nil, 0)
}

// pump reads from something that may block, such as a pipe without a writer. It stops waiting when
// ctx is done.
type pump struct {
	*io.PipeReader
	stop func() bool
}

func newPump(ctx context.Context, open func() (io.ReadCloser, error)) *pump {
	r, w := io.Pipe()
	go func() {
		from, err := open()
		if err != nil {
			w.CloseWithError(OpenError(err))
			return
		}
		_, err = io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, readSize))
		_ = from.Close() // only read
		w.CloseWithError(err)
	}()
	return &pump{r, context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })}
}

// Close ends the reading.
func (p *pump) Close() error {
	p.stop()
	return p.PipeReader.Close()
}
