package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// piece is how much is written at a time. In between it is looked whether there was
// an interrupt, and progress is reported.
const piece = 8 << 20

// writeTo writes copies until they have the size, and one at least.
func (r *repeater) writeTo(ctx context.Context, w io.Writer, size int64, show *progress.Bar) (written int64, err error) {
	for last := false; !last; {
		last = written+int64(len(r.next().data)) >= size
		header, rest, err := r.copyNext(last)
		if err != nil {
			return written, err
		}
		for part := header[:]; len(part) > 0; {
			if ctx.Err() != nil {
				return written, ctx.Err()
			}
			n, err := w.Write(part)
			written += int64(n)
			if err != nil {
				return written, err
			}
			show.Set(uint64(written))
			part = rest[:min(piece, len(rest))]
			rest = rest[len(part):]
		}
	}
	return written, nil
}

// mayWrite tells why there must not be written to a path.
func mayWrite(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil // it is not there; if anything else is wrong, writing tells it
	case info.IsDir():
		return fmt.Errorf("it is a folder; name a file in it, as in %s", printable(filepath.Join(path, "big.jfr")))
	case !info.Mode().IsRegular():
		return errors.New("it is no ordinary file; name one that can be replaced")
	case !force:
		return errors.New("the file is there already; name another, or replace it with -force")
	}
	return nil
}

// explainWriting says why a recording could not be written and what to do.
func explainWriting(out string, err error) error {
	name := printable(out)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, errClockEnds):
		return fmt.Errorf("%s: %w; give a smaller -size, or repeat another recording", name, err)
	case errors.Is(err, mmapjfr.ErrTruncated) || errors.Is(err, syscall.EFAULT):
		return fmt.Errorf("%s: the recording to repeat was cut while it was read; try again when nobody writes to it", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s; make it first", name, printable(filepath.Dir(out)))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: its folder may not be written to; choose another", name)
	}
	// The path in it is that of the file beside.
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: it could not be written: %w; give a smaller -size, or write to another place", name, err)
}

// newWriting shows on a terminal how far a file that is being written is.
func newWriting(w io.Writer, size int64) *progress.Bar { return oneStage(w, "writing", size) }
