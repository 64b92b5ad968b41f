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

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cache"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

const (
	// cacheVersion changes when tables of the same recording get other bytes.
	cacheVersion = "3"
	// cacheBytes is how many bytes tables take at most.
	cacheBytes = 4 << 30
	// noRows is the end of the name of a file that says that a table has no rows.
	noRows = ".empty"
)

// tableFiles writes tables of recordings, and keeps them for the next time.
type tableFiles struct {
	app    *cli.App
	set    *input.Set
	o      columns.Options
	choice string // which events are chosen, as a text

	dir  string // of tables that are kept; "" keeps none
	work string // of tables that are being written; removed at the end
	mu   sync.Mutex
	hurt bool // a part of the recordings could not be read
}

// open finds the folder of the tables of recordings.
func (c *tableFiles) open(ctx context.Context) (err error) {
	root := ""
	if !c.app.NoCache {
		key, err := c.content(ctx)
		if err != nil {
			return err
		}
		if dir, err := cache.Folder(cache.Tables); err == nil && os.MkdirAll(filepath.Join(dir, key), 0o700) == nil {
			root, c.dir = dir, filepath.Join(dir, key)
			now := time.Now()
			_ = os.Chtimes(c.dir, now, now) // when it was used last
		}
	}
	c.work, err = os.MkdirTemp(root, cache.New+"*")
	return err
}

// content returns a checksum of what tables are made of: the recordings, their names, and which
// events are chosen.
func (c *tableFiles) content(ctx context.Context) (string, error) {
	all := sha256.New()
	fmt.Fprintf(all, "%s %q\n", cacheVersion, c.choice)
	for _, rec := range c.set.Recordings {
		chunks := engine.RecordingIndex(rec).Chunks()
		sums, errs := make([][sha256.Size]byte, len(chunks)), make([]error, len(chunks))
		parallel.ForEach(engine.RecordingWorkers(rec), len(chunks), func(_, i int) {
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
func (c *tableFiles) lookup(table string) (path string, ok bool) {
	if c.dir == "" || table == columns.RecordingsTable { // which says where recordings lie now
		return "", false
	}
	path = filepath.Join(c.dir, columns.FileName(table, columns.Parquet))
	if _, err := os.Lstat(path + noRows); err == nil {
		return "", true
	}
	return path, isWhole(path)
}

// isWhole reports whether a file ends as a Parquet file does: after a crash of the system it may
// not.
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

// files returns the files of tables, which it writes if they are missing; "" for a table without
// rows.
func (c *tableFiles) files(ctx context.Context, tables []string) (map[string]string, error) {
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

// place returns the file of a table that has been written, maybe after it was given its place among
// those that are kept.
func (c *tableFiles) place(table string, keep bool) string {
	file := columns.FileName(table, columns.Parquet)
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
func (c *tableFiles) write(ctx context.Context, names []string, o columns.Options) error {
	o.OnError = func(rec *mmapjfr.Recording, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hurt = true
		c.o.OnError(rec, err)
	}
	bar := c.app.Progress("writing tables", cli.BytesOf(c.set), cli.AtEnd)
	defer bar.Done()
	o.Progress = bar.Add
	folder := columns.Folder(c.work, columns.Parquet, true)
	_, err := columns.Export(ctx, c.set.Recordings, columns.Parquet, func(table string, fill func(io.Writer) error) error {
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

// close removes what is not kept, and what was used least recently if all tables together are too
// large.
func (c *tableFiles) close() error {
	err := os.RemoveAll(c.work)
	if c.dir == "" {
		return err
	}
	return cmp.Or(err, cache.Prune(cache.Tables, cacheBytes))
}
