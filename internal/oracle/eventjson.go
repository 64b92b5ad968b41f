package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// EventText is one event of jfr print --json. Text is overwritten when the next
// event is asked for.
type EventText struct {
	Type string
	Text []byte // canonical
}

const (
	eventsOpen  = `{"recording":{"events":[`
	eventsClose = `]}}`
)

var errEventJSON = errors.New("oracle: not the output of jfr print --json")

// SplitEvents returns the events in the output of jfr print --json, in its order.
// It reads r in pieces and holds one event at a time. The last pair has an error if
// reading fails, if the output ends early or is not of the expected form.
func SplitEvents(r io.Reader) iter.Seq2[EventText, error] {
	return func(yield func(EventText, error) bool) {
		s := eventSplitter{names: map[string]string{}}
		if err := s.run(r, yield); err != nil {
			yield(EventText{}, err)
		}
	}
}

// Canonical appends JSON text to dst without the white space outside its strings.
func Canonical(dst, text []byte) []byte {
	var s squeezer
	return s.squeeze(dst, text)
}

// squeezer removes white space outside strings from a text that arrives in pieces.
type squeezer struct {
	inString bool
	escaped  bool // the byte before was the backslash of an escape
}

func (s *squeezer) squeeze(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		if !s.inString && b[i] <= ' ' {
			i++
			continue
		}
		start := i
		for i < len(b) && (s.inString || b[i] > ' ') {
			i += s.step(b[i:])
		}
		dst = append(dst, b[start:i]...)
	}
	return dst
}

// step goes over one byte outside a string, or to the end of the string that b
// begins in, and returns how many bytes that were.
func (s *squeezer) step(b []byte) int {
	if !s.inString {
		s.inString = b[0] == '"'
		return 1
	}
	end := -1 // where the next quote is
	for i := 0; i < len(b); {
		if s.escaped {
			s.escaped = false
			i++
			continue
		}
		if end < i {
			if end = bytes.IndexByte(b[i:], '"'); end < 0 {
				end = len(b)
			} else {
				end += i
			}
		}
		escape := bytes.IndexByte(b[i:end], '\\')
		if escape >= 0 {
			s.escaped = true
			i += escape + 1
			continue
		}
		if end < len(b) {
			s.inString = false
			end++
		}
		return end
	}
	return len(b)
}

type eventSplitter struct {
	squeezer
	frame []byte // canonical bytes around the events
	event []byte // canonical bytes of the event that is being read
	depth int    // open braces and brackets of the event
	needs byte   // what has to come between events: 0, ',' or '{'
	names map[string]string
}

func (s *eventSplitter) run(r io.Reader, yield func(EventText, error) bool) error {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		more, serr := s.feed(buf[:n], yield)
		if serr != nil || !more {
			return serr
		}
		switch {
		case err == io.EOF:
			return s.end()
		case err != nil:
			return fmt.Errorf("oracle: reading events: %w", err)
		}
	}
}

func (s *eventSplitter) end() error {
	if string(s.frame) != eventsOpen+eventsClose {
		return fmt.Errorf("%w: %w", errEventJSON, io.ErrUnexpectedEOF)
	}
	return nil
}

// feed takes the next piece of output. It reports false if the consumer is done.
func (s *eventSplitter) feed(b []byte, yield func(EventText, error) bool) (bool, error) {
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case s.depth > 0, c == '{' && len(s.frame) == len(eventsOpen) && s.needs != ',':
			i += s.inEvent(b[i:])
			if s.depth > 0 {
				continue
			}
			name, err := s.typeName()
			if err != nil {
				return false, err
			}
			if !yield(EventText{name, s.event}, nil) {
				return false, nil
			}
			s.event = s.event[:0]
			s.needs = ','
		case c <= ' ':
			i++
		default:
			if err := s.between(c); err != nil {
				return false, err
			}
			i++
		}
	}
	return true, nil
}

// between takes one byte that is not white space and not part of an event.
func (s *eventSplitter) between(c byte) error {
	switch {
	case len(s.frame) == len(eventsOpen) && c == ',' && s.needs == ',':
		s.needs = '{'
		return nil
	case s.needs == '{':
	case len(s.frame) < len(eventsOpen)+len(eventsClose) && c == (eventsOpen + eventsClose)[len(s.frame)]:
		s.frame = append(s.frame, c)
		return nil
	}
	return fmt.Errorf("%w: unexpected %q between events", errEventJSON, c)
}

// kind of a byte outside strings.
const (
	plain = iota
	space
	quote
	opening
	closing
)

var kinds = func() (k [256]byte) {
	for c := range ' ' + 1 {
		k[c] = space
	}
	k['"'] = quote
	k['{'], k['['] = opening, opening
	k['}'], k[']'] = closing, closing
	return k
}()

// inEvent appends the canonical bytes of b to the event, as far as it goes, and
// returns how many bytes of b belong to it. The event is complete if depth is 0.
// This is squeeze with the counting of braces; jfr writes gigabytes, so the loop
// copies runs and not bytes.
func (s *eventSplitter) inEvent(b []byte) int {
	start, i := 0, 0
	for i < len(b) {
		if s.inString {
			i += s.step(b[i:])
			continue
		}
		switch kinds[b[i]] {
		case quote:
			s.inString = true
		case opening:
			s.depth++
		case closing:
			s.depth--
			if s.depth == 0 {
				s.event = append(s.event, b[start:i+1]...)
				return i + 1
			}
		case space:
			s.event = append(s.event, b[start:i]...)
			for i++; i < len(b) && b[i] <= ' '; i++ {
			}
			start = i
			continue
		}
		i++
	}
	s.event = append(s.event, b[start:]...)
	return len(b)
}

// typeName returns the type of the complete event, unescaped.
func (s *eventSplitter) typeName() (string, error) {
	rest, ok := bytes.CutPrefix(s.event, []byte(`{"type":`))
	var in squeezer
	if !ok || rest[0] != '"' {
		return "", fmt.Errorf("%w: an event without a type: %.100q", errEventJSON, s.event)
	}
	in.inString = true
	quoted := rest[:1+in.step(rest[1:])]
	if name, ok := s.names[string(quoted)]; ok {
		return name, nil
	}
	var name string
	if err := json.Unmarshal(quoted, &name); err != nil {
		return "", fmt.Errorf("%w: type %.100q: %w", errEventJSON, quoted, err)
	}
	name = strings.Clone(name)
	s.names[string(quoted)] = name
	return name, nil
}
