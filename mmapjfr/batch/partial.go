package batch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// formatVersion is that of the bytes of partial results; docs/BATCH.md describes them.
const formatVersion = 1

// magic begins the bytes of a partial result. Its last byte is the version.
const magic = "mjfrbatc\x01"

var (
	// ErrFormat matches errors about bytes that are no partial result, or damaged ones.
	ErrFormat = errors.New("not a partial result of a batch")
	// ErrMixed matches errors of [Partial.Merge] about partial results that do not belong together: of different questions
	// or keys, or with some bytes of an object in several, or with several versions of one.
	ErrMixed = errors.New("partial results that do not belong together")
)

// Question is what is asked of recordings.
type Question interface {
	// Text is the question as text: questions of the same text have the same answers.
	Text() string
	// New returns the answer of no recordings.
	New() Answer
	// Unmarshal returns the answer that [Answer.MarshalBinary] has written.
	Unmarshal(data []byte) (Answer, error)
}

// Answer is what a question finds in recordings.
type Answer interface {
	// Add adds what there is in a range of a recording. It reports what cannot be read by in.OnError. An error means
	// that the question cannot be answered.
	Add(in *Input) error
	// Merge adds another answer of the same question, which must not be used afterwards.
	Merge(o Answer) error
	// MarshalBinary returns the answer as bytes. Equal answers have equal bytes.
	MarshalBinary() ([]byte, error)
}

// Partial is what a question finds in items.
type Partial struct {
	// Question is the text of the question.
	Question string `json:"question"`
	// Note is whatever the program has added, such as its command line. It belongs to the question.
	Note []string `json:"note,omitempty"`
	// Key is that of the items.
	Key []Label `json:"key,omitempty"`
	// Parts are the ranges of objects that have been read, in their order.
	Parts []Part `json:"parts"`
	// Damage is what could not be read, in the order of the objects, each once.
	Damage []Damage `json:"damage,omitempty"`
	// Start and End are when the first recording began and the last one ended, in nanoseconds since 1970; 0 without
	// recordings. Zone is the offset from UTC, in seconds, of the first one.
	Start int64 `json:"start,omitempty"`
	End   int64 `json:"end,omitempty"`
	Zone  int   `json:"zone,omitempty"`
	// Answer is what has been found.
	Answer Answer `json:"-"`
}

// Damage is something that could not be read.
type Damage struct {
	Object string `json:"object"`
	Error  string `json:"error"`
	// Unread is set if nothing of the object was read, and Note if nothing is wrong: the object is a recording
	// that has no end yet, for example.
	Unread bool `json:"unread,omitempty"`
	Note   bool `json:"note,omitempty"`
	// Again is set if the object could not be fetched, which may succeed another time: the item is done again.
	Again bool `json:"again,omitempty"`
}

// isFinal reports whether nothing would be different if the item were done again.
func (p *Partial) isFinal() bool {
	return !slices.ContainsFunc(p.Damage, func(d Damage) bool { return d.Again })
}

// Objects returns how many objects have been read, or should have been.
func (p *Partial) Objects() (n int) {
	for i := range p.Parts {
		if i == 0 || p.Parts[i].Object != p.Parts[i-1].Object {
			n++
		}
	}
	return n
}

// Times returns Start and End, and Start is in the time zone of the first recording.
func (p *Partial) Times() (start, end time.Time) {
	zone := time.UTC
	if p.Zone != 0 {
		zone = time.FixedZone(time.Unix(0, 0).In(time.FixedZone("", p.Zone)).Format("-07:00"), p.Zone)
	}
	return time.Unix(0, p.Start).In(zone), time.Unix(0, p.End)
}

// sees notes that there is a recording of a time.
func (p *Partial) sees(start, end int64, zone int) {
	switch {
	case start == 0 && end == 0:
		return
	case p.Start == 0 && p.End == 0:
		p.Start, p.End, p.Zone = start, end, zone
		return
	case start < p.Start || start == p.Start && zone < p.Zone:
		p.Start, p.Zone = start, zone
	}
	p.End = max(p.End, end)
}

// tidy sorts parts and damage, and leaves out damage that several items have found.
func (p *Partial) tidy() {
	slices.SortFunc(p.Parts, Part.compare)
	slices.SortFunc(p.Damage, func(a, b Damage) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Error, b.Error))
	})
	p.Damage = slices.Compact(p.Damage)
}

// MarshalBinary returns the partial result as bytes. Equal ones have equal bytes.
func (p *Partial) MarshalBinary() ([]byte, error) {
	p.tidy()
	head, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	answer, err := p.Answer.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint([]byte(magic), uint64(len(head)))
	b = append(append(b, head...), answer...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// Unmarshal returns the partial result that [Partial.MarshalBinary] has written. Without a question it has no
// answer.
func Unmarshal(data []byte, q Question) (*Partial, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(data) < len(magic)+sha256.Size {
		return nil, fmt.Errorf("%w: it begins with other bytes, or with those of another version", ErrFormat)
	}
	body := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil, fmt.Errorf("%w: it is not complete, or has been changed", ErrFormat)
	}
	rest = rest[:len(rest)-sha256.Size]
	n, size := binary.Uvarint(rest)
	if size <= 0 || n > uint64(len(rest)-size) {
		return nil, fmt.Errorf("%w: its head is beyond its end", ErrFormat)
	}
	p := &Partial{}
	if err := json.Unmarshal(rest[size:][:n], p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if q == nil {
		return p, nil
	}
	if p.Question != q.Text() {
		return nil, fmt.Errorf("%w: it answers %s", ErrMixed, p.Question)
	}
	var err error
	p.Answer, err = q.Unmarshal(rest[size:][n:])
	return p, err
}

// Merge adds another partial result with other parts, which must not be used afterwards. If it has no other parts, it
// is left as it is: the work was done twice. The error matches [ErrMixed] if they do not belong together.
func (p *Partial) Merge(o *Partial) error {
	if p.Question != o.Question || !slices.Equal(p.Note, o.Note) || !slices.Equal(p.Key, o.Key) {
		return fmt.Errorf("%w: they answer different questions", ErrMixed)
	}
	p.tidy()
	o.tidy()
	if slices.Equal(p.Parts, o.Parts) {
		return nil
	}
	if err := disjoint(p.Parts, o.Parts); err != nil {
		return err
	}
	if err := p.Answer.Merge(o.Answer); err != nil {
		return err
	}
	p.Parts, p.Damage = append(p.Parts, o.Parts...), append(p.Damage, o.Damage...)
	p.sees(o.Start, o.End, o.Zone)
	p.tidy()
	return nil
}

// disjoint returns an error if sorted lists have some bytes of an object in both, or two versions of it.
func disjoint(a, b []Part) error {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		switch c := strings.Compare(x.Object, y.Object); {
		case c < 0:
			i++
		case c > 0:
			j++
		case x.Version != y.Version:
			return fmt.Errorf("%w: there are two versions of %s; read all of it again, into another folder", ErrMixed, x.Object)
		case x.To != 0 && x.To <= y.From:
			i++
		case y.To != 0 && y.To <= x.From:
			j++
		default:
			return fmt.Errorf("%w: %s has been read for two lists of objects, or divided in two ways; use a folder for each", ErrMixed, x.Object)
		}
	}
	return nil
}
