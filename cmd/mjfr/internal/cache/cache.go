// Package cache keeps files in the user's cache folder for the next run: saved indexes and tables.
package cache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The folders.
const (
	Indexes = "index"
	Tables  = "tables"
)

const (
	// New is how names of files and folders begin that are still being written.
	New = "new-"
	// inUse is how long what was used stays at least: another process may still read it.
	inUse = 10 * time.Minute
	// unused is how long it stays at most, and killed how long after it was written what a killed
	// process left.
	unused = 30 * 24 * time.Hour
	killed = 24 * time.Hour
)

// Folder returns the path of a folder of the cache, which may be missing.
func Folder(name string) (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mjfr", name), err
}

// Prune removes files and folders of files that were used least recently, by their time, until a
// folder of the cache takes no more than limit bytes. What was used a short time ago stays; what
// was not used for 30 days goes. The folder may be missing.
func Prune(name string, limit int64) error {
	root, err := Folder(name)
	if err != nil {
		return err
	}
	return prune(root, limit, time.Now())
}

func prune(root string, limit int64, now time.Time) error {
	type entry struct {
		path  string
		idle  time.Duration
		bytes int64
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	var list []entry
	sum := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process has removed it
		}
		it := entry{filepath.Join(root, e.Name()), now.Sub(info.ModTime()), info.Size()}
		if strings.HasPrefix(e.Name(), New) {
			if it.idle > killed {
				_ = os.RemoveAll(it.path)
			}
			continue
		}
		if e.IsDir() {
			it.bytes = 0
			files, _ := os.ReadDir(it.path)
			for _, file := range files {
				if info, err := file.Info(); err == nil {
					it.bytes += info.Size()
				}
			}
		}
		list, sum = append(list, it), sum+it.bytes
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(b.idle, a.idle) })
	for _, it := range list {
		if sum > limit && it.idle > inUse || it.idle > unused {
			sum -= it.bytes
			err = cmp.Or(err, os.RemoveAll(it.path))
		}
	}
	return err
}
