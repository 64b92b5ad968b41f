package writer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mmapjfr/jfr/internal/wire"
)

// RingLimits are the limits of a [Ring]; 0 is no limit.
type RingLimits struct {
	// MaxSize is how many bytes the files may have. Chunks have a quarter of it, at most. The last
	// event of a chunk, and metadata, may exceed it.
	MaxSize int64
	// MaxAge is how long chunks are kept after their end.
	MaxAge time.Duration
}

// Ring is a recording in a directory, of which the newest part is kept: a file for each chunk, as the
// JVM has in its disk repository. stream.OpenRepository follows the directory.
type Ring struct {
	*Writer
	files *ringDestination
}

// OpenRing begins a ring in a directory, which is made if it does not exist. Files that are there
// already, of an earlier run too, do not belong to the ring and are left alone.
func OpenRing(dir string, limits RingLimits, opts ...Option) (*Ring, error) {
	if limits.MaxSize < 0 || limits.MaxAge < 0 || limits.MaxSize > 0 && limits.MaxSize < 4*4096 {
		return nil, errors.New("writer: the limits of a ring must not be negative, and its size at least 16 KiB")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("writer: %w", err)
	}
	r := &ringDestination{dir: dir, limits: limits}
	opts = append(slices.Clone(opts), func(o *options) error {
		if limits.MaxSize > 0 {
			o.chunkSize = int(min(int64(o.chunkSize), limits.MaxSize/4))
		}
		if limits.MaxAge > 0 {
			o.chunkAge = min(o.chunkAge, max(limits.MaxAge/4, 1))
		}
		r.reserve, r.clock = int64(o.chunkSize), o.clock
		return nil
	})
	w, err := newWriter(r, opts)
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return &Ring{w, r}, nil
}

// Dump writes a recording of what the ring has to dst: it ends the chunk, and copies all chunks, the
// oldest first. Events are recorded meanwhile. It returns how many bytes it has written.
func (r *Ring) Dump(dst io.Writer) (n int64, err error) {
	files, err := r.open()
	defer func() {
		for _, f := range files {
			_ = f.Close() // it was only read
		}
	}()
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		copied, err := io.Copy(dst, f)
		n += copied
		if err != nil {
			return n, fmt.Errorf("writer: %w", err)
		}
	}
	return n, nil
}

// open ends the chunk and opens the files of all that are complete, so that they can be read after
// they are removed.
func (r *Ring) open() (files []*os.File, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		if err := r.rotate(); err != nil {
			return nil, err
		}
	}
	if err := r.files.purge(); err != nil {
		return nil, err
	}
	for _, c := range r.files.complete {
		f, err := os.Open(c.path)
		if err != nil {
			return files, fmt.Errorf("writer: %w", err)
		}
		files = append(files, f)
	}
	return files, nil
}

// Flush is that of [Writer], and removes chunks that are too old.
func (r *Ring) Flush() error {
	if err := r.Writer.Flush(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files.purge()
}

// ringChunk is a complete chunk of a ring.
type ringChunk struct {
	path string
	size int64
	end  time.Time
}

// ringDestination writes each chunk to a file of its own, and removes the oldest ones.
type ringDestination struct {
	dir      string
	limits   RingLimits
	reserve  int64 // how large the chunk may become that is being written
	clock    func() time.Time
	complete []ringChunk
	name     string // of the last file, without the number of those that begin in one second
	number   int
	now      *os.File // the chunk that is being written; nil before the first one
	next     *os.File
	size     int64 // of the chunk that is being written
}

func (r *ringDestination) live() bool { return true }

func (r *ringDestination) begin(h wire.Header, start time.Time) (err error) {
	// Names ascend, also when the clock does not.
	if name := start.Format("2006_01_02_15_04_05"); name > r.name {
		r.name, r.number = name, 0
	} else {
		r.number++
	}
	for ; ; r.number++ {
		path := filepath.Join(r.dir, r.name+".jfr")
		if r.number > 0 {
			path = filepath.Join(r.dir, fmt.Sprintf("%s_%04d.jfr", r.name, r.number))
		}
		r.next, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return write(r.next, appendHeader(nil, h), 0)
}

func (r *ringDestination) advance(size int64, end time.Time) error {
	var err error
	if r.now != nil {
		err = r.finish(size, end)
	}
	r.now, r.next, r.size = r.next, nil, wire.HeaderLen
	_ = r.purge() // a file that cannot be removed now, as one that Windows has open, must not end the recording
	return err
}

// finish closes the chunk that is being written.
func (r *ringDestination) finish(size int64, end time.Time) error {
	r.complete = append(r.complete, ringChunk{r.now.Name(), size, end})
	return r.now.Close()
}

func (r *ringDestination) writeAt(b []byte, offset int64) error {
	r.size = offset + int64(len(b))
	return write(r.now, b, offset)
}

func (r *ringDestination) update(h wire.Header) error { return updateHeader(r.now, h, 0) }

func (r *ringDestination) finalFlags() uint8 { return wire.FlagFinal }

func (r *ringDestination) close() error {
	var err error
	if r.now != nil {
		err = r.finish(r.size, r.clock())
	}
	if r.next != nil {
		err = errors.Join(err, r.next.Close())
	}
	r.now, r.next, r.reserve = nil, nil, 0
	return errors.Join(err, r.purge())
}

// purge removes the oldest chunks, as far as the limits demand. One that cannot be removed stays
// in the ring, and is tried again at the end of the next chunk; Flush, Dump and Close return the error.
func (r *ringDestination) purge() error {
	total := r.reserve
	for _, c := range r.complete {
		total += c.size
	}
	for len(r.complete) > 0 {
		c := r.complete[0]
		large := r.limits.MaxSize > 0 && total > r.limits.MaxSize
		old := r.limits.MaxAge > 0 && r.clock().Sub(c.end) > r.limits.MaxAge
		if !large && !old {
			return nil
		}
		if err := os.Remove(c.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("writer: %w", err)
		}
		total -= c.size
		r.complete = r.complete[1:]
	}
	return nil
}
