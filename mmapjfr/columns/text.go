package columns

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/rows"
)

// CSV is tables as in RFC 4180, with the names of columns in the first line.
var CSV Format = textFormat{".csv", rows.CSV, false}

// SpreadsheetCSV is CSV with an apostrophe before each cell that a spreadsheet could take for a
// formula: one that begins with =, +, - or @, a tab or an end of line and is no number.
var SpreadsheetCSV Format = textFormat{".csv", rows.CSV, true}

// NDJSON is tables as JSON objects, one in a line.
var NDJSON Format = textFormat{".ndjson", rows.NDJSON, false}

type textFormat struct {
	extension       string
	rows            rows.Format
	spreadsheetSafe bool
}

// Extension returns .csv or .ndjson.
func (f textFormat) Extension() string { return f.extension }

// Begin writes the names of columns.
func (f textFormat) Begin(w io.Writer, t *Table) (Writer, error) {
	names := make([]string, len(t.Columns))
	for i := range names {
		names[i] = t.Columns[i].Name
	}
	tw := &textWriter{w: writers.Get().(*bufio.Writer), row: rows.New(f.rows, f.spreadsheetSafe, names)}
	tw.w.Reset(w)
	if f.rows == rows.NDJSON {
		return tw, nil
	}
	_, err := tw.w.Write(append(tw.row.Header(), '\n'))
	return tw, err
}

// writers are used again: there may be thousands of tables.
var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 256<<10) }}

type textWriter struct {
	w    *bufio.Writer
	row  *rows.Row
	line []byte
}

// Write writes a line for each row.
func (w *textWriter) Write(t *Table, rows *Rows) error {
	views := make([]View, len(t.Columns))
	for i := range views {
		views[i] = rows.Column(t, i)
	}
	for row := range rows.N {
		w.row.Begin(w.line[:0])
		for i := range t.Columns {
			if n, text, list, ok := views[i].At(row); ok {
				addValue(w.row, t.Columns[i].Kind, t.Columns[i].Element, n, text, list)
			} else {
				w.row.Null()
			}
		}
		w.line = append(w.row.End(), '\n')
		if _, err := w.w.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the rest.
func (w *textWriter) Close(int64) error {
	err := w.w.Flush()
	w.w.Reset(nil)
	writers.Put(w.w)
	w.w = nil
	return err
}

// FileName returns the name of the file of a table.
func FileName(table string, f Format) string {
	return FolderName(table) + f.Extension()
}

func hashOf(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])
}

// Folder returns a sink of files in a folder, which it makes. A file is there as a whole or not at all; one that is
// there already is an error unless force is set.
func Folder(dir string, f Format, force bool) Sink {
	return func(table string, fill func(io.Writer) error) error {
		path := filepath.Join(dir, FileName(table, f))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if _, err := os.Stat(path); err == nil && !force {
			return fmt.Errorf("%s: it is there already", path)
		}
		if err := atomicfile.Write(path, fill); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
}
