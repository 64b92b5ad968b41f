//go:build !linux && !darwin && !freebsd

package repository

// isRemote returns false: this system does not say.
func isRemote(string) bool { return false }
