package mmapjfr

import (
	"runtime/debug"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// window is a copy of some bytes of a mapped chunk: of the event that a reader has come to,
// and of events after it.
//
// A mapped file can be cut or overwritten at any moment, and a read of what has gone is a
// fault. Each reader of the map is therefore ready for one, which takes two calls of
// debug.SetPanicOnFault, a defer and a recover: about 5 ns. An accessor that does this for each
// value takes up to 1.7 times as long as one that does not, and nothing an iteration could do
// beforehand makes it unnecessary: its loop runs user code, which a panic must not pass
// through, and with iter.Pull even in another goroutine. So readers copy what they come to,
// many events under one trap, for about 1 ns each. Memory of our own does not fault: what lies
// in the event itself is decoded from the copy, without a trap. What an event refers to is
// read from the map, with one.
//
// An event whose bytes have been copied can be read whatever becomes of the file, unless the
// recording is closed or known to have changed: then it answers as if nothing were there.
type window struct {
	b        []byte
	from, to uint64 // in the chunk
}

const (
	// maxWindow is how many bytes a window holds at most.
	maxWindow = 8 << 10
	// maxOwned is the size of the largest event that is copied.
	maxOwned = 1 << 10
	// windowSlack is how many bytes after an event may be looked at: that makes laying out
	// faster. Their values do not matter.
	windowSlack = 64
)

// holds reports whether the event is in the window.
func (w *window) holds(rec *index.EventHeader) bool {
	return rec.Offset >= w.from && rec.End() <= w.to
}

// at returns the bytes of an event that is in the window, and some bytes after it.
func (w *window) at(rec *index.EventHeader) []byte { return w.b[rec.Offset-w.from:] }

// move makes the window begin at an event, and end at that offset or before. It is false if
// the event cannot be copied. Where events are read one after another the window grows to
// maxWindow; where few of them are wanted it holds just one.
func (w *window) move(c *chunk, rec *index.EventHeader, end uint64) bool {
	if rec.Size > maxOwned {
		return false
	}
	if w.b == nil {
		w.b = make([]byte, maxWindow+windowSlack)
	}
	length := uint64(rec.Size)
	if rec.Offset >= w.from && rec.Offset <= w.to+length {
		length = max(length, 2*(w.to-w.from))
	}
	from, to := rec.Offset, min(rec.Offset+min(length, maxWindow), max(end, rec.End()))
	w.from, w.to = from, from
	if !c.copied(w.b, from, to) {
		return false
	}
	w.to = to
	return true
}

// copied copies bytes of the chunk. It is false if they cannot all be read: this is no news
// to anybody yet, because those that are wanted may be there.
func (c *chunk) copied(dst []byte, from, to uint64) (ok bool) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			if fault, ok := p.(interface{ Addr() uintptr }); !ok || c.rec.mapped(fault.Addr()) != theFile {
				panic(p)
			}
		}
	}()
	if to > uint64(len(c.data)) {
		return false
	}
	wire.StepBytes(copy(dst, c.data[from:to]))
	return true
}
