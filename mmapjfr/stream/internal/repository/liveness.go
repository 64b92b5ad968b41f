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
	// unchangedIfDead is how long nothing may have changed in the directory of a virtual machine
	// that records. It rewrites a header at each flush, once a second if it is not told
	// otherwise.
	unchangedIfDead = 10 * time.Second
	// checkInterval is how often the answer can change.
	checkInterval = 50 * time.Millisecond
	// listInterval is how often the directory is looked at.
	listInterval = time.Second
)

// Liveness tells whether the virtual machine lives that made a directory.
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
type Liveness struct {
	dir       string
	pid       int // 0 if it is not known
	checked   time.Time
	lastState State

	wasAlive bool    // it was alive
	process  process // if so

	listed         time.Time
	listing        uint64    // a hash of what was there
	unchangedSince time.Time // since when look is the same
}

// NewLiveness returns what tells whether the virtual machine lives that made a directory.
// The number of its process is taken from the directory's name.
func NewLiveness(dir string) *Liveness {
	pid, _ := pidOf(nameOf(dir))
	return &Liveness{dir: dir, pid: pid}
}

// NewLivenessOf is like [NewLiveness] for a process whose number here is known, such as that of a
// virtual machine in a container, and is known to be the one. If there is such a process
// now it is Alive.
func NewLivenessOf(dir string, pid int) *Liveness {
	l := &Liveness{dir: dir, pid: pid}
	if p, found := findProcess(pid); found == yes {
		l.wasAlive, l.process = true, p
	}
	return l
}

// State tells whether the virtual machine lives. It can be asked as often as one likes; it
// looks for the process 20 times a second at most, and at the directory once.
func (l *Liveness) State() State {
	now := time.Now()
	if l.checked.IsZero() || now.Sub(l.checked) >= checkInterval {
		l.lastState = l.check(now)
		l.checked = now
	}
	return l.lastState
}

func (l *Liveness) check(now time.Time) State {
	if l.pid == 0 || l.wasAlive && l.lastState == Dead {
		return l.lastState
	}
	p, found := findProcess(l.pid)
	switch {
	case found == unsure:
		return Unknown
	case l.wasAlive && found == yes && p.same(l.process):
		return Alive
	case l.wasAlive:
		return Dead
	}
	if found == yes {
		switch mayRecordInto(l.pid, p, l.dir) {
		case yes:
			l.wasAlive, l.process = true, p
			return Alive
		case unsure:
			return Unknown
		}
	}
	if l.unchanged(now) {
		return Dead
	}
	return Unknown
}

// unchanged tells whether nothing has changed in the directory for long. It goes by its own
// clock, as that of the file system may be another computer's.
func (l *Liveness) unchanged(now time.Time) bool {
	if l.listed.IsZero() || now.Sub(l.listed) >= listInterval {
		l.listed = now
		if look := hashListing(l.dir); look != l.listing || l.unchangedSince.IsZero() {
			l.listing, l.unchangedSince = look, now
		}
	}
	return now.Sub(l.unchangedSince) >= unchangedIfDead
}

// seed is that of the hashes of directories.
var seed = maphash.MakeSeed()

// hashListing returns a hash of the names, sizes and times of the chunks in a directory.
func hashListing(dir string) uint64 {
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
				sum += maphash.Comparable(seed, chunkStat{name, info.Size(), info.ModTime().UnixNano()})
			}
		}
		if err != nil {
			return sum + 1 // is there, though empty
		}
	}
}

// chunkStat is what a chunk looks like from outside.
type chunkStat struct {
	name           string
	size, modified int64
}

// tristate is one that may be missing.
type tristate int

const (
	unsure tristate = iota
	no
	yes
)

// process is one that there is.
type process struct {
	id  uint64        // when it began, by a clock that is not set; 0 if that is not known
	age time.Duration // since it began; negative if that is not known
}

// same tells whether the process is one that had the same number, as far as is known.
func (p process) same(q process) bool { return p.id == q.id || p.id == 0 || q.id == 0 }

// ageSlack is by how much a process may seem younger than what it has made.
var ageSlack = 2 * time.Second

// youngerThan tells whether the process began after a time, which is zero if it is not
// known.
func (p process) youngerThan(t time.Time) bool {
	return p.age >= 0 && !t.IsZero() && p.age < time.Since(t)-ageSlack
}
