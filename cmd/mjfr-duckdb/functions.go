package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/mmapjfr/jfr/internal/timespec"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	names "github.com/mmapjfr/jfr/mmapjfr/columns/duckdb"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/where"
)

// recordings are some recordings, and what is known of them.
type recordings struct {
	set        *input.Set
	list       []*mmapjfr.Recording
	catalog    *names.Catalog
	o          columns.Options
	references map[string]*memoryTable // tables that events refer to, once they have been read
}

// register adds the table functions events(type), of the recordings of the command line, and jfr(file, type).
func (e *engine) register() error {
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	e.mine = &recordings{set: e.in.Set, list: e.in.Set.Recordings, catalog: e.in.Catalog, o: e.in.Options}
	events := duckdb.ParallelChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{text}},
		BindArgumentsContext: func(ctx context.Context, _ map[string]any, args ...any) (duckdb.ParallelChunkTableSource, error) {
			return e.source(ctx, e.mine, fmt.Sprint(args[0]), e.mine.o, scanKey("events", fmt.Sprint(args[0])))
		},
	}
	jfr := duckdb.ParallelChunkTableFunction{
		Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{text, text, text, text, text, text}},
		BindArgumentsContext: func(ctx context.Context, _ map[string]any, args ...any) (duckdb.ParallelChunkTableSource, error) {
			var texts [6]string
			for i := range texts {
				texts[i], _ = args[i].(string)
			}
			return e.ofFile(ctx, texts[0], texts[1], selection{texts[2], texts[3], texts[4], texts[5]})
		},
	}
	return errors.Join(duckdb.RegisterTableUDF(e.conn, "events", events), duckdb.RegisterTableUDF(e.conn, "jfr_events", jfr))
}

// ofAnyFile is jfr(file, type) with named arguments, of which the functions of a program must be given all. DuckDB ends the
// program where one is NULL. The file may be a list, so it comes as JSON.
const ofAnyFile = `CREATE MACRO jfr(file, type, "from" := '', "to" := '', "where" := '', thread := '') AS TABLE
	FROM jfr_events(coalesce(CAST(to_json(file) AS VARCHAR), 'null'), coalesce(type, ''), coalesce("from", ''), coalesce("to", ''), coalesce("where", ''), coalesce(thread, ''));
`

// selection is which events are chosen, as the options of the verb have it.
type selection struct{ from, to, where, thread string }

// ofFile returns the table of recordings that are named in a statement: a name or a list of names as JSON.
func (e *engine) ofFile(ctx context.Context, files, typ string, chosen selection) (duckdb.ParallelChunkTableSource, error) {
	r, err := e.openFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	o := r.o
	if err := choose(r.set, chosen, &o); err != nil {
		return nil, fmt.Errorf("jfr: %w", err)
	}
	return e.source(ctx, r, typ, o, scanKey("jfr_events", files, typ, chosen.from, chosen.to, chosen.where, chosen.thread))
}

// openFiles opens recordings as the command line does, or returns those that were opened before by the same names. They
// stay open until all is done.
func (e *engine) openFiles(ctx context.Context, files string) (*recordings, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.opened[files]; r != nil {
		return r, nil
	}
	var list []string
	if json.Unmarshal([]byte(files), &list) != nil {
		list = make([]string, 1)
		if json.Unmarshal([]byte(files), &list[0]) != nil {
			return nil, errors.New("the first argument of jfr is the name of a recording, or a list of names")
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool { return name == "" })
	if len(list) == 0 {
		return nil, errors.New("the first argument of jfr names no recording")
	}
	set, err := e.openSet(ctx, list)
	if err != nil {
		return nil, err
	}
	if len(set.Recordings) == 0 {
		return nil, errors.Join(fmt.Errorf("%s: there is no recording", strings.Join(list, ", ")), set.Close())
	}
	r := &recordings{set: set, list: set.Recordings, o: columns.Options{Name: set.Name, OnError: func(rec *mmapjfr.Recording, err error) { e.in.App.Damage(set.Name(rec), err) }}}
	if r.catalog, err = names.NewCatalog(r.list, r.o); err != nil {
		e.in.App.Damage(strings.Join(list, ", "), err)
	}
	if e.opened == nil {
		e.opened = make(map[string]*recordings)
	}
	e.opened[files] = r
	return r, nil
}

// openSet opens recordings for as long as the program runs. If it is interrupted meanwhile, as when a pipe gives nothing,
// they are closed whenever they are open.
func (e *engine) openSet(ctx context.Context, list []string) (*input.Set, error) {
	type result struct {
		set *input.Set
		err error
	}
	done := make(chan result, 1)
	go func() {
		o := input.Options{Open: []mmapjfr.Option{mmapjfr.ReadSavedIndex(mmapjfr.IndexBeside, mmapjfr.IndexInCache)}}
		set, err := e.in.App.Open(e.ctx, list, o)
		done <- result{set, err}
	}()
	select {
	case r := <-done:
		return r.set, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				_ = r.set.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// choose sets the events that are chosen.
func choose(set *input.Set, s selection, o *columns.Options) error {
	start, end := set.Span()
	zone := set.Recordings[0].Location()
	o.Filters = slices.Clip(o.Filters)
	if s.from != "" || s.to != "" {
		var first, last time.Time
		for _, bound := range []struct {
			text string
			at   *time.Time
		}{{s.from, &first}, {s.to, &last}} {
			if bound.text == "" {
				continue
			}
			var err error
			if *bound.at, err = timespec.Parse(bound.text, start, end, zone); err != nil {
				return err
			}
		}
		o.Filters = append(o.Filters, mmapjfr.Between(first, last))
	}
	if name := s.thread; name != "" {
		o.Filters = append(o.Filters, mmapjfr.Threads(name))
	}
	if text := s.where; text != "" {
		condition, err := where.ParseWith(text, where.Options{Zone: zone, Start: start, End: end})
		if err != nil {
			return err
		}
		o.Where = condition.Matches
	}
	return nil
}

// source returns the table of a type. Filters of the statement are known by a key.
func (e *engine) source(ctx context.Context, r *recordings, typ string, o columns.Options, key string) (duckdb.ParallelChunkTableSource, error) {
	t, err := r.find(typ)
	if err != nil {
		return nil, err
	}
	infos, err := infosOf(t)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(t.Name, "_") {
		k, err := e.inMemory(ctx, r, t.Name)
		if err != nil {
			return nil, err
		}
		return &memorySource{rows: k, table: t, infos: infos}, nil
	}
	return e.narrowed(&source{ctx: ctx, recs: r.list, table: t, o: o, infos: infos}, key), nil
}

// find returns the table of a full or short name.
func (r *recordings) find(typ string) (*columns.Table, error) {
	if t := r.catalog.Named(typ); t != nil {
		return t, nil
	}
	if which := r.catalog.Which(typ); which != "" {
		return nil, errors.New(which)
	}
	if t := r.catalog.Table(typ); t != nil {
		return t, nil
	}
	like := r.catalog.Like(typ)
	if like != "" {
		like = "; did you mean " + like + "?"
	}
	return nil, fmt.Errorf("the recording has no event type %s%s", typ, like)
}

// infosOf returns the columns of a table as DuckDB takes them.
func infosOf(t *columns.Table) (list []duckdb.ColumnInfo, err error) {
	for i := range t.Columns {
		info, err := typeOf(t.Columns[i].Kind, t.Columns[i].Element)
		if err != nil {
			return nil, err
		}
		list = append(list, duckdb.ColumnInfo{Name: t.Columns[i].Name, T: info})
	}
	return list, nil
}

func typeOf(k, element columns.Kind) (duckdb.TypeInfo, error) {
	switch k {
	case columns.List:
		of, err := typeOf(element, 0)
		if err != nil {
			return nil, err
		}
		return duckdb.NewListInfo(of)
	case columns.Frames:
		var entries []duckdb.StructEntry
		for _, name := range []string{"class", "method", "descriptor", "line", "bci", "type"} {
			of := columns.Text
			if name == "line" || name == "bci" {
				of = columns.Int
			}
			info, err := typeOf(of, 0)
			if err != nil {
				return nil, err
			}
			entry, err := duckdb.NewStructEntry(info, name)
			if err != nil {
				return nil, err
			}
			entries = append(entries, entry)
		}
		frame, err := duckdb.NewStructInfo(entries[0], entries[1:]...)
		if err != nil {
			return nil, err
		}
		return duckdb.NewListInfo(frame)
	}
	return duckdb.NewTypeInfo([...]duckdb.Type{
		columns.Bool: duckdb.TYPE_BOOLEAN, columns.Int: duckdb.TYPE_BIGINT, columns.Uint: duckdb.TYPE_UBIGINT,
		columns.Double: duckdb.TYPE_DOUBLE, columns.Time: duckdb.TYPE_TIMESTAMP_TZ, columns.Text: duckdb.TYPE_VARCHAR,
	}[k])
}
