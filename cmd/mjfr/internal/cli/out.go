package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// CheckOut returns an error if a file must not be written, since it is there already and is not to
// be replaced. Call it before anything is read. Standard output, which is called -, pipes and
// devices are written in any case.
func CheckOut(out string, force bool) error {
	if out == "-" || force {
		return nil
	}
	// atomicfile writes into a pipe or a device, and refuses the rest.
	if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s: it exists; use --force to replace it", out)
	}
	return nil
}

// WriteOut writes a file as a whole or not at all, or standard output if it is called -. A file
// that is one of the recordings that are read is refused. An error of reading that fill returns
// stays as it is; one of writing names the file. Nothing is written if a recording was changed
// meanwhile.
func (a *App) WriteOut(ctx context.Context, out string, from *input.Set, fill func(io.Writer) error) error {
	for _, rec := range from.Recordings {
		if out != "-" && IsAmong(out, []string{from.Path(rec)}) {
			return fmt.Errorf("%s: a recording cannot be written in place; name another file to write", out)
		}
	}
	var reading error
	write := func(w io.Writer) error {
		to := &firstError{w: w}
		err := cmp.Or(fill(to), changedMeanwhile(from))
		if to.err == nil {
			reading = err
		}
		return err
	}
	var err error
	if out == "-" {
		err = write(a.Stdout)
	} else {
		err = atomicfile.Write(out, write)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case reading != nil:
		return reading // it names the recording
	case err != nil:
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// changedMeanwhile returns what has happened to the file of a recording while it was copied: the
// copy can have some bytes of before and some of after.
func changedMeanwhile(from *input.Set) error {
	for _, rec := range from.Recordings {
		if err := rec.FileErr(); errors.Is(err, mmapjfr.ErrChanged) || errors.Is(err, mmapjfr.ErrTruncated) {
			return err
		}
	}
	return nil
}

// ErrNothing says that no event was left to write.
var ErrNothing = errors.New("no event is left to write")

// Copy writes a copy of the recordings of a set by a plan. It shows progress, and reports damage.
// Call [App.NoteLeftOut] when the copy is where it belongs.
func (a *App) Copy(ctx context.Context, w io.Writer, set *input.Set, doing string, plan *rewrite.Plan) (*rewrite.Report, error) {
	bar := a.Progress(doing, BytesOf(set), AtEnd)
	defer bar.Done()
	plan.Progress = bar.Add
	for _, rec := range set.Recordings { // chunks that are copied as they are, are not read
		if err := CutOff(rec); err != nil {
			a.Damage(set.Name(rec), err)
		}
	}
	plan.OnError = func(rec *mmapjfr.Recording, err error) { a.Damage(set.Name(rec), err) }
	return rewrite.Write(ctx, w, set.Recordings, plan)
}

// NoteLeftOut mentions events that a copy lacks because they cannot be read. The exit code will be
// ExitData then.
func (a *App) NoteLeftOut(report *rewrite.Report) {
	if report.Unreadable > 0 {
		a.Notice(terminal.CountOf(report.Unreadable, "event") + " that cannot be read left out; mjfr verify says more")
		a.Damaged = true
	}
}

// firstError keeps the first error of writing, to distinguish it from one of reading.
type firstError struct {
	w   io.Writer
	err error
}

func (w *firstError) Write(b []byte) (n int, err error) {
	n, err = w.w.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// ReadFrom lets files be copied by the system.
func (w *firstError) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(w.w, r)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
