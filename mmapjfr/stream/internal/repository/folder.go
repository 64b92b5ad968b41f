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
	// maxPasses is how often a scan reads the directory, if there is something new
	// in it each time.
	maxPasses = 16
	// settled is how long a file or a directory must have been the same to be left alone
	// until its time of modification changes: not all changes within a few milliseconds
	// are seen by that, nor within two seconds with some file systems.
	settled = 2 * time.Second
	// namesAtOnce is how many names are read at a time.
	namesAtOnce = 256
)

// folder is a directory with chunks in it.
type folder struct {
	path  string
	isJVM bool // a virtual machine has named it

	chunks  map[string]*chunk
	files   []File // those that can be read
	waiting int    // how many can not be read yet

	scans, passes uint64
	serial        uint64    // of the last file
	modified      time.Time // when an entry was made or removed, as of the last scan
	modifiedSince time.Time // modified is so
	exists        bool      // as of the last scan
	existed       bool      // it was there once
	hasJVMs       bool      // there is a virtual machine's directory in it; never so if jvm
}

// chunk is a file that has the name of a chunk.
type chunk struct {
	name   string
	scan   uint64 // the one that found it
	first  uint64 // the pass that saw it first
	pass   uint64 // the last one that saw it
	listed bool   // it is in files

	start, ticks, tickRate int64 // once it is listed

	info      fs.FileInfo // as of when it was looked into last; nil if never
	infoSince time.Time   // since when info has been the same
}

func newFolder(path string) *folder {
	return &folder{path: path, isJVM: isJVM(nameOf(path)), chunks: map[string]*chunk{}}
}

// scan looks at the directory. That it is not there is no error.
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
		// A directory that changes while it is read may show a file but not an older
		// one. Another pass shows all that were there before this one ended.
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

// readNames reads the names in the directory once, and tells whether one is new.
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
	d.modified = info.ModTime() // before the names: what comes later changes it again
	for {
		names, err := f.Readdirnames(namesAtOnce)
		for _, name := range names {
			fresh = d.addName(name) || fresh
		}
		if err == io.EOF {
			return fresh, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// addName notes a name, and tells whether it is that of a new chunk.
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

// dropMissing drops the chunks that are gone. If the directory has changed it also looks
// whether another file has taken the name of one.
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
			// Whatever the directory said, it is there. It must not come a second time.
			continue
		}
		dropped = dropped || c.listed
	}
	if dropped {
		d.dropUnlisted()
	}
}

// dropUnlisted drops the files whose chunk is not there any more.
func (d *folder) dropUnlisted() {
	var kept []File // who has got the files keeps them
	for _, f := range d.files {
		if c := d.chunks[f.Name]; c != nil && c.listed {
			kept = append(kept, f)
		}
	}
	d.files = kept
}

// listReadable lists the chunks that can be read by now. With fresh the last pass saw new ones,
// for which there may be older ones that no pass has seen: the next scan will.
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

// postpone forgets the chunks that the last pass saw first, but for those that are older
// than another one, and returns which are left of those that were found.
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

// readHeader tries to read the header of a chunk.
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

// isGone tells whether an error says that there is no such file.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readHeader reads the header of a chunk, which info, that of the path itself,
// describes. It is false if there is none, or not yet.
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
		return wire.Header{}, false // it is another one by now
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
