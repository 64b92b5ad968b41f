package repository

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is the unit of times in /proc, whatever the kernel counts in.
const ticksPerSecond = 100

// findProcess looks for a process. A zombie does not count.
func findProcess(pid int) (process, tristate) {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		// There may be no /proc, or it may hide the processes of others.
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return process{}, no
		}
		return process{age: -1}, yes
	}
	// The name of the program, in parentheses, may hold anything.
	_, rest, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	fields := bytes.Fields(rest)
	const state, start = 0, 19 // of the fields after the name
	if len(fields) <= start {
		return process{}, unsure
	}
	if s := fields[state][0]; s == 'Z' || s == 'X' || s == 'x' {
		return process{}, no
	}
	began, err := strconv.ParseUint(string(fields[start]), 10, 64)
	if err != nil {
		return process{}, unsure
	}
	p := process{id: began, age: -1}
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) == nil {
		p.age = max(0, time.Duration(up.Nano())-time.Duration(began)*(time.Second/ticksPerSecond))
	}
	return p, yes
}

// mayRecordInto reports whether a process records into a directory.
func mayRecordInto(pid int, p process, dir string) tristate {
	writes := writesInto(pid, dir)
	if writes == yes {
		return yes
	}
	var info unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME|unix.STATX_MTIME|unix.STATX_UID, &info) != nil {
		return unsure
	}
	made := info.Btime
	if info.Mask&unix.STATX_BTIME == 0 {
		made = info.Mtime
	}
	if p.youngerThan(time.Unix(made.Sec, int64(made.Nsec))) {
		return no
	}
	if uid, ok := ownerOf(pid); ok && uid != info.Uid {
		return no
	}
	if writes == no {
		return unsure
	}
	return yes
}

// writesInto reports whether a process has a chunk in a directory open.
func writesInto(pid int, dir string) tristate {
	f, err := os.Open(procPath(pid, "fd"))
	if err != nil {
		return unsure
	}
	defer f.Close()
	writes := no
	_ = eachName(f, func(name string) { // what is there counts
		fd := procPath(pid, "fd/"+name)
		// A path may mean another file in this process; the file itself does not.
		path, err := os.Readlink(fd)
		if err != nil || !strings.HasSuffix(path, extension) {
			return
		}
		opened, err := os.Stat(fd)
		if err != nil {
			return
		}
		if chunk, err := os.Lstat(filepath.Join(dir, filepath.Base(path))); err == nil && os.SameFile(opened, chunk) {
			writes = yes
		}
	})
	return writes
}

// ownerOf returns the user that owns the files a process makes.
func ownerOf(pid int) (uid uint32, ok bool) {
	status, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return 0, false
	}
	_, line, _ := strings.Cut(string(status), "\nUid:")
	line, _, _ = strings.Cut(line, "\n")
	ids := strings.Fields(line)
	const forFiles = 3 // real, effective, saved, for files
	if len(ids) <= forFiles {
		return 0, false
	}
	id, err := strconv.ParseUint(ids[forFiles], 10, 32)
	return uint32(id), err == nil
}

func procPath(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// isRemote reports whether a path is on a file system whose changes by others cause no
// notifications: those of networks, and those of programs, such as folders shared with virtual
// machines and containers.
func isRemote(path string) bool {
	var info unix.Statfs_t
	if unix.Statfs(path, &info) != nil {
		return false
	}
	switch uint32(info.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC, unix.PROC_SUPER_MAGIC,
		gfs2, lustre, gpfs, vboxsf, vmhgfs:
		return true
	}
	return false
}

// Those of file systems that the library does not name.
const (
	gfs2   = 0x01161970
	lustre = 0x0bd00bd0
	gpfs   = 0x47504653
	vboxsf = 0x786f4256
	vmhgfs = 0xbacbacbc
)
