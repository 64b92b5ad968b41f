package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// namedError is an error with the name of what it is about.
type namedError struct {
	name string
	err  error
}

func (n *namedError) Error() string  { return n.name + ": " + n.err.Error() }
func (n *namedError) Unwrap() error  { return n.err }
func (n *namedError) Unnamed() error { return errtree.Unnamed(n.err) }

// at adds the name of what an error is about, unless the error has one.
func at(name string, err error) error {
	if err == nil || name == "" || errors.As(err, new(*namedError)) {
		return err
	}
	return &namedError{name, err}
}

// userError is an error in other words than its cause.
type userError struct {
	text string
	err  error
}

func (u *userError) Error() string { return u.text }
func (u *userError) Unwrap() error { return u.err }

// OpenError returns why a file could not be opened, and what the user can do. The name of the
// file is not in it.
func OpenError(err error) error {
	if errors.As(err, new(*userError)) {
		return err
	}
	text := err.Error()
	switch path, format := (*fs.PathError)(nil), (*mmapjfr.FormatError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		text = "no such file; check the path"
	case errors.Is(err, fs.ErrPermission):
		text = "permission denied; read it as its owner, or get a copy that you may read"
	case errors.Is(err, mmapjfr.ErrEmpty):
		text = "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"
	case errors.As(err, &path):
		text = path.Err.Error()
	case errors.As(err, &format):
		text = format.Err.Error()
	}
	return &userError{text, err}
}

// damagedError says what is wrong with packed data.
type damagedError struct {
	packing string // empty for data that is not packed
	err     error
}

func (d *damagedError) Error() string {
	switch {
	case d.packing == "":
		return fmt.Sprintf("it could not be read to its end: %v", d.err)
	case errors.Is(d.err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("its %s data ends too early; copy it again", d.packing)
	}
	return fmt.Sprintf("its %s data is damaged: %v", d.packing, d.err)
}

func (d *damagedError) Unwrap() error { return d.err }

// errAfterGzip says that bytes follow which are not packed.
var errAfterGzip = errors.New("something else follows it; all before that has been read")

// damaged returns the error of packed data that cannot be read any further.
func damaged(packing string, err error) error {
	switch {
	case errors.As(err, new(*damagedError)), errors.As(err, new(*userError)):
		return err // of what it is packed in
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errWindow("zstd")
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &damagedError{packing, err}
}

// noneInside returns the error of a directory or archive without recordings.
func noneInside(what string) error {
	text := "this " + what + " has no recordings"
	if what == "directory" {
		text += "; directories inside it are not searched, so name the one that holds them"
	}
	return &userError{text, mmapjfr.ErrNotRecording}
}

func errTooLarge(limit int64) error {
	return fmt.Errorf("it is larger than %s when unpacked, which is the limit; if that is right, raise it by --max-unpacked, or unpack it to a file and name that",
		javatext.Size(limit))
}

func errWindow(packing string) error {
	return &userError{fmt.Sprintf("its %s data takes more than %s of memory to unpack; unpack it first", packing, javatext.Size(uint64(maxWindow))), nil}
}

// errOverlapping says that files of an archive share packed data, as no program writes it that packs files.
func errOverlapping() error {
	return &userError{"files in this zip archive share packed data, as they do to fill a disk from a small archive; if you trust it, unpack it first", nil}
}

// errHidden says that the bytes of an archive have more files than its directory.
func errHidden() error {
	return &userError{"files in this zip archive that its directory does not name were not read; zip -FF may bring them back", nil}
}

// errAside says that there is too much text besides packed data.
func errAside() error {
	return &userError{"it has more than " + javatext.Size(uint64(maxAside)) + " besides its packed data, of which the rest was not read; pack it anew", nil}
}

func errTooDeep() error {
	return fmt.Errorf("it is packed more than %d times over; unpack it first", maxDepth)
}

func errNoRoom(dir string) error {
	return fmt.Errorf("not enough space in %s to unpack it; set TMPDIR (TMP on Windows) to a directory with more", dir)
}
