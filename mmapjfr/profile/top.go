package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/internal/saturate"
)

// By is what the rows of [Profile.Top] are of.
type By string

// What rows can be of. A package is that of the innermost frame.
const (
	ByMethod  By = "method"
	ByClass   By = "class"
	ByPackage By = "package"
	ByThread  By = "thread"
	ByState   By = "state"
	ByObject  By = "object" // the class of what was allocated, locked or thrown
	ByPath    By = "path"   // the same label, which is a file or an address with Options.Paths
)

// noThreadName is the row that all threads without a name share, as virtual threads are mostly: there
// can be millions of them.
const noThreadName = "(threads without a name)"

// AllBy are all that rows can be of.
var AllBy = []By{ByMethod, ByClass, ByPackage, ByThread, ByState, ByObject, ByPath}

// TopRow is what the samples of a method, class, package or thread weigh.
type TopRow struct {
	Name string
	// Self is what samples weigh whose innermost frame it is, and Total what those weigh that
	// have it anywhere in their stack: each once, also in a recursion.
	Self, Total int64
}

// Top returns rows for a column: those with the greatest self first, then with the greatest
// total. Rows that weigh nothing are left out.
func (p *Profile) Top(c Column, by By, names Names) []TopRow {
	var t topCounter
	c = p.Column(c)
	switch by {
	case ByThread, ByState, ByObject, ByPath:
		for s := range p.Samples() {
			if s.Kind.Name == c.Kind.Name {
				t.add(p.Labels(s.Labels).text(by), s.Values[c.Value], s.Values[c.Value])
			}
		}
	default:
		t.frames(p, c, by, names)
	}
	rows := slices.DeleteFunc(t.rows, func(r TopRow) bool { return r.Self == 0 && r.Total == 0 })
	slices.SortFunc(rows, func(a, b TopRow) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// text returns the label that rows are of.
func (l Labels) text(by By) string {
	text := l.Class
	switch by {
	case ByThread:
		if text = l.Thread; text == "" && l.ThreadID != 0 {
			text = noThreadName
		}
	case ByState:
		text = l.State
	}
	return cmp.Or(text, "(none)")
}

type topCounter struct {
	ids  interner[string]
	rows []TopRow
}

func (t *topCounter) id(name string) uint32 {
	id := t.ids.id(name)
	if int(id) == len(t.rows) {
		t.rows = append(t.rows, TopRow{Name: name})
	}
	return id
}

func (t *topCounter) add(name string, self, total int64) {
	row := &t.rows[t.id(name)]
	row.Self, row.Total = saturate.Add(row.Self, self), saturate.Add(row.Total, total)
}

// frames counts by what frames are of.
func (t *topCounter) frames(p *Profile, c Column, by By, names Names) {
	self := make([]int64, len(p.stacks.list))
	for s := range p.Samples() {
		if s.Kind.Name == c.Kind.Name {
			self[s.Stack] = saturate.Add(self[s.Stack], s.Values[c.Value])
		}
	}
	total := slices.Clone(self)
	for i := len(total) - 1; i > 0; i-- { // callees have greater numbers
		_, caller := p.innermost(StackID(i))
		total[caller] = saturate.Add(total[caller], total[i])
	}
	if self[0] > 0 {
		t.add(NoStack, self[0], self[0])
	}
	ids := make([]uint32, p.Frames())
	for i := range ids {
		ids[i] = t.id(names.of(p.Frame(FrameID(i)), by))
	}
	open := make([]int32, len(t.rows)) // how many frames of the current stack are of a row
	p.walk(func(s StackID, entered bool) {
		frame, _ := p.innermost(s)
		id := ids[frame]
		if !entered {
			open[id]--
			return
		}
		row := &t.rows[id]
		row.Self = saturate.Add(row.Self, self[s])
		if open[id]++; open[id] == 1 {
			row.Total = saturate.Add(row.Total, total[s])
		}
	})
}

// walk visits all stacks from the outermost frames on: each before those that it called, and once
// more after them.
func (p *Profile) walk(visit func(s StackID, entered bool)) {
	n := len(p.stacks.list)
	first, next := make([]StackID, n), make([]StackID, n) // callees, and those of the same caller
	for i := n - 1; i > 0; i-- {
		_, caller := p.innermost(StackID(i))
		first[caller], next[i] = StackID(i), first[caller]
	}
	for s := first[0]; s != 0; {
		visit(s, true)
		if first[s] != 0 {
			s = first[s]
			continue
		}
		for s != 0 {
			visit(s, false)
			if next[s] != 0 {
				s = next[s]
				break
			}
			_, s = p.innermost(s)
		}
	}
}

// of returns the method, the class or the package of a frame.
func (n Names) of(f Frame, by By) string {
	m := f.Method
	if by == ByMethod {
		return n.Frame(f)
	}
	if f.Kind == Kernel {
		return "(kernel)"
	}
	if m.Class == "" || !m.isJava(f.Kind) {
		return cmp.Or(m.Class, "(native)")
	}
	if by == ByClass {
		return cmp.Or(n.class(m.Class), m.Class)
	}
	name := m.Class[:max(javaname.LastPackage(m.Class)-1, 0)]
	return cmp.Or(strings.ReplaceAll(name, "/", "."), "(no package)")
}
