package writer_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// usedBy returns how many bytes the recordings of a directory have, and their number.
func usedBy(t testing.TB, dir string) (size int64, files int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".jfr") {
			info, err := e.Info()
			require.NoError(t, err)
			size, files = size+info.Size(), files+1
		}
	}
	return size, files
}

func TestRingStaysBelowItsSize(t *testing.T) {
	dir := t.TempDir()
	const limit = 128 << 10
	ring, err := writer.OpenRing(dir, writer.RingLimits{MaxSize: limit}, writer.Clock(newClock().Now))
	require.NoError(t, err)
	typ := define(t, ring.Writer, "test.Event", field("n", "int"), field("filler", "java.lang.String"))
	const events = 20_000
	for n := range int64(events) {
		require.NoError(t, typ.Write(writer.Time(ring.Now()), writer.Int(n), writer.Text("some filler that takes some bytes")))
		if n%1000 == 0 {
			size, _ := usedBy(t, dir)
			require.LessOrEqual(t, size, int64(limit+8192), "and metadata of the last chunk")
		}
	}
	var out bytes.Buffer
	n, err := ring.Dump(&out)
	require.NoError(t, err)
	assert.EqualValues(t, out.Len(), n)
	check := func(data []byte) {
		all := values(t, read(t, data))
		require.Greater(t, len(all), 1000)
		for i, ev := range all {
			require.EqualValues(t, events-len(all)+i, ev["n"], "the newest events, without a gap")
		}
	}
	check(out.Bytes())
	require.NoError(t, ring.Close())
	out.Reset()
	_, err = ring.Dump(&out)
	require.NoError(t, err, "a ring that is closed can still be dumped")
	check(out.Bytes())
	require.ErrorIs(t, typ.Write(), writer.ErrClosed)
}

func TestRingForgetsWhatIsOld(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.jfr"), nil, 0o600))
	ring, err := writer.OpenRing(dir, writer.RingLimits{MaxAge: time.Minute}, writer.Clock(c.Now))
	require.NoError(t, err)
	typ := define(t, ring.Writer, "test.Event")
	for range 200 {
		c.now = c.now.Add(time.Second)
		require.NoError(t, typ.Write(writer.Time(ring.Now())))
	}
	var out bytes.Buffer
	_, err = ring.Dump(&out)
	require.NoError(t, err)
	all := values(t, read(t, out.Bytes()))
	assert.GreaterOrEqual(t, len(all), 60)
	assert.LessOrEqual(t, len(all), 80)
	c.now = c.now.Add(time.Hour)
	require.NoError(t, ring.Flush())
	_, files := usedBy(t, dir)
	assert.Equal(t, 2, files, "the chunk that is being written, and the file that the ring has not made")
	require.NoError(t, ring.Close())
}

func TestRingIsDumpedWhileItIsWritten(t *testing.T) {
	ring, err := writer.OpenRing(t.TempDir(), writer.RingLimits{MaxSize: 64 << 10})
	require.NoError(t, err)
	r, err := writer.NewRecorder[request](ring.Writer, writer.EventInfo{Name: "app.Request"})
	require.NoError(t, err)
	var group sync.WaitGroup
	group.Go(func() {
		for range 5000 {
			assert.NoError(t, r.Record(t.Context(), sampleRequest()))
		}
	})
	for range 5 {
		var out bytes.Buffer
		_, err := ring.Dump(&out)
		require.NoError(t, err)
		if out.Len() > 0 {
			read(t, out.Bytes())
		}
	}
	group.Wait()
	require.NoError(t, ring.Close())
}

func TestRingReportsFilesThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	ring, err := writer.OpenRing(dir, writer.RingLimits{}, writer.ChunkSize(4096))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	typ := define(t, ring.Writer, "test.Event")
	for err == nil {
		err = typ.Write(writer.Time(ring.Now()))
	}
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, ring.Close(), os.ErrNotExist)
}

// TestNamesOfFilesAscend records while the clock goes back by an hour, as that of a zone does in autumn.
func TestNamesOfFilesAscend(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 10, 25, 2, 59, 58, 0, time.UTC)
	ring, err := writer.OpenRing(dir, writer.RingLimits{}, writer.Clock(func() time.Time { return now }))
	require.NoError(t, err)
	typ := define(t, ring.Writer, "test.Event", field("n", "int"))
	const events = 120
	for n := range int64(events) {
		if n == 60 {
			now = now.Add(-time.Hour)
		}
		require.NoError(t, typ.Write(writer.Time(now), writer.Int(n)))
		_, err := ring.Dump(io.Discard)
		require.NoError(t, err)
	}
	require.NoError(t, ring.Close())
	entries, err := os.ReadDir(dir) // sorted by name
	require.NoError(t, err)
	var numbers []any
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		for _, ev := range values(t, rec) {
			numbers = append(numbers, ev["n"])
		}
	}
	require.Len(t, numbers, events)
	for i, n := range numbers {
		require.EqualValues(t, i, n)
	}
}
