package jvmstats

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// How many events are kept as text, and how many bytes of each.
const (
	pickedLen, pickedBytes = 50, 16 << 10
	fewLen, fewBytes       = 4, 4 << 10
)

// textDepth is how many frames of a stack trace are in a text.
const textDepth = 20

// scratchBytes is how much memory is kept for the next text.
const scratchBytes = 1 << 20

// texts are the last events of the type that was picked, and a few of all others: as
// many as come first after each flush, so that something is there when a type that has
// few events is picked, and types that have very many cost nothing.
type texts struct {
	printer *print.Printer // of the stream's goroutine
	scratch []byte
	flushes uint64

	mu     sync.Mutex // of what follows, and of what is in the tails
	tails  map[string]*tail
	picked string
}

// tail is the last events of a type, the oldest first.
type tail struct {
	lines [][]byte
	// picked says that the type is the one that was picked.
	picked atomic.Bool
	// taken is how many were kept since that flush.
	flush uint64
	taken int
}

func newTexts() texts {
	p, err := print.NewPrinter(print.Options{Format: print.Text, StackDepth: textDepth})
	if err != nil {
		panic(err) // only rows are refused
	}
	return texts{printer: p, tails: make(map[string]*tail)}
}

// of returns the tail of a type. There are as many as there are types.
func (x *texts) of(name string) *tail {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.tails[name]
	if t == nil {
		t = new(tail)
		x.tails[name] = t
	}
	t.picked.Store(name == x.picked)
	return t
}

// flush lets a few events of each type be kept again.
func (x *texts) flush() { x.flushes++ }

// offer keeps an event, if it is wanted.
func (x *texts) offer(k *kind, ev mmapjfr.Event) {
	t := k.texts
	if t == nil {
		return
	}
	picked := t.picked.Load()
	if t.flush != x.flushes {
		t.flush, t.taken = x.flushes, 0
	}
	if !picked && t.taken == fewLen {
		return
	}
	t.taken = min(t.taken+1, fewLen)
	x.scratch = x.printer.Append(x.scratch[:0], ev)
	x.mu.Lock()
	t.keep(x.scratch, picked)
	x.mu.Unlock()
	if cap(x.scratch) > scratchBytes {
		x.scratch = nil
	}
}

// keep adds a text, and drops the oldest if there are too many.
func (t *tail) keep(line []byte, picked bool) {
	most, bytes := fewLen, fewBytes
	if picked {
		most, bytes = pickedLen, pickedBytes
	}
	var place []byte
	if len(t.lines) >= most {
		place = t.lines[0][:0]
		t.lines = append(t.lines[:0], t.lines[len(t.lines)-most+1:]...)
	}
	t.lines = append(t.lines, appendCut(place, line, bytes))
}

// appendCut appends a text, of which it leaves out what is too much.
func appendCut(dst, line []byte, most int) []byte {
	if len(line) <= most {
		return append(dst, line...)
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return append(append(dst, line[:most]...), "…\n"...)
}

// pick chooses a type. What was kept of the one before is mostly dropped.
func (x *texts) pick(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if name == x.picked {
		return
	}
	if old := x.tails[x.picked]; old != nil {
		old.picked.Store(false)
		old.shrink()
	}
	x.picked = name
	if t := x.tails[name]; t != nil {
		t.picked.Store(true)
	}
}

// shrink leaves what is kept of types that were not picked.
func (t *tail) shrink() {
	last := t.lines[max(0, len(t.lines)-fewLen):]
	t.lines = nil
	for _, line := range last {
		t.lines = append(t.lines, appendCut(nil, line, fewBytes))
	}
}

// recent returns the type that was picked and its last events.
func (x *texts) recent() (name string, lines []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if t := x.tails[x.picked]; t != nil && x.picked != "" {
		for _, line := range t.lines {
			lines = append(lines, string(line))
		}
	}
	return x.picked, lines
}
