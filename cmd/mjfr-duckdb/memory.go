package main

import (
	"context"
	"io"
	"maps"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// memoryTable is a table in memory: one that events refer to.
type memoryTable struct{ columns []memoryColumn }

type memoryColumn []memoryValue

type memoryValue struct {
	n    int64
	text string
	list *columns.Elements
	ok   bool
}

// At implements values.
func (c memoryColumn) At(row int) (n int64, text string, list *columns.Elements, ok bool) {
	v := &c[row]
	return v.n, v.text, v.list, v.ok
}

// inMemory returns a table that events refer to, after it has read all events once.
func (e *engine) inMemory(ctx context.Context, r *recordings, name string) (*memoryTable, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.references[name] == nil {
		o, k := r.o, memoryFormat{tables: make(map[string]*memoryTable)}
		o.References = true
		if name == columns.RecordingsTable {
			o = o.OnlyRecordings()
		}
		if _, err := columns.Export(ctx, r.list, &k, func(_ string, fill func(io.Writer) error) error { return fill(io.Discard) }, o); err != nil {
			return nil, err
		}
		if r.references == nil {
			r.references = make(map[string]*memoryTable)
		}
		maps.Copy(r.references, k.tables)
		if r.references[name] == nil {
			r.references[name] = &memoryTable{} // no event has one
		}
	}
	return r.references[name], nil
}

// memoryFormat is a format of tables in memory.
type memoryFormat struct {
	mu     sync.Mutex
	tables map[string]*memoryTable
}

// Extension implements columns.Format.
func (k *memoryFormat) Extension() string { return "" }

// Begin implements columns.Format.
func (k *memoryFormat) Begin(_ io.Writer, t *columns.Table) (columns.Writer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	table := &memoryTable{columns: make([]memoryColumn, len(t.Columns))}
	k.tables[t.Name] = table
	return table, nil
}

// Write implements columns.Writer.
func (k *memoryTable) Write(t *columns.Table, rows *columns.Rows) error {
	for i := range k.columns {
		v := rows.Column(t, i)
		for row := range rows.N {
			var c memoryValue
			c.n, c.text, c.list, c.ok = v.At(row)
			k.columns[i] = append(k.columns[i], c)
		}
	}
	return nil
}

// Close implements columns.Writer.
func (k *memoryTable) Close(int64) error { return nil }

// memorySource is such a table as DuckDB reads it.
type memorySource struct {
	rows  *memoryTable
	table *columns.Table
	infos []duckdb.ColumnInfo

	mu    sync.Mutex
	taken *int
}

// ColumnInfos implements duckdb.ParallelChunkTableSource.
func (s *memorySource) ColumnInfos() []duckdb.ColumnInfo { return s.infos }

// Cardinality implements duckdb.ParallelChunkTableSource.
func (s *memorySource) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(s.len()), Exact: true}
}

func (s *memorySource) len() int {
	if len(s.rows.columns) == 0 {
		return 0
	}
	return len(s.rows.columns[0])
}

// Init implements duckdb.ParallelChunkTableSource.
func (s *memorySource) Init() duckdb.ParallelTableSourceInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = new(int)
	return duckdb.ParallelTableSourceInfo{MaxThreads: 1}
}

// NewLocalState implements duckdb.ParallelChunkTableSource.
func (s *memorySource) NewLocalState() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// FillChunk implements duckdb.ParallelChunkTableSource.
func (s *memorySource) FillChunk(state any, chunk duckdb.DataChunk) error {
	taken := state.(*int)
	n := min(s.len()-*taken, duckdb.GetDataChunkCapacity())
	for _, i := range projection(&chunk, s.table) {
		if n == 0 {
			break
		}
		if err := fillColumn(&chunk, i, &s.table.Columns[i], s.rows.columns[i], *taken, n); err != nil {
			return err
		}
	}
	*taken += n
	return chunk.SetSize(n)
}
