package atomicfile

import (
	"io/fs"
	"sync"
)

// narrowed is what [Narrow] has been told: others may do no more with any file.
var narrowed = struct {
	sync.Mutex
	mode fs.FileMode
}{mode: fs.ModePerm}

// Narrow gives everything that this process, and those that it starts, write from now on no more
// permissions than mode has: nobody reads what was made of a file who may not read the file. Its
// owner may always read and write it. A later call can only take more away.
//
// It is the umask that does it, so that no way to write a file can forget it, and [WriteMode] for
// files that it replaces. The function returned takes it back.
func Narrow(mode fs.FileMode) (restore func()) {
	narrowed.Lock()
	defer narrowed.Unlock()
	before := narrowed.mode
	narrowed.mode &= mode.Perm() | 0o700
	restoreMask := addUmask(maskOf(mode))
	return func() {
		narrowed.Lock()
		defer narrowed.Unlock()
		narrowed.mode = before
		restoreMask()
	}
}

// maskOf returns the umask by which files get no more permissions than mode has. Folders, which need
// the right to execute, get it from the right to read.
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
	return mode.Perm() & narrowed.mode
}
