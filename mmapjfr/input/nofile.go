package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// NoFile is the error of an entry of a folder, or of a file that a pattern matches, that is no file. It is not opened: reading
// a pipe without a writer waits forever, and a device may have no end. A program that names it reads it.
type NoFile struct{ what string }

// Error implements error.
func (e *NoFile) Error() string { return "skipped: it is " + e.what }

// Entry returns what an entry of a folder, or a match of a pattern, leads to: a file or a folder. The error is a [NoFile] for all
// else, and matches [fs.ErrNotExist] for what has been removed.
func Entry(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path) // not that of a link
	if errors.Is(err, fs.ErrNotExist) {
		if link, e := os.Lstat(path); e == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, &NoFile{"a link that leads nowhere"}
		}
	}
	if err != nil || info.IsDir() || info.Mode().IsRegular() {
		return info, err
	}
	what := "a device"
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return nil, &NoFile{what}
}

// looksLikeRecording matches names that recordings have, packed ones included.
var looksLikeRecording = lazy.Regexp(`\.jfr(\.\w+)?$`)

// mostPassedOver is how many entries of a folder that are no files are reported.
const mostPassedOver = 10

// passOver reports an entry that is no file, if it has the name of a recording. Not all are reported where there are many.
func (op *opener) passOver(path string, e *NoFile, count *int) {
	if !looksLikeRecording().MatchString(filepath.Base(path)) {
		return
	}
	switch *count++; {
	case *count <= mostPassedOver:
		op.OnError(path, Remark{e})
	case *count == mostPassedOver+1:
		op.OnError(filepath.Dir(path), Remark{errors.New("skipped more there that is not a file")})
	}
}
