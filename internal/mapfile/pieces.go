package mapfile

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mmapjfr/jfr/internal/guardpage"
)

// Pieces reads pieces of a mapped file into memory of the program, for work that goes over the file once.
// Each fresh page of a map costs between 0.1 and 2.5 microseconds, by the machine; memory that is used
// again costs nothing but the copy. What is read again is better read from the map: its pages stay.
// Any number of goroutines may use Pieces; a nil one has no bytes.
type Pieces struct {
	file *os.File
	data []byte // the map

	mu   sync.Mutex
	last *Pass // as was measured last; nil before
}

// OpenPieces opens the file of a mapping at a path. It returns nil if the bytes are not mapped, or if
// another file is at the path by now.
func (m *Mapping) OpenPieces(path string) *Pieces {
	if !m.IsMapped() || m.info == nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !isSame(info, m.info) {
		_ = f.Close() // only read
		return nil
	}
	return &Pieces{file: f, data: m.data}
}

// CopyTo copies n bytes of the mapped file, from an offset on, to what is most often another file, and returns how many
// it has written. On Linux the system copies them and no page of the map is touched, at a third of the cost of writing
// from the map. It writes less without an error where it cannot do that, because another file is at the path by now or the
// file was cut: the rest is the caller's to write, from the map.
func (m *Mapping) CopyTo(dst io.ReaderFrom, path string, from, n int64) (written int64, err error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	p := m.OpenPieces(path)
	if p == nil {
		return 0, nil
	}
	defer func() { _ = p.Close() }() // only read
	if at, _ := p.file.Seek(from, io.SeekStart); at != from {
		return 0, nil
	}
	return dst.ReadFrom(io.LimitReader(p.file, n))
}

// isSame reports whether a file has not been replaced or changed.
func isSame(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Close closes the file.
func (p *Pieces) Close() error {
	if p == nil {
		return nil
	}
	return p.file.Close()
}

func (p *Pieces) read(dst []byte, from uint64) (ok bool) {
	n, _ := p.file.ReadAt(dst, int64(from))
	return n == len(dst)
}

// Way says how passes read.
type Way uint32

// The ways. Measured is the faster one of the others.
const (
	Measured Way = iota
	ByMap
	ByRead
)

var forced atomic.Int64

// Builds that check themselves read all passes by pieces if the environment asks for that: views of bytes that
// are gone are found then.
func init() {
	if guardpage.Enabled && os.Getenv("JFR_PASSES") == "read" {
		Force(ByRead)
	}
}

// Force makes all passes that begin from now on read in one way, for tests and benchmarks.
func Force(w Way) { forced.Store(int64(w)) }

const (
	// trialBytes is how many bytes are touched, and as many read, to see what is faster, in pieces of
	// trialPiece bytes, which are read in parts of trialRead.
	trialBytes = 2 << 20
	trialPiece = 512 << 10
	trialRead  = 128 << 10
	// leastForTrial is how many bytes are worth a trial, which takes some 500 microseconds.
	leastForTrial = 32 << 20
	// slowRead is how long reading that many bytes from memory never takes.
	slowRead = 3 * time.Millisecond
	// aheadBytes is how many bytes are read from the disk while those before them are worked on.
	aheadBytes = 16 << 20
)

// Pass is a work that goes over bytes of a file once. A nil one reads the map.
type Pass struct {
	pieces *Pieces // nil if the map is faster
	ahead  *Pieces // nil if the bytes are in memory
}

// IsWorthTrying reports whether Begin would try anything in a file of that size.
func IsWorthTrying(size uint64) bool { return size >= leastForTrial || Way(forced.Load()) == ByRead }

// Begin returns a pass over the bytes between two offsets. It measures whether reading them takes less time
// than touching their pages in the map, and whether they are on the disk, with bytes that lie all over the
// range. Pages that the map has already are touched at once. For few bytes it takes what was measured
// before, or what holds for the whole file.
func (p *Pieces) Begin(from, to uint64) *Pass {
	if p == nil {
		return nil
	}
	switch Way(forced.Load()) {
	case ByRead:
		return &Pass{pieces: p}
	case ByMap:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if to = min(to, uint64(len(p.data))); to < from+leastForTrial {
		if p.last != nil {
			return p.last
		}
		from, to = 0, uint64(len(p.data))
	}
	if to < from+leastForTrial {
		p.last = new(Pass)
	} else {
		p.last = p.choose(p.measure(from, to))
	}
	return p.last
}

// choose returns the pass for what touching and reading trialBytes take.
func (p *Pieces) choose(touch, read time.Duration) *Pass {
	var pass Pass
	if read < touch*3/4 { // pages of the map are of use later, too
		pass.pieces = p
	}
	if read > slowRead {
		pass.ahead = p
	}
	return &pass
}

// measure returns how long it takes to touch trialBytes of the map, and to read as many; 0 if the file has
// been cut.
func (p *Pieces) measure(from, to uint64) (touch, read time.Duration) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			if _, ok := cause.(interface{ Addr() uintptr }); !ok {
				panic(cause)
			}
			touch, read = 0, 0
		}
	}()
	buf := make([]byte, trialRead)
	for i := range buf {
		buf[i] = 1 // so that the memory is there
	}
	step := (to - from) / (2 * trialBytes / trialPiece)
	for at := from; at+step+trialPiece <= to; at += 2 * step {
		start := time.Now()
		for i := uint64(0); i < trialPiece; i += trialRead {
			if !p.read(buf, at+i) {
				return 0, 0
			}
		}
		middle := time.Now()
		p.touch(at+step, at+step+trialPiece)
		read, touch = read+middle.Sub(start), touch+time.Since(middle)
		if read > slowRead {
			break // it is on the disk, which takes longer than either
		}
	}
	return touch, read
}

// Reads reports whether Read is to be used, and not the map.
func (p *Pass) Reads() bool { return p != nil && p.pieces != nil }

// Read fills dst with the bytes from an offset on. It is false if they cannot all be read: then the map says
// what is wrong.
func (p *Pass) Read(dst []byte, from uint64) (ok bool) { return p.pieces.read(dst, from) }

// Reaches says that the work has come to the bytes between two offsets, so that the system reads those after
// them from the disk.
func (p *Pass) Reaches(from, to uint64) {
	const step = aheadBytes / 2
	if p != nil && p.ahead != nil && from/step != to/step {
		page := uint64(os.Getpagesize())
		if begin, end := to&^(page-1), min(to+aheadBytes, uint64(len(p.ahead.data))); begin < end {
			readAhead(p.ahead.data[begin:end])
		}
	}
}

// touched is what has been touched, which the compiler would leave out otherwise.
var touched atomic.Uint32

// touch reads a byte of each page.
func (p *Pieces) touch(from, to uint64) {
	sum, page := byte(0), uint64(os.Getpagesize())
	for at := from; at < to; at += page {
		sum += p.data[at]
	}
	touched.Add(uint32(sum))
}
