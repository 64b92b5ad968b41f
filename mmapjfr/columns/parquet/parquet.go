// Package parquet has the format Apache Parquet for package columns. docs/COLUMNS.md specifies what is in the files.
package parquet

import (
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// Format makes Parquet files. The zero Format is ready for use.
type Format struct {
	// Nested keeps structs as groups. Otherwise their fields are columns with dots in their names.
	Nested bool
}

// Extension returns .parquet.
func (Format) Extension() string { return ".parquet" }

const (
	pageBytes = 1 << 20
	// batch is how many values are handed over at a time.
	batch = 1024
	// dictionaryBytes is how large a dictionary of a row group grows before values are written as they are.
	dictionaryBytes = 4 << 20
	bloomBits       = 10 // for each value
)

// codec packs the pages of all files: it keeps encoders for later, and each takes megabytes.
var codec = &zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}

// Begin begins a file.
func (f Format) Begin(w io.Writer, t *columns.Table) (columns.Writer, error) {
	schema, order := schemaOf(t, f.Nested)
	o := []parquet.WriterOption{
		schema, parquet.Compression(codec), parquet.PageBufferSize(pageBytes), parquet.DataPageStatistics(true),
		parquet.DictionaryMaxBytes(dictionaryBytes), parquet.MaxRowsPerRowGroup(math.MaxInt64), parquet.CreatedBy("mjfr", "", ""),
	}
	var filters []parquet.BloomFilterColumn
	for _, c := range t.Columns {
		if c.Name == "stack_id" || c.Name == "thread" && c.Kind == columns.Text {
			filters = append(filters, parquet.SplitBlockFilter(bloomBits, c.Name))
		}
	}
	o = append(o, parquet.BloomFilters(filters...))
	for _, c := range t.Columns {
		if c.Name == "thread" || c.Name == "top_frame" || c.Name == "top_app_frame" {
			o = append(o, parquet.SkipPageBounds(c.Name)) // no page has few of them
		}
	}
	for _, c := range t.Columns {
		if c.Name == "start_ns" && t.Name[0] != '_' {
			o = append(o, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("start_ns"))))
		}
	}
	fw := &writer{w: parquet.NewGenericWriter[any](w, o...), order: order, values: make([]parquet.Value, 0, batch)}
	fw.describe(t)
	return fw, nil
}

// writer writes a file.
type writer struct {
	w      *parquet.GenericWriter[any]
	order  []int // the column of the table for each column of the file
	values []parquet.Value
}

// describe writes what the metadata says to the footer.
func (w *writer) describe(t *columns.Table) {
	set := func(key, value string) {
		if value != "" {
			w.w.SetKeyValueMetadata(key, value)
		}
	}
	set("jfr.schema_version", columns.SchemaVersion)
	set("jfr.type", t.Name)
	set("jfr.label", t.Label)
	set("jfr.description", t.Description)
	set("jfr.source", t.Source)
	set("jfr.jvm", t.JVM)
	for _, c := range t.Columns {
		key := "jfr.field." + c.Name + "."
		set(key+"path", c.Field)
		set(key+"unit", c.Unit)
		set(key+"label", c.Label)
		set(key+"description", c.Description)
		set(key+"content_type", c.ContentType)
	}
}

// Write writes a row group.
func (w *writer) Write(t *columns.Table, rows *columns.Rows) error {
	to := w.w.ColumnWriters()
	next := 0
	for _, i := range w.order {
		c, v := &t.Columns[i], rows.Column(t, i)
		var err error
		switch c.Kind {
		case columns.List:
			err = w.writeLists(to[next], c.Element, &v, rows.N)
		case columns.Frames:
			for j := range frameFields {
				if err = w.writeFrames(to[next+j], j, &v, rows.N); err != nil {
					return err
				}
			}
			next += len(frameFields) - 1
		default:
			err = w.writeValues(to[next], c, &v, rows.N)
		}
		if err != nil {
			return err
		}
		next++
	}
	return w.w.Flush()
}

// Close writes the footer.
func (w *writer) Close(late int64) error {
	w.w.SetKeyValueMetadata("jfr.rows_out_of_order", strconv.FormatInt(late, 10))
	return w.w.Close()
}

// valueOf returns a value that is not null.
func valueOf(k columns.Kind, n int64, text string) parquet.Value {
	switch k {
	case columns.Bool:
		return parquet.BooleanValue(n != 0)
	case columns.Double:
		return parquet.DoubleValue(math.Float64frombits(uint64(n)))
	case columns.Time:
		return parquet.Int64Value(micros(n))
	case columns.Text:
		return parquet.ByteArrayValue(bytesOf(text))
	}
	return parquet.Int64Value(n)
}

// micros returns microseconds for nanoseconds, rounded down.
func micros(ns int64) int64 {
	us := ns / 1000
	if ns%1000 < 0 {
		us--
	}
	return us
}

// writeValues writes a column of single values.
func (w *writer) writeValues(to *parquet.ColumnWriter, c *columns.Column, v *columns.View, rows int) error {
	var constants []parquet.Value
	for i := range v.Constants() {
		value := parquet.Value{}
		if n, text, _, ok := v.Constant(i); ok {
			value = valueOf(c.Kind, n, text).Level(0, 1, 0)
		}
		constants = append(constants, value)
	}
	for from := 0; from < rows; from += batch {
		end := min(rows, from+batch)
		values := w.values[:0]
		switch {
		case v.Refs != nil:
			for _, ref := range v.Refs[from:end] {
				if ref < 0 {
					values = append(values, parquet.Value{})
				} else {
					values = append(values, constants[ref])
				}
			}
		case c.Required && c.Kind != columns.Bool && c.Kind != columns.Time:
			for _, n := range v.Ints[from:end] {
				values = append(values, parquet.Int64Value(n))
			}
		case c.Required:
			for _, n := range v.Ints[from:end] {
				values = append(values, valueOf(c.Kind, n, ""))
			}
		default:
			for i := from; i < end; i++ {
				if n, text, _, ok := v.At(i); ok {
					values = append(values, valueOf(c.Kind, n, text).Level(0, 1, 0))
				} else {
					values = append(values, parquet.Value{})
				}
			}
		}
		if _, err := to.WriteRowValues(values); err != nil {
			return err
		}
	}
	return nil
}

// The definition levels of lists: a list that is null, one without elements, a null in it, and a value in it.
const (
	levelNull, levelEmpty, levelNullElement, levelElement = 0, 1, 2, 3
)

// writeLists writes a column of lists.
func (w *writer) writeLists(to *parquet.ColumnWriter, k columns.Kind, v *columns.View, rows int) error {
	return w.writeRows(to, v, rows, func(values []parquet.Value, list *columns.Elements, i, again int) []parquet.Value {
		switch {
		case !list.Valid[i]:
			return append(values, parquet.Value{}.Level(again, levelNullElement, 0))
		case k == columns.Text:
			return append(values, valueOf(k, 0, list.Texts[i]).Level(again, levelElement, 0))
		}
		return append(values, valueOf(k, list.Ints[i], "").Level(again, levelElement, 0))
	})
}

// writeFrames writes one of the columns of frames.
func (w *writer) writeFrames(to *parquet.ColumnWriter, field int, v *columns.View, rows int) error {
	return w.writeRows(to, v, rows, func(values []parquet.Value, list *columns.Elements, i, again int) []parquet.Value {
		f := &list.Frames[i]
		text, n := "", int64(0)
		switch frameFields[field].Name {
		case "class":
			text = f.Class
		case "method":
			text = f.Method
		case "descriptor":
			text = f.Descriptor
		case "type":
			text = f.Type
		case "line":
			n = f.Line
		case "bci":
			n = f.BCI + 1 // 0 is a place
		}
		switch {
		case text != "":
			return append(values, parquet.ByteArrayValue(bytesOf(text)).Level(again, levelElement, 0))
		case n <= 0:
			return append(values, parquet.Value{}.Level(again, levelNullElement, 0))
		case frameFields[field].Name == "bci":
			n--
		}
		return append(values, parquet.Int64Value(n).Level(again, levelElement, 0))
	})
}

// writeRows writes a column of lists by a function for their elements.
func (w *writer) writeRows(to *parquet.ColumnWriter, v *columns.View, rows int, add func(values []parquet.Value, list *columns.Elements, i, again int) []parquet.Value) error {
	values := w.values[:0]
	for row := range rows {
		_, _, list, ok := v.At(row)
		switch {
		case !ok || list == nil:
			values = append(values, parquet.Value{}.Level(0, levelNull, 0))
		case list.N == 0:
			values = append(values, parquet.Value{}.Level(0, levelEmpty, 0))
		default:
			for i := range list.N {
				values = add(values, list, i, min(i, 1))
			}
		}
		if len(values) >= batch || row == rows-1 {
			if _, err := to.WriteRowValues(values); err != nil {
				return err
			}
			values = values[:0]
		}
	}
	w.values = values[:0]
	return nil
}
