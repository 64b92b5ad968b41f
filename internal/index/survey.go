package index

import (
	"bytes"
	"math"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Headers of chunks are a list in which each leads to the next, so where bytes are fetched they
// take a request each, one after the other. A survey follows the list from several places at once.
// Where it begins in the middle of a recording, it looks for a header by its first bytes. Nothing
// that it finds is believed: it fetches bytes that the index then reads in their order, so a wrong
// guess costs requests and changes nothing.

const (
	// surveyAfter is how many chunks must be known: the next ones are taken to be as long as these.
	surveyAfter = 8
	// A survey has at least fewStrands, because it saves little otherwise, and at most mostStrands.
	fewStrands, mostStrands = 4, 32
	// searchReach is how many times the size of a chunk a strand fetches until it gives up.
	searchReach = 2
	// searchSteps is how many requests there are for the size of a chunk.
	searchSteps = 4
)

// survey follows headers from several places.
type survey struct {
	x    *Index
	step uint64          // how many bytes are fetched at once to look for a header
	seen map[uint64]bool // where headers are that a strand follows
}

// strand is one of the places.
type strand struct {
	at    uint64 // where a header should be, or where it looks for one
	limit uint64 // where it gives up looking; 0 if it follows headers
	first uint64 // the header that it has found, as long as the next one was not read: it may be none
	then  uint64 // the limit if it is none
}

// survey fetches the headers from an offset on, if that is faster from several places.
//
// A strand fetches some half of a chunk until it finds a header, and n strands take one part in n
// of the time. As a request takes as long as smallChunk bytes do, the best n is the root below.
func (x *Index) survey(offset uint64) {
	known := len(x.chunks)
	if known < surveyAfter || x.ahead.surveyed || offset >= uint64(len(x.data)) {
		return
	}
	rest := uint64(len(x.data)) - offset
	size := (offset - x.chunks[known-surveyAfter].offset) / surveyAfter
	chunks := rest / size
	n := min(uint64(math.Sqrt(float64(2*chunks*smallChunk)/float64(size))), mostStrands)
	if n < fewStrands {
		return
	}
	x.ahead.surveyed = true
	strands := []strand{{at: offset}}
	for i := uint64(1); i < n; i++ {
		at := offset + rest/n*i
		strands = append(strands, strand{at: at, limit: at + searchReach*size})
	}
	s := survey{x, size / searchSteps, make(map[uint64]bool)}
	s.run(strands, 2*chunks+searchReach*searchSteps*n)
}

// run lets strands go on, each by one request at a time, until one is left, which is no faster than
// the index itself. There are that many requests at most: a file can have headers that lead
// nowhere.
func (s *survey) run(strands []strand, requests uint64) {
	for len(strands) > 1 && requests >= uint64(len(strands)) {
		requests -= uint64(len(strands))
		for _, one := range strands {
			from, to := s.needs(one)
			s.x.source.Ahead(from, to)
		}
		alive := strands[:0]
		for _, one := range strands {
			from, to := s.needs(one)
			s.x.need(from, to)
			if one, ok := s.next(one, s.x.data[from:to]); ok && one.at+wire.HeaderLen <= uint64(len(s.x.data)) {
				alive = append(alive, one)
			}
		}
		strands = alive
	}
}

// needs returns the bytes that a strand reads next.
func (s *survey) needs(one strand) (from, to uint64) {
	to = one.at + wire.HeaderLen
	if one.limit > 0 {
		to = one.at + s.step + wire.HeaderLen
	}
	return one.at, min(to, uint64(len(s.x.data)))
}

// next reads what a strand has fetched, and returns where it goes on; false if it ends.
func (s *survey) next(one strand, data []byte) (strand, bool) {
	if one.limit == 0 {
		if h, ok := s.header(data, one.at); ok {
			return s.follow(one.at, h, strand{})
		}
		// What was found may have been no header: then the search goes on.
		return strand{at: one.first + 1, limit: one.then}, one.first > 0 && one.first+1 < one.then
	}
	for i := 0; ; i++ {
		found := bytes.Index(data[i:], []byte(wire.Magic))
		if found < 0 {
			break
		}
		i += found
		at := one.at + uint64(i)
		if h, ok := s.header(data[i:], at); ok && !followsLength(data[:i]) {
			return s.follow(at, h, strand{first: at, then: one.limit})
		}
	}
	one.at += max(s.step, 1) // the bytes of a header after that are read again
	return one, one.at < one.limit
}

// header returns the header that bytes begin with; false if it is none of a chunk for which a
// survey is of use.
func (s *survey) header(data []byte, at uint64) (wire.Header, bool) {
	h, ok := wire.ReadHeader(data)
	return h, ok && h.Plausible() && h.Size > s.x.ahead.small && h.Size < uint64(len(s.x.data))-at
}

// follow lets a strand go on after a header; false if another one has been there.
func (s *survey) follow(at uint64, h wire.Header, one strand) (strand, bool) {
	if s.seen[at] {
		return one, false
	}
	s.seen[at] = true
	one.at = at + h.Size
	return one, true
}
