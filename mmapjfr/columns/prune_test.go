package columns_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// counted counts the bytes that are read of a file.
type counted struct {
	*bytes.Reader
	n int64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(b, at)
	c.n += int64(n)
	return n, err
}

const (
	events  = 300_000
	threads = 10
	// step is the time between two events, in nanoseconds: all take half an hour.
	step = 6_000_000
)

// manyRows exports events that threads have one after the other.
func manyRows(t *testing.T) []byte {
	b := jfrtest.NewChunk()
	b.Header.TickRate = 1e9
	for i := range threads {
		b.Constant("java.lang.Thread", i+1, fmt.Sprint("os-", i), 100+i, fmt.Sprint("thread-", i), 1+i, 0, false)
	}
	typ := b.Event("test.Row", jfrtest.EventThread(), jfrtest.Of("value", "long"))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range events {
		b.Emit(typ, b.Header.StartTicks+int64(i)*step+r.Int64N(step), 1+i*threads/events, r.Int64())
	}
	data, _ := b.Build()
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer rec.Close()
	var file bytes.Buffer
	sink := func(table string, fill func(io.Writer) error) error {
		if table == "test.Row" {
			return fill(&file)
		}
		return fill(io.Discard)
	}
	_, err = columns.Export(t.Context(), []*mmapjfr.Recording{rec}, columns.Parquet, sink, columns.Options{})
	require.NoError(t, err)
	return file.Bytes()
}

// readBetween returns the values of the rows whose column is between two values, and how many bytes that took, as engines
// read: row groups by bounds and filters, and pages by their bounds.
func readBetween(t *testing.T, data []byte, name string, from, to pq.Value) (n int, cost int64) {
	in := &counted{Reader: bytes.NewReader(data)}
	f, err := pq.OpenFile(in, int64(len(data)))
	require.NoError(t, err)
	column, _ := f.Schema().Lookup(name)
	value, _ := f.Schema().Lookup("value")
	for _, g := range f.RowGroups() {
		c := g.ColumnChunks()[column.ColumnIndex]
		if filter := c.BloomFilter(); filter != nil {
			ok, err := filter.Check(from)
			require.NoError(t, err)
			if !ok {
				continue
			}
		}
		index, err := c.ColumnIndex()
		require.NoError(t, err)
		offsets, err := c.OffsetIndex()
		require.NoError(t, err)
		for page := range index.NumPages() {
			kind := c.Type()
			if kind.Compare(index.MaxValue(page), from) < 0 || kind.Compare(to, index.MinValue(page)) < 0 {
				continue
			}
			first, last := offsets.FirstRowIndex(page), g.NumRows()
			if page+1 < index.NumPages() {
				last = offsets.FirstRowIndex(page + 1)
			}
			keys := rows(t, c, first, last)
			values := rows(t, g.ColumnChunks()[value.ColumnIndex], first, last)
			for i, k := range keys {
				if kind.Compare(k, from) >= 0 && kind.Compare(k, to) <= 0 {
					require.False(t, values[i].IsNull())
					n++
				}
			}
		}
	}
	return n, in.n
}

// rows reads some rows of a column.
func rows(t *testing.T, c pq.ColumnChunk, first, last int64) (all []pq.Value) {
	pages := c.Pages()
	defer pages.Close()
	require.NoError(t, pages.SeekToRow(first))
	for int64(len(all)) < last-first {
		p, err := pages.ReadPage()
		require.NoError(t, err)
		values := make([]pq.Value, p.NumValues())
		_, err = p.Values().ReadValues(values)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
		}
		for _, v := range values {
			all = append(all, v.Clone())
		}
	}
	return all[:last-first]
}

func TestAQuestionReadsLittle(t *testing.T) {
	data := manyRows(t)
	all, whole := readBetween(t, data, "start_ns", pq.Int64Value(-1<<62), pq.Int64Value(1<<62))
	assert.Equal(t, events, all)

	f, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	start, _ := f.Schema().Lookup("start_ns")
	index, err := f.RowGroups()[1].ColumnChunks()[start.ColumnIndex].ColumnIndex()
	require.NoError(t, err)
	from := index.MinValue(1).Int64()
	n, cost := readBetween(t, data, "start_ns", pq.Int64Value(from), pq.Int64Value(from+int64(time.Minute)))
	assert.InDelta(t, int64(time.Minute)/step, n, 2)
	assert.Less(t, cost, whole/4, "bytes for a minute of half an hour")

	n, cost = readBetween(t, data, "thread", pq.ByteArrayValue([]byte("thread-9")), pq.ByteArrayValue([]byte("thread-9")))
	assert.Equal(t, events/threads, n)
	assert.Less(t, cost, whole/2, "bytes for a thread that one of three row groups has")
	n, cost = readBetween(t, data, "thread", pq.ByteArrayValue([]byte("thread-x")), pq.ByteArrayValue([]byte("thread-x")))
	assert.Zero(t, n)
	assert.Less(t, cost, whole/20, "bytes for a thread that does not occur")
}
