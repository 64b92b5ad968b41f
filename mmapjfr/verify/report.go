package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Report is the result of checking a recording.
type Report struct {
	// Chunks, Events, Checkpoints and Constants are the numbers of those that could be checked.
	// References is the number of references to constants, without those to null.
	Chunks                                     int
	Events, Checkpoints, Constants, References uint64
	// Findings are what is wrong: of each kind in a chunk the first ones. They are in
	// the order of the chunks, within a chunk by severity, the worst first, then by
	// kind, then by offset.
	Findings []Finding
	// Groups say how many findings there are of each kind in a chunk. They are in the
	// order of Findings.
	Groups []Group
	// Counts say how many findings there are of each kind in all chunks.
	Counts []Count
}

// Finding is something that is wrong.
type Finding struct {
	// Kind is the kind of finding, which has a severity.
	Kind Kind `json:"kind"`
	// Chunk is the number of the chunk, from 0; after the last chunk it is the number
	// that the next one would have.
	Chunk int `json:"chunk"`
	// Offset is where it lies, in bytes from the start of the recording: of an event,
	// a checkpoint or a constant where that begins.
	Offset uint64 `json:"offset"`
	// Type is the name of the type if the finding is about an event or a constant.
	Type string `json:"type,omitempty"`
	// Text says what is wrong there.
	Text string `json:"text"`
}

// Group is the findings of a kind in a chunk.
type Group struct {
	Kind  Kind `json:"kind"`
	Chunk int  `json:"chunk"`
	// Count is how many there are, and Listed how many of them are in Report.Findings.
	Count  uint64 `json:"count"`
	Listed int    `json:"listed"`
}

// Count is how many findings there are of a kind.
type Count struct {
	Kind  Kind
	Count uint64
}

// Count returns how many findings of that severity there are.
func (r *Report) Count(s Severity) (n uint64) {
	for _, c := range r.Counts {
		if c.Kind.Severity() == s {
			n += c.Count
		}
	}
	return n
}

// OK reports whether there is no finding of that severity or worse.
func (r *Report) OK(worst Severity) bool {
	return !slices.ContainsFunc(r.Counts, func(c Count) bool { return c.Kind.Severity() >= worst })
}

// FromOpenError returns the finding for an error of [mmapjfr.Open] that is about the contents of the
// file. It is false for other errors, such as that of a file that does not exist.
func FromOpenError(err error) (f Finding, ok bool) {
	var format *mmapjfr.FormatError
	if !errors.As(err, &format) {
		return Finding{}, false
	}
	f = Finding{Chunk: format.Chunk, Offset: format.Offset, Text: reason(err)}
	switch {
	case errors.Is(err, mmapjfr.ErrEmpty):
		f.Kind = emptyFile
	case errors.Is(err, mmapjfr.ErrUnsupported):
		f.Kind = unsupportedVersion
	case errors.Is(err, mmapjfr.ErrTruncated):
		f.Kind = truncatedHeader
	default:
		f.Kind = notARecording
	}
	return f, true
}

// maxGroups is the number of chunks of which findings of a kind are listed. In other chunks they
// are only counted.
const maxGroups = 1000

// list puts the findings of a chunk into the report.
func (v *verifier) list(chunk int, l *findings) {
	r := v.report
	for _, k := range bySeverity {
		p := &l.pages[k]
		if p.count == 0 {
			continue
		}
		v.counts[k] += p.count
		if v.groups[k]++; v.groups[k] > maxGroups {
			continue
		}
		r.Groups = append(r.Groups, Group{k, chunk, p.count, len(p.list)})
		for _, f := range p.list {
			f.Kind, f.Chunk = k, chunk
			r.Findings = append(r.Findings, f)
		}
	}
}

// count puts the numbers of all findings into the report.
func (v *verifier) count() {
	for _, k := range bySeverity {
		if n := v.counts[k]; n > 0 {
			v.report.Counts = append(v.report.Counts, Count{k, n})
		}
	}
}

// bySeverity are the kinds, the worst first.
var bySeverity = func() []Kind {
	list := Kinds()
	slices.SortStableFunc(list, func(a, b Kind) int { return cmp.Compare(b.Severity(), a.Severity()) })
	return list
}()

// findings holds those about a chunk: the number of each kind, and the first of each kind by
// offset. It does not depend on the order in which they are found.
type findings struct {
	pages [kinds]kindFindings
	most  int // of each kind that are listed
	// base is where the chunk begins, to which offsets are added.
	base uint64
}

type kindFindings struct {
	count uint64
	list  []Finding // by offset
}

// find counts a finding at an offset from the start of the chunk. The caller fills in the result.
// It is nil if the finding is not listed.
func (l *findings) find(k Kind, offset uint64) *Finding {
	p := &l.pages[k]
	p.count++
	return p.insert(Finding{Offset: l.base + offset}, l.most)
}

// report is find, with the name of the type that the finding is about, or "", and its text.
func (l *findings) report(k Kind, offset uint64, typ, format string, args ...any) {
	if f := l.find(k, offset); f != nil {
		f.Type, f.Text = typ, fmt.Sprintf(format, args...)
	}
}

// insert adds a finding to the list and returns its place there; nil if it is not listed. Of
// findings with the same offset the older one stays first.
func (p *kindFindings) insert(f Finding, most int) *Finding {
	at := len(p.list)
	for at > 0 && p.list[at-1].Offset > f.Offset {
		at--
	}
	if at >= most {
		return nil
	}
	if len(p.list) == most {
		p.list = p.list[:most-1]
	}
	p.list = slices.Insert(p.list, at, f)
	return &p.list[at]
}

// add moves other findings about the same chunk to these.
func (l *findings) add(m *findings) {
	for k := range m.pages {
		from, to := &m.pages[k], &l.pages[k]
		if from.count == 0 {
			continue
		}
		to.count += from.count
		for _, f := range from.list {
			to.insert(f, l.most)
		}
		from.count, from.list = 0, from.list[:0]
	}
}
