//go:build darwin || freebsd

package repository

import "golang.org/x/sys/unix"

// isRemote reports whether a path is on a file system whose changes by others cause no
// notifications.
func isRemote(path string) bool {
	var info unix.Statfs_t
	return unix.Statfs(path, &info) == nil && uint64(info.Flags)&unix.MNT_LOCAL == 0
}
