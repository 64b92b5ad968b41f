package columns

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Options say which events become rows, and how.
type Options struct {
	// Filters select events, and Where those of them that are wanted; it may be called by several goroutines.
	Filters []mmapjfr.Filter
	Where   func(mmapjfr.Event) bool
	// Ranges, if not nil, returns the chunks of a recording that are wanted. The range with the first chunk has the row of
	// the recording.
	Ranges func(*mmapjfr.Recording) mmapjfr.ChunkRange
	// InlineStacks adds the frames to the rows of events.
	InlineStacks bool
	// Workers is how many goroutines decode events, and how many write. 0 is as many as the recordings say.
	Workers int
	// Name returns how to call a recording. Labels are the names of columns that the table of recordings has besides,
	// and LabelValues returns their values.
	Name        func(*mmapjfr.Recording) string
	Labels      []string
	LabelValues func(*mmapjfr.Recording) []string
	// OnError gets what cannot be read, and Progress numbers of bytes that have been read; both may be nil.
	OnError  func(*mmapjfr.Recording, error)
	Progress func(bytes uint64)
	// References writes the tables that events refer to, and not those of events.
	References bool
}

// Format makes files of tables.
type Format interface {
	// Extension is what names of files end in, as in ".csv".
	Extension() string
	// Begin begins a file. A Writer belongs to one goroutine.
	Begin(w io.Writer, t *Table) (Writer, error)
}

// Writer writes the rows of a table.
type Writer interface {
	// Write writes rows, which are sorted. They are valid until it returns.
	Write(t *Table, rows *Rows) error
	// Close ends the file. Late is the number of rows that begin before a row of earlier calls.
	Close(late int64) error
}

// Sink makes the file of a table: fill writes it, or returns an error, after which nothing of it must remain. It is
// called by several goroutines, for a table once.
type Sink func(table string, fill func(io.Writer) error) error

// Report says what has been written.
type Report struct {
	// Tables are those that have rows, sorted by name.
	Tables []Count
}

// Count is how many rows a table has, and how many of them are not in the order of time.
type Count struct {
	Name       string
	Rows, Late int64
}

// export is one run of [Export].
type export struct {
	o         *Options
	format    Format
	sink      Sink
	ctx       context.Context
	cancel    context.CancelCauseFunc
	tables    map[string]*tableState
	list      []*tableState
	side      sideTables
	names     names
	stacks    stackCache
	constants constantCache
	shared    shared
	sorters   sorters
	machines  map[*mmapjfr.Recording]machine // of those that have been asked for
	blocks    slabs                          // for rows that wait
	groups    slabs                          // for row groups
	held      int64                          // bytes of rows that wait
	handed    gauge                          // bytes of rows that goroutines of tables have not taken yet
	tokens    chan struct{}                  // for rows that are being written
	done      sync.WaitGroup
}

// Export writes the events of recordings, which are in the order of time, as tables. The files do not depend on the
// number of workers. It takes memory for some row groups, whatever the size of the recordings, and a few bytes for
// each stack, thread and class. A file is there as a whole or not at all. Damage of the recordings is no failure.
func Export(ctx context.Context, recs []*mmapjfr.Recording, format Format, sink Sink, o Options) (*Report, error) {
	e := &export{o: &o, format: format, sink: sink, tables: make(map[string]*tableState)}
	e.blocks.size, e.groups.size = blockRows, groupRows
	e.ctx, e.cancel = context.WithCancelCause(ctx)
	defer e.cancel(nil)
	if o.Workers == 0 {
		for _, rec := range recs {
			o.Workers = max(o.Workers, engine.RecordingWorkers(rec))
		}
	}
	e.tokens = make(chan struct{}, max(1, o.Workers)+1)
	types, _ := mmapjfr.EventTypes(recs, o.Filters...) // errors come out where the events are read
	if err := e.makeTables(recs, types); err != nil {
		return nil, err
	}
	err := e.read(recs)
	if err == nil {
		err = context.Cause(e.ctx)
	}
	return e.finish(err)
}

// makeTables makes the tables of all types, with the columns of all their versions.
func (e *export) makeTables(recs []*mmapjfr.Recording, types []mmapjfr.Type) error {
	var sources []string
	jvm := ""
	for _, rec := range recs {
		sources = append(sources, e.nameOf(rec))
		jvm = cmp.Or(jvm, e.machineOf(rec).name)
	}
	x := &reader{o: e.o}
	for _, t := range types {
		name := t.Name()
		s := e.tables[name]
		if s == nil {
			s = e.newTable(Table{Name: TableName(t)})
			e.tables[name] = s
		}
		s.Label, s.Description = cmp.Or(t.Label(), s.Label), cmp.Or(t.Description(), s.Description)
		s.merge(x.sources(t))
	}
	for _, s := range e.list {
		s.shareStart()
		if !e.o.References {
			s.withRecording()
		}
	}
	e.makeSideTables()
	for _, s := range e.list {
		s.Source, s.JVM = strings.Join(sources, ","), jvm
	}
	return nil
}

func (e *export) nameOf(rec *mmapjfr.Recording) string {
	if e.o.Name != nil {
		return e.o.Name(rec)
	}
	return rec.Path()
}

// part is the rows of 256 KiB of a chunk.
type part struct {
	rows  []*Rows // by number of the table
	full  []*Rows // those before these that have no room for more
	notes []any   // what other tables say of constants
}

// rowsOf returns rows of a table with room for n more.
func (p *part) rowsOf(t *tableState, n int) *Rows {
	for len(p.rows) <= t.number {
		p.rows = append(p.rows, nil)
	}
	rows := &p.rows[t.number]
	if *rows != nil && t.slabs.size > 0 && (*rows).N+n > t.slabs.size {
		p.full = append(p.full, *rows)
		*rows = nil
	}
	if *rows == nil {
		*rows = t.spare()
	}
	return *rows
}

// read reads the recordings, chunk by chunk.
func (e *export) read(recs []*mmapjfr.Recording) error {
	for _, rec := range recs {
		var wanted mmapjfr.ChunkRange
		if e.o.Ranges != nil {
			wanted = e.o.Ranges(rec)
		}
		engine.RecordingDropPassed(rec)
		hasLast, key := wanted.From == 0, e.recordingOf(rec)
		for _, c := range rec.Chunks() {
			if hasLast = wanted.Has(c); !hasLast {
				continue
			}
			err := e.readChunk(c, key)
			if e.ctx.Err() != nil {
				return context.Cause(e.ctx)
			}
			e.report(rec, err)
			engine.ChunkDropPages(c)
			if e.o.Progress != nil {
				e.o.Progress(c.Size())
			}
		}
		if hasLast {
			e.report(rec, engine.RecordingTrailingErr(rec))
		}
		if wanted.From == 0 {
			e.side.addRecording(e, rec, wanted)
		}
	}
	return nil
}

func (e *export) report(rec *mmapjfr.Recording, err error) {
	if err != nil && e.o.OnError != nil {
		e.o.OnError(rec, err)
	}
}

// readChunk decodes a chunk by several workers, and takes their parts in the order of the file.
func (e *export) readChunk(c mmapjfr.Chunk, recording *Constant) error {
	r, _ := e.readerOf(c, recording)
	defer r.end()
	sel := engine.SelectionWithWorkers(c.Select(e.o.Filters...), e.o.Workers)
	rest, err := engine.FoldBatches(e.ctx, sel,
		func(p *part, b *mmapjfr.Batch) error { r.add(p, b); return nil },
		func(p, next *part) { e.take(p); e.take(next) })
	if e.ctx.Err() == nil {
		e.take(&rest)
	}
	return err
}

// take moves the rows of a part to their tables. The calls are in the order of the file.
func (e *export) take(p *part) {
	for _, rows := range append(p.full, p.rows...) {
		switch {
		case rows == nil:
		case e.o.References || rows.N == 0:
			rows.of.recycle(rows)
		default:
			e.add(rows.of, rows)
		}
	}
	e.side.note(e, p.notes)
	p.rows, p.full, p.notes = nil, nil, nil
}

// finish ends all files. With an error none of them stays.
func (e *export) finish(err error) (*Report, error) {
	for _, t := range e.list {
		if err == nil {
			e.write(t, 0)
		}
		e.end(t, err)
	}
	e.done.Wait()
	report := &Report{}
	var failed error
	for _, t := range e.list {
		if t.err != nil && !errors.Is(t.err, errAbandoned) {
			failed = context.Cause(e.ctx) // the first of them: others mostly have the same reason
		}
		if t.total > 0 {
			report.Tables = append(report.Tables, Count{t.Name, t.total, t.late})
		}
	}
	slices.SortFunc(report.Tables, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	if err != nil {
		return nil, err
	}
	return report, failed
}

// Tables returns the tables of all event types of recordings that pass the filters, with the columns of all versions
// of a type, and those that events refer to, sorted by name. It reads no events but those about the JVM.
func Tables(recs []*mmapjfr.Recording, o Options) ([]*Table, error) {
	e := &export{o: &o, tables: make(map[string]*tableState)}
	types, err := mmapjfr.EventTypes(recs, o.Filters...)
	if err := e.makeTables(recs, types); err != nil {
		return nil, err
	}
	var list []*Table
	for _, s := range e.list {
		list = append(list, &s.Table)
	}
	slices.SortFunc(list, func(a, b *Table) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// TableNames returns the names of all tables that events which pass the filters, and what they refer to, can make.
func TableNames(recs []*mmapjfr.Recording, filters []mmapjfr.Filter) []string {
	types, _ := mmapjfr.EventTypes(recs, filters...) // errors come out where the events are read
	names := []string{stacksTable, framesTable, threadsTable, classesTable, RecordingsTable}
	for _, t := range types {
		names = append(names, TableName(t))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
