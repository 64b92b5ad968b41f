//go:build !unix && !windows

package mmapjfr

// promised tells nothing: these systems cannot be asked.
func promised(int64) error { return nil }

// noRoom tells nothing: these systems map no files.
func noRoom(error) bool { return false }
