package mmapjfr_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// flushEnd is a place in a chunk up to which it is readable, and what its header says then.
type flushEnd struct {
	size, checkpoint, metadata uint64
}

// flushEnds returns where the flushes of a chunk end, the last of them at its end.
func flushEnds(t testing.TB, data []byte) (ends []flushEnd) {
	t.Helper()
	x, err := index.New(data)
	require.NoError(t, err)
	c := x.Chunks()[0]
	var now flushEnd
	var recs [1]index.EventHeader
	for at := c.FirstEvent(); at < uint64(len(c.Data())); {
		n, next, err := c.ReadHeaders(at, at+1, recs[:])
		require.NoError(t, err)
		require.Equal(t, 1, n)
		at, now.size = next, next
		switch recs[0].Type {
		case schema.MetadataID:
			now.metadata = recs[0].Offset
		case schema.CheckpointID:
			now.checkpoint = recs[0].Offset
			cur := wire.NewCursor(c.Data()[:next], int(recs[0].Body()), c.IntEncoding())
			cur.Long()
			cur.Long()
			cur.Long()
			if cur.Byte()&index.CheckpointFlush != 0 && now.metadata != 0 {
				ends = append(ends, now)
			}
		}
	}
	if len(ends) == 0 || ends[len(ends)-1] != now {
		ends = append(ends, now)
	}
	return ends
}

// liveWriter writes a chunk into a file as virtual machines do: bytes first, and then the
// header, in which a state of 255 stands while it changes.
type liveWriter struct {
	t    testing.TB
	file *os.File
	path string
	at   int64
	data []byte
	ends []flushEnd
	done int // how many flushes there have been
}

// newLiveWriter makes a file with the header of a chunk of which nothing has been flushed, at
// an offset.
func newLiveWriter(t testing.TB, data []byte, at int64) *liveWriter {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "live.jfr"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	w := &liveWriter{t: t, file: file, path: file.Name(), at: at, data: data, ends: flushEnds(t, data)}
	w.header(flushEnd{size: wire.HeaderLen}, 1)
	return w
}

// put writes bytes at an offset of the chunk.
func (w *liveWriter) put(b []byte, offset uint64) {
	w.t.Helper()
	_, err := w.file.WriteAt(b, w.at+int64(offset))
	require.NoError(w.t, err)
}

// header rewrites the header.
func (w *liveWriter) header(end flushEnd, state byte) {
	w.t.Helper()
	h := make([]byte, wire.HeaderLen)
	copy(h, w.data)
	h[64] = wire.StateUpdating
	w.put(h[:8], 0)
	w.put(h[64:], 64)
	w.put(h[32:40], 32)
	w.put(h[48:64], 48)
	w.put(binary.BigEndian.AppendUint64(nil, end.size), 8)
	w.put(binary.BigEndian.AppendUint64(nil, end.checkpoint), 16)
	w.put(binary.BigEndian.AppendUint64(nil, end.metadata), 24)
	w.put(binary.BigEndian.AppendUint64(nil, 1000*end.size), 40) // a duration that says which header it is
	w.put([]byte{state}, 64)
}

// flush makes the next flush readable, and puts junk after it. It is false if nothing is there.
func (w *liveWriter) flush() bool {
	w.t.Helper()
	if w.done == len(w.ends) {
		return false
	}
	from := uint64(wire.HeaderLen)
	if w.done > 0 {
		from = w.ends[w.done-1].size
	}
	end := w.ends[w.done]
	w.put(w.data[from:end.size], from)
	w.junk(end.size)
	w.done++
	w.header(end, byte(w.done%100)+1)
	return true
}

// junk puts bytes after the valid end that are no frames, nor anything else.
func (w *liveWriter) junk(at uint64) {
	w.t.Helper()
	b := make([]byte, 5000)
	for i := range b {
		b[i] = 0xff
	}
	w.put(b, at)
}

// finish completes the chunk.
func (w *liveWriter) finish() {
	w.t.Helper()
	for w.flush() {
	}
	w.header(w.ends[len(w.ends)-1], wire.StateFinished)
}

// flushes builds a chunk of flushes, with types and constants that come with some of them.
func flushes(n, events int, text string) *jfrtest.Builder { return flushesWith(n, events, text, true) }

// flushesWith is flushes, with types that come late or without.
func flushesWith(n, events int, text string, late bool) *jfrtest.Builder {
	b := jfrtest.NewChunk()
	const symbol = "jdk.types.Symbol"
	typ := b.Event("test.Flushed", jfrtest.Of("flush", "int"), jfrtest.Const("name", symbol), jfrtest.Of("text", jfrtest.StringClass))
	b.Metadata(&jfrtest.Metadata{ID: 1})
	key := 0
	for i := range n {
		if late && i%3 == 1 {
			late := b.Event("test.Late"+string(rune('A'+i/3%26)), jfrtest.Of("n", "long"), jfrtest.Const("name", symbol))
			for j := range 3 {
				b.Emit(late, start+i, j, key)
			}
			// The metadata describes what there is by then, as far as the writer remembers.
			b.Metadata(&jfrtest.Metadata{ID: int64(i + 2), Classes: append([]*jfrtest.Class(nil), b.Classes()...)})
		}
		for j := range events {
			b.Emit(typ, start+i*1000+j, i, key+j%5, text)
		}
		cp := b.Checkpoint(0)
		for range 5 {
			cp.Add(symbol, key, fmt.Sprint("symbol ", key))
			key++
		}
		b.Checkpoint(jfrtest.MaskFlush).CarryHeader(byte(i + 2))
	}
	return b
}

// littleFlushes builds a chunk of a few hundred bytes with three flushes.
func littleFlushes() *jfrtest.Builder {
	b := jfrtest.NewEmptyChunk()
	for _, name := range []string{"int", "long", jfrtest.StringClass} {
		b.Class(name)
	}
	b.Class("P", jfrtest.Of("x", "int"), jfrtest.Of("s", jfrtest.StringClass))
	b.Class("jdk.types.ChunkHeader", jfrtest.Of("payload", "byte").Array())
	b.Class("byte")
	typ := b.Event("E", jfrtest.Const("p", "P"))
	b.Metadata(&jfrtest.Metadata{ID: 1, StringEncodings: []byte{5}})
	for i := range 3 {
		b.Emit(typ, start+i, i+1)
		b.Emit(typ, start+i, 1)
		b.Checkpoint(0).Add("P", i+1, i, "p")
		b.Checkpoint(jfrtest.MaskFlush).CarryHeader(byte(i + 2))
	}
	return b
}
