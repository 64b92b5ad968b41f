package sql

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/parquet"
)

const (
	// defaultCache is how many bytes tables take at most.
	defaultCache = 4 << 30
	// inUse is how long a folder stays after it was used, because a duckdb may read it still.
	inUse = 10 * time.Minute
	// many is from how many event types on it is said why it takes long.
	many = 50
	// noRows is what the name of a file ends in that says that a table has no rows.
	noRows = ".empty"
)

// cacheSize is a size as it was typed, which may be 0.
type cacheSize struct{ cli.Size }

// Set implements pflag.Value.
func (s *cacheSize) Set(text string) error {
	if text == "0" {
		s.Size = 0
		return nil
	}
	return s.Size.Set(text)
}

// cacheRoot returns the folder with the folders of tables, which is beside saved indexes.
func cacheRoot() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mmapjfr", "tables"), err
}

// tables are the files of tables of some recordings.
type tables struct {
	in     *Input
	dir    string // by content
	work   string // where they are made; removed at the end
	inWork map[string]bool
	// checked are the paths of files that are kept, and have been found whole.
	checked map[string]string
}

// openTables finds the folder of the tables of recordings.
func openTables(ctx context.Context, in *Input) (*tables, error) {
	t := &tables{in: in, inWork: make(map[string]bool), checked: make(map[string]string)}
	if in.CacheLimit == 0 {
		var err error
		t.work, err = os.MkdirTemp("", "mjfr-tables-*")
		return t, err
	}
	key, err := contentOf(ctx, in)
	if err != nil {
		return nil, err
	}
	root, err := cacheRoot()
	if err == nil {
		t.dir = filepath.Join(root, key)
		err = os.MkdirAll(t.dir, 0o700)
	}
	if err != nil {
		root, t.dir = "", ""
	} else {
		now := time.Now()
		_ = os.Chtimes(t.dir, now, now) // when it was used last
	}
	t.work, err = os.MkdirTemp(root, "new-*")
	return t, err
}

// path returns the file of a table, as far as there is one; ok is false if it has to be made.
func (t *tables) path(name string) (path string, ok bool) {
	file := columns.FileName(name, parquet.Format{})
	switch {
	case t.inWork[name]:
		path, ok = filepath.Join(t.work, file), true
		if _, err := os.Stat(path); err != nil {
			path = ""
		}
		return path, ok
	case t.dir == "" || name == columns.RecordingsTable:
		return "", false
	case t.checked[name] != "":
		return t.checked[name], true
	}
	if isFile(filepath.Join(t.dir, file+noRows)) {
		return "", true
	}
	kept, _ := filepath.Glob(filepath.Join(escapeGlob(t.dir), keptName(name, strings.Repeat("?", atomicfile.SumLength))))
	for _, path := range kept {
		if !isFile(path) {
			continue
		}
		if sum, err := atomicfile.Sum(path); err == nil && filepath.Base(path) == keptName(name, sum) {
			t.checked[name] = path
			return path, true
		}
		_ = os.Remove(path) // it was damaged
	}
	return "", false
}

// isFile reports whether a path is that of a regular file. It removes anything else: to open a pipe or a device may take forever.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		_ = os.Remove(path)
		return false
	}
	return err == nil
}

// keptName returns the name of the file of a table that is kept, with a checksum of its bytes: it is made anew when a disk
// or a program has changed them.
func keptName(table, sum string) string {
	return columns.FolderName(table) + "." + sum + parquet.Format{}.Extension()
}

// store gives the file of a table its name in the folder of those that are kept. It returns whether it could.
func (t *tables) store(name string) bool {
	file := columns.FileName(name, parquet.Format{})
	from, to := filepath.Join(t.work, file+noRows), file+noRows
	if _, err := os.Stat(from); err != nil {
		from = filepath.Join(t.work, file)
		sum, err := atomicfile.Sum(from)
		if err != nil {
			return false
		}
		to = keptName(name, sum)
		t.checked[name] = filepath.Join(t.dir, to)
	}
	err := os.Rename(from, filepath.Join(t.dir, to))
	if err != nil {
		delete(t.checked, name)
	}
	return err == nil
}

// add makes the files of those tables that are not there.
func (t *tables) add(ctx context.Context, list []*columns.Table) error {
	var events, references, recordings []string
	for _, table := range list {
		if _, ok := t.path(table.Name); ok {
			continue
		}
		switch {
		case table.Name == columns.RecordingsTable:
			recordings = append(recordings, table.Name)
		case strings.HasPrefix(table.Name, "_"):
			references = append(references, table.Name)
		default:
			events = append(events, table.Name)
		}
	}
	if len(events)+len(references)+len(recordings) == 0 {
		return nil
	}
	if len(events) >= many {
		t.in.App.Notice(fmt.Sprintf("making tables of %d event types, which are kept for the next time; --events chooses types", len(events)))
	}
	defer cli.SetGCPercent(50)()
	own := t.in.Options
	own.Name = func(rec *mmapjfr.Recording) string { return filepath.Base(t.in.Options.Name(rec)) } // wherever they lie
	others := own
	others.References = true
	damaged := false
	for _, part := range []struct {
		names []string
		o     columns.Options
	}{{events, own}, {references, others}, {recordings, t.in.Options.OnlyRecordings()}} {
		if len(part.names) == 0 {
			continue
		}
		hurt, err := t.export(ctx, part.names, part.o)
		if err != nil {
			return err
		}
		damaged = damaged || hurt
	}
	for _, name := range recordings {
		t.inWork[name] = true // it says where the recordings lie now
	}
	made := slices.Concat(events, references)
	if len(made) == 0 {
		return nil
	}
	if t.dir == "" {
		for _, name := range made {
			t.inWork[name] = true
		}
		return nil
	}
	if key, err := contentOf(ctx, t.in); err != nil || damaged || filepath.Base(t.dir) != key {
		for _, name := range made { // answers of a damaged or changing file are not kept
			t.inWork[name] = true
		}
		return err
	}
	for _, name := range made {
		if !t.store(name) {
			t.inWork[name] = true
		}
	}
	return nil
}

// export makes files of tables: of events, or of what they refer to. It returns whether a part of the recordings could
// not be read.
func (t *tables) export(ctx context.Context, names []string, o columns.Options) (damaged bool, err error) {
	if !o.References {
		o.Filters = append(slices.Clip(o.Filters), mmapjfr.TypesFunc(func(typ mmapjfr.Type) bool { return slices.Contains(names, columns.TableName(typ)) }))
	}
	var mu sync.Mutex
	o.OnError = func(rec *mmapjfr.Recording, err error) {
		mu.Lock()
		defer mu.Unlock()
		damaged = true
		t.in.Options.OnError(rec, err)
	}
	bar := t.in.App.Progress("making tables", cli.BytesOf(t.in.Set), cli.AtEnd)
	defer bar.Done()
	o.Progress = bar.Add
	written := make(map[string]bool)
	folder := columns.Folder(t.work, parquet.Format{}, true)
	_, err = columns.Export(ctx, t.in.Set.Recordings, parquet.Format{}, func(table string, fill func(io.Writer) error) error {
		if !slices.Contains(names, table) {
			return fill(io.Discard)
		}
		mu.Lock()
		written[table] = true
		mu.Unlock()
		return folder(table, fill)
	}, o)
	if ctx.Err() != nil {
		return damaged, context.Cause(ctx)
	}
	for _, name := range names {
		if err == nil && !written[name] {
			err = os.WriteFile(filepath.Join(t.work, columns.FileName(name, parquet.Format{})+noRows), nil, 0o600)
		}
	}
	return damaged, err
}

// close removes what is not kept, and what was used least recently if all tables together are too large.
func (t *tables) close() error {
	err := os.RemoveAll(t.work)
	if t.dir == "" {
		return err
	}
	return cmp.Or(err, prune(filepath.Dir(t.dir), t.in.CacheLimit, time.Now()))
}

// prune removes folders of tables that were used least recently until they take no more than a limit. Those that were
// used a short time ago stay.
func prune(root string, limit int64, now time.Time) error {
	type folder struct {
		path  string
		used  time.Time
		bytes int64
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	var list []folder
	sum := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue // somebody else has removed it
		}
		f := folder{path: filepath.Join(root, e.Name()), used: info.ModTime()}
		files, _ := os.ReadDir(f.path)
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				f.bytes += info.Size()
			}
		}
		if strings.HasPrefix(e.Name(), "new-") { // of a program that was killed, unless it is young
			if now.Sub(f.used) > 24*time.Hour {
				_ = os.RemoveAll(f.path)
			}
			continue
		}
		list, sum = append(list, f), sum+f.bytes
	}
	slices.SortFunc(list, func(a, b folder) int { return a.used.Compare(b.used) })
	for _, f := range list {
		if sum > limit && now.Sub(f.used) > inUse {
			sum -= f.bytes
			err = cmp.Or(err, os.RemoveAll(f.path))
		}
	}
	return err
}
