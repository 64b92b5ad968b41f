//go:build darwin || freebsd

package repository

import "golang.org/x/sys/unix"

// isRemote tells whether what others write to a file system is not told of here.
func isRemote(path string) bool {
	var info unix.Statfs_t
	return unix.Statfs(path, &info) == nil && uint64(info.Flags)&unix.MNT_LOCAL == 0
}
