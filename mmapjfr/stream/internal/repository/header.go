package repository

import (
	"io/fs"
	"os"

	"github.com/mmapjfr/jfr/internal/wire"
)

// readHeader reads the header of a chunk, which info, that of the path itself,
// describes. It is false if there is none, or not yet.
func readHeader(path string, info fs.FileInfo) (wire.Header, bool) {
	if !info.Mode().IsRegular() || info.Size() < wire.HeaderLen {
		return wire.Header{}, false
	}
	f, err := openFile(path)
	if err != nil {
		return wire.Header{}, false
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return wire.Header{}, false // it is another one by now
	}
	var head [wire.HeaderLen]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return wire.Header{}, false
	}
	h, ok := wire.ReadHeader(head[:])
	return h, ok && h.StartNanos > 0
}
