package mmapjfr

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// IndexLocation says where the saved index of a recording lies.
type IndexLocation uint8

const (
	// IndexOff is nowhere: no index is read or written.
	IndexOff IndexLocation = iota
	// IndexBeside is the folder of the recording, under its name with the suffix
	// [IndexSuffix].
	IndexBeside
	// IndexInCache is the folder mmapjfr in the user's cache directory, see
	// [os.UserCacheDir], under a name made from the recording's absolute path.
	IndexInCache
)

// IndexSuffix is how the names of saved indexes end.
const IndexSuffix = ".mjfri"

// smallIndex is the size up to which a saved index is read into memory: that takes no longer than
// mapping it, and others cannot cut it then. Tests set it.
var smallIndex int64 = 1 << 20

// SavedIndex makes Open use an index of the recording that has been saved before. Events are
// then found by offset, ordinal, time, thread and type, and constants by key, without reading
// the recording first. The default is [IndexOff], because a library should write no files
// without being asked.
//
// If there is no saved index that fits, Open reads the whole recording, on all processors, and
// saves an index of its finished chunks. It writes the file under another name and then
// renames it: if two programs do that at once, the last one wins and both indexes are right.
// If the file cannot be written, the recording opens all the same. [Recording.IndexState]
// returns what has been done.
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
func SavedIndex(at IndexLocation) Option {
	return func(o *options) error {
		if at > IndexInCache {
			return fmt.Errorf("there is no place %d for a saved index", at)
		}
		o.index = at
		return nil
	}
}

// ReadSavedIndex makes Open use an index of the recording that has been saved before, from the
// first of the locations that has one that fits. It writes nothing, and does not read the
// recording if there is no saved index. See [SavedIndex] for when a saved index fits. If both
// options are given, SavedIndex counts.
func ReadSavedIndex(at ...IndexLocation) Option {
	return func(o *options) error {
		for _, place := range at {
			if place > IndexInCache {
				return fmt.Errorf("there is no place %d for a saved index", place)
			}
		}
		o.readIndex = at
		return nil
	}
}

// IndexState is what the options [SavedIndex] and [ReadSavedIndex] have done.
type IndexState struct {
	// Path is where the saved index lies, or would lie; empty if [ReadSavedIndex] found
	// none.
	Path string
	// Used reports whether a saved index was there and is used.
	Used bool
	// LoadErr says why a saved index could not be used; nil if there was none. It matches
	// [ErrSavedIndex] unless the file could not be read at all.
	LoadErr error
	// Written reports whether an index was saved.
	Written bool
	// SaveErr says why no index could be saved.
	SaveErr error
}

// IndexState returns what the options [SavedIndex] and [ReadSavedIndex] have done; the zero
// IndexState without these options.
func (r *Recording) IndexState() IndexState { return r.state }

// IndexPath returns where the saved index of the recording at path lies, whether
// it is there or not. It fails if there is no such location, as without a home directory.
func IndexPath(path string, at IndexLocation) (string, error) {
	switch at {
	case IndexBeside:
		return path + IndexSuffix, nil
	case IndexInCache:
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no place for a saved index: %w", err)
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("no place for a saved index: %w", err)
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			full = real
		}
		sum := sha256.Sum256([]byte(full))
		return filepath.Join(dir, "mmapjfr", fmt.Sprintf("%x%s", sum[:16], IndexSuffix)), nil
	}
	return "", errors.New("no place for a saved index was named")
}

// SaveIndex writes a saved index, replacing an older one, and returns its path. It builds what
// has not been built yet, on all processors. It fails for recordings that were not opened from
// a file, that have changed since, or that have no finished chunk.
func (r *Recording) SaveIndex(at IndexLocation) (path string, err error) {
	return r.SaveIndexContext(context.Background(), at, nil)
}

// SaveIndexContext is [Recording.SaveIndex] with a context and progress. When the context is
// cancelled it returns the cause, and leaves no file that was not there before. If progress is
// not nil, it is called, by any of the goroutines, with numbers of bytes that have been read.
// Each chunk is read twice, for its events and for its constants.
func (r *Recording) SaveIndexContext(ctx context.Context, at IndexLocation, progress func(bytes uint64)) (path string, err error) {
	if err := r.use(); err != nil {
		return "", err
	}
	defer r.done()
	if path, err = r.indexPath(at); err != nil {
		return "", err
	}
	return path, r.saveIndex(ctx, path, progress)
}

// CheckIndex returns what is in the saved index of the recording. The error says why it cannot
// be used: it matches [ErrSavedIndex] if the index does not fit, and [fs.ErrNotExist] if there
// is no saved index. CheckIndex reads the whole saved index.
func (r *Recording) CheckIndex(at IndexLocation) (info index.SavedIndexInfo, err error) {
	if err := r.use(); err != nil {
		return info, err
	}
	defer r.done()
	path, err := r.indexPath(at)
	if err != nil {
		return info, err
	}
	m, err := mapIndex(path, true)
	if err != nil {
		return info, err
	}
	if info, err = index.ReadSavedInfo(m.Data()); err != nil {
		return info, err
	}
	stamp, err := r.stamp()
	if err != nil {
		return info, err
	}
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	x, err := index.New(r.mapping.Data())
	if err != nil {
		return info, err
	}
	if err := x.Load(m.Data(), stamp); err != nil {
		return info, err
	}
	for _, c := range x.Chunks() {
		if err := c.CheckSaved(); err != nil {
			return info, err
		}
	}
	return info, nil
}

// RemoveIndex removes the saved index of the recording at path. The error matches
// [fs.ErrNotExist] if there is no saved index.
func RemoveIndex(path string, at IndexLocation) error {
	file, err := IndexPath(path, at)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

func (r *Recording) indexPath(at IndexLocation) (string, error) {
	if r.path == "" {
		return "", errors.New("a recording that is no file has no saved index")
	}
	return IndexPath(r.path, at)
}

// openIndex loads the saved index, or saves one.
func (r *Recording) openIndex(at IndexLocation) {
	s := &r.state
	if s.Path, s.SaveErr = r.indexPath(at); s.SaveErr != nil {
		return
	}
	err := r.loadIndex(s.Path)
	if err == nil {
		s.Used = true
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		s.LoadErr = err
	}
	s.SaveErr = r.saveIndex(context.Background(), s.Path, nil)
	s.Written = s.SaveErr == nil
}

// readIndex loads the saved index from the first location that has one that fits.
func (r *Recording) readIndex(places []IndexLocation) {
	for _, at := range places {
		path, err := r.indexPath(at)
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err = r.loadIndex(path)
		if err == nil {
			r.state = IndexState{Path: path, Used: true}
			return
		}
		if r.state.LoadErr == nil {
			r.state = IndexState{Path: path, LoadErr: err}
		}
	}
}

// loadIndex makes the recording use the saved index at path.
func (r *Recording) loadIndex(path string) (err error) {
	stamp, err := r.stamp()
	if err != nil {
		return err
	}
	if r.saved, err = mapIndex(path, false); err != nil {
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

// mapIndex maps a saved index, or reads it if it is small or that is wanted.
func mapIndex(path string, read bool) (mapfile.Mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return mapfile.Mapping{}, err
	}
	if !info.Mode().IsRegular() {
		return mapfile.Mapping{}, fmt.Errorf("%w: %s is no ordinary file", ErrSavedIndex, path)
	}
	return mapFile(path, mapfile.Options{Copy: read || info.Size() <= smallIndex, Magic: index.SavedMagic})
}

// stamp returns the size and modification time of the recording's file. It fails if they have
// changed: then it is not known which state of the file was read.
func (r *Recording) stamp() (index.FileStamp, error) {
	was := r.info
	if was == nil || !was.Mode().IsRegular() {
		return index.FileStamp{}, errors.New("a recording that is no file has no saved index")
	}
	now, err := os.Stat(r.path)
	if err != nil {
		return index.FileStamp{}, err
	}
	if !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()) || now.Size() != r.size {
		return index.FileStamp{}, fmt.Errorf("%w: the recording has changed since it was opened", ErrSavedIndex)
	}
	return index.FileStamp{Size: uint64(now.Size()), ModTime: now.ModTime().UnixNano()}, nil
}

// saveIndex builds the index and writes it to path.
func (r *Recording) saveIndex(ctx context.Context, path string, progress func(bytes uint64)) error {
	stamp, err := r.stamp()
	if err != nil {
		return err
	}
	if err := r.buildIndex(ctx, progress); err != nil {
		return err
	}
	return r.writeIndex(path, func(w io.Writer) (err error) {
		defer r.recoverFault(debug.SetPanicOnFault(true), &err)
		buf := bufio.NewWriterSize(w, 1<<20)
		if err := r.index.Save(contextWriter{ctx, buf}, stamp); err != nil {
			return err
		}
		return buf.Flush()
	})
}

// buildIndex builds what can be saved: the blocks and constants of finished chunks.
func (r *Recording) buildIndex(ctx context.Context, progress func(bytes uint64)) (err error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	var list []*index.Chunk
	for _, c := range r.index.Chunks() {
		if c.TrailingErr() == nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("nothing to save: %w", ErrUnfinished)
	}
	defer r.recoverFault(debug.SetPanicOnFault(true), &err)
	parallel.ForEach(r.workers, len(list), func(_, i int) {
		if ctx.Err() == nil {
			list[i].BuildBlocks(r.workers)
			progress(uint64(len(list[i].Data())))
		}
	})
	return index.Sweep(ctx, r.index.Chunks(), r.workers, progress)
}

// contextWriter is a writer that fails when its context has been cancelled.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u contextWriter) Write(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.w.Write(b)
}

// writeIndex writes an index that gets its name when it is complete. It does not wait for the
// disk: a reader notices what a loss of power left incomplete.
func (r *Recording) writeIndex(path string, fill func(io.Writer) error) error {
	if path != r.path+IndexSuffix {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return writeErr(path, err)
		}
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeErr(path, errors.New("it is there and no ordinary file"))
	}
	var reading error
	err := atomicfile.Replace(path, 0o600, func(f *os.File) error {
		// The index has the permissions of the recording. Some file systems know no modes.
		_ = f.Chmod(r.info.Mode().Perm())
		err := fill(f)
		if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == f.Name() {
			return err
		}
		if err == nil {
			_, err = r.stamp() // it may have changed meanwhile
		}
		reading = err
		return err
	})
	if reading != nil {
		return reading
	}
	return writeErr(path, err)
}

// writeErr returns the error of an index that could not be written, with its path. It removes
// the name of the temporary file, which no user knows.
func writeErr(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("the index %s cannot be written: %w", path, err)
}
