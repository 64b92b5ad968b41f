package export

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// tableFolder is a folder that gets tables, maybe beside those of earlier exports. They come to
// their places when all are there: an export that ends early leaves none. The tables that events
// refer to, such as _stacks, are never lost to the events of others: they get names of their own
// then, with a checksum. Their keys are made of content, so that all of them together are one table
// in which rows may occur again.
type tableFolder struct {
	dir    string
	format columns.Format
	force  bool

	mu  sync.Mutex
	new string // a folder in it, with tables until they come to their places
}

// isReference reports whether a table is one that events refer to.
func isReference(table string) bool { return strings.HasPrefix(table, "_") }

// sink is a [columns.Sink].
func (f *tableFolder) sink(table string, fill func(io.Writer) error) error {
	dir, err := f.newFolder()
	if err != nil {
		return fmt.Errorf("%s: %w", f.dir, err)
	}
	name := columns.FileName(table, f.format)
	if err := atomicfile.Write(filepath.Join(dir, name), fill); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.dir, name), err)
	}
	return nil
}

func (f *tableFolder) newFolder() (dir string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.new == "" {
		if err = os.MkdirAll(f.dir, 0o777); err == nil {
			f.new, err = atomicfile.CreateFolder(f.dir)
		}
	}
	return f.new, err
}

// remove removes what has no place.
func (f *tableFolder) remove() error {
	if f.new == "" {
		return nil
	}
	return os.RemoveAll(f.new)
}

// place gives all tables their names, and returns those, in the order of the report.
func (f *tableFolder) place(report *columns.Report) (names []string, err error) {
	var events []string
	for _, t := range report.Tables {
		if !isReference(t.Name) {
			events = append(events, columns.FileName(t.Name, f.format))
		}
	}
	replace := f.force && !f.hasOthers(events)
	for _, t := range report.Tables {
		name, e := columns.FileName(t.Name, f.format), error(nil)
		if isReference(t.Name) {
			name, e = f.placeReference(t.Name, replace)
		} else {
			e = f.placeEvents(name)
		}
		err = cmp.Or(err, e)
		names = append(names, name)
	}
	return names, err
}

// hasOthers reports whether the folder has events of exports that wrote other tables than these.
func (f *tableFolder) hasOthers(events []string) bool {
	entries, _ := os.ReadDir(f.dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), f.format.Extension()) && !strings.ContainsAny(e.Name()[:1], "_.") && !slices.Contains(events, e.Name())
	})
}

// placeEvents gives a table of events its name.
func (f *tableFolder) placeEvents(name string) error {
	path := filepath.Join(f.dir, name)
	if err := cli.CheckOut(path, f.force); err != nil { // another program was faster
		return err
	}
	if err := atomicfile.Place(filepath.Join(f.new, name), path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// placeReference gives a table that events refer to its name. It replaces the one that is there,
// and removes those of earlier exports, or stays beside them.
func (f *tableFolder) placeReference(table string, replace bool) (name string, err error) {
	name = columns.FileName(table, f.format)
	from, to := filepath.Join(f.new, name), filepath.Join(f.dir, name)
	if replace {
		for _, path := range f.added(table) {
			err = cmp.Or(err, os.Remove(path))
		}
		return name, cmp.Or(err, os.Rename(from, to))
	}
	if _, err := os.Lstat(to); err != nil {
		if err := os.Link(from, to); err == nil {
			return name, nil // and another export at the same time would find it
		} else if !os.IsExist(err) {
			return name, os.Rename(from, to)
		}
	}
	before, err := atomicfile.Sum(to)
	sum, e := atomicfile.Sum(from)
	if err = cmp.Or(err, e); err != nil {
		return name, err
	}
	if sum == before {
		return name, nil // it is there
	}
	name = columns.FolderName(table) + "." + sum + f.format.Extension()
	return name, os.Rename(from, filepath.Join(f.dir, name))
}

// added returns the files of a table that have checksums in their names.
func (f *tableFolder) added(table string) (paths []string) {
	entries, _ := os.ReadDir(f.dir)
	for _, e := range entries {
		sum, is := strings.CutPrefix(e.Name(), columns.FolderName(table)+".")
		sum, ends := strings.CutSuffix(sum, f.format.Extension())
		if is && ends && len(sum) == atomicfile.SumLength && strings.Trim(sum, "0123456789abcdef") == "" {
			paths = append(paths, filepath.Join(f.dir, e.Name()))
		}
	}
	return paths
}
