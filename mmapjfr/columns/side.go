package columns

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// The tables that events refer to, and that of the recordings.
const (
	stacksTable  = "_stacks"
	framesTable  = "_frames"
	threadsTable = "_threads"
	classesTable = "_classes"
)

// RecordingsTable is the table of the recordings. recording_id of events is its key.
const RecordingsTable = "_recording"

// sideColumns are their columns.
var sideColumns = map[string][]Column{
	stacksTable: {{Name: "stack_id", Kind: Int}, {Name: "truncated", Kind: Bool}, {Name: "depth", Kind: Int}, {Name: "frames", Kind: Frames}},
	framesTable: {{Name: "stack_id", Kind: Int}, {Name: "position", Kind: Int}, {Name: "class", Kind: Text}, {Name: "method", Kind: Text},
		{Name: "descriptor", Kind: Text}, {Name: "line", Kind: Int}, {Name: "bci", Kind: Int}, {Name: "type", Kind: Text}},
	threadsTable: {{Name: "thread", Kind: Text}, {Name: "thread_id", Kind: Int}, {Name: "os_tid", Kind: Int}, {Name: "virtual", Kind: Bool},
		{Name: "os_name", Kind: Text}, {Name: "group", Kind: Text}},
	classesTable: {{Name: "class", Kind: Text}, {Name: "package", Kind: Text}, {Name: "loader", Kind: Text}, {Name: "modifiers", Kind: Int}, {Name: "hidden", Kind: Bool}},
	RecordingsTable: {recordingColumn, {Name: "source", Kind: Text}, {Name: "bytes", Kind: Int, Unit: "bytes"}, {Name: "chunks", Kind: Int}, {Name: "start_time", Kind: Time},
		{Name: "start_ns", Kind: Int, Unit: "ns"}, {Name: "duration", Kind: Int, Unit: "ns"}, {Name: "ticks_per_second", Kind: Int, Unit: "hertz"},
		{Name: "jvm_name", Kind: Text}, {Name: "jvm_version", Kind: Text}, {Name: "jvm_pid", Kind: Int},
		{Name: "jvm_start_time", Kind: Time}, {Name: "host", Kind: Text}, {Name: "jvms", Kind: Int}},
}

// sideTables are those tables, and what they have.
type sideTables struct {
	tables  map[string]*tableState
	stacks  map[int64]struct{}
	threads map[threadKey]struct{}
	content []byte // of a thread
	classes map[classKey]bool
	ids     map[string]bool      // of recordings
	kinds   map[string]*Constant // of frames
}

// threadKey is the first bytes of the SHA-256 of what a thread is: there may be millions of virtual threads.
type threadKey [16]byte

type classKey struct{ name, loader string }

func (e *export) makeSideTables() {
	e.side = sideTables{tables: make(map[string]*tableState), stacks: make(map[int64]struct{}), threads: make(map[threadKey]struct{}), classes: make(map[classKey]bool), ids: make(map[string]bool), kinds: make(map[string]*Constant)}
	for _, name := range []string{stacksTable, framesTable, threadsTable, classesTable, RecordingsTable} {
		e.side.tables[name] = e.newTable(Table{Name: name})
		if name != framesTable {
			e.side.tables[name].withSlots(sideColumns[name])
		}
	}
	frames := e.side.tables[framesTable]
	c := sideColumns[framesTable]
	frames.withSlots(c[:2])
	frames.withConstant(c[2:5])
	frames.withSlots(c[5:7])
	frames.withConstant(c[7:])
	for _, l := range e.o.Labels {
		t := e.side.tables[RecordingsTable]
		t.withSlots([]Column{{Name: columnName("label_" + l), Kind: Text}})
	}
}

// addRow adds a row of the values of all columns.
func (e *export) addRow(name string, cells ...cell) {
	t := e.side.tables[name]
	rows, before := t.waitingRows()
	rows.grow(&t.Table, 1, nil)
	for i, c := range cells {
		rows.set(i, rows.N-1, c)
	}
	e.added(t, 1, rows.bytes-before)
}

// waitingRows returns the rows of small parts, and how many bytes they have.
func (t *tableState) waitingRows() (*Rows, int64) {
	if t.small == nil {
		t.small = t.spare()
	}
	return t.small, t.small.bytes
}

// added notes that the rows of small parts have become more.
func (e *export) added(t *tableState, rows int, bytes int64) {
	t.rows += int64(rows)
	t.bytes += bytes
	e.held += bytes
	if t.small.N == blockRows {
		e.handSmall(t)
	}
	e.bound(t)
}

func text(s string) cell   { return cell{text: s, ok: s != ""} }
func number(n int64) cell  { return cell{n: n, ok: true} }
func natural(n int64) cell { return cell{n: n, ok: n > 0} }
func truth(yes bool) cell {
	if yes {
		return number(1)
	}
	return number(0)
}

// note adds stacks, threads and classes that are new.
func (s *sideTables) note(e *export, notes []any) {
	for _, n := range notes {
		switch n := n.(type) {
		case *stack:
			s.addStack(e, n)
		case mmapjfr.Thread:
			s.addThread(e, n)
		case *class:
			s.addClass(e, n)
		}
	}
}

func (s *sideTables) addStack(e *export, n *stack) {
	if n.tablesKnown {
		return
	}
	n.tablesKnown = true
	if _, known := s.stacks[n.id]; !known {
		s.stacks[n.id] = struct{}{}
		list := n.list
		if list == nil {
			list = &Elements{N: len(n.frames), Frames: n.frames}
		}
		e.addRow(stacksTable, number(n.id), truth(n.truncated), number(int64(len(n.frames))), cell{list: list, ok: true})
		s.addFrames(e, n)
	}
	for i := range n.frames {
		s.addClass(e, n.frames[i].Method.class)
	}
	n.frames = nil
}

// The slots of the table of frames, in which methods are constants.
const (
	slotStack = iota
	slotPosition
	slotMethod
	slotLine
	slotBCI
	slotType
)

// addFrames adds the frames of a stack to their table.
func (s *sideTables) addFrames(e *export, n *stack) {
	t := s.tables[framesTable]
	for at := 0; at < len(n.frames); {
		rows, before := t.waitingRows()
		some := n.frames[at:min(len(n.frames), at+blockRows-rows.N)]
		base := rows.N
		rows.extend(&t.Table, len(some))
		clear(rows.start[base:])
		fill(rows.slots[slotStack].ints[base:], n.id)
		for i := range some {
			f := &some[i]
			rows.slots[slotPosition].ints[base+i] = int64(at + i)
			rows.slots[slotMethod].refs[base+i] = rows.slots[slotMethod].place(f.Method.constant)
			rows.slots[slotType].refs[base+i] = rows.slots[slotType].place(s.kind(f.Type))
			rows.slots[slotLine].ints[base+i], rows.slots[slotBCI].ints[base+i] = f.Line, f.BCI
			if f.Line <= 0 {
				rows.validOf(slotLine)[base+i] = false
			}
			if f.BCI < 0 {
				rows.validOf(slotBCI)[base+i] = false
			}
		}
		e.added(t, len(some), rows.bytes-before)
		at += len(some)
	}
}

// kind returns the constant of a kind of frames.
func (s *sideTables) kind(name string) *Constant {
	c := s.kinds[name]
	if c == nil {
		c = newConstant([]cell{text(name)})
		s.kinds[name] = c
	}
	return c
}

func (s *sideTables) addThread(e *export, t mmapjfr.Thread) {
	if t.IsZero() {
		return
	}
	name, osName, group, id, osID, virtual := t.Name(), t.OSName(), t.Group().Name(), t.JavaThreadID(), t.OSThreadID(), truth(t.IsVirtual())
	b := appendContent(s.content[:0], name, osName, group)
	b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, id), osID), virtual.n)
	s.content = b
	sum := sha256.Sum256(b)
	k := threadKey(sum[:16])
	if _, known := s.threads[k]; !known {
		s.threads[k] = struct{}{}
		e.addRow(threadsTable, cell{text: name, ok: true}, natural(id), natural(osID), virtual, text(osName), text(group))
	}
}

func (s *sideTables) addClass(e *export, c *class) {
	if c.tableKnown {
		return
	}
	c.tableKnown = true
	k := classKey{c.name, c.loader}
	if !c.missing && !s.classes[k] {
		s.classes[k] = true
		e.addRow(classesTable, text(c.name), text(c.pkg), text(c.loader), number(c.modifiers), truth(c.hidden))
	}
}
