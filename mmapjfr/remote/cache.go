package remote

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/mapfile"
)

// cache makes the files that objects are fetched into. Several processes may share its directory: a file is named by the
// object and its version, so that all write the same bytes to it, and one that is removed stays with those that have it
// open.
type cache struct {
	dir, temp string
	limit     int64

	mu    sync.Mutex // guards what follows
	taken int64      // bytes of the files that are open
	since int64      // bytes that were written since the directory was looked through
	open  map[string]int
	swept bool
}

// cacheSuffix ends the names of files of the cache.
const cacheSuffix = ".mjfr-object"

// file is what was fetched of an object: its bytes, and after them, from the next full block on, a table with a number
// for each block: its checksum, and a mark that it is there. A system that crashes can leave a mark without the block, so
// that blocks of an earlier process are checked before they are shown.
type file struct {
	cache     *cache
	data      []byte
	blockSize int
	table     []uint64
	f         *os.File // nil where files cannot be mapped: then data is ordinary memory
	mapping   mapfile.Mapping
	path      string              // in the cache; empty if the file is to be removed
	scratch   *atomicfile.Scratch // nil for a file in the cache
	taken     int64
}

const blockThere = 1 << 32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockSize is a multiple of a page, so that a block can be guarded.
func blockSize() int { return max(16<<10, os.Getpagesize()) }

// maxSize is how many bytes an object may have: the table of its blocks takes half a thousandth of that.
const maxSize int64 = 1 << 40

// create makes or opens the file of an object.
func (c *cache) create(identity string, v version, size int64) (f *file, err error) {
	for range 10 {
		if f, err = c.tryCreate(identity, v, size); err != errReplaced {
			break
		}
	}
	return f, err
}

// errReplaced says that another process has removed a file while it was opened.
var errReplaced = errors.New("other processes remove the file all the time")

func (c *cache) tryCreate(identity string, v version, size int64) (f *file, err error) {
	f = &file{cache: c, blockSize: blockSize()}
	blocks := (size + int64(f.blockSize) - 1) / int64(f.blockSize)
	length := blocks * (int64(f.blockSize) + 8)
	if size > maxSize || int64(int(length)) != length {
		return nil, fmt.Errorf("it has %d bytes, as the server says, and recordings have at most %d here", size, min(maxSize, math.MaxInt))
	}
	f.table = make([]uint64, blocks)
	if size == 0 {
		return f, nil
	}
	if err := f.openFile(identity, v, size); err != nil {
		return nil, fmt.Errorf("no file can be made for what is fetched: %w", withoutPath(err))
	}
	if err = f.f.Truncate(length); err == nil {
		err = f.readTable()
	}
	if err == nil {
		f.mapping, err = mapfile.Open(f.opens(), mapfile.Options{})
	}
	if err == nil && !f.isMapped() || errors.Is(err, fs.ErrNotExist) && f.scratch == nil {
		_ = f.close() // it is another file, or none
		return nil, errReplaced
	}
	if err != nil {
		_ = f.close() // why there is no map is the better error
		return nil, fmt.Errorf("no file can be mapped for what is fetched: %w", withoutPath(err))
	}
	if f.mapping.IsMapped() {
		all := f.mapping.Data()[:blocks*int64(f.blockSize)]
		mapfile.Guard(all, true)
		f.data = all[:size:size]
	} else {
		f.data = make([]byte, size)
	}
	if f.scratch != nil {
		_ = f.scratch.Remove() // now nothing needs its name; it is removed at the end otherwise
	}
	if err := c.take(&f.taken, f.stored()); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// opens returns the path by which the file can be opened again.
func (f *file) opens() string {
	if f.scratch != nil {
		return f.scratch.Path
	}
	return f.path
}

// isMapped reports whether the file that is open is the one that is mapped: before and after that, its path has led to it.
func (f *file) isMapped() bool {
	own, err := f.f.Stat()
	if err != nil {
		return false
	}
	after, err := os.Stat(f.opens())
	return err == nil && os.SameFile(own, after) && os.SameFile(own, f.mapping.Info())
}

// withoutPath returns an error without the path of a file that the user has not named.
func withoutPath(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

func (f *file) openFile(identity string, v version, size int64) (err error) {
	c := f.cache
	if c.dir == "" || !v.isStrong() {
		if f.scratch, err = atomicfile.NewScratch(cmp.Or(c.dir, c.temp)); err == nil {
			f.f = f.scratch.File
		}
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "1\n%s\n%s\n%s\n%d\n%d", identity, v.etag, v.generation, size, f.blockSize))
	f.path = filepath.Join(c.dir, hex.EncodeToString(sum[:16])+cacheSuffix)
	if f.f, err = os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[string]int)
	}
	c.open[f.path]++
	return nil
}

func (f *file) tableAt(block int) int64 {
	return int64(len(f.table))*int64(f.blockSize) + 8*int64(block)
}

func (f *file) readTable() error {
	b := make([]byte, 8*len(f.table))
	if _, err := f.f.ReadAt(b, f.tableAt(0)); err != nil {
		return err
	}
	for i := range f.table {
		f.table[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return nil
}

// isStored reports whether the file says that it has a block.
func (f *file) isStored(block int) bool { return f.table[block]&blockThere != 0 }

// stored returns how many bytes the file says it has.
func (f *file) stored() (n int64) {
	for i := range f.table {
		if f.isStored(i) {
			n += int64(f.blockSize)
		}
	}
	return n
}

// of returns the bytes of blocks in a slice that begins with that of the first of them.
func (f *file) of(block, first int, data []byte) []byte {
	from := (block - first) * f.blockSize
	return data[from:min(from+f.blockSize, len(data))]
}

func mark(data []byte) uint64 { return blockThere | uint64(crc32.Checksum(data, castagnoli)) }

// check reads blocks that the file says it has, and reports whether it has them.
func (f *file) check(from, to int) bool {
	at := int64(from) * int64(f.blockSize)
	data := make([]byte, min(int64(to)*int64(f.blockSize), int64(len(f.data)))-at)
	if _, err := f.f.ReadAt(data, at); err != nil {
		return false
	}
	for i := from; i < to; i++ {
		if f.table[i] != mark(f.of(i, from, data)) {
			return false
		}
	}
	if !f.mapping.IsMapped() {
		copy(f.data[at:], data)
	}
	return true
}

// write writes blocks, and then their marks.
func (f *file) write(from int, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	at := int64(from) * int64(f.blockSize)
	if err := f.cache.take(&f.taken, int64(len(data))); err != nil {
		return err
	}
	if !f.mapping.IsMapped() {
		copy(f.data[at:], data)
	}
	if _, err := f.f.WriteAt(data, at); err != nil {
		return fmt.Errorf("what was fetched cannot be written: %w", withoutPath(err))
	}
	var marks []byte
	for i := from; (i-from)*f.blockSize < len(data); i++ {
		marks = binary.LittleEndian.AppendUint64(marks, mark(f.of(i, from, data)))
	}
	if f.path == "" {
		return nil
	}
	_, err := f.f.WriteAt(marks, f.tableAt(from))
	return withoutPath(err)
}

// show lets blocks be read.
func (f *file) show(from, to int) {
	if f.mapping.IsMapped() {
		mapfile.Guard(f.mapping.Data()[from*f.blockSize:to*f.blockSize], false)
	}
}

func (f *file) close() error {
	if f.f == nil {
		return nil
	}
	c := f.cache
	if f.path != "" {
		now := time.Now()
		_ = os.Chtimes(f.path, now, now) // it may have been removed
	}
	err := f.mapping.Close()
	if e := f.f.Close(); err == nil {
		err = e
	}
	if f.scratch != nil {
		if e := f.scratch.Remove(); err == nil {
			err = e
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken -= f.taken
	if f.path != "" {
		if c.open[f.path]--; c.open[f.path] == 0 {
			delete(c.open, f.path)
		}
		c.evict()
	}
	return err
}

// take makes room for bytes of something that has taken some, or says that there is too little.
func (c *cache) take(taken *int64, bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken+bytes > c.limit {
		return fmt.Errorf("the recordings that are open take more than %d MiB, the limit for what is fetched; raise it by --cache-limit, or download them", c.limit>>20)
	}
	c.taken += bytes
	*taken += bytes
	if c.since += bytes; c.dir != "" && (!c.swept || c.since > c.limit/16) {
		c.evict()
	}
	return nil
}

// give gives back what something has taken.
func (c *cache) give(taken *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken -= *taken
	*taken = 0
}

// evict removes files of the cache until they fit the limit: first the one that was used least recently, and none that
// this process has open.
func (c *cache) evict() {
	c.swept, c.since = true, 0
	type candidate struct {
		path string
		used time.Time
		size int64
	}
	entries, _ := os.ReadDir(c.dir) // without it, nothing can be removed
	var files []candidate
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), cacheSuffix) || !info.Mode().IsRegular() {
			continue
		}
		files = append(files, candidate{filepath.Join(c.dir, e.Name()), info.ModTime(), mapfile.Allocated(info)})
		total += files[len(files)-1].size
	}
	slices.SortFunc(files, func(a, b candidate) int { return a.used.Compare(b.used) })
	for _, k := range files {
		if total <= c.limit {
			return
		}
		if c.open[k.path] == 0 && os.Remove(k.path) == nil {
			total -= k.size
		}
	}
}
