package jvmstats

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// These are the numbers of events that are kept as text, and the greatest length of a text in
// bytes.
const (
	pickedLen, pickedBytes = 50, 16 << 10
	fewLen, fewBytes       = 4, 4 << 10
)

// textDepth is the number of stack frames in a text.
const textDepth = 20

// scratchBytes is the greatest size of memory that is kept for the next text.
const scratchBytes = 1 << 20

// texts are the last events of the picked type, and the first few events of other types after each
// flush. So there is something to show when a type with few events is picked, and types with many
// events cost little.
type texts struct {
	printer *print.Printer // of the stream's goroutine
	scratch []byte
	flushes uint64

	mu     sync.Mutex // for the following, and for the contents of the tails
	tails  map[string]*tail
	picked string
}

// tail is the last events of a type, the oldest first.
type tail struct {
	lines [][]byte
	// picked is true if the type is picked.
	picked atomic.Bool
	// taken is the number of events that were kept since that flush.
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

// of returns the tail of a type, and makes it if necessary.
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

// flush makes room for a few events of each type again.
func (x *texts) flush() { x.flushes++ }

// offer keeps an event as text, if its type has not enough.
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
	t.add(x.scratch, picked)
	x.mu.Unlock()
	if cap(x.scratch) > scratchBytes {
		x.scratch = nil
	}
}

// add adds a text, and removes the oldest if there are too many.
func (t *tail) add(line []byte, picked bool) {
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

// appendCut appends the beginning of a text.
func appendCut(dst, line []byte, most int) []byte {
	if len(line) <= most {
		return append(dst, line...)
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return append(append(dst, line[:most]...), "…\n"...)
}

// pick picks a type. It removes most texts of the type before.
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

// shrink keeps only as many texts as of types that are not picked.
func (t *tail) shrink() {
	last := t.lines[max(0, len(t.lines)-fewLen):]
	t.lines = nil
	for _, line := range last {
		t.lines = append(t.lines, appendCut(nil, line, fewBytes))
	}
}

// recent returns the picked type and its last events.
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
