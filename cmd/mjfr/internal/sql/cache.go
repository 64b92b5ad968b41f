package sql

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/columns/parquet"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

const (
	// cacheVersion changes when tables of the same recording get other bytes.
	cacheVersion = "3"
	// defaultCache is how many bytes tables take at most.
	defaultCache = 4 << 30
	// inUse is how long a folder stays after it was used, because a duckdb may still read it.
	inUse = 10 * time.Minute
	// noRows is the end of the name of a file that says that a table has no rows.
	noRows = ".empty"
	// temporary is the beginning of names of folders in which tables are written.
	temporary = "new-"
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

// cacheRoot returns the folder with the folders of tables.
func cacheRoot() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mmapjfr", "tables"), err
}

// cache writes tables of recordings, and keeps them for the next time.
type cache struct {
	app    *cli.App
	set    *input.Set
	o      columns.Options
	choice string // which events are chosen, as a text
	limit  int64  // how many bytes are kept; 0 keeps none

	dir  string // of tables that are kept; "" keeps none
	work string // of tables that are being written; removed at the end
	mu   sync.Mutex
	hurt bool // a part of the recordings could not be read
}

// open finds the folder of the tables of recordings.
func (c *cache) open(ctx context.Context) (err error) {
	root := ""
	if c.limit > 0 {
		key, err := c.content(ctx)
		if err != nil {
			return err
		}
		if dir, err := cacheRoot(); err == nil && os.MkdirAll(filepath.Join(dir, key), 0o700) == nil {
			root, c.dir = dir, filepath.Join(dir, key)
			now := time.Now()
			_ = os.Chtimes(c.dir, now, now) // when it was used last
		}
	}
	c.work, err = os.MkdirTemp(root, temporary+"*")
	return err
}

// content returns a checksum of what tables are made of: the recordings, their names, and which events are chosen.
func (c *cache) content(ctx context.Context) (string, error) {
	all := sha256.New()
	fmt.Fprintf(all, "%s %q\n", cacheVersion, c.choice)
	for _, rec := range c.set.Recordings {
		chunks := rec.Index().Chunks()
		sums, errs := make([][sha256.Size]byte, len(chunks)), make([]error, len(chunks))
		parallel.ForEach(rec.Workers(), len(chunks), func(_, i int) {
			errs[i] = rec.Protect(func() error {
				if ctx.Err() == nil {
					sums[i] = sha256.Sum256(chunks[i].Data())
				}
				return context.Cause(ctx)
			})
		})
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			return "", errs[i]
		}
		fmt.Fprintf(all, "%q %d %x\n", filepath.Base(c.set.Name(rec)), rec.Size(), sums)
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:16]), nil
}

// lookup returns the file of a table that is kept, "" if the table has no rows.
func (c *cache) lookup(table string) (path string, ok bool) {
	if c.dir == "" || table == columns.RecordingsTable { // which says where recordings lie now
		return "", false
	}
	path = filepath.Join(c.dir, columns.FileName(table, parquet.Format{}))
	if _, err := os.Lstat(path + noRows); err == nil {
		return "", true
	}
	return path, isWhole(path)
}

// isWhole reports whether a file ends as a Parquet file does: after a crash of the system it may not.
func isWhole(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < 4 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var end [4]byte
	_, err = f.ReadAt(end[:], info.Size()-4)
	return err == nil && string(end[:]) == "PAR1"
}

// files returns the files of tables, which it writes if they are missing; "" for a table without rows.
func (c *cache) files(ctx context.Context, tables []string) (map[string]string, error) {
	files := make(map[string]string)
	var events, references, recordings []string
	for _, name := range tables {
		path, ok := c.lookup(name)
		switch {
		case ok:
			files[name] = path
		case name == columns.RecordingsTable:
			recordings = append(recordings, name)
		case strings.HasPrefix(name, "_"):
			references = append(references, name)
		default:
			events = append(events, name)
		}
	}
	defer cli.SetGCPercent(50)()
	own := c.o
	own.Name = func(rec *mmapjfr.Recording) string { return filepath.Base(c.o.Name(rec)) } // wherever they lie
	ofEvents, others := own, own
	ofEvents.Filters = append(slices.Clip(own.Filters), mmapjfr.TypesFunc(func(t mmapjfr.Type) bool { return slices.Contains(events, columns.TableName(t)) }))
	others.References = true
	for _, part := range []struct {
		names []string
		o     columns.Options
	}{{events, ofEvents}, {references, others}, {recordings, c.o.OnlyRecordings()}} {
		if len(part.names) > 0 {
			if err := c.write(ctx, part.names, part.o); err != nil {
				return nil, err
			}
		}
	}
	keep := c.dir != "" && !c.hurt
	if keep && len(events)+len(references) > 0 { // tables of recordings that have changed meanwhile are not kept
		key, err := c.content(ctx)
		if err != nil {
			return nil, err
		}
		keep = key == filepath.Base(c.dir)
	}
	for _, name := range slices.Concat(events, references, recordings) {
		files[name] = c.place(name, keep && name != columns.RecordingsTable)
	}
	return files, nil
}

// place returns the file of a table that has been written, maybe after it was given its place among those that are kept.
func (c *cache) place(table string, keep bool) string {
	file := columns.FileName(table, parquet.Format{})
	from, to := filepath.Join(c.work, file), filepath.Join(c.dir, file)
	if _, err := os.Stat(from); err != nil {
		if keep {
			_ = os.WriteFile(to+noRows, nil, 0o600)
		}
		return ""
	}
	if keep && os.Rename(from, to) == nil {
		return to
	}
	return from
}

// write writes tables of events, or those that events refer to.
func (c *cache) write(ctx context.Context, names []string, o columns.Options) error {
	o.OnError = func(rec *mmapjfr.Recording, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hurt = true
		c.o.OnError(rec, err)
	}
	bar := c.app.Progress("writing tables", cli.BytesOf(c.set), cli.AtEnd)
	defer bar.Done()
	o.Progress = bar.Add
	folder := columns.Folder(c.work, parquet.Format{}, true)
	_, err := columns.Export(ctx, c.set.Recordings, parquet.Format{}, func(table string, fill func(io.Writer) error) error {
		if !slices.Contains(names, table) {
			return fill(io.Discard)
		}
		return folder(table, fill)
	}, o)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// close removes what is not kept, and what was used least recently if all tables together are too large.
func (c *cache) close() error {
	err := os.RemoveAll(c.work)
	if c.dir == "" {
		return err
	}
	return cmp.Or(err, prune(filepath.Dir(c.dir), c.limit, time.Now()))
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
		if strings.HasPrefix(e.Name(), temporary) { // of a program that was killed, unless it is young
			if now.Sub(f.used) > 24*time.Hour {
				_ = os.RemoveAll(f.path)
			}
			continue
		}
		files, _ := os.ReadDir(f.path)
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				f.bytes += info.Size()
			}
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
