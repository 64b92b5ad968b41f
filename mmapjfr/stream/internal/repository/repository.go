package repository

import (
	"cmp"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// Repository finds the chunks of one virtual machine.
type Repository struct {
	root    string
	base    bool    // root holds directories of virtual machines
	absent  bool    // a base that existed and has been removed
	current *folder // of the virtual machine that is followed; empty in a base without one

	// The rest is used for a base only.
	liveness  *Liveness           // of the current virtual machine
	preferred bool                // current stays current while it lives
	settled   bool                // current is preferred and lives
	hadActive bool                // a virtual machine has been preferred
	jvms      map[string]*folder  // all but current, by name
	abandoned map[string]struct{} // those that were followed earlier, by name
}

// Open returns the repository in a directory. The directory is a virtual machine's own one, which
// has such a name or holds chunks, or a base directory with directories of virtual machines,
// whatever else is in it. It need not exist yet. Open does not read it; [Repository.Scan] does.
func Open(dir string) *Repository {
	dir = filepath.Clean(dir)
	return &Repository{root: dir, current: newFolder(dir)}
}

// Scan reads the directory. In a base directory it follows the newest virtual machine, by the start
// of its newest chunk or, without chunks, by the time of its directory; one that seems to have
// ended only if there is no other. A virtual machine that lives and has a chunk stays the current
// one until it is removed or dead, see [Liveness]. Then another one that lives and was not followed
// earlier takes its place.
//
// Files that have been removed are dropped. Files without a header, or that cannot be read, are
// tried again by the next scan. Links are ignored.
//
// If nothing is new, a scan costs reading the names in the directory once. It fails if the
// directory cannot be read, but not if it does not exist, see [Repository.Gone].
func (r *Repository) Scan() error {
	if !r.base {
		if err := r.current.scan(); err != nil || !r.current.hasJVMs {
			return err
		}
		r.base, r.current = true, newFolder(r.root)
	}
	if r.chosen() {
		if err := r.current.scan(); err != nil {
			return err
		}
		if r.settled = r.preferred && r.current.exists && r.Liveness().State() != Dead; r.settled {
			return nil
		}
	}
	return r.choose()
}

// chosen reports whether a virtual machine in the base is followed.
func (r *Repository) chosen() bool { return r.base && r.current.path != r.root }

// Dir returns the directory of the virtual machine that is followed; of a repository that is no
// base, its directory. It is "" if the directory does not exist yet.
func (r *Repository) Dir() string {
	if !r.current.existed {
		return ""
	}
	return r.current.path
}

// Gone reports whether the directory of the virtual machine existed, but did not at the last scan.
// Virtual machines remove it when they exit.
func (r *Repository) Gone() bool {
	if r.base && !r.chosen() {
		return r.absent
	}
	return r.current.existed && !r.current.exists
}

// Liveness returns the liveness of the virtual machine that is followed; nil if there is no virtual
// machine yet.
func (r *Repository) Liveness() *Liveness {
	if r.liveness == nil && r.current.existed {
		r.liveness = NewLiveness(r.current.path)
	}
	return r.liveness
}

// WatchWith makes w watch exactly what may change the result of the next scan: the virtual
// machine's directory, and the base directory while another virtual machine may take over. Call it
// after each scan; it costs little if nothing has changed.
func (r *Repository) WatchWith(w *Watch) {
	switch dir := r.Dir(); {
	case dir == "" || dir == r.root:
		w.set(r.root)
	case r.settled:
		w.set(dir)
	default:
		w.set(r.root, dir)
	}
}

// File is a chunk in a directory. Files that a [Repository] returns can be compared.
type File struct {
	// Path is where it is.
	Path string
	// Name is the last element of Path.
	Name string
	// Start is when the chunk began, in nanoseconds since 1970, as its header says.
	Start int64

	in     *folder
	serial uint64 // its number among all chunks ever listed in the folder
}

// Files returns the chunks in the order in which they were made; see the package documentation.
// Later scans do not change the slice, and the caller must not.
func (r *Repository) Files() []File {
	return slices.Clip(r.current.files)
}

// After returns the chunk after f, which may have been removed. If f is the zero File, or a chunk
// of a virtual machine that was followed earlier, After returns the oldest chunk. It returns false
// if there is no such chunk yet.
func (r *Repository) After(f File) (File, bool) {
	files := r.current.files
	i := 0
	if f.in == r.current {
		i = sort.Search(len(files), func(i int) bool { return files[i].serial > f.serial })
	}
	return at(files, i)
}

// Newest returns the chunk that was made last. It returns false if there are no chunks.
func (r *Repository) Newest() (File, bool) {
	files := r.current.files
	return at(files, len(files)-1)
}

// At returns the chunk to begin with to read everything from a time on: the newest chunk that
// begins at t or earlier, or the oldest one if all begin later. If the clock was set back, so that
// the next chunk begins earlier, the end of a chunk is not known, and At does not skip it. It
// returns false if there are no chunks.
func (r *Repository) At(t time.Time) (File, bool) {
	files := r.current.files
	nanos := nanosOf(t)
	i := 0
	for i+1 < len(files) && files[i].Start <= files[i+1].Start && files[i+1].Start <= nanos {
		i++
	}
	// Which of several chunks with the same start is the last is not known.
	for i > 0 && files[i-1].Start == files[i].Start {
		i--
	}
	return at(files, i)
}

// nanosOf returns the nanoseconds since 1970, limited to what an int64 can hold.
func nanosOf(t time.Time) int64 {
	const reach = 1<<63/1_000_000_000 - 1
	switch s := t.Unix(); {
	case s < -reach:
		return -1 << 63
	case s > reach:
		return 1<<63 - 1
	}
	return t.UnixNano()
}

func at(files []File, i int) (File, bool) {
	if i < 0 || i >= len(files) {
		return File{}, false
	}
	return files[i], true
}

// sortNew sorts the chunks that one scan has found. ticks says that all are of one virtual machine.
func sortNew(found []*chunk, ticks bool) {
	for _, c := range found {
		ticks = ticks && c.tickRate > 0 && c.tickRate == found[0].tickRate
	}
	slices.SortFunc(found, func(a, b *chunk) int {
		order := cmp.Compare(a.scan, b.scan)
		if ticks {
			order = cmp.Or(order, cmp.Compare(a.ticks, b.ticks))
		}
		return cmp.Or(order, cmp.Compare(a.start, b.start), compareNames(a.name, b.name))
	})
}

// jvmName matches the name of a virtual machine's directory: the time, the number of the process,
// and another number if the name was taken.
var jvmName = lazy.Regexp(`^\d{4}(?:_\d\d){5}_(\d+)(?:_\d+)?$`)

// extension is the end of the names of chunks.
const extension = ".jfr"

// timeLen is the length of yyyy_MM_dd_HH_mm_ss.
const timeLen = len("yyyy_MM_dd_HH_mm_ss")

// nameOf returns the last element of a path, also of ".".
func nameOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// pidOf returns the number of the process in the name of a virtual machine's directory. It returns
// false for other names.
func pidOf(name string) (int, bool) {
	m := jvmName().FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	pid, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil || pid == 0 {
		return 0, false
	}
	return int(pid), true
}

// isJVM reports whether a name is that of a virtual machine's directory.
func isJVM(name string) bool {
	// Comparing two characters first is faster for most names.
	return len(name) > timeLen && name[4] == '_' && name[timeLen] == '_' && jvmName().MatchString(name)
}

// compareNames orders the names of chunks: by time, and then by number within a second, which is 01
// to 99, 100 and so on.
func compareNames(a, b string) int {
	a, b = strings.TrimSuffix(a, extension), strings.TrimSuffix(b, extension)
	return cmp.Or(
		cmp.Compare(a[:min(len(a), timeLen)], b[:min(len(b), timeLen)]),
		cmp.Compare(len(a), len(b)),
		cmp.Compare(a, b),
	)
}
