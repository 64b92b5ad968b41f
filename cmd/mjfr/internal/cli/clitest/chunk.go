package clitest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// Begin is when the chunks that tests write begin; it was half past eleven at night.
var Begin = time.Date(2026, 5, 1, 21, 30, 0, 0, time.UTC)

// Chunk is a chunk that a test writes as a virtual machine does.
type Chunk struct {
	t           testing.TB
	path        string
	data        []byte
	checkpoints []jfrtest.Span  // that end a flush
	ends        []time.Duration // of these
	metadata    int64
	flushed     int
}

// NewChunk makes a chunk of these flushes: each number n is an event test.Tick that
// begins n seconds after Begin, in the thread "even" or "odd", and lasts a second, and
// a test.Tock without a duration.
func NewChunk(t testing.TB, path string, flushes ...[]int) *Chunk {
	t.Helper()
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	b.Header.StartNanos, b.Header.StartTicks = Begin.Add(time.Duration(flushes[0][0])*time.Second).UnixNano(), 0
	b.Region = jfrtest.Region{GMTOffset: 2 * time.Hour.Milliseconds()}
	tick := b.Event("test.Tick", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	tock := b.Event("test.Tock", jfrtest.EventThread(), jfrtest.Of("n", "int"))
	base := flushes[0][0]
	var ends []time.Duration
	for _, flush := range flushes {
		last := int64(0)
		threads := []jfrtest.Constant{{Class: b.Lookup("java.lang.Thread").ID, Key: 1}, {Class: b.Lookup("java.lang.Thread").ID, Key: 2}}
		for _, n := range flush {
			at := int64(n-base) * int64(time.Second)
			b.Emit(tick, at, int64(time.Second), threads[n%2], n, fmt.Sprintf("<%d>", n))
			b.Emit(tock, at, threads[n%2], n)
			last = max(last, at+int64(time.Second))
		}
		c := b.Checkpoint(jfrtest.MaskFlush)
		c.Start = last
		ends = append(ends, time.Duration(last))
		c.Add("java.lang.Thread", 1, "even", 11, "even", 1, jfrtest.Constant{}, false)
		c.Add("java.lang.Thread", 2, "odd", 12, "odd", 2, jfrtest.Constant{}, false)
	}
	data, layout := b.Build()
	w := &Chunk{t: t, path: path, data: data, ends: ends, metadata: layout.Metadata[0].Offset}
	for _, c := range layout.Checkpoints {
		w.checkpoints = append(w.checkpoints, c.Span)
	}
	require.Len(t, w.checkpoints, len(flushes))
	return w
}

// Flush writes the next part of the chunk, and then the header that includes it.
func (w *Chunk) Flush() {
	w.t.Helper()
	c := w.checkpoints[w.flushed]
	w.flushed++
	w.write(c, w.ends[w.flushed-1], byte(1+w.flushed), 0)
}

// Finish writes what there is left, and that there will be no more: of the chunk, or of
// all the recording.
func (w *Chunk) Finish(final bool) {
	w.t.Helper()
	w.flushed = len(w.checkpoints)
	flags := byte(0)
	if final {
		flags = 2
	}
	w.write(w.checkpoints[w.flushed-1], w.ends[w.flushed-1], 0, flags)
}

func (w *Chunk) write(c jfrtest.Span, lasts time.Duration, state, flags byte) {
	w.t.Helper()
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(w.t, err)
	defer f.Close()
	at := func(offset int64, data []byte) {
		_, err := f.WriteAt(data, offset)
		require.NoError(w.t, err)
	}
	at(jfrtest.HeaderSize, w.data[jfrtest.HeaderSize:c.End()])
	at(64, []byte{255})
	header := bytes.Clone(w.data[:jfrtest.HeaderSize])
	binary.BigEndian.PutUint64(header[8:], uint64(c.End()))
	binary.BigEndian.PutUint64(header[16:], uint64(c.Offset))
	binary.BigEndian.PutUint64(header[24:], uint64(w.metadata))
	binary.BigEndian.PutUint64(header[40:], uint64(lasts))
	header[67] |= flags
	at(0, header[:64])
	at(65, header[65:])
	at(64, []byte{state})
}

// Repository makes a directory for chunks, which is that of no process.
func Repository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}
