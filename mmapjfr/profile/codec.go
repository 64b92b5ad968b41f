package profile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// magic begins the bytes of a profile. Its last byte is the version of the format.
const magic = "mjfrprof\x05"

// ErrFormat matches the errors of [Profile.UnmarshalBinary], and of the packages below about files
// that are no profile of their format.
var ErrFormat = errors.New("not a profile")

// MarshalBinary returns the profile as bytes, for [Profile.UnmarshalBinary]. Equal profiles have
// equal bytes. It never fails.
func (p *Profile) MarshalBinary() ([]byte, error) {
	sorted := New()
	sorted.Merge(p)
	sorted.sort()
	p = sorted
	w := profileWriter{[]byte(magic), make(map[string]int)}
	w.time(p.start)
	w.time(p.end)
	w.b = binary.AppendUvarint(w.b, uint64(p.times))
	w.uint(len(p.notes))
	for _, text := range slices.Sorted(maps.Keys(p.notes)) {
		w.string(text)
		w.b = binary.AppendVarint(w.b, p.notes[text])
	}
	w.uint(len(p.kindOf))
	for _, k := range p.kindOf {
		w.kind(k)
	}
	w.uint(len(p.methods.list))
	for _, m := range p.methods.list {
		w.string(m.Class)
		w.string(m.Name)
		w.string(m.Descriptor)
	}
	w.uint(len(p.frames.list))
	for _, f := range p.frames.list {
		w.uint(int(f.method))
		w.b = binary.AppendUvarint(w.b, uint64(uint32(f.line)))
		w.uint(int(f.kind))
	}
	w.uint(len(p.stacks.list) - 1)
	for i, n := range p.stacks.list[1:] {
		w.uint(i - int(n.parent)) // mostly 0: the caller is the stack before
		w.uint(int(n.frame))
	}
	w.uint(len(p.labels.list))
	for _, l := range p.labels.list {
		w.string(l.Thread)
		w.string(l.State)
		w.string(l.Class)
		for _, n := range []int64{l.ThreadID, l.SpanID, l.TraceHigh, l.TraceLow} {
			w.b = binary.AppendVarint(w.b, n)
		}
	}
	w.uint(len(p.rows.list))
	last := int64(0)
	for i, key := range p.rows.list {
		w.uint(int(key.kind))
		w.uint(int(key.stack))
		w.uint(int(key.labels))
		if p.times > 0 {
			w.b = binary.AppendVarint(w.b, key.at-last)
			last = key.at
		}
		for _, v := range p.values[i][:len(p.kindOf[key.kind].Values)] {
			w.b = binary.AppendVarint(w.b, v)
		}
	}
	return w.b, nil
}

func (w *profileWriter) kind(k Kind) {
	w.string(k.Name)
	w.string(k.Title)
	w.uint(map[bool]int{true: 1}[k.Sampled])
	w.uint(len(k.Values))
	for _, v := range k.Values {
		w.string(v.Name)
		w.string(string(v.Unit))
	}
}

// profileWriter appends numbers and strings. A string that came before is a number.
type profileWriter struct {
	b     []byte
	known map[string]int
}

func (w *profileWriter) uint(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func (w *profileWriter) time(t time.Time) {
	ns := int64(0)
	if !t.IsZero() {
		ns = t.UnixNano()
	}
	w.b = binary.AppendVarint(w.b, ns)
}

func (w *profileWriter) string(s string) {
	n, ok := w.known[s]
	if !ok {
		n = len(w.known)
		w.known[s] = n
	}
	if w.uint(n); !ok {
		w.uint(len(s))
		w.b = append(w.b, s...)
	}
}

// UnmarshalBinary makes the profile the one that MarshalBinary wrote. The error matches
// [ErrFormat] for other bytes; then the profile is empty.
func (p *Profile) UnmarshalBinary(data []byte) error {
	*p = *New()
	const version = len(magic) - 1
	if len(data) < len(magic) || string(data[:version]) != magic[:version] {
		return fmt.Errorf("%w: it begins with other bytes", ErrFormat)
	}
	if data[version] != magic[version] {
		return fmt.Errorf("%w of version %d: it is one of version %d; make it again", ErrFormat, magic[version], data[version])
	}
	r := profileReader{b: data[len(magic):]}
	q := New()
	r.profile(q)
	if !r.check(len(r.b) == 0) {
		return fmt.Errorf("%w: damaged after %d of %d bytes", ErrFormat, len(data)-len(r.b), len(data))
	}
	*p = *q
	return nil
}

// profileReader reads what profileWriter writes. Once it has failed it returns zeros.
type profileReader struct {
	b      []byte
	known  []string
	failed bool
}

func (r *profileReader) profile(p *Profile) {
	p.start, p.end = r.time(), r.time()
	p.times = time.Duration(r.atMost(math.MaxInt64))
	for range r.count(2) {
		text := r.string()
		p.addNoteOf(r.int(), text)
	}
	for range r.count(3) {
		if k := r.kind(); r.check(!slices.Contains(p.kinds.list, k.Name)) {
			p.AddKind(k)
		}
	}
	for range r.count(3) {
		p.methods.list = append(p.methods.list, Method{r.string(), r.string(), r.string()})
	}
	for range r.count(3) {
		f := frame{methodID(r.below(len(p.methods.list))), int32(uint32(r.atMost(math.MaxUint32))), FrameKind(r.below(int(Text) + 1))}
		p.frames.list = append(p.frames.list, f)
	}
	for i := range r.count(2) {
		n := node{StackID(i - r.below(i+1)), FrameID(r.below(len(p.frames.list)))}
		p.stacks.list = append(p.stacks.list, n)
	}
	for range r.count(7) {
		l := Labels{Thread: r.string(), State: r.string(), Class: r.string()}
		l.ThreadID, l.SpanID, l.TraceHigh, l.TraceLow = r.int(), r.int(), r.int(), r.int()
		p.labels.list = append(p.labels.list, l)
	}
	at := int64(0)
	for range r.count(4) {
		key := rowKey{uint32(r.below(len(p.kindOf))), StackID(r.below(len(p.stacks.list))), LabelsID(r.below(len(p.labels.list))), 0}
		if p.times > 0 {
			at += r.int()
			key.at = at
		}
		if r.failed {
			return
		}
		var values [maxValues]int64
		for i := range p.kindOf[key.kind].Values {
			values[i] = r.int()
		}
		p.rows.list, p.values = append(p.rows.list, key), append(p.values, values)
	}
	r.check(isSet(p.methods.list) && isSet(p.frames.list) && isSet(p.stacks.list[1:]) && isSet(p.labels.list) && isSet(p.rows.list))
}

func (r *profileReader) kind() Kind {
	k := Kind{Name: r.string(), Title: r.string(), Sampled: r.below(2) == 1}
	for range min(r.count(2), maxValues+1) {
		k.Values = append(k.Values, ValueType{r.string(), Unit(r.string())})
	}
	r.check(len(k.Values) > 0 && len(k.Values) <= maxValues)
	return k
}

// isSet reports whether no element occurs twice.
func isSet[K comparable](list []K) bool {
	seen := make(map[K]struct{}, len(list))
	for _, k := range list {
		seen[k] = struct{}{}
	}
	return len(seen) == len(list)
}

func (r *profileReader) check(ok bool) bool {
	r.failed = r.failed || !ok
	return !r.failed
}

func (r *profileReader) uint() uint64 {
	n, size := binary.Uvarint(r.b)
	if !r.check(size > 0) {
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *profileReader) int() int64 {
	n, size := binary.Varint(r.b)
	if !r.check(size > 0) {
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *profileReader) time() (t time.Time) {
	if ns := r.int(); ns != 0 {
		t = time.Unix(0, ns).UTC()
	}
	return t
}

// atMost returns a number up to a limit.
func (r *profileReader) atMost(limit uint64) uint64 {
	n := r.uint()
	if !r.check(n <= limit) {
		return 0
	}
	return n
}

// below returns a number below a limit.
func (r *profileReader) below(limit int) int {
	n := r.uint()
	if !r.check(n < uint64(limit)) {
		return 0
	}
	return int(n)
}

// count returns how many things follow, each of which takes a number of bytes or more.
func (r *profileReader) count(size int) int {
	n := r.uint()
	if !r.check(n <= uint64(len(r.b)/size)) {
		return 0
	}
	return int(n)
}

func (r *profileReader) string() string {
	n := r.below(len(r.known) + 1)
	if r.failed {
		return ""
	}
	if n == len(r.known) {
		size := r.count(1)
		r.known = append(r.known, string(r.b[:size]))
		r.b = r.b[size:]
	}
	return r.known[n]
}
