package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// source is a table of recordings as DuckDB reads it. It is bound once for each place of a statement.
type source struct {
	ctx   context.Context
	recs  []*mmapjfr.Recording
	table *columns.Table
	o     columns.Options
	infos []duckdb.ColumnInfo

	// Rows for which one of these conditions does not hold need not be read. They are about these columns.
	keep   []condition
	keepBy []string

	mu  sync.Mutex
	run *run
}

// run is a scan that has begun. Workers read rows, and each waits until a thread of DuckDB has taken all of its rows.
type run struct {
	s      *source
	begin  sync.Once
	wanted []int // columns of the table that DuckDB asks for
	rows   chan *handed
	err    error // when rows is closed
}

// handed is rows that a worker has read, on their way to a thread of DuckDB.
type handed struct {
	rows  *columns.Rows
	views []columns.View // of the wanted columns
	taken int
	done  chan struct{}
}

// thread is what a thread of DuckDB has.
type thread struct {
	run *run
	now *handed
}

// ColumnInfos implements duckdb.ParallelChunkTableSource.
func (s *source) ColumnInfos() []duckdb.ColumnInfo { return s.infos }

// Cardinality implements duckdb.ParallelChunkTableSource: nobody knows before the events are read.
func (s *source) Cardinality() *duckdb.CardinalityInfo { return nil }

// Init implements duckdb.ParallelChunkTableSource.
func (s *source) Init() duckdb.ParallelTableSourceInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = &run{s: s, rows: make(chan *handed)}
	threads := 1
	for _, rec := range s.recs {
		threads = max(threads, rec.Workers())
	}
	return duckdb.ParallelTableSourceInfo{MaxThreads: threads}
}

// NewLocalState implements duckdb.ParallelChunkTableSource.
func (s *source) NewLocalState() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &thread{run: s.run}
}

// FillChunk implements duckdb.ParallelChunkTableSource.
func (s *source) FillChunk(state any, chunk duckdb.DataChunk) error {
	t := state.(*thread)
	r := t.run
	r.begin.Do(func() {
		r.wanted = projection(&chunk, s.table)
		go r.read()
	})
	if t.now == nil {
		h, ok := <-r.rows
		if !ok {
			return errors.Join(r.err, chunk.SetSize(0))
		}
		t.now = h
	}
	h := t.now
	n := min(h.rows.N-h.taken, duckdb.GetDataChunkCapacity())
	ends := true // also if fill panics, which becomes an error of the statement: reading must not wait without end
	defer func() {
		if ends {
			t.now = nil
			close(h.done)
		}
	}()
	err := h.fill(&chunk, s.table, r.wanted, n)
	h.taken += n
	ends = h.taken == h.rows.N || err != nil
	return errors.Join(err, chunk.SetSize(n))
}

// probe is a value that no column takes.
type probe struct{}

// projection returns the columns that DuckDB asks for: it takes values of the others without a look at them.
func projection(chunk *duckdb.DataChunk, t *columns.Table) (wanted []int) {
	for i := range t.Columns {
		if chunk.SetValue(i, 0, probe{}) != nil {
			wanted = append(wanted, i)
		}
	}
	return wanted
}

// read reads all rows, and closes the channel.
func (r *run) read() {
	defer close(r.rows)
	s := r.s
	var list []string
	for _, i := range r.wanted {
		list = append(list, s.table.Columns[i].Name)
	}
	for _, name := range s.keepBy {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	scan, err := columns.Scan(s.recs, s.table.Name, list, s.o)
	if err != nil {
		r.err = err
		return
	}
	s.keepRows(scan)
	at := make([]int, len(list))
	for i, name := range list {
		at[i] = slices.IndexFunc(scan.Table.Columns, func(c columns.Column) bool { return c.Name == name })
	}
	r.err = scan.Read(s.ctx, func(_ int, rows *columns.Rows) error {
		h := &handed{rows: rows, done: make(chan struct{})}
		for _, i := range at {
			h.views = append(h.views, rows.Column(scan.Table, i))
		}
		select {
		case r.rows <- h:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
		select {
		case <-h.done:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
		return nil
	})
}

// fill copies n rows to DuckDB.
func (h *handed) fill(chunk *duckdb.DataChunk, t *columns.Table, wanted []int, n int) error {
	o := outputOf(chunk)
	for i, column := range wanted {
		if err := o.fill(column, &t.Columns[column], &h.views[i], h.taken, n); err != nil {
			return fmt.Errorf("%s: %w", t.Columns[column].Name, err)
		}
	}
	return nil
}

// values are those of a column.
type values interface {
	At(row int) (n int64, text string, list *columns.Elements, ok bool)
}

// fillColumn copies values of a column, from a row on.
func fillColumn(chunk *duckdb.DataChunk, column int, c *columns.Column, v values, from, n int) (err error) {
	for row := 0; row < n && err == nil; row++ {
		number, text, list, ok := v.At(from + row)
		if !ok {
			err = chunk.SetValue(column, row, nil)
			continue
		}
		switch c.Kind {
		case columns.Bool:
			err = duckdb.SetChunkValue(*chunk, column, row, number != 0)
		case columns.Int:
			err = duckdb.SetChunkValue(*chunk, column, row, number)
		case columns.Uint:
			err = duckdb.SetChunkValue(*chunk, column, row, uint64(number))
		case columns.Double:
			err = duckdb.SetChunkValue(*chunk, column, row, math.Float64frombits(uint64(number)))
		case columns.Time:
			err = duckdb.SetChunkValue(*chunk, column, row, time.Unix(0, number).UTC())
		case columns.Text:
			err = duckdb.SetChunkValue(*chunk, column, row, []byte(text)) // a string would end at a byte 0
		default:
			err = chunk.SetValue(column, row, listOf(c, list))
		}
	}
	return err
}

// listOf returns a list as DuckDB takes it.
func listOf(c *columns.Column, e *columns.Elements) []any {
	list := make([]any, 0, e.N)
	if c.Kind == columns.Frames {
		for i := range e.Frames {
			list = append(list, frameOf(&e.Frames[i]))
		}
		return list
	}
	for i := range e.N {
		var v any
		switch {
		case !e.Valid[i]:
		case c.Element == columns.Text:
			v = []byte(e.Texts[i])
		case c.Element == columns.Bool:
			v = e.Ints[i] != 0
		case c.Element == columns.Uint:
			v = uint64(e.Ints[i])
		case c.Element == columns.Double:
			v = math.Float64frombits(uint64(e.Ints[i]))
		case c.Element == columns.Time:
			v = time.Unix(0, e.Ints[i]).UTC()
		default:
			v = e.Ints[i]
		}
		list = append(list, v)
	}
	return list
}

// frameOf returns a frame; what is not known is null.
func frameOf(f *columns.Frame) map[string]any {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return []byte(s)
	}
	m := map[string]any{"class": text(f.Method.Class), "method": text(f.Method.Name), "descriptor": text(f.Method.Descriptor), "type": text(f.Type), "line": nil, "bci": nil}
	if f.Line > 0 {
		m["line"] = f.Line
	}
	if f.BCI >= 0 {
		m["bci"] = f.BCI
	}
	return m
}
