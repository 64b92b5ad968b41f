package atomicfile

import (
	"io/fs"
	"sync"
)

// narrowed is what [Narrow] has been told and not yet been taken back, and the umask before. The
// process has one umask, and what narrows it may end in any order.
var narrowed = struct {
	sync.Mutex
	by     map[*fs.FileMode]bool
	before int
}{by: make(map[*fs.FileMode]bool)}

// Narrow gives everything that this process, and those that it starts, write from now on no more
// permissions than mode has: nobody reads what was made of a file who may not read the file. Its
// owner may always read and write it. Another call can only take more away.
//
// It is the umask that does it, so that no way to write a file can forget it, and [WriteMode] for
// files that it replaces. The function returned takes it back, and leaves what other calls took
// away.
func Narrow(mode fs.FileMode) (restore func()) {
	narrowed.Lock()
	defer narrowed.Unlock()
	if len(narrowed.by) == 0 {
		narrowed.before = umask()
	}
	narrowed.by[&mode] = true
	setUmask(narrowed.before | maskOf(modeLeft()))
	return func() {
		narrowed.Lock()
		defer narrowed.Unlock()
		if narrowed.by[&mode] {
			delete(narrowed.by, &mode)
			setUmask(narrowed.before | maskOf(modeLeft()))
		}
	}
}

// modeLeft returns what all calls of [Narrow] together leave.
func modeLeft() fs.FileMode {
	left := fs.ModePerm
	for mode := range narrowed.by {
		left &= mode.Perm() | 0o700
	}
	return left
}

// maskOf returns the umask by which files get no more permissions than mode has. Folders, which
// need the right to execute, get it from the right to read.
func maskOf(mode fs.FileMode) (mask int) {
	const all, read, write = 7, 4, 2
	for _, class := range []int{3, 0} { // of the group, and of others
		switch has := int(mode>>class) & all; {
		case has&read == 0:
			mask |= all << class
		case has&write == 0:
			mask |= write << class
		}
	}
	return mask
}

// modeAgain returns the mode of a file that takes the place of one with a mode.
func modeAgain(mode fs.FileMode) fs.FileMode {
	narrowed.Lock()
	defer narrowed.Unlock()
	return mode.Perm() & modeLeft()
}
