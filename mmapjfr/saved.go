package mmapjfr

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/mapfile"
)

// Tests set these.
var (
	// smallIndex is the size up to which a saved index is read into memory: that takes no longer
	// than mapping it, and others cannot cut it then.
	smallIndex int64 = 1 << 20
	// leastKept is how many bytes of chunks an index must save from being read.
	leastKept uint64 = 64 << 20
	// mostKept is how large an index can get.
	mostKept int64 = 512 << 20
	// restTime is how long a recording must not have been written to. Clocks of file systems are
	// coarse: a write soon after another one may leave the time as it is.
	restTime = 2 * time.Second
)

// SavedIndexes makes Open look in a folder for an index of the recording that was saved before.
// Events are then found by offset, ordinal, time, thread and type, and constants by key, without
// reading all of the recording first. When the recording is closed, what was found of it is saved
// there for the next time, if that was more than 64 MiB of it. The default is an empty name, which
// stands for no folder: a library should write no files without being asked.
//
// Smaller recordings, those that are no plain files, and those written to in the last two seconds
// have no saved index. What goes wrong with saving is ignored. An index is written under a name
// that begins with new-, and then renamed: if two programs do that at once, the last one wins and
// both indexes are right. The time of an index is when it was used last. Nothing is removed from
// the folder.
//
// A saved index fits if the size and modification time of the recording and the headers of all
// chunks are those that it was made for. Before the index of a chunk is used, samples of the
// chunk's bytes and checksums of the index are compared. An index that does not fit is not
// used. It would go unnoticed if events were changed without changing size, time, headers and
// samples; index/SAVED.md says more.
//
// The index is mapped, and used in place, until the recording is closed. A file of up to 1 MiB
// is read into memory. If others cut a larger one, the fault becomes an error that matches
// [ErrTruncated] where an event is read, and a constant that is looked up is as if it had not
// been recorded.
func SavedIndexes(folder string) Option {
	return func(o *options) error {
		o.indexes = folder
		return nil
	}
}

// indexPath returns where the saved index of the recording at path lies in a folder.
func indexPath(folder, path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	sum := sha256.Sum256([]byte(full))
	return filepath.Join(folder, fmt.Sprintf("%x.mjfri", sum[:16])), nil
}

// openIndex loads the saved index, if there is one, and begins to write a better one.
func (r *Recording) openIndex(folder string) {
	if uint64(r.size) < leastKept {
		return
	}
	stamp, err := r.stamp()
	if err != nil {
		return
	}
	path, err := indexPath(folder, r.path)
	if err != nil {
		return
	}
	if r.loadIndex(path, stamp) == nil {
		now := time.Now()
		_ = os.Chtimes(path, now, now)
	}
	f := &keptFile{path: path}
	if time.Since(r.info.ModTime()) >= restTime && r.index.Keep(stamp, leastKept, f.create) == nil {
		r.kept = f
	}
}

// loadIndex makes the recording use the saved index at path.
func (r *Recording) loadIndex(path string, stamp index.FileStamp) (err error) {
	if r.saved, err = mapIndex(path); err != nil {
		return err
	}
	r.saved = r.saved.Guarded()
	for _, c := range r.chunks {
		c.mapped = c.mapped || r.saved.IsMapped()
	}
	defer func() {
		if err != nil {
			_ = r.saved.Close() // why the index is not used is the better error
		}
	}()
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	return r.index.Load(r.saved.Data(), stamp)
}

// mapIndex maps a saved index, or reads it if it is small.
func mapIndex(path string) (mapfile.Mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return mapfile.Mapping{}, err
	}
	if !info.Mode().IsRegular() {
		return mapfile.Mapping{}, fmt.Errorf("mmapjfr: %s is not a regular file", path)
	}
	return mapFile(path, mapfile.Options{Copy: info.Size() <= smallIndex, Magic: index.SavedMagic})
}

// stamp returns the size and modification time of the recording's file. It fails if they have
// changed: then it is not known which state of the file was read.
func (r *Recording) stamp() (index.FileStamp, error) {
	was := r.info
	if was == nil || !was.Mode().IsRegular() {
		return index.FileStamp{}, errors.New("only recordings from files have saved indexes")
	}
	now, err := os.Stat(r.path)
	if err != nil {
		return index.FileStamp{}, err
	}
	if !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()) || now.Size() != r.size {
		return index.FileStamp{}, errFileChanged
	}
	return index.FileStamp{Size: uint64(now.Size()), ModTime: now.ModTime().UnixNano()}, nil
}

// keptFile is a saved index that is being written.
type keptFile struct {
	path string // where it goes
	f    *os.File
	size int64
	end  sync.Once
}

func (k *keptFile) create() (w io.Writer, err error) {
	folder := filepath.Dir(k.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	k.f, err = os.CreateTemp(folder, "new-*")
	return k, err
}

// Write writes to the file, which must not become too large.
func (k *keptFile) Write(b []byte) (int, error) {
	if k.size += int64(len(b)); k.size > mostKept {
		return 0, fs.ErrInvalid
	}
	return k.f.Write(b)
}

// saveIndex gives the index that was written its place, if it is worth that. It does not wait for
// the disk: a reader notices what a loss of power left incomplete.
func (r *Recording) saveIndex() {
	k := r.kept
	if k == nil {
		return
	}
	k.end.Do(func() {
		written, err := r.finishIndex()
		if k.f == nil {
			return
		}
		_, changed := r.stamp()
		err = cmp.Or(err, k.f.Close(), changed)
		if err != nil || !written || os.Rename(k.f.Name(), k.path) != nil {
			_ = os.Remove(k.f.Name())
		}
	})
}

// finishIndex copies parts of the saved index that was loaded.
func (r *Recording) finishIndex() (written bool, err error) {
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	return r.index.Finish()
}
