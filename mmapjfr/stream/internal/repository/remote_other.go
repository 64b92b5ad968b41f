//go:build !linux && !darwin && !freebsd

package repository

// isRemote can not tell here.
func isRemote(string) bool { return false }
