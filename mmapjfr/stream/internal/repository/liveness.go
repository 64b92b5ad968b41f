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
	// Unknown says that it is not known whether the virtual machine lives.
	Unknown State = iota
	// Alive says that its process exists.
	Alive
	// Dead says that the virtual machine has ended.
	Dead
)

// String returns "unknown", "alive" or "dead".
func (s State) String() string {
	return [...]string{"unknown", "alive", "dead"}[s]
}

const (
	// unchangedIfDead is how long the directory of a virtual machine must be unchanged before the
	// virtual machine is taken for dead. It rewrites a header at each flush, once a second by
	// default.
	unchangedIfDead = 10 * time.Second
	// checkInterval is how often the answer can change.
	checkInterval = 50 * time.Millisecond
	// listInterval is how often the directory is read.
	listInterval = time.Second
)

// Liveness finds out whether the virtual machine that made a directory lives.
//
// The number of the process in the directory's name proves little: the directory may come from a
// container, which numbers processes by itself, or from another computer, and numbers are reused.
// So [Liveness.State] returns
//
//   - Alive if the process with this number has a chunk in the directory open. If that cannot be
//     seen on Linux, the process must belong to the owner of the directory and be older than the
//     directory. On Windows only the age counts, and on other systems any process with this
//     number. From then on it is this process, and no other one with its number.
//   - Dead if a process that was Alive has ended. If none was, Dead if no such process exists on
//     this computer, and the directory has not changed for 10 seconds. A virtual machine that is
//     paused for that long, or has nothing to record, seems dead until the directory changes again.
//   - Unknown otherwise, also if a process exists that has no chunk open: it may not be recording
//     at the moment, or may be another program.
type Liveness struct {
	dir       string
	pid       int // 0 if it is not known
	checked   time.Time
	lastState State

	wasAlive bool    // it has been alive
	process  process // if wasAlive

	listed         time.Time
	listing        uint64    // a hash of the directory
	unchangedSince time.Time // of listing
}

// NewLiveness returns the liveness of the virtual machine that made a directory. The name of the
// directory has the number of its process.
func NewLiveness(dir string) *Liveness {
	pid, _ := pidOf(nameOf(dir))
	return &Liveness{dir: dir, pid: pid}
}

// NewLivenessOf is [NewLiveness] for a process that is known to be the virtual machine, by its
// number on this computer. It is Alive if the process exists now.
func NewLivenessOf(dir string, pid int) *Liveness {
	l := &Liveness{dir: dir, pid: pid}
	if p, found := findProcess(pid); found == yes {
		l.wasAlive, l.process = true, p
	}
	return l
}

// State returns whether the virtual machine lives. It may be called often: it looks for the process
// at most 20 times a second, and at the directory once.
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

// unchanged reports whether the directory has not changed for long. It uses this computer's clock,
// because that of the file system may be another computer's.
func (l *Liveness) unchanged(now time.Time) bool {
	if l.listed.IsZero() || now.Sub(l.listed) >= listInterval {
		l.listed = now
		if look := hashListing(l.dir); look != l.listing || l.unchangedSince.IsZero() {
			l.listing, l.unchangedSince = look, now
		}
	}
	return now.Sub(l.unchangedSince) >= unchangedIfDead
}

// seed is the seed of all hashes.
var seed = maphash.MakeSeed()

// hashListing returns a hash of the names, sizes and times of the chunks in a directory.
func hashListing(dir string) uint64 {
	var sum uint64
	f, err := open(dir)
	if err != nil {
		return sum
	}
	defer f.Close()
	_ = eachName(f, func(name string) { // what is there counts
		if !strings.HasSuffix(name, extension) {
			return
		}
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			// The order of names in a directory means nothing.
			sum += maphash.Comparable(seed, chunkStat{name, info.Size(), info.ModTime().UnixNano()})
		}
	})
	return sum + 1 // it exists, though it may be empty
}

// chunkStat is what a directory shows of a chunk.
type chunkStat struct {
	name           string
	size, modified int64
}

// tristate is an answer that may not be known.
type tristate int

const (
	unsure tristate = iota
	no
	yes
)

// process is a process that exists.
type process struct {
	id  uint64        // when it began, by a clock that is never set; 0 if unknown
	age time.Duration // negative if unknown
}

// same reports whether p and q, which have the same number, are one process, as far as is known.
func (p process) same(q process) bool { return p.id == q.id || p.id == 0 || q.id == 0 }

// ageSlack is how much younger than its files a process may seem.
var ageSlack = 2 * time.Second

// youngerThan reports whether the process began after a time; a zero time is unknown.
func (p process) youngerThan(t time.Time) bool {
	return p.age >= 0 && !t.IsZero() && p.age < time.Since(t)-ageSlack
}
