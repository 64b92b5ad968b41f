package eventreader

import (
	"bytes"

	"github.com/mmapjfr/jfr/internal/wire"
)

// FindHeader returns the index of the first thing in data that looks like a chunk header, and
// begins before limit, or -1. Copies of headers in checkpoints are left out (index/FORMAT.md,
// section 6.2). With partial the last bytes may be the beginning of a header.
func FindHeader(data []byte, limit int, partial bool) int {
	return FindHeaderFrom(data, 0, limit, partial)
}

// FindHeaderFrom is FindHeader for headers that begin at an index or after it.
func FindHeaderFrom(data []byte, from, limit int, partial bool) int {
	for ; from < limit; from++ {
		i := bytes.Index(data[from:], []byte(wire.Magic))
		if i < 0 || from+i >= limit {
			return -1
		}
		from += i
		rest := data[from:]
		if isCopy(data[:from]) {
			continue
		}
		if IsHeader(rest) || partial && len(rest) < wire.HeaderLen {
			return from
		}
	}
	return -1
}

// isCopy reports whether a header after these bytes is the copy of one: an array with as many
// bytes as a header has, the only constant of its pool, with the key 1.
func isCopy(before []byte) bool {
	for _, head := range [...]string{"\x01\x01\x44", "\x01\x01\xc4\x80\x80\x00", "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x44"} {
		if bytes.HasSuffix(before, []byte(head)) {
			return true
		}
	}
	return false
}

// HidesChunk reports whether a chunk begins inside the events in data, as when the end of a
// chunk is missing and another one was joined to it: a header with events after it, as far as
// data reaches. That events are misread is only noticed some events later.
func HidesChunk(data []byte) bool {
	for range maxHidden {
		i := FindHeader(data, len(data), true)
		if i < 0 {
			return false
		}
		data = data[i:]
		h, ok := wire.ReadHeader(data)
		if !ok || onlyEvents(data[wire.HeaderLen:], h.IntEncoding()) {
			return true
		}
		data = data[1:]
	}
	return false
}

// maxHidden is how many headers HidesChunk looks at.
const maxHidden = 4

// onlyEvents reports whether data, whose end may be missing, can be events.
func onlyEvents(data []byte, form wire.IntEncoding) bool {
	for {
		size, n := form.Count(data)
		_, m := form.Long(data[n:])
		switch {
		case n == 0 || m == 0 || size >= uint64(len(data)):
			return true
		case size < uint64(n+m):
			return false
		}
		data = data[size:]
	}
}

// IsHeader reports whether b begins with a chunk header. No event can begin with the same bytes.
func IsHeader(b []byte) bool {
	h, ok := wire.ReadHeader(b)
	return ok && h.Plausible()
}
