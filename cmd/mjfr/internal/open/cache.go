package open

import (
	"container/list"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// mostKept is how many bytes of answers are kept.
const mostKept = 32 << 20

// answers keeps answers by what was asked. The zero answers are empty.
type answers struct {
	mu    sync.Mutex
	known map[string]*list.Element // of *answer
	used  list.List                // what was asked last is first
	bytes int
}

// answer is the answer to a request.
type answer struct {
	asked string
	body  []byte
}

// writeBody writes an answer.
func writeBody(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	writeWithin(w, mostPatience, body)
}

// mostPatience is how long a browser may take to read an answer. One that does not read must not
// keep others waiting.
const mostPatience = time.Minute

// writeWithin writes an answer. The connection ends if that takes too long, or if nobody reads it
// any more.
func writeWithin(w http.ResponseWriter, patience time.Duration, body []byte) {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(patience)) // where there is a connection
	if _, err := w.Write(body); err == nil && c.Flush() == nil {
		_ = c.SetWriteDeadline(time.Time{})
	}
}

// find returns the answer to a question; nil if it is not known.
func (a *answers) find(asked string) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.known[asked]
	if e == nil {
		return nil
	}
	a.used.MoveToFront(e)
	return e.Value.(*answer).body
}

// add keeps an answer, and drops those that nobody has asked for the longest time.
func (a *answers) add(asked string, body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(asked)+len(body) > mostKept/4 || a.known[asked] != nil {
		return
	}
	if a.known == nil {
		a.known = map[string]*list.Element{}
	}
	a.known[asked] = a.used.PushFront(&answer{asked, body})
	for a.bytes += sizeOf(asked, body); a.bytes > mostKept; {
		last := a.used.Remove(a.used.Back()).(*answer)
		delete(a.known, last.asked)
		a.bytes -= sizeOf(last.asked, last.body)
	}
}

// clear drops all answers.
func (a *answers) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known, a.bytes = nil, 0
	a.used.Init()
}

// sizeOf returns how many bytes an answer takes together with its question, which is kept twice,
// and the list and the map.
func sizeOf(asked string, body []byte) int { return 2*len(asked) + len(body) + 256 }
