package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// longestName is how many bytes names of files have at most in file systems of today.
const longestName = 255

// partEnd ends the names of files that are being written, after the machine, the process and a
// random number.
const (
	partMark = ".mjfr-"
	partEnd  = ".part"
)

// TempName returns a new name beside a path for a file that is being written, such as
// app.jfr.mjfr-1f2e3d4c-712-9a8b7c6d.part.
func TempName(path string) string {
	dir, base := filepath.Split(path)
	end := fmt.Sprintf("%s%08x-%d-%08x%s", partMark, machine(), os.Getpid(), rand.Uint32(), partEnd)
	return dir + base[:min(len(base), max(0, longestName-len(end)))] + end
}

// machine returns a number of this machine: processes of others may share the folder.
var machine = sync.OnceValue(func() uint32 {
	name, _ := os.Hostname() // without a name, all such machines have one number
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum32()
})

// Create makes a file with a name of [TempName], for a caller that gives it another name later.
// Before the first one in a folder it removes those that killed processes have left there. An error
// does not show the name.
func Create(path string, mode fs.FileMode) (*os.File, error) {
	Sweep(filepath.Dir(path))
	temp := TempName(path)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return f, cause(err, temp)
}

// CreateFolder makes a folder in another one, for files that get other places. It has a name of
// [TempName], and is removed as files are that killed processes have left.
func CreateFolder(dir string) (path string, err error) {
	Sweep(dir)
	path = TempName(filepath.Join(dir, ".new"))
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", cause(err, path)
	}
	return path, nil
}

// Place gives a file of [CreateFolder] its place, in the way of [WriteMode].
func Place(from, path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return Write(path, func(w io.Writer) error {
			f, err := os.Open(from)
			if err != nil {
				return err
			}
			defer f.Close() // only read
			_, err = io.Copy(w, f)
			return err
		})
	}
	if err == nil {
		err = os.Chmod(from, modeAgain(info.Mode()))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(from, path)
	}
	return cause(err, from)
}

// Sweep removes what killed processes of this machine have left in a folder, if this one has not
// done it yet.
func Sweep(dir string) {
	if _, seen := swept.LoadOrStore(dir, true); !seen {
		sweep(dir)
	}
}

// swept has the folders that have been swept.
var swept sync.Map

// sweep removes files and folders from a folder that processes of this machine were writing when
// they were killed.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // without it, nothing can be removed
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case !isLeft(e.Name()): // it may be of another user, too
		case e.Type().IsRegular():
			_ = os.Remove(path)
		case e.IsDir() && strings.HasPrefix(e.Name(), ".new"+partMark):
			_ = os.RemoveAll(path)
		}
	}
}

// isLeft reports whether a name is that of a file of a process of this machine that has ended.
func isLeft(name string) bool {
	name, ok := strings.CutSuffix(name, partEnd)
	i := strings.LastIndex(name, partMark)
	if !ok || i < 0 {
		return false
	}
	parts := strings.Split(name[i+len(partMark):], "-")
	if len(parts) != 3 || parts[0] != fmt.Sprintf("%08x", machine()) || len(parts[2]) != 8 {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && pid > 0 && pid != os.Getpid() && !isAlive(pid)
}

// isAlive reports whether there is a process of a number, or may be.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // only asked
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) && !isZombie(pid)
}

// isZombie reports whether a process has ended, and its parent has not asked how. Only Linux says
// so, in /proc.
func isZombie(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // as in 712 (mjfr) Z 1
	_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	return strings.HasPrefix(rest, "Z")
}
