//go:build !unix

package atomicfile

// addUmask does nothing: files have the rights of their folder.
func addUmask(int) (restore func()) { return func() {} }
