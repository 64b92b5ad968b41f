package repository

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// choose compares all virtual machines in the base directory, and follows the best one, unless the
// current one is as good.
func (r *Repository) choose() error {
	infos, err := jvmsIn(r.root)
	r.absent = isGone(err) // a directory that never existed is not a base
	if err != nil && !r.absent {
		return err
	}
	jvms := make(map[string]*folder, len(infos))
	left := make(map[string]struct{}, len(r.abandoned))
	var all []candidate
	now := time.Now()
	for _, info := range infos {
		name := info.Name()
		if _, ok := r.abandoned[name]; ok {
			left[name] = struct{}{}
			continue
		}
		d := r.current
		if path := filepath.Join(r.root, name); d.path != path {
			if d = r.jvms[name]; d == nil {
				d = newFolder(path)
			}
			jvms[name] = d
			if d.scanIfChanged(info) != nil {
				continue // it may belong to another user
			}
		}
		switch s := d.rank(now); {
		case !d.exists:
		case d == r.current && r.preferred: // it has ended
		case d != r.current && r.hadActive && s != active: // after an active one, one that has ended is not followed
		default:
			all = append(all, candidate{d, name, s, d.newest()})
		}
	}
	r.jvms, r.abandoned = jvms, left
	if len(all) == 0 {
		return nil
	}
	r.follow(slices.MaxFunc(all, candidate.compare))
	return nil
}

// follow makes the candidate the current virtual machine, if it is not.
func (r *Repository) follow(c candidate) {
	if c.folder != r.current {
		if r.chosen() && r.current.serial > 0 {
			r.abandoned[nameOf(r.current.path)] = struct{}{}
		}
		r.current, r.liveness, r.preferred = c.folder, nil, false
		delete(r.jvms, c.name)
	}
	if c.rank == active && len(c.files) > 0 {
		r.preferred, r.settled, r.hadActive = true, true, true
		r.jvms = nil
	}
}

// candidate is a virtual machine that may be followed.
type candidate struct {
	*folder
	name   string
	rank   rank
	newest int64
}

func (c candidate) compare(d candidate) int {
	return cmp.Or(
		cmp.Compare(c.rank, d.rank),
		cmp.Compare(c.newest, d.newest),
		compareNames(c.name, d.name),
	)
}

// rank orders virtual machines: the highest rank is followed.
type rank int

const (
	deadEmpty rank = iota // it seems to have ended, and has no chunk
	idle                  // it has had no chunk for a while
	dead                  // it seems to have ended, but has chunks
	active                // it has chunks, or its directory is so new that chunks will come
)

// rank returns the rank of the virtual machine. Unlike [Liveness] it decides at once, and may be
// wrong.
func (d *folder) rank(now time.Time) rank {
	modified, final := d.modified, false
	if n := len(d.files); n > 0 {
		path := d.files[n-1].Path
		if info, err := os.Lstat(path); err == nil {
			if info.ModTime().After(modified) {
				modified = info.ModTime()
			}
			h, ok := readHeader(path, info)
			final = ok && h.Finished() && h.Final()
		}
	}
	still := now.Sub(modified) > unchangedIfDead
	gone := final
	if pid, ok := pidOf(nameOf(d.path)); ok && still && !final {
		_, found := findProcess(pid)
		gone = found == no
	}
	switch {
	case len(d.files) == 0 && gone:
		return deadEmpty
	case len(d.files) == 0 && still:
		return idle
	case gone:
		return dead
	}
	return active
}

// newest returns when the newest chunk began, in nanoseconds since 1970. If there are no chunks it
// returns when the directory last changed.
func (d *folder) newest() int64 {
	if len(d.files) == 0 {
		return d.modified.UnixNano()
	}
	newest := d.files[0].Start
	for _, f := range d.files {
		newest = max(newest, f.Start)
	}
	return newest
}

// scanIfChanged scans the directory, which info describes, unless it has not changed since the last
// scan.
func (d *folder) scanIfChanged(info fs.FileInfo) error {
	if d.exists && d.waiting == 0 && d.modified.Equal(info.ModTime()) && time.Since(d.modifiedSince) > settled {
		return nil
	}
	return d.scan()
}

// jvmsIn returns the directories of virtual machines in a base directory.
func jvmsIn(base string) ([]fs.FileInfo, error) {
	f, err := open(base)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var jvms []fs.FileInfo
	err = eachName(f, func(name string) {
		if !isJVM(name) {
			return
		}
		if info, err := os.Lstat(filepath.Join(base, name)); err == nil && info.IsDir() {
			jvms = append(jvms, info)
		}
	})
	return jvms, err
}
