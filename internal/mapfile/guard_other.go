//go:build !unix

package mapfile

import "io/fs"

// Guard does nothing on this system, and returns false.
func Guard([]byte, bool) bool { return false }

// Allocated returns how many bytes a file may take on the disk.
func Allocated(info fs.FileInfo) int64 { return info.Size() }
