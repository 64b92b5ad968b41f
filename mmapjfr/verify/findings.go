package verify

import (
	"fmt"
	"slices"
)

// findings keeps findings about a chunk: of each kind how many there are, and those that
// lie first. What it keeps does not depend on the order in which they are found.
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

// find counts a finding at an offset from the start of the chunk. It returns where
// the rest of it is to be written; nil if it will not be listed.
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

// insert returns where the finding has come to be. Of those with the same offset,
// what was found first stays first.
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

// add adds what another ledger has about the same chunk, and empties that one.
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
