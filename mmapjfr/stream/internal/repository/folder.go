package repository

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mmapjfr/jfr/internal/wire"
)

const (
	// maxPasses is how often a scan reads the directory, if each time there are new names.
	maxPasses = 16
	// settled is how long a file or a directory must have been unchanged before only its time of
	// modification is looked at. That time does not show changes within a few milliseconds, nor
	// within two seconds on some file systems.
	settled = 2 * time.Second
	// namesAtOnce is how many names are read at a time.
	namesAtOnce = 256
)

// folder is a directory with chunks in it.
type folder struct {
	path  string
	isJVM bool // its name is that of a virtual machine's directory

	chunks  map[string]*chunk
	files   []File // the chunks that can be read
	waiting int    // how many chunks cannot be read yet

	scans, passes uint64
	serial        uint64    // of the last file
	modified      time.Time // when an entry was made or removed, as of the last scan
	modifiedSince time.Time // since when modified is the same
	exists        bool      // as of the last scan
	existed       bool      // it existed at some time
	hasJVMs       bool      // it has a directory of a virtual machine; never so if isJVM
}

// chunk is a file that has the name of a chunk.
type chunk struct {
	name   string
	scan   uint64 // the scan that found it
	first  uint64 // the pass that found it
	pass   uint64 // the last pass that found it
	listed bool   // it is in files

	start, ticks, tickRate int64 // from the header, once it is listed

	info      fs.FileInfo // when it was last looked at; nil if never
	infoSince time.Time   // since when info has been the same
}

func newFolder(path string) *folder {
	return &folder{path: path, isJVM: isJVM(nameOf(path)), chunks: map[string]*chunk{}}
}

// scan scans the directory. It is no error if the directory does not exist.
func (d *folder) scan() error {
	d.scans++
	before := d.modified
	names, fresh := false, true
	for n := 0; fresh && n < maxPasses; n++ {
		var err error
		fresh, err = d.readNames()
		if isGone(err) {
			d.exists = false
			d.clear()
			return nil
		}
		if err != nil {
			return err
		}
		// A directory that changes while it is read may show a file without an older one.
		// Another pass shows all files that existed when this one ended.
		names = names || fresh
	}
	d.exists, d.existed = true, true
	if !d.modified.Equal(before) {
		d.modifiedSince = time.Now()
	}
	d.dropMissing(names || !d.modified.Equal(before))
	if d.waiting > 0 {
		d.listReadable(fresh)
	}
	return nil
}

// readNames reads the names in the directory once, and reports whether one is new.
func (d *folder) readNames() (fresh bool, err error) {
	f, err := open(d.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, &fs.PathError{Op: "open", Path: d.path, Err: errors.New("not a directory; name the directory that holds the .jfr files, or the one above it")}
	}
	d.passes++
	d.modified = info.ModTime() // before the names are read, as later changes change it again
	err = eachName(f, func(name string) { fresh = d.addName(name) || fresh })
	return fresh && err == nil, err
}

// eachName calls do with the names in a directory.
func eachName(dir *os.File, do func(name string)) error {
	for {
		names, err := dir.Readdirnames(namesAtOnce)
		for _, name := range names {
			do(name)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addName adds a name, and reports whether it is that of a new chunk.
func (d *folder) addName(name string) bool {
	if !strings.HasSuffix(name, extension) {
		if !d.isJVM && !d.hasJVMs && isJVM(name) {
			info, err := os.Lstat(filepath.Join(d.path, name))
			d.hasJVMs = err == nil && info.IsDir()
		}
		return false
	}
	c := d.chunks[name]
	if c != nil {
		c.pass = d.passes
		return false
	}
	d.chunks[name] = d.newChunk(name)
	d.waiting++
	return true
}

func (d *folder) newChunk(name string) *chunk {
	return &chunk{name: name, scan: d.scans, first: d.passes, pass: d.passes}
}

// dropMissing drops the chunks that have been removed. If the directory has changed, it also drops
// chunks whose name another file has taken.
func (d *folder) dropMissing(changed bool) {
	dropped := false
	for name, c := range d.chunks {
		if c.pass == d.passes && (!changed || !c.listed) {
			continue
		}
		info, err := os.Lstat(filepath.Join(d.path, name))
		switch {
		case isGone(err):
			delete(d.chunks, name)
			if !c.listed {
				d.waiting--
			}
		case err == nil && c.listed && (!os.SameFile(info, c.info) || info.Size() < c.info.Size()): // chunks only grow
			d.chunks[name] = d.newChunk(name)
			d.waiting++
		default:
			// It exists, even if the directory did not show it. It must not be listed twice.
			continue
		}
		dropped = dropped || c.listed
	}
	if dropped {
		d.dropUnlisted()
	}
}

// dropUnlisted drops the files whose chunks have been dropped.
func (d *folder) dropUnlisted() {
	var kept []File // a new slice, because callers may have the old one
	for _, f := range d.files {
		if c := d.chunks[f.Name]; c != nil && c.listed {
			kept = append(kept, f)
		}
	}
	d.files = kept
}

// listReadable lists the chunks that can be read by now. fresh reports that the last pass found new
// chunks: there may be older ones, which the next scan will find.
func (d *folder) listReadable(fresh bool) {
	var found []*chunk
	for _, c := range d.chunks {
		if !c.listed && d.readHeader(c) {
			found = append(found, c)
		}
	}
	sortNew(found, d.isJVM)
	if fresh {
		found = d.postpone(found)
	}
	for _, c := range found {
		c.listed = true
		d.waiting--
		d.serial++
		d.files = append(d.files, File{Path: filepath.Join(d.path, c.name), Name: c.name, Start: c.start, in: d, serial: d.serial})
	}
}

// postpone drops the chunks that the last pass found first, except those that are older than
// others, and returns what remains of found.
func (d *folder) postpone(found []*chunk) []*chunk {
	n := len(found)
	for n > 0 && found[n-1].first == d.passes {
		n--
	}
	for name, c := range d.chunks {
		if c.first == d.passes && !slices.Contains(found[:n], c) {
			delete(d.chunks, name)
			d.waiting--
		}
	}
	return found[:n]
}

// readHeader reports whether the header of a chunk can be read.
func (d *folder) readHeader(c *chunk) bool {
	path := filepath.Join(d.path, c.name)
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if was := c.info; was == nil || was.Size() != info.Size() || was.Mode() != info.Mode() ||
		!was.ModTime().Equal(info.ModTime()) || !os.SameFile(was, info) {
		c.infoSince = time.Now()
	} else if time.Since(c.infoSince) > settled {
		return false
	}
	c.info = info
	h, ok := readHeader(path, info)
	if !ok {
		return false
	}
	c.start, c.ticks, c.tickRate = h.StartNanos, h.StartTicks, h.TicksPerSecond
	return true
}

// clear drops everything.
func (d *folder) clear() {
	clear(d.chunks)
	d.files = nil
	d.waiting = 0
	d.modified = time.Time{}
	d.hasJVMs = false
}

// isGone reports whether an error says that a file does not exist.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readHeader reads the header of a chunk. info describes the path itself, not what a link leads to.
// It returns false if there is no header yet.
func readHeader(path string, info fs.FileInfo) (wire.Header, bool) {
	if !info.Mode().IsRegular() || info.Size() < wire.HeaderLen {
		return wire.Header{}, false
	}
	f, err := openFile(path)
	if err != nil {
		return wire.Header{}, false
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return wire.Header{}, false // another file has taken its place
	}
	var head [wire.HeaderLen]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return wire.Header{}, false
	}
	h, ok := wire.ReadHeader(head[:])
	return h, ok && h.StartNanos > 0
}

// IsFinished reports whether the chunk in a file is not written to any more: its header says so,
// or it has been removed.
func IsFinished(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	h, ok := readHeader(path, info)
	return ok && h.Finished()
}
