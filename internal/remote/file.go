package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/mapfile"
)

// room counts the bytes that the open recordings of a client take, which have a limit.
type room struct {
	limit int64

	mu    sync.Mutex // guards taken
	taken int64
}

// take makes room for bytes of something that has taken some, or says that there is too little.
func (r *room) take(taken *int64, bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken+bytes > r.limit {
		return fmt.Errorf("open recordings take more than %d MB, the limit for fetched data; raise it with --cache-limit, or download them", r.limit>>20)
	}
	r.taken += bytes
	*taken += bytes
	return nil
}

// give gives back what something has taken.
func (r *room) give(taken *int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= *taken
	*taken = 0
}

// file is what was fetched of an object: a mapped file of this process alone, as long as the
// object. Blocks that were not fetched take no room on the disk, and reading them faults where the
// system can guard pages.
type file struct {
	room      *room
	taken     int64
	data      []byte
	blockSize int
	blocks    int
	scratch   *atomicfile.Scratch // nil for an empty object
	mapping   mapfile.Mapping     // without it, data is ordinary memory
}

// blockSize is a multiple of a page, so that a block can be guarded.
func blockSize() int { return max(16<<10, os.Getpagesize()) }

// maxSize is how many bytes an object may have.
const maxSize int64 = 1 << 40

// newFile makes the file of an object in a folder.
func newFile(dir string, r *room, size int64) (f *file, err error) {
	f = &file{room: r, blockSize: blockSize()}
	blocks := (size + int64(f.blockSize) - 1) / int64(f.blockSize)
	length := blocks * int64(f.blockSize)
	if size > maxSize || int64(int(length)) != length {
		return nil, fmt.Errorf("it has %d bytes, as the server says, and recordings have at most %d here", size, min(maxSize, math.MaxInt))
	}
	if f.blocks = int(blocks); size == 0 {
		return f, nil
	}
	if f.scratch, err = atomicfile.NewScratch(dir); err != nil {
		return nil, fmt.Errorf("cannot create a file for fetched data: %w", withoutPath(err))
	}
	if err = f.scratch.Truncate(length); err == nil {
		f.mapping, err = mapfile.Open(f.scratch.Path, mapfile.Options{})
	}
	if err != nil {
		_ = f.close() // why there is no map is the better error
		return nil, fmt.Errorf("cannot map a file for fetched data: %w", withoutPath(err))
	}
	if f.mapping.IsMapped() {
		all := f.mapping.Data()[:length]
		mapfile.Guard(all, true)
		f.data = all[:size:size]
	} else {
		f.data = make([]byte, size)
	}
	_ = f.scratch.Remove() // now nothing needs its name; it is removed at the end otherwise
	return f, nil
}

// withoutPath returns an error without the path of a file that the user has not named.
func withoutPath(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// write writes blocks.
func (f *file) write(from int, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if err := f.room.take(&f.taken, int64(len(data))); err != nil {
		return err
	}
	at := int64(from) * int64(f.blockSize)
	if !f.mapping.IsMapped() {
		copy(f.data[at:], data)
		return nil
	}
	if _, err := f.scratch.WriteAt(data, at); err != nil {
		return fmt.Errorf("cannot write fetched data: %w", withoutPath(err))
	}
	return nil
}

// show lets blocks be read.
func (f *file) show(from, to int) {
	if f.mapping.IsMapped() {
		mapfile.Guard(f.mapping.Data()[from*f.blockSize:to*f.blockSize], false)
	}
}

func (f *file) close() error {
	f.room.give(&f.taken)
	if f.scratch == nil {
		return nil
	}
	return errors.Join(f.mapping.Close(), f.scratch.Close(), f.scratch.Remove())
}
