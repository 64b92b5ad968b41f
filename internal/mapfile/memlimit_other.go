//go:build !unix && !windows

package mapfile

// askForMemory returns nil: these systems cannot be asked.
func askForMemory(int64) error { return nil }

// isOutOfMemory reports false: these systems map no files.
func isOutOfMemory(error) bool { return false }
