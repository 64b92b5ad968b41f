package repository

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// File is a chunk in a directory. Files that a [Repository] returns can be compared.
type File struct {
	// Path is where it is.
	Path string
	// Name is the last element of Path.
	Name string
	// Start is when the chunk began, in nanoseconds since 1970, as its header says.
	Start int64

	in     *folder
	serial uint64 // its place among all that were ever in the folder
}

// Files returns the chunks, in the order in which they were made; see the package's
// documentation. The slice is not changed by later scans, and must not be by the caller.
func (r *Repository) Files() []File {
	return slices.Clip(r.current.files)
}

// After returns the chunk that follows f, which need not be there any more. It is the
// oldest one if f is the zero File, or a chunk of a virtual machine that was followed
// before this one. It is false if there is none yet.
func (r *Repository) After(f File) (File, bool) {
	files := r.current.files
	i := 0
	if f.in == r.current {
		i = sort.Search(len(files), func(i int) bool { return files[i].serial > f.serial })
	}
	return at(files, i)
}

// Newest returns the chunk that was made last. It is false if there is none.
func (r *Repository) Newest() (File, bool) {
	files := r.current.files
	return at(files, len(files)-1)
}

// At returns the chunk to begin with to see everything from a time on: the newest that
// begins at or before it, or the oldest if none does. Where the next chunk begins
// earlier, as the clock was set back, nobody knows until when a chunk went on, so it is
// not passed over. It is false if there are no chunks.
func (r *Repository) At(t time.Time) (File, bool) {
	files := r.current.files
	nanos := nanosOf(t)
	i := 0
	for i+1 < len(files) && files[i].Start <= files[i+1].Start && files[i+1].Start <= nanos {
		i++
	}
	// Of those that begin at once nobody knows which goes on.
	for i > 0 && files[i-1].Start == files[i].Start {
		i--
	}
	return at(files, i)
}

// nanosOf returns the nanoseconds since 1970; the least or the largest number for what
// is out of reach.
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

// sortNew orders chunks that one scan has found. ticks says that all are of one virtual
// machine.
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

// jvmName matches the name of a virtual machine's directory: when it was made, the
// number of the process, and a number more if there was such a directory.
var jvmName = regexp.MustCompile(`^\d{4}(?:_\d\d){5}_(\d+)(?:_\d+)?$`)

// extension is how the name of a chunk ends.
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

// pidOf returns the number of the process that the name of a virtual machine's
// directory tells. It is false if it is no such name.
func pidOf(name string) (int, bool) {
	m := jvmName.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	pid, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil || pid == 0 {
		return 0, false
	}
	return int(pid), true
}

// isJVM tells whether a virtual machine would name its directory so.
func isJVM(name string) bool {
	// A look at the first characters spares the expression most of the time.
	return len(name) > timeLen && name[4] == '_' && name[timeLen] == '_' && jvmName.MatchString(name)
}

// compareNames orders the names of chunks: by time, and by number within a second,
// which is 01 to 99 and then 100 and so on.
func compareNames(a, b string) int {
	a, b = strings.TrimSuffix(a, extension), strings.TrimSuffix(b, extension)
	return cmp.Or(
		cmp.Compare(a[:min(len(a), timeLen)], b[:min(len(b), timeLen)]),
		cmp.Compare(len(a), len(b)),
		cmp.Compare(a, b),
	)
}
