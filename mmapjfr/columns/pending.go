package columns

import (
	"errors"
	"io"
	"math"
	"slices"
	"sync"
)

const (
	// GroupRows is how many rows are written at a time: a row group.
	GroupRows = 122_880
	// groupBytes is the greatest size of a row group, in memory.
	groupBytes = 64 << 20
	// heldGroups is how many row groups of a table are collected before all but the last one are written. The rows
	// that wait are sorted with those that follow.
	heldGroups = 4
	// tableBytes and heldBytes are how many bytes of rows wait at most, of a table and of all.
	tableBytes = 64 << 20
	heldBytes  = 192 << 20
)

// errAbandoned ends a file of an export that has failed.
var errAbandoned = errors.New("the export has failed")

// tableState is a table while it is written.
type tableState struct {
	Table
	number int

	mu   sync.Mutex
	free []*Rows

	// The rows that wait. They belong to the goroutine that takes parts.
	parts       []*Rows
	rows, bytes int64
	jobs        chan job // nil until there is one

	// What the goroutine of the table has, and what is left of it at the end.
	held, next  *Rows // the rows that stay, and empty ones
	out         *Rows
	last        int64
	total, late int64
	err         error
}

// job is rows to be written, except those that stay for the next one.
type job struct {
	parts []*Rows
	keep  int64
	err   error // ends the file
	ends  bool
}

func (e *export) newTable(t Table) *tableState {
	s := &tableState{Table: t, number: len(e.list), last: math.MinInt64}
	e.list = append(e.list, s)
	return s
}

// spare returns empty rows.
func (t *tableState) spare() *Rows {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		r := t.free[n-1]
		t.free = t.free[:n-1]
		return r
	}
	return newRows(&t.Table)
}

// mostFree is how many empty rows of a table are kept.
const mostFree = 512

// recycle empties rows, and keeps them for later.
func (t *tableState) recycle(r *Rows) {
	r.reset()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) < mostFree {
		t.free = append(t.free, r)
	}
}

// add makes rows wait, and writes rows if too many wait.
func (e *export) add(t *tableState, rows *Rows) {
	t.parts = append(t.parts, rows)
	t.rows += int64(rows.N)
	t.bytes += rows.bytes
	e.held += rows.bytes
	e.bound(t)
}

// bound writes rows if too many of a table or of all tables wait.
func (e *export) bound(t *tableState) {
	if t.rows >= heldGroups*GroupRows || t.bytes >= tableBytes {
		e.write(t, min(GroupRows, t.rows/heldGroups))
	}
	for e.held >= heldBytes {
		largest := slices.MaxFunc(e.list, func(a, b *tableState) int { return int(a.bytes/64 - b.bytes/64) })
		if largest.bytes == 0 {
			break
		}
		e.write(largest, largest.rows/heldGroups)
	}
}

// write hands all rows that wait but the latest ones to the goroutine of the table.
func (e *export) write(t *tableState, keep int64) {
	if t.rows == 0 {
		return
	}
	if t.jobs == nil {
		t.jobs = make(chan job, 1)
		e.done.Go(func() { e.run(t) })
	}
	e.tokens <- struct{}{}
	t.jobs <- job{parts: t.parts, keep: keep}
	kept := int64(float64(t.bytes) * float64(keep) / float64(t.rows))
	e.held -= t.bytes - kept
	t.parts, t.rows, t.bytes = nil, keep, kept
}

// end ends the file of a table. The file stays if err is nil.
func (t *tableState) end(err error) {
	if t.jobs != nil {
		t.jobs <- job{ends: true, err: err}
	}
}

// run writes the file of a table.
func (e *export) run(t *tableState) {
	ended := false
	t.err = e.sink(t.Name, func(w io.Writer) error {
		f, err := e.format.Begin(w, &t.Table)
		if err != nil {
			return err
		}
		for j := range t.jobs {
			if ended = j.ends; ended && j.err == nil {
				return f.Close(t.late)
			} else if ended {
				return errAbandoned
			}
			err := t.do(f, j)
			<-e.tokens
			if err != nil {
				return err
			}
		}
		return errAbandoned
	})
	if t.err != nil && !errors.Is(t.err, errAbandoned) {
		e.cancel(t.err)
	}
	for !ended { // after an error
		if j := <-t.jobs; j.ends {
			return
		}
		<-e.tokens
	}
}

// do sorts rows and writes them, except the latest.
func (t *tableState) do(f Writer, j job) error {
	if t.held == nil {
		t.held, t.next, t.out = newRows(&t.Table), newRows(&t.Table), newRows(&t.Table)
	}
	parts := append([]*Rows{t.held}, j.parts...)
	rows, bytes := 0, int64(0)
	for _, p := range parts {
		rows += p.N
	}
	start := make([]int64, 0, rows)
	for _, p := range parts {
		start = append(start, p.start...)
		bytes += p.bytes
	}
	at := locations(parts, order(start))
	group := int64(GroupRows)
	if bytes > 0 {
		group = max(1, min(group, groupBytes*int64(len(at))/bytes))
	}
	n := int64(len(at)) - j.keep
	for from := int64(0); from < n; from += group {
		t.out.reset()
		t.out.gather(parts, at[from:min(n, from+group)])
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
	t.next.reset()
	if j.keep > 0 {
		t.next.gather(parts, at[n:])
	}
	t.held, t.next = t.next, t.held
	for _, p := range j.parts {
		t.recycle(p)
	}
	return nil
}

// locations returns where rows are, by their positions among all.
func locations(parts []*Rows, order []int32) []location {
	all := make([]location, 0, len(order))
	for i, p := range parts {
		for row := range p.N {
			all = append(all, location{int32(i), int32(row)})
		}
	}
	at := make([]location, len(order))
	for i, o := range order {
		at[i] = all[o]
	}
	return at
}
