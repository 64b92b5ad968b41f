package columns

import (
	"errors"
	"io"
	"math"
	"slices"
	"sync"
)

const (
	// groupRows is how many rows are written at a time: a row group.
	groupRows = 122_880
	// groupBytes is the greatest size of a row group, in memory.
	groupBytes = 24 << 20
	// heldGroups is how many row groups of a table are collected before all but the last one are written. The rows
	// that wait are sorted with those that follow.
	heldGroups = 4
	// tableBytes and heldBytes are how many bytes of rows wait at most, of a table and of all.
	tableBytes = 24 << 20
	heldBytes  = 56 << 20
	// handedBytes is the greatest size of rows that the goroutines of tables have not taken yet.
	handedBytes = 12 << 20
)

// errAbandoned ends a file of an export that has failed.
var errAbandoned = errors.New("the export has failed")

// tableState is a table while it is written.
type tableState struct {
	Table
	number int
	slabs  *slabs

	mu     sync.Mutex
	free   []*Rows
	lately int // about how many rows the last ones of parts had

	// What the goroutine that takes parts has: rows of small parts, and how many rows and bytes wait.
	small       *Rows
	rows, bytes int64
	jobs        chan job // nil until there is one

	// What the goroutine of the table has, and what is left of it at the end.
	held        waiting
	out         *Rows // a row group
	last        int64
	total, late int64
	err         error
}

// job is rows that wait from now on, or the order to write all but the latest ones.
type job struct {
	rows *Rows // nil for an order
	keep int64
	err  error // ends the file
	ends bool
}

func (e *export) newTable(t Table) *tableState {
	s := &tableState{Table: t, number: len(e.list), last: math.MinInt64}
	s.slabs = &e.blocks
	s.held.table = &s.Table
	e.list = append(e.list, s)
	return s
}

// spare returns empty rows for a part.
func (t *tableState) spare() *Rows {
	t.mu.Lock()
	defer t.mu.Unlock()
	var r *Rows
	if n := len(t.free); n > 0 {
		r, t.free = t.free[n-1], t.free[:n-1]
	} else {
		r = newRows(&t.Table, t.slabs)
		r.of = t
	}
	r.large = t.lately > ownRows
	return r
}

// mostFree is how many empty rows of a table are kept.
const mostFree = heldGroups * groupRows / blockRows

// recycle empties rows, and keeps them for later.
func (t *tableState) recycle(r *Rows) {
	r.give()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) < mostFree {
		t.free = append(t.free, r)
	}
}

// add makes rows wait, and writes rows if too many wait.
func (e *export) add(t *tableState, rows *Rows) {
	t.rows += int64(rows.N)
	t.bytes += rows.bytes
	e.held += rows.bytes
	t.mu.Lock()
	t.lately = max(rows.N, t.lately-t.lately/8)
	t.mu.Unlock()
	if t.small != nil && (rows.N >= blockRows/2 || t.small.N+rows.N > blockRows) {
		e.handSmall(t)
	}
	if rows.N >= blockRows/2 {
		e.hand(t, rows)
	} else {
		if t.small == nil {
			t.small = t.spare()
		}
		t.small.append(&t.Table, rows)
		t.recycle(rows)
	}
	e.bound(t)
}

// handSmall hands over the rows of small parts.
func (e *export) handSmall(t *tableState) {
	if t.small != nil && t.small.N > 0 {
		e.hand(t, t.small)
		t.small = nil
	}
}

// hand hands rows to the goroutine of the table, once there is room for them.
func (e *export) hand(t *tableState, rows *Rows) {
	e.start(t)
	e.handed.add(rows.bytes)
	t.jobs <- job{rows: rows}
}

// start starts the goroutine of a table.
func (e *export) start(t *tableState) {
	if t.jobs == nil {
		t.jobs = make(chan job, 16)
		e.done.Go(func() { e.run(t) })
	}
}

// bound writes rows if too many of a table or of all tables wait.
func (e *export) bound(t *tableState) {
	if t.rows >= heldGroups*groupRows || t.bytes >= tableBytes {
		e.write(t, min(groupRows, t.rows/heldGroups))
	}
	for e.held >= heldBytes {
		largest := slices.MaxFunc(e.list, func(a, b *tableState) int { return int(a.bytes/64 - b.bytes/64) })
		if largest.bytes == 0 {
			break
		}
		e.write(largest, largest.rows/heldGroups)
	}
}

// write makes the goroutine of the table write all rows that wait but the latest ones.
func (e *export) write(t *tableState, keep int64) {
	if t.rows == 0 {
		return
	}
	e.handSmall(t)
	e.tokens <- struct{}{}
	t.jobs <- job{keep: keep}
	kept := int64(float64(t.bytes) * float64(keep) / float64(t.rows))
	e.held -= t.bytes - kept
	t.rows, t.bytes = keep, kept
}

// end ends the file of a table, once few others end. The file stays if err is nil.
func (e *export) end(t *tableState, err error) {
	if t.jobs != nil {
		e.tokens <- struct{}{}
		t.jobs <- job{ends: true, err: err}
	}
}

// sinkUnlessOver makes the file of a table, unless there is an error already.
func (e *export) sinkUnlessOver(table string, fill func(io.Writer) error) error {
	if e.ctx.Err() != nil {
		return errAbandoned
	}
	return e.sink(table, fill)
}

// run writes the file of a table.
func (e *export) run(t *tableState) {
	ended := false
	t.err = e.sinkUnlessOver(t.Name, func(w io.Writer) error {
		f, err := e.format.Begin(w, &t.Table)
		if err != nil {
			return err
		}
		t.out = newRows(&t.Table, &e.groups)
		for j := range t.jobs {
			switch {
			case j.rows != nil:
				e.handed.add(-j.rows.bytes)
				t.held.add(j.rows)
			case j.ends && j.err == nil:
				ended = true
				return f.Close(t.late)
			case j.ends:
				ended = true
				return errAbandoned
			default:
				err := e.writeRows(t, f, int(j.keep))
				<-e.tokens
				if err != nil {
					return err
				}
			}
		}
		return errAbandoned
	})
	if t.err != nil && !errors.Is(t.err, errAbandoned) {
		e.cancel(t.err)
	}
	for _, b := range t.held.blocks {
		t.recycle(b)
	}
	if t.out != nil {
		t.out.give()
	}
	t.held, t.out = waiting{}, nil
	for !ended { // after an error
		switch j := <-t.jobs; {
		case j.rows != nil:
			e.handed.add(-j.rows.bytes)
		case j.ends:
			ended = true
		default:
			<-e.tokens
		}
	}
	<-e.tokens
}

// writeRows sorts the rows that wait and writes them, except the latest.
func (e *export) writeRows(t *tableState, f Writer, keep int) error {
	x := e.sorters.take()
	defer e.sorters.put(x)
	at := x.order(&t.held)
	t.held.settle()
	group := int64(groupRows)
	if bytes := t.held.bytes + t.held.wide; bytes > 0 {
		group = max(1, min(group, groupBytes*int64(len(at))/bytes))
	}
	n := len(at) - keep
	for from := 0; from < n; from += int(group) {
		t.out.reset()
		x.gather(t.out, &t.held, at[from:min(n, from+int(group))])
		for _, s := range t.out.start {
			if s < t.last {
				t.late++
			}
			t.last = max(t.last, s)
		}
		t.total += int64(t.out.N)
		if err := f.Write(&t.Table, t.out); err != nil {
			return err
		}
	}
	t.out.give()
	for _, b := range t.held.retain(x, at[n:]) {
		t.recycle(b)
	}
	return nil
}

// gauge bounds how many bytes are on their way.
type gauge struct {
	mu    sync.Mutex
	less  *sync.Cond
	bytes int64
}

// add adds bytes, and waits while there are too many. It takes bytes away if n is negative.
func (g *gauge) add(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.less == nil {
		g.less = sync.NewCond(&g.mu)
	}
	for n > 0 && g.bytes > 0 && g.bytes+n > handedBytes {
		g.less.Wait()
	}
	if g.bytes += n; n < 0 {
		g.less.Signal()
	}
}
