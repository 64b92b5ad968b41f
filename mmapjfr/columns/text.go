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
	"github.com/mmapjfr/jfr/internal/cells"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

// CSV is tables as in RFC 4180, with the names of columns in the first line. A null is an empty cell.
var CSV Format = textFormat{".csv", false}

// NDJSON is tables as JSON objects, one in a line.
var NDJSON Format = textFormat{".ndjson", true}

type textFormat struct {
	extension string
	json      bool
}

// Extension returns .csv or .ndjson.
func (f textFormat) Extension() string { return f.extension }

// Begin writes the names of columns.
func (f textFormat) Begin(w io.Writer, t *Table) (Writer, error) {
	tw := &textWriter{w: writers.Get().(*bufio.Writer), json: f.json}
	tw.w.Reset(w)
	var line []byte
	for i, c := range t.Columns {
		head := []byte{','}
		if i == 0 {
			head = head[:0]
		}
		if f.json {
			head = append(jsonout.AppendString(head, c.Name), ':')
		} else {
			line = cells.Append(append(line, head...), []byte(c.Name), ',')
		}
		tw.heads = append(tw.heads, head)
	}
	if f.json {
		return tw, nil
	}
	_, err := tw.w.Write(append(line, '\n'))
	return tw, err
}

// writers are used again: there may be thousands of tables.
var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 256<<10) }}

type textWriter struct {
	w          *bufio.Writer
	json       bool
	heads      [][]byte // what stands before each column
	line, cell []byte
}

// Write writes a line for each row.
func (w *textWriter) Write(t *Table, rows *Rows) error {
	views := make([]View, len(t.Columns))
	for i := range views {
		views[i] = rows.Column(t, i)
	}
	for row := range rows.N {
		line := w.line[:0]
		if w.json {
			line = append(line, '{')
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			line = append(line, w.heads[i]...)
			n, text, list, ok := views[i].At(row)
			switch {
			case w.json && !ok:
				line = append(line, "null"...)
			case w.json:
				line = appendJSON(line, c, n, text, list)
			case !ok:
			case c.Kind == Text && text == "":
				line = append(line, `""`...) // not null
			case c.Kind < Text:
				line = AppendText(line, c, n, text, list)
			default:
				w.cell = AppendText(w.cell[:0], c, n, text, list)
				line = cells.Append(line, w.cell, ',')
			}
		}
		if w.json {
			line = append(line, '}')
		}
		w.line = append(line, '\n')
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
