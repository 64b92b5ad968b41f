package mmapjfr

import "os"

// DropPages tells the operating system that the bytes of the recording from one offset
// to another will not be read soon. Where the file is mapped, and the system knows
// how, whole pages of them are taken from the program until it reads them again: they
// stay in the system's cache of the file. It is for those who go through a large
// recording once, so that its size does not become that of the program, and is then
// quicker than to give back all of the map at once. Nothing that was read before
// becomes invalid. It does nothing after Close.
func (r *Recording) DropPages(from, to uint64) {
	if r.use() != nil {
		return
	}
	defer r.done()
	page := uint64(os.Getpagesize())
	first, end := (from+page-1)&^(page-1), min(to, uint64(len(r.mapping.data)))&^(page-1)
	if r.mapping.unmap != nil && from <= to && first < end {
		release(r.mapping.data[first:end])
	}
}
