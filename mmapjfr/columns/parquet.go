package columns

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strconv"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Parquet is tables as files of Apache Parquet. docs/COLUMNS.md says what is in them.
//
// Columns are written straight from the rows: values of constants become a dictionary, and the
// positions of constants become positions there. Package parquet-go has the encodings and the
// structures of the format.
var Parquet Format = parquetFormat{}

type parquetFormat struct{}

// Extension returns .parquet.
func (parquetFormat) Extension() string { return ".parquet" }

// magic begins and ends a file.
const magic = "PAR1"

// writer writes a file.
type writer struct {
	out    *bufio.Writer
	offset int64
	err    error // the first one of out

	thrift  *thrift.Encoder
	encoded bytes.Buffer // what thrift has encoded

	leaves  []*parquetLeaf
	meta    format.FileMetaData
	groups  [][]byte      // the row groups, encoded: there are many, and their structures are large
	indexes [][]pageIndex // for each column of each row group
	sorting []format.SortingColumn
}

// pageIndex is the index of the pages of a column of a row group, encoded; it is written at the end of the file.
type pageIndex struct{ bounds, places []byte }

// buffers are those of files that have ended.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

// Begin begins a file.
func (parquetFormat) Begin(w io.Writer, t *Table) (Writer, error) {
	fw := &writer{out: buffers.Get().(*bufio.Writer)}
	fw.out.Reset(w)
	fw.thrift = thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&fw.encoded))
	root := schemaOf(t)
	var elements []format.SchemaElement
	elements, fw.leaves = root.flatten(nil, nil, nil)
	fw.meta = format.FileMetaData{Version: 2, Schema: elements, CreatedBy: "mjfr version " + SchemaVersion + ".0.0 (build 0)"}
	for i, l := range fw.leaves {
		fw.meta.ColumnOrders = append(fw.meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
		if t.Columns[l.column].Name == "start_ns" && t.Name[0] != '_' {
			fw.sorting = []format.SortingColumn{{ColumnIdx: int32(i)}}
		}
	}
	fw.describe(t)
	fw.write([]byte(magic))
	return fw, fw.err
}

// set sets a text of the footer.
func (w *writer) set(key, value string) {
	w.meta.KeyValueMetadata = append(w.meta.KeyValueMetadata, format.KeyValue{Key: key, Value: value})
}

// describe writes what the metadata says to the footer.
func (w *writer) describe(t *Table) {
	for _, p := range t.Properties() {
		w.set(p[0], p[1])
	}
	for i := range t.Columns {
		for _, p := range t.Columns[i].Properties() {
			w.set("jfr.field."+t.Columns[i].Name+"."+p[0], p[1])
		}
	}
}

func (w *writer) write(b []byte) {
	n, err := w.out.Write(b)
	w.offset += int64(n)
	if w.err == nil {
		w.err = err
	}
}

// encode returns a structure as thrift has it, until the next call.
func (w *writer) encode(v any) []byte {
	w.encoded.Reset()
	if err := w.thrift.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	return w.encoded.Bytes()
}

// Write writes a row group.
func (w *writer) Write(t *Table, rows *Rows) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.same.forget()
	g := format.RowGroup{NumRows: int64(rows.N), SortingColumns: w.sorting, FileOffset: w.offset, Ordinal: int16(len(w.groups))}
	indexes := make([]pageIndex, len(w.leaves))
	var filters []*format.ColumnChunk
	g.Columns = make([]format.ColumnChunk, len(w.leaves))
	for i, l := range w.leaves {
		view := rows.Column(t, l.column)
		e.fill(l, &view, rows.N)
		g.Columns[i].MetaData, indexes[i] = w.writeColumn(e, l)
		m := &g.Columns[i].MetaData
		g.TotalByteSize += m.TotalUncompressedSize
		g.TotalCompressedSize += m.TotalCompressedSize
		if l.bloom && e.hasDictionary {
			e.addBloom(l)
			filters = append(filters, &g.Columns[i])
		}
	}
	for i, c := range filters {
		w.writeBloom(&c.MetaData, e.blooms[i])
	}
	e.blooms = e.blooms[:0]
	w.meta.NumRows += g.NumRows
	w.groups = append(w.groups, bytes.Clone(w.encode(&g)))
	w.indexes = append(w.indexes, indexes)
	return w.err
}

// Close writes the indexes of pages and the footer.
func (w *writer) Close(late int64) error {
	w.set("jfr.rows_out_of_order", strconv.FormatInt(late, 10))
	bounds := w.offset
	for _, group := range w.indexes {
		for _, index := range group {
			w.write(index.bounds)
		}
	}
	places := w.offset
	for _, group := range w.indexes {
		for _, index := range group {
			w.write(index.places)
		}
	}
	footer := w.footer(bounds, places)
	w.write(footer)
	w.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	w.write([]byte(magic))
	if w.err != nil {
		return w.err
	}
	err := w.out.Flush()
	w.out.Reset(nil)
	buffers.Put(w.out)
	return err
}

// The heads of fields of the footer in thrift's compact protocol: by how much the number of a field is greater than
// that before it, and the type.
const (
	headList, headFirst = 1<<4 | 9, 5<<4 | 9
	structs             = 12 // the type of the elements of a list
)

// footer returns the footer, with the places of the indexes of pages. The row groups, which are its field 4, are
// encoded one by one, so that they never lie in memory together.
func (w *writer) footer(bounds, places int64) []byte {
	footer := bytes.Clone(w.encode(&fieldsBefore{w.meta.Version, w.meta.Schema, w.meta.NumRows}))
	footer = append(footer[:len(footer)-1], headList) // without the end of the structure
	if n := len(w.groups); n < 15 {
		footer = append(footer, byte(n)<<4|structs)
	} else {
		footer = binary.AppendUvarint(append(footer, 15<<4|structs), uint64(n))
	}
	for i, group := range w.groups {
		var g format.RowGroup
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), group, &g); err != nil && w.err == nil {
			w.err = err
		}
		for j := range g.Columns {
			c, index := &g.Columns[j], &w.indexes[i][j]
			if index.bounds != nil {
				c.ColumnIndexOffset, c.ColumnIndexLength = bounds, int32(len(index.bounds))
			}
			c.OffsetIndexOffset, c.OffsetIndexLength = places, int32(len(index.places))
			bounds, places = bounds+int64(len(index.bounds)), places+int64(len(index.places))
		}
		footer = append(footer, w.encode(&g)...)
	}
	after := w.encode(&fieldsAfter{w.meta.KeyValueMetadata, w.meta.CreatedBy, w.meta.ColumnOrders})
	after[0] -= headFirst - headList // 5 follows 4 there
	return append(footer, after...)
}

// fieldsBefore and fieldsAfter are the fields of the footer before and after the row groups.
type (
	fieldsBefore struct {
		Version int32                              `thrift:"1,required"`
		Schema  thrift.Slice[format.SchemaElement] `thrift:"2,required"`
		NumRows int64                              `thrift:"3,required"`
	}
	fieldsAfter struct {
		KeyValueMetadata thrift.Slice[format.KeyValue]    `thrift:"5,optional"`
		CreatedBy        string                           `thrift:"6,optional"`
		ColumnOrders     thrift.Slice[format.ColumnOrder] `thrift:"7,optional"`
	}
)
