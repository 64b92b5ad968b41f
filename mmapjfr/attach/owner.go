package attach

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/mmapjfr/jfr/internal/lazy"
)

// owner is a process that has a JVM do something for it. Process numbers alone say too little: they
// are used again, and in containers they are often the same.
type owner struct {
	pid   int
	start uint64 // when it was started, as the system counts
	space uint64 // where its number and start mean something; 0 if that is not known
}

// The names that owners give to recordings and folders begin with one of these.
const (
	StreamName  = "mmapjfr stream " // recordings of streams
	ProfileName = "mjfr profile "   // recordings that become profiles
	folderName  = "mjfr-"
)

// ownedName is a name that [OwnedName] has made.
var ownedName = lazy.Regexp(`^(?:` + StreamName + `|` + ProfileName + `|` + folderName + `)([0-9]{1,10})-([0-9]{1,20})-([0-9a-f]{16})-[A-Z2-7]{26}$`)

// OwnedName returns a name that nothing else has, for a recording or a folder. It begins with
// [StreamName] or [ProfileName], and says which process has made it, so that others find out whether
// that has ended; see [VM.RemoveLeft].
func OwnedName(prefix string) string {
	o := self()
	return fmt.Sprintf("%s%d-%d-%016x-%s", prefix, o.pid, o.start, o.space, rand.Text())
}

// IsOwn reports whether this process has made a name, with [OwnedName].
func IsOwn(name string) bool {
	o, ok := ownerOfName(name)
	return ok && o == self()
}

// ownerOfName returns which process has made a name.
func ownerOfName(name string) (o owner, ok bool) {
	match := ownedName().FindStringSubmatch(name)
	if match == nil {
		return owner{}, false
	}
	var errs [3]error
	o.pid, errs[0] = strconv.Atoi(match[1])
	o.start, errs[1] = strconv.ParseUint(match[2], 10, 64)
	o.space, errs[2] = strconv.ParseUint(match[3], 16, 64)
	return o, errors.Join(errs[:]...) == nil && o.pid > 0
}

// self is this process. Its space is that of the numbers of processes and of the clock that counts
// their starts, since the machine was started.
var self = sync.OnceValue(func() owner {
	o := owner{pid: os.Getpid()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	numbers, e := os.Readlink("/proc/self/ns/pid")
	clock, _ := os.Readlink("/proc/self/ns/time") // older systems have but one
	start, _, ok := startOf("self", o.pid)
	if err == nil && e == nil && ok {
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, string(boot), numbers, clock) // never fails
		o.start, o.space = start, h.Sum64()
	}
	return o
})

// startOf returns when a process was started, and its state: Z if it has ended, and its parent has not
// asked how, T or t if it is stopped. It is not ok if /proc does not say, or is that of other numbers.
func startOf(name string, pid int) (start uint64, state string, ok bool) {
	const startAt = 19 // of the fields after the name
	stat, err := os.ReadFile("/proc/" + name + "/stat")
	if err != nil || !bytes.HasPrefix(stat, []byte(strconv.Itoa(pid)+" ")) {
		return 0, "", false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startAt {
		return 0, "", false
	}
	start, err = strconv.ParseUint(fields[startAt], 10, 64)
	return start, fields[0], err == nil
}

// isDead reports whether a process has ended. What cannot be known counts as alive: processes
// elsewhere, and those that /proc hides.
func (o owner) isDead() bool {
	if o.space == 0 || o.space != self().space {
		return false
	}
	p, err := os.FindProcess(o.pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // only asked
	if errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return true
	}
	start, state, ok := startOf(strconv.Itoa(o.pid), o.pid)
	return ok && (state == "Z" || start != o.start)
}

// isLeft reports whether a name is one that a process has made which has ended.
func isLeft(name string) bool {
	o, ok := ownerOfName(name)
	return ok && o.isDead()
}

// RemoveLeft stops the recordings, and removes the folders of [VM.MakeFolder], whose owners were killed
// before they could. Those of processes that run, of other machines and containers, and all others
// stay.
func (vm *VM) RemoveLeft(ctx context.Context) error {
	list, err := vm.Recordings(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range list {
		if isLeft(r.Name) && (r.State == "running" || r.State == "delayed") {
			errs = append(errs, vm.Stop(ctx, r.ID)) // which writes to the folder
		}
	}
	properties, err := vm.Properties(ctx)
	errs = append(errs, err)
	for _, parent := range []string{properties["java.io.tmpdir"], vm.target.itsTmp} {
		if path.IsAbs(parent) {
			errs = append(errs, vm.target.removeLeft(parent))
		}
	}
	return errors.Join(errs...)
}

// removeLeft removes folders from another one.
func (t *target) removeLeft(parent string) error {
	in, err := t.openDir(parent)
	if err != nil {
		return err
	}
	defer in.Close()
	dir, err := in.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	errs := []error{err}
	for _, name := range names {
		if !strings.HasPrefix(name, folderName) || !isLeft(name) {
			continue
		}
		info, err := in.Lstat(name)
		if err != nil || !info.IsDir() {
			continue
		}
		if owner, ok := ownerOf(info); ok && owner == t.uid {
			errs = append(errs, in.RemoveAll(name))
		}
	}
	return errors.Join(errs...)
}
