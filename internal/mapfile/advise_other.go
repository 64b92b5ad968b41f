//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package mapfile

func dropPages([]byte) {}

func readAhead([]byte) {}
