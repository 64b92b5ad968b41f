package mmapjfr

import "github.com/mmapjfr/jfr/index"

// Salvage makes Open and OpenBytes read whatever can be read of a recording that is not
// whole: of a virtual machine that was killed, of a file that lost its end, or with
// damage inside. [index.Salvage] says what is done for that, and [Recording.Salvaged]
// what was. Everything that is lost also comes out of the iteration, as an error that
// matches [ErrCorrupt], [ErrTruncated], [ErrUnfinished] or [ErrTrailing], once what can
// be read of its chunk has.
//
// All bytes are gone through once, before Open returns. Chunks that were not whole are
// never in a saved index.
func Salvage() Option {
	return func(o *options) error {
		o.salvage = true
		return nil
	}
}

// SalvageReport tells what it took to read a chunk that is not whole, and what is lost.
type SalvageReport = index.SalvageReport

// ByteRange is a range of bytes: it begins at From and ends before To.
type ByteRange = index.ByteRange

// Salvaged tells, for each chunk that is not whole, what it took to read it, and what is
// lost; nothing if all chunks are whole, or without the option [Salvage].
func (r *Recording) Salvaged() []SalvageReport {
	var list []SalvageReport
	for _, c := range r.index.Chunks() {
		if s := c.Salvaged(); s != nil {
			list = append(list, *s)
		}
	}
	return list
}
