package columns

import (
	"encoding/binary"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// pageRows and pageBytes are the size of a page; the second is about that of its values.
	pageRows  = 20_480
	pageBytes = 1 << 20
	bloomBits = 10 // for each value
	// poor is how many pages are not packed after one that packing has not made smaller.
	poor = 15
)

// pack returns a page packed by snappy, in memory that is used again.
func (e *encoder) pack() []byte {
	e.packed = s2.EncodeSnappy(e.packed[:cap(e.packed)], e.page)
	return e.packed
}

// columnWriter writes a column of a row group.
type columnWriter struct {
	*writer
	e      *encoder
	l      *parquetLeaf
	meta   format.ColumnMetaData
	bounds format.ColumnIndex
	places format.OffsetIndex
	whole  bounds // of all pages
	known  bool   // all pages have bounds
	nulls  int64
}

// writeColumn writes the pages of a column. It returns what the footer says of it, and the index of its pages.
func (w *writer) writeColumn(e *encoder, l *parquetLeaf) (format.ColumnMetaData, pageIndex) {
	c := columnWriter{writer: w, e: e, l: l, known: true}
	c.meta = format.ColumnMetaData{Type: physical(l.kind), PathInSchema: l.path, Codec: format.Snappy, DataPageOffset: -1}
	encoding := c.encoding()
	c.meta.Encoding = append(c.meta.Encoding, format.RLE, encoding)
	if e.hasDictionary && l.kind != Bool {
		c.meta.Encoding = append(c.meta.Encoding, format.Plain) // of the dictionary
		c.writeDictionary()
		c.whole = e.boundsOf(l.kind, e.dictionary.ints, e.dictionary.texts)
	}
	pages := c.writePages(encoding)
	c.meta.EncodingStats = append(c.meta.EncodingStats, format.PageEncodingStats{PageType: format.DataPageV2, Encoding: encoding, Count: int32(pages)})
	c.meta.Statistics.NullCount = c.nulls
	if c.known && c.whole.ok {
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = c.whole.least, c.whole.most
	}
	index := pageIndex{places: append([]byte(nil), w.encode(&c.places)...)}
	if c.known {
		index.bounds = append([]byte(nil), w.encode(&c.bounds)...)
	}
	return c.meta, index
}

func (c *columnWriter) encoding() format.Encoding {
	switch {
	case c.e.hasDictionary && c.l.kind != Bool:
		return format.RLEDictionary
	case physical(c.l.kind) == format.Int64:
		return format.DeltaBinaryPacked
	}
	return format.Plain
}

// writeDictionary writes the page of the dictionary.
func (c *columnWriter) writeDictionary() {
	e := c.e
	e.page = appendPlain(e.page[:0], e.dictionary.ints, e.dictionary.texts)
	data := e.pack()
	n := len(e.dictionary.ints) + len(e.dictionary.texts)
	c.meta.DictionaryPageOffset = c.offset
	c.meta.EncodingStats = append(c.meta.EncodingStats, format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
	note := e.note
	e.note = nil
	c.writePage(&format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: int32(len(e.page)), CompressedPageSize: int32(len(data)),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain})}, nil, data)
	e.note = note
}

// writePage writes a page with its header.
func (c *columnWriter) writePage(h *format.PageHeader, levels, data []byte) {
	header := c.encode(h)
	c.meta.TotalUncompressedSize += int64(len(header)) + int64(h.UncompressedPageSize)
	c.meta.TotalCompressedSize += int64(len(header)) + int64(h.CompressedPageSize)
	c.write(header)
	c.write(levels)
	c.write(data)
	if n := c.e.note; n != nil {
		n.bytes = append(append(append(n.bytes, header...), levels...), data...)
	}
}

// appendPlain appends numbers and texts in the encoding PLAIN.
func appendPlain(dst []byte, ints []int64, texts []string) []byte {
	for _, text := range texts {
		dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
	}
	for _, n := range ints {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

// writePages writes the values.
func (c *columnWriter) writePages(encoding format.Encoding) (pages int) {
	e := c.e
	if e.known != nil {
		c.writeAgain(e.known)
		return len(e.known.pages)
	}
	width := 0
	for n := len(e.dictionary.ints) + len(e.dictionary.texts) - 1; n > 0; n >>= 1 {
		width++
	}
	level, value := 0, 0 // of those that follow
	most := c.rowsOfPage()
	for row := 0; row < e.rows; pages++ {
		p := page{row: row, rows: min(most, e.rows-row), level: level, value: value}
		e.locate(&p, c.l)
		c.writeValues(&p, encoding, width)
		row, level, value = row+p.rows, level+p.levels, value+p.values
	}
	return pages
}

// rowsOfPage returns how many rows a page has.
func (c *columnWriter) rowsOfPage() int {
	bytes := 1
	if len(c.e.repetition) > 0 {
		bytes += 4 * len(c.e.repetition)
	}
	if !c.e.hasDictionary {
		bytes += 8 * len(c.e.ints)
		for _, text := range c.e.texts {
			bytes += len(text) + 4
		}
	}
	return min(pageRows, max(1, int(int64(c.e.rows)*pageBytes/int64(bytes))))
}

// page is some rows: where their levels and values begin, and how many there are.
type page struct {
	row, rows, level, levels, value, values int
}

// locate finds the levels and values of a page.
func (e *encoder) locate(p *page, l *parquetLeaf) {
	p.levels = p.rows
	if l.repetition > 0 {
		p.levels = 0
		for rows := 0; p.level+p.levels < len(e.repetition); p.levels++ {
			if e.repetition[p.level+p.levels] == 0 {
				if rows == p.rows {
					break
				}
				rows++
			}
		}
	}
	p.values = p.levels
	if len(e.definition) > 0 {
		p.values = 0
		for _, level := range e.definition[p.level : p.level+p.levels] {
			if level == l.definition {
				p.values++
			}
		}
	}
}

// writeValues writes a page of values.
func (c *columnWriter) writeValues(p *page, encoding format.Encoding, width int) {
	e, l := c.e, c.l
	e.levels = e.levels[:0]
	repetition := 0
	if l.repetition > 0 {
		e.levels = c.appendLevels(e.levels, e.repetition[p.level:p.level+p.levels], 1, 0, 0)
		repetition = len(e.levels)
	}
	if l.definition > 0 {
		bits := 1
		if l.definition > 1 {
			bits = 2
		}
		var levels []uint8
		if len(e.definition) > 0 {
			levels = e.definition[p.level : p.level+p.levels]
		}
		e.levels = c.appendLevels(e.levels, levels, bits, p.levels, l.definition)
	}
	c.encodeValues(p, encoding, width)
	data, packed := e.page, false
	if l.unpacked > 0 {
		l.unpacked--
	} else if short := e.pack(); len(short) < len(e.page)-len(e.page)/16 {
		data, packed = short, true
	} else {
		l.unpacked = poor
	}
	h := format.DataPageHeaderV2{NumValues: int32(p.levels), NumNulls: int32(p.levels - p.values), NumRows: int32(p.rows), Encoding: encoding,
		DefinitionLevelsByteLength: int32(len(e.levels) - repetition), RepetitionLevelsByteLength: int32(repetition), IsCompressed: thrift.New(packed)}
	at, before := c.offset, c.meta.TotalUncompressedSize
	c.writePage(&format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: int32(len(e.levels) + len(e.page)), CompressedPageSize: int32(len(e.levels) + len(data)),
		DataPageHeaderV2: thrift.New(h)}, e.levels, data)
	if n := e.note; n != nil {
		n.pages = append(n.pages, writtenPage{*p, int(c.offset - at), int(c.meta.TotalUncompressedSize - before)})
	}
	c.written(p, at)
}

// appendLevels appends levels; without them n times the same one.
func (c *columnWriter) appendLevels(dst []byte, levels []uint8, bits, n int, same uint8) []byte {
	if len(levels) == 0 {
		return append(binary.AppendUvarint(dst, uint64(n)<<1), same)
	}
	encoded, err := (&rle.Encoding{BitWidth: bits}).EncodeLevels(c.e.plain, levels)
	c.fail(err)
	c.e.plain = encoded
	return append(dst, encoded...)
}

func (c *columnWriter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// encodeValues encodes the values of a page.
func (c *columnWriter) encodeValues(p *page, encoding format.Encoding, width int) {
	e := c.e
	end := p.value + p.values
	var err error
	switch encoding {
	case format.RLEDictionary:
		e.plain, err = (&rle.Encoding{BitWidth: width}).EncodeInt32(e.plain, e.index[p.value:end])
		e.page = append(append(e.page[:0], byte(width)), e.plain...)
	case format.DeltaBinaryPacked:
		e.page, err = new(delta.BinaryPackedEncoding).EncodeInt64(e.page[:0], e.ints[p.value:end])
	default:
		e.page = e.appendPlain(e.page[:0], c.l.kind, p.value, end)
	}
	c.fail(err)
}

// appendPlain appends values in the encoding PLAIN.
func (e *encoder) appendPlain(dst []byte, k Kind, from, end int) []byte {
	switch k {
	case Text:
		return appendPlain(dst, nil, e.texts[from:end])
	case Bool:
		n := len(dst)
		dst = append(dst, make([]byte, (end-from+7)/8)...)
		for i, at := range e.index[from:end] {
			dst[n+i/8] |= byte(e.dictionary.ints[at]) << (i % 8)
		}
		return dst
	}
	return appendPlain(dst, e.ints[from:end], nil)
}

// addBloom makes the filter of the values of the dictionary.
func (e *encoder) addBloom(l *parquetLeaf) {
	d := &e.dictionary
	n := max(1, len(d.ints)+len(d.texts))
	f := make(bloom.SplitBlockFilter, bloom.NumSplitBlocksOf(int64(n), bloomBits))
	for _, n := range d.ints {
		f.Insert(bloom.XXH64{}.Sum64Uint64(uint64(n)))
	}
	for _, text := range d.texts {
		f.Insert(bloom.XXH64{}.Sum64([]byte(text)))
	}
	e.blooms = append(e.blooms, f)
}

// writeBloom writes a filter.
func (w *writer) writeBloom(m *format.ColumnMetaData, f bloom.SplitBlockFilter) {
	m.BloomFilterOffset = w.offset
	h := format.BloomFilterHeader{NumBytes: int32(len(f.Bytes()))}
	h.Algorithm.Value, h.Hash.Value, h.Compression.Value = &format.SplitBlockAlgorithm{}, &format.XxHash{}, &format.BloomFilterUncompressed{}
	w.write(w.encode(&h))
	w.write(f.Bytes())
	m.BloomFilterLength = int32(w.offset - m.BloomFilterOffset)
}
