//go:build !unix

package atomicfile

// umask returns nothing: files have the rights of their folder.
func umask() int { return 0 }

func setUmask(int) {}
