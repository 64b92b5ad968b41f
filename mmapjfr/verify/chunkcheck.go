package verify

import (
	"sync"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/parallel"
)

// chunkCheck is a chunk that is being checked.
type chunkCheck struct {
	c *index.Chunk
	// types are nil if no event of the chunk can be read; found is nil if no constant can be.
	types *schema.TypeSet
	found *index.Constants
	time  chunkTime

	mu sync.Mutex // guards the fields below while the chunk is checked
	// next is where the first event begins that no worker has taken.
	next uint64
	// broken is why no event can be read there. If done is true, nothing is left.
	broken error
	done   bool
	// checkpoints are those that have been checked, by where they begin.
	checkpoints map[uint64]checkpoint
	// descriptions are the metadata events.
	descriptions []*metadataEvent
	counts
	findings
}

// counts is how much has been checked.
type counts struct {
	events, constants, references uint64
	// bytes is the number of bytes that have been reported as progress.
	bytes uint64
}

func (t *counts) add(u counts) {
	t.events += u.events
	t.constants += u.constants
	t.references += u.references
	t.bytes += u.bytes
}

// begin checks the header of a chunk and reads its types.
func (v *verifier) begin(c *index.Chunk) *chunkCheck {
	s := &chunkCheck{c: c, time: timeOf(c), next: c.FirstEvent(), checkpoints: make(map[uint64]checkpoint)}
	s.base, s.most = c.Offset(), v.max
	s.header()
	types, err := c.Types()
	if err != nil {
		s.noTypes(err)
		return s
	}
	s.types = types
	for _, typ := range types.Types {
		if _, err := typ.Plan(); err != nil {
			s.report(typeLayout, c.Header().Metadata, typ.Name, "%s", reason(err))
		}
	}
	return s
}

// findConstants takes the constants, which the index has found before.
func (s *chunkCheck) findConstants() {
	if k, err := s.c.Constants(); err == nil {
		s.found = k
	}
}

// part takes the headers of the events that begin in the next [parallel.PartSize] bytes; none
// if nothing is left. The last event may reach further.
func (s *chunkCheck) part(headers []index.EventHeader) []index.EventHeader {
	s.mu.Lock()
	defer s.mu.Unlock()
	headers = headers[:0]
	size := uint64(len(s.c.Data()))
	for end := min((s.next/parallel.PartSize+1)*parallel.PartSize, size); !s.done && s.next < end; {
		if len(headers) == cap(headers) {
			headers = append(headers, make([]index.EventHeader, max(1024, len(headers)))...)[:len(headers)]
		}
		n, next, err := s.c.ReadHeaders(s.next, end, headers[len(headers):cap(headers)])
		headers, s.next = headers[:len(headers)+n], next
		if err != nil {
			s.broken, s.done = err, true
		}
	}
	s.done = s.done || s.next >= size
	return headers
}

// hasParts reports whether a part may be left.
func (s *chunkCheck) hasParts() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.done
}

// work checks parts of a chunk until none are left.
func (v *verifier) work(w *walker, s *chunkCheck) {
	w.enter(s)
	for v.ctx.Err() == nil {
		w.headers = s.part(w.headers)
		if len(w.headers) == 0 {
			break
		}
		for i := range w.headers {
			w.check(&w.headers[i])
		}
		bytes := w.headers[len(w.headers)-1].End() - w.headers[0].Offset
		w.bytes += bytes
		v.progress(bytes)
	}
	w.leave()
}

// end checks what depends on all events.
func (s *chunkCheck) end() {
	w := newWalker(s.most)
	w.enter(s)
	s.afterDamage(w)
	w.leave()
	s.chain()
	s.metadata()
	s.descriptors()
}

// afterDamage reports why the walk over the events ended too early. It checks what can be found
// after that: checkpoints that the chain leads to, and the metadata that the header names.
func (s *chunkCheck) afterDamage(w *walker) {
	if s.broken == nil {
		return
	}
	s.brokenHeader()
	if s.found != nil {
		for _, cp := range s.found.Checkpoints() {
			s.check(w, cp.Offset)
		}
	}
	s.check(w, s.c.Header().Metadata)
}

// check checks the checkpoint or metadata event at an offset after the damage.
func (s *chunkCheck) check(w *walker, offset uint64) {
	var one [1]index.EventHeader
	if offset <= s.next {
		return
	}
	if n, _, err := s.c.ReadHeaders(offset, offset+1, one[:]); n == 1 && err == nil && !one[0].IsEvent() {
		w.check(&one[0])
	}
}

// brokenHeader reports the event header that ended the walk.
func (s *chunkCheck) brokenHeader() {
	rest := s.c.Data()[s.next:]
	size, n := s.c.IntEncoding().Count(rest)
	if s.endMissing() && (n == 0 || size > uint64(len(rest))) {
		return // size has reported that the end is missing
	}
	kind := eventSize
	if n > 0 && size == 0 {
		kind = zeroSize
	}
	if f := s.find(kind, s.next); f != nil {
		f.Text = reason(s.broken)
		if zeros := leadingZeros(rest); zeros > 1 {
			f.Text += plural(", the first of %d bytes of zeros", zeros)
		}
		f.Text += plural("; %d bytes of the chunk are after it", len(rest))
	}
}

func leadingZeros(b []byte) (n int) {
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}
