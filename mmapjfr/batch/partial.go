package batch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// formatVersion is that of the bytes of partial results; docs/BATCH.md describes them.
const formatVersion = 6

// magic begins the bytes of a partial result. Its last byte is the version.
const magic = "mjfrbatc\x06"

var (
	// ErrFormat matches errors about bytes that are no partial result, or damaged ones.
	ErrFormat = errors.New("not a partial result of a batch")
	// ErrMixed matches errors of [Partial.Merge] about partial results that do not belong together: of different questions
	// or keys, or with some bytes of an object in several, or with several versions of one.
	ErrMixed = errors.New("partial results that do not belong together")
)

// Question is what is asked of recordings: a [*Profile], a [*Query] or an [*Export].
type Question interface {
	// Text is the question as text: questions of the same text have the same answers.
	Text() string

	// newAnswer returns the answer of no recordings, and unmarshal one from its bytes.
	newAnswer() answer
	unmarshal(data []byte) (answer, error)
	// isDivisible reports whether ranges of the chunks of a recording can be read by themselves,
	// maybe on several machines: what the question finds in them adds up. Otherwise one machine
	// reads all of a recording.
	isDivisible() bool
	// fits returns what there is to say of a recording.
	fits(in *section) []Fit
}

// answer is what a question finds in recordings. Equal answers have equal bytes.
type answer interface {
	encoding.BinaryMarshaler
	// add adds what there is in a range of a recording. It reports what cannot be read by
	// in.onError. An error means that the question cannot be answered.
	add(in *section) error
	// merge adds another answer of the same question, which must not be used afterwards.
	merge(o answer) error
}

// Partial is what a question finds in items.
type Partial struct {
	// Question is the text of the question.
	Question string
	// Note is whatever the program has added, such as its command line. It belongs to the question.
	Note []string
	// Key is that of the items.
	Key []Label
	// Start and End are when the first recording began and the last one ended, in nanoseconds since 1970; 0 without
	// recordings. Zone is the offset from UTC, in seconds, of the first one.
	Start int64
	End   int64
	Zone  int
	// Fits are what the recordings have of what the question names, see [Misfit].
	Fits []Fit

	answer answer
	parts  map[string][]Part // by object, in order
	damage []Damage
	chunks []chunkID
}

// head is what a partial result has besides its answer, as bytes have it.
type head struct {
	Question string   `json:"question"`
	Note     []string `json:"note,omitempty"`
	Key      []Label  `json:"key,omitempty"`
	Parts    []Part   `json:"parts"`
	Damage   []Damage `json:"damage,omitempty"`
	Start    int64    `json:"start,omitempty"`
	End      int64    `json:"end,omitempty"`
	Zone     int      `json:"zone,omitempty"`
	Fits     []Fit    `json:"fits,omitempty"`
	Chunks   []byte   `json:"chunks,omitempty"`
}

// isFinal reports whether nothing would be different if the item were done again.
func (p *Partial) isFinal() bool {
	return !slices.ContainsFunc(p.Damage(), func(d Damage) bool { return d.Again })
}

// ordered returns the elements of a list in order, each once.
func ordered[T comparable](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// byObject returns parts in order by their objects.
func byObject(list []Part) map[string][]Part {
	parts := make(map[string][]Part)
	for _, p := range ordered(list, Part.compare) {
		parts[p.Object] = append(parts[p.Object], p)
	}
	return parts
}

// Parts returns the ranges of objects that have been read, in their order.
func (p *Partial) Parts() (list []Part) {
	for _, object := range slices.Sorted(maps.Keys(p.parts)) {
		list = append(list, p.parts[object]...)
	}
	return list
}

// Damage returns what could not be read, and which chunks are in several objects, in the order of the objects, each once.
func (p *Partial) Damage() []Damage {
	return ordered(append(limited(p.damage), p.repeats()...), Damage.compare)
}

// Objects returns how many objects have been read, or should have been.
func (p *Partial) Objects() int { return len(p.parts) }

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

// MarshalBinary returns the partial result as bytes. Equal ones have equal bytes.
func (p *Partial) MarshalBinary() ([]byte, error) {
	head, err := json.Marshal(head{
		p.Question, p.Note, p.Key, p.Parts(), limited(p.damage), p.Start, p.End, p.Zone, p.Fits,
		encodeChunks(ordered(p.chunks, chunkID.compare)),
	})
	if err != nil {
		return nil, err
	}
	answer, err := p.answer.MarshalBinary()
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
	const version = len(magic) - 1
	if len(data) < len(magic)+sha256.Size || string(data[:version]) != magic[:version] {
		return nil, fmt.Errorf("%w: it begins with other bytes", ErrFormat)
	}
	if v := int(data[version]); v != formatVersion {
		return nil, otherVersion(v)
	}
	rest := data[len(magic):]
	body := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil, fmt.Errorf("%w: it is not complete, or has been changed", ErrFormat)
	}
	rest = rest[:len(rest)-sha256.Size]
	n, size := binary.Uvarint(rest)
	if size <= 0 || n > uint64(len(rest)-size) {
		return nil, fmt.Errorf("%w: its head is beyond its end", ErrFormat)
	}
	var h head
	if err := json.Unmarshal(rest[size:][:n], &h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p := &Partial{
		Question: h.Question, Note: h.Note, Key: h.Key, Start: h.Start, End: h.End, Zone: h.Zone, Fits: h.Fits,
		parts: byObject(h.Parts), damage: h.Damage, chunks: decodeChunks(h.Chunks),
	}
	if q == nil {
		return p, nil
	}
	if p.Question != q.Text() {
		return nil, fmt.Errorf("%w: it answers %s", ErrMixed, p.Question)
	}
	var err error
	p.answer, err = q.unmarshal(rest[size:][n:])
	return p, err
}

// Merge adds another partial result with other parts, which must not be used afterwards. If it has no other parts, it
// is left as it is: the work was done twice. The error matches [ErrMixed] if they do not belong together.
func (p *Partial) Merge(o *Partial) error {
	if p.Question != o.Question || !slices.Equal(p.Note, o.Note) || !slices.Equal(p.Key, o.Key) {
		return fmt.Errorf("%w: they answer different questions", ErrMixed)
	}
	if len(p.parts) == len(o.parts) && len(p.parts) > 0 && slices.Equal(p.Parts(), o.Parts()) {
		return nil
	}
	many, few := p.parts, o.parts
	if len(many) < len(few) {
		many, few = few, many
	}
	for object, list := range few {
		for _, part := range list {
			if err := part.isApart(many[object]); err != nil {
				return err
			}
		}
	}
	if err := p.answer.merge(o.answer); err != nil {
		return err
	}
	for object, list := range few {
		many[object] = append(many[object], list...)
		slices.SortFunc(many[object], Part.compare)
	}
	p.parts = many
	p.damage = append(p.damage, o.damage...)
	p.chunks = append(p.chunks, o.chunks...)
	p.Fits = MergeFits(p.Fits, o.Fits)
	p.sees(o.Start, o.End, o.Zone)
	return nil
}

// otherVersion returns the error for what another version of the program has written.
func otherVersion(v int) error {
	return fmt.Errorf("%w that this program reads: the format is %d, not %d; read the recordings again, into another folder", ErrFormat, v, formatVersion)
}

// isApart returns an error if a list in order has some bytes of a part, or another version of its object.
func (p Part) isApart(list []Part) error {
	at, _ := slices.BinarySearchFunc(list, p, func(o, p Part) int { return cmp.Or(o.compare(p), -1) }) // after those that begin there
	for i, o := range list[max(at-1, 0):min(at+1, len(list))] {
		first, second := o, p
		if max(at-1, 0)+i == at {
			first, second = p, o
		}
		switch {
		case o.Object != p.Object:
		case o.Version != p.Version:
			return fmt.Errorf("%w: there are two versions of %s; read all of it again, into another folder", ErrMixed, p.Object)
		case first.To == 0 || first.To > second.From:
			return fmt.Errorf("%w: %s has been read for two lists of objects, or divided in two ways; use a folder for each", ErrMixed, p.Object)
		}
	}
	return nil
}
