package columns

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// scanRows and scanBytes are how many rows, and about how many bytes of them, [Scan] collects before it hands them on.
const (
	scanRows  = 8192
	scanBytes = 4 << 20
)

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

// Scanner reads the rows of the table of one event type, see [Scan].
type Scanner struct {
	// Table has the columns that are decoded: those that were asked for, and maybe some more.
	Table *Table

	recs  []*mmapjfr.Recording
	state *tableState
	e     *export
}

// Scan prepares to read the events of a type as rows of its table, with the columns of these names. Events of other
// versions of the type than the first have the kinds that the whole table has, so that a column is the same whichever
// others are read.
func Scan(recs []*mmapjfr.Recording, table string, columns []string, o Options) (*Scanner, error) {
	o.Filters = append(slices.Clip(o.Filters), mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return TableName(t) == table }))
	o.only = make(map[string]bool)
	for _, name := range columns {
		o.only[name] = true
	}
	o.onlyTop = !slices.ContainsFunc(columns, func(name string) bool {
		name = strings.TrimRight(name, "_")
		return strings.HasSuffix(name, "stack_id") || strings.HasSuffix(name, "top_app_frame") || strings.HasSuffix(name, "frames")
	})
	types, err := mmapjfr.EventTypes(recs, o.Filters...)
	if len(types) == 0 && err != nil {
		return nil, err
	}
	s := &Scanner{recs: recs, e: &export{o: &o, tables: make(map[string]*tableState)}}
	s.state = s.e.newTable(Table{Name: table})
	x := &reader{o: &o}
	for _, t := range types {
		s.state.merge(x.sources(t))
		s.e.tables[t.Name()] = s.state
	}
	if o.only[recordingColumn.Name] {
		s.state.withRecording()
	}
	s.Table = &s.state.Table
	return s, nil
}

// rowChoice chooses rows by some of their columns.
type rowChoice struct {
	columns []string
	choose  func(of []View, from int, keep []bool)
}

// Keep makes Read leave out rows by the values of columns that are asked for, which are decoded first; the others are
// decoded where rows remain. Choose gets the views of these columns in that order, and sets to false those of keep that are not
// wanted, of the rows from one on. Several goroutines call it at once. It does not know recording_id.
func (s *Scanner) Keep(columns []string, choose func(of []View, from int, keep []bool)) {
	s.e.keep = &rowChoice{columns, choose}
}

// Read calls do with all rows, some thousand at a time and in any order, from as many goroutines as [Options.Workers]
// says, by default as many as the recording does. Calls with the same number of a worker do not overlap; rows are valid
// until do returns. Read ends with the error of do, or the cause of the context. What cannot be read is reported to
// [Options.OnError].
func (s *Scanner) Read(ctx context.Context, do func(worker int, rows *Rows) error) error {
	for _, rec := range s.recs {
		workers := s.e.o.Workers
		if workers == 0 {
			workers = rec.Workers()
		}
		key := s.e.recordingOf(rec)
		for _, c := range rec.Chunks() {
			err := s.readChunk(ctx, c, key, workers, do)
			if failure, is := errors.AsType[*scanFailure](err); is {
				return failure.err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.e.report(rec, err)
			if s.e.o.Progress != nil {
				s.e.o.Progress(c.Size())
			}
		}
		s.e.report(rec, rec.TrailingErr())
	}
	return nil
}

// scanFailure is an error of the function that takes rows.
type scanFailure struct{ err error }

func (f *scanFailure) Error() string { return f.err.Error() }

// readChunk reads the rows of a chunk. Constants belong to it, and so do the rows that refer to them.
func (s *Scanner) readChunk(ctx context.Context, c mmapjfr.Chunk, recording *Constant, workers int, do func(worker int, rows *Rows) error) error {
	r, err := s.e.readerOf(c, recording)
	defer r.end()
	if err != nil {
		return err
	}
	parts := make([]part, workers)
	hand := func(worker int) error {
		p := &parts[worker]
		if len(p.rows) == 0 || p.rows[0] == nil || p.rows[0].N == 0 {
			return nil
		}
		rows := p.rows[0]
		err := do(worker, rows)
		rows.reset()
		p.notes = nil
		if err != nil {
			return &scanFailure{err}
		}
		return nil
	}
	err = c.Select(s.e.o.Filters...).WithWorkers(workers).Batches(ctx, func(worker int, b *mmapjfr.Batch) error {
		p := &parts[worker]
		r.add(p, b)
		p.notes = p.notes[:0]
		if rows := p.rows; len(rows) > 0 && rows[0] != nil && (rows[0].N >= scanRows || rows[0].bytes >= scanBytes) {
			return hand(worker)
		}
		return nil
	})
	if failure, is := errors.AsType[*scanFailure](err); is || ctx.Err() != nil {
		if is {
			return failure
		}
		return err
	}
	for worker := range parts {
		if err := hand(worker); err != nil {
			return err
		}
		if p := &parts[worker]; len(p.rows) > 0 && p.rows[0] != nil {
			s.state.recycle(p.rows[0])
		}
	}
	return err
}

// narrow chooses among the latest n rows. It is false if none of them remains.
func (x *reader) narrow(k *rowChoice, t *Table, rows *Rows, n int) bool {
	x.views = x.views[:0]
	for _, name := range k.columns {
		x.views = append(x.views, rows.Column(t, t.column(name)))
	}
	k.choose(x.views, rows.N-n, x.wanted)
	return slices.Contains(x.wanted, true)
}

// chosen returns the sources of columns that are asked for. Both columns of the start stay together.
func (o *Options) chosen(sources []*source) []*source {
	if o.only == nil && !o.References {
		return sources
	}
	return slices.DeleteFunc(sources, func(s *source) bool {
		if o.References {
			return !isReference(s.field.Type().Unwrapped().Name())
		}
		wanted := func(l leaf) bool { return o.only[l.column.Name] }
		if s.start {
			return !slices.ContainsFunc(s.leaves, wanted)
		}
		at := byte(0)
		s.leaves = slices.DeleteFunc(s.leaves, func(l leaf) bool {
			at++
			if wanted(l) {
				return false
			}
			s.missed += string(at)
			return true
		})
		return len(s.leaves) == 0
	})
}

// isReference reports whether a type has a table besides those of events.
func isReference(typ string) bool {
	return typ == jdktypes.StackTrace || typ == jdktypes.Thread || typ == jdktypes.Class
}
