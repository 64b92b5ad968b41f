package repository

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// State is whether a virtual machine lives.
type State int

const (
	// Unknown says that the virtual machine may live or not.
	Unknown State = iota
	// Alive says that there is its process.
	Alive
	// Dead says that it does not live any more.
	Dead
)

// String returns "unknown", "alive" or "dead".
func (s State) String() string {
	return [...]string{"unknown", "alive", "dead"}[s]
}

const (
	// quiet is how long nothing may have changed in the directory of a virtual machine
	// that records. It rewrites a header at each flush, once a second if it is not told
	// otherwise.
	quiet = 10 * time.Second
	// askEvery is how often the answer can change.
	askEvery = 50 * time.Millisecond
	// lookEvery is how often the directory is looked at.
	lookEvery = time.Second
)

// Life tells whether the virtual machine lives that made a directory.
//
// The number of the process in the directory's name proves little: the directory may
// come from a container, where processes have numbers of their own, or from another
// computer, and numbers are used again. So
//
//   - Alive says that the process of that number has a chunk in the directory open, or,
//     where that can not be seen, that it is of the directory's owner and not younger
//     than the directory. (That is how it is on Linux. On Windows the age counts, on
//     other systems that there is such a process.) From then on it is that process, and
//     no other one with its number.
//   - Dead says that this process, which was Alive before, has ended; or, if it never
//     was, that there is no such process on this computer and nothing has changed in the
//     directory for 10 seconds of looking at it. A virtual machine in a container that is
//     paused for so long, or that was told not to flush and has nothing to record, is
//     taken for dead, until the directory changes again.
//   - All else is Unknown. So is a process that could be it but has no chunk open, as it
//     does not record just now or as it is another one.
type Life struct {
	dir   string
	pid   int // 0 if it is not known
	asked time.Time
	state State

	seen    bool    // it was alive
	process process // if so

	looked time.Time
	look   uint64    // a hash of what was there
	same   time.Time // since when look is the same
}

// NewLife returns what tells whether the virtual machine lives that made a directory.
// The number of its process is taken from the directory's name.
func NewLife(dir string) *Life {
	pid, _ := pidOf(nameOf(dir))
	return &Life{dir: dir, pid: pid}
}

// NewLifeOf is like [NewLife] for a process whose number here is known, such as that of a
// virtual machine in a container, and is known to be the one. If there is such a process
// now it is Alive.
func NewLifeOf(dir string, pid int) *Life {
	l := &Life{dir: dir, pid: pid}
	if p, found := find(pid); found == yes {
		l.seen, l.process = true, p
	}
	return l
}

// Ask tells whether the virtual machine lives. It can be asked as often as one likes; it
// looks for the process 20 times a second at most, and at the directory once.
func (l *Life) Ask() State {
	now := time.Now()
	if l.asked.IsZero() || now.Sub(l.asked) >= askEvery {
		l.state = l.ask(now)
		l.asked = now
	}
	return l.state
}

func (l *Life) ask(now time.Time) State {
	if l.pid == 0 || l.seen && l.state == Dead {
		return l.state
	}
	p, found := find(l.pid)
	switch {
	case found == unsure:
		return Unknown
	case l.seen && found == yes && p.same(l.process):
		return Alive
	case l.seen:
		return Dead
	}
	if found == yes {
		switch mayBe(l.pid, p, l.dir) {
		case yes:
			l.seen, l.process = true, p
			return Alive
		case unsure:
			return Unknown
		}
	}
	if l.still(now) {
		return Dead
	}
	return Unknown
}

// still tells whether nothing has changed in the directory for long. It goes by its own
// clock, as that of the file system may be another computer's.
func (l *Life) still(now time.Time) bool {
	if l.looked.IsZero() || now.Sub(l.looked) >= lookEvery {
		l.looked = now
		if look := lookOf(l.dir); look != l.look || l.same.IsZero() {
			l.look, l.same = look, now
		}
	}
	return now.Sub(l.same) >= quiet
}

// seed is that of the hashes of directories.
var seed = maphash.MakeSeed()

// lookOf returns a hash of the names, sizes and times of the chunks in a directory.
func lookOf(dir string) uint64 {
	var sum uint64
	f, err := open(dir)
	if err != nil {
		return sum
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(namesAtOnce)
		for _, name := range names {
			if !strings.HasSuffix(name, extension) {
				continue
			}
			if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				// The order of names in a directory means nothing.
				sum += maphash.Comparable(seed, chunkLook{name, info.Size(), info.ModTime().UnixNano()})
			}
		}
		if err != nil {
			return sum + 1 // is there, though empty
		}
	}
}

// chunkLook is what a chunk looks like from outside.
type chunkLook struct {
	name           string
	size, modified int64
}
