package stream_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// growing is a chunk that is written as a virtual machine does.
type growing struct {
	t      testing.TB
	f      *os.File
	data   []byte
	layout *jfrtest.Layout
	state  byte
	next   int // flush
}

// grow begins a chunk: there is its header, and nothing flushed.
func grow(t testing.TB, path string, b *jfrtest.Builder) *growing {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	data, layout := b.Build()
	g := &growing{t: t, f: f, data: data, layout: layout, state: 1}
	header := make([]byte, jfrtest.HeaderSize)
	copy(header, data)
	binary.BigEndian.PutUint64(header[8:], jfrtest.HeaderSize)
	clear(header[16:32])
	clear(header[40:48])
	header[64] = 1
	header[67] = jfrtest.FlagCompressed
	g.write(header, 0)
	return g
}

func (g *growing) write(data []byte, offset int64) {
	g.t.Helper()
	_, err := g.f.WriteAt(data, offset)
	require.NoError(g.t, err)
}

// ahead writes what the next flush will make known, and more.
func (g *growing) ahead() { g.write(g.data[jfrtest.HeaderSize:], jfrtest.HeaderSize) }

// flush writes the next flush: what it has, the state that says that the header is being
// written, the header, and its state.
func (g *growing) flush() {
	g.t.Helper()
	end := g.layout.Checkpoints[g.next].End()
	g.write(g.data[jfrtest.HeaderSize:end], jfrtest.HeaderSize)
	g.header(end, g.state+1)
	g.next++
}

// finish writes all that is left, and that the chunk is finished.
func (g *growing) finish() {
	g.t.Helper()
	g.ahead()
	g.header(int64(len(g.data)), 0)
	require.NoError(g.t, g.f.Close())
}

func (g *growing) header(end int64, state byte) {
	header := make([]byte, jfrtest.HeaderSize)
	copy(header, g.data)
	binary.BigEndian.PutUint64(header[8:], uint64(end))
	for _, c := range g.layout.Checkpoints {
		if c.End() <= end {
			binary.BigEndian.PutUint64(header[16:], uint64(c.Offset))
		}
	}
	for _, m := range g.layout.Metadata {
		if m.End() <= end {
			binary.BigEndian.PutUint64(header[24:], uint64(m.Offset))
		}
	}
	g.write([]byte{255}, 64)
	g.write(header[:64], 0)
	g.write(header[65:], 65)
	g.write([]byte{state}, 64)
	g.state = state
}

// flushes makes a stream tell of each flush what it has delivered so far.
func flushes(s *stream.Stream, n *note) <-chan []int {
	c := make(chan []int, 100)
	s.OnFlush(func() error { c <- append([]int(nil), n.events...); return nil })
	return c
}

// soon returns the next value of a channel, and fails the test if there is no value.
func soon[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		require.FailNow(t, "nothing comes")
	}
	return v
}

func TestGrowingFile(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		for _, ordered := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "grow.jfr")
			g := grow(t, path, chunk(0, []int{1, 2}, []int{3}, nil, []int{4, 5}))
			s := openFile(t, path)
			require.NoError(t, s.SetReuse(reuse))
			require.NoError(t, s.SetOrdered(ordered))
			n := noting(s)
			c := flushes(s, n)
			require.NoError(t, s.StartAsync(t.Context()))
			g.flush()
			assert.Equal(t, []int{1, 2, -1}, soon(t, c))
			g.ahead()
			require.ErrorIs(t, s.AwaitTermination(20*time.Millisecond), stream.ErrTimeout)
			assert.Empty(t, c, "what has not been flushed is not looked at")
			g.flush()
			assert.Equal(t, []int{1, 2, -1, 3, -1}, soon(t, c))
			g.flush()
			g.flush()
			soon(t, c)
			assert.Equal(t, []int{1, 2, -1, 3, -1, -1, 4, 5, -1}, soon(t, c))
			g.finish()
			require.NoError(t, s.AwaitTermination(0))
			assert.Equal(t, []int{1, 2, -1, 3, -1, -1, 4, 5, -1}, n.events)
			assert.Empty(t, n.errs)
		}
	}
}

// A writer that is silent for long has been killed; what it had flushed has been delivered.
func TestGrowingFileOfAKilledMachine(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	stream.SetSilence(t, 200*time.Millisecond)
	path := filepath.Join(t.TempDir(), "grow.jfr")
	g := grow(t, path, chunk(0, []int{1}, []int{2}, []int{3}))
	g.flush()
	g.ahead()
	s := openFile(t, path)
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	soon(t, c)
	g.flush()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1}, n.events)
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], stream.ErrKilled)
	assert.ErrorContains(t, n.errs[0], path)
}

// A file that nobody ever flushed to may be readable all the same, but not if its header
// says otherwise.
func TestGrowingFileThatWasNeverFlushed(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	stream.SetSilence(t, 100*time.Millisecond)
	for _, follow := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "grow.jfr")
		grow(t, path, chunk(0, []int{1})).ahead()
		s := openFile(t, path)
		require.NoError(t, s.SetFollow(follow))
		n := noting(s)
		require.NoError(t, s.StartAsync(t.Context()))
		require.NoError(t, s.AwaitTermination(time.Minute))
		assert.NotContains(t, n.events, 1)
		if follow {
			require.NotEmpty(t, n.errs)
			assert.ErrorIs(t, n.errs[len(n.errs)-1], stream.ErrKilled)
		} else {
			assert.Empty(t, n.errs)
		}
	}
}

// A chunk that nobody finished may have others after it, where files were joined.
func TestChunksBehindAnUnfinishedOne(t *testing.T) {
	stream.SetSilence(t, -1)
	b := chunk(0, []int{1})
	b.Header.State = 2
	s := openFile(t, written(t, concat(b, chunk(1, []int{2}))))
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, []int{1, -1, 2, -1}, n.events)
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], mmapjfr.ErrUnfinished)
}

// Something that comes just when the writer seems to have gone tells that it has not.
func TestWriterThatSeemsToHaveGone(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	path := filepath.Join(t.TempDir(), "grow.jfr")
	g := grow(t, path, chunk(0, []int{1}, []int{2}, []int{3}))
	g.flush()
	asked := 0
	got := stream.Follow(t, path, func() bool {
		switch asked++; asked {
		case 2, 4:
			g.flush()
			return true // it was wrong
		case 6:
			return true
		}
		return false
	})
	assert.Equal(t, 3, got)
	assert.Equal(t, 6, asked)
}

// The file is made, and its header written, while the stream waits.
func TestFileWithoutAHeaderYet(t *testing.T) {
	path := written(t, nil)
	s := openFile(t, path)
	n := noting(s)
	require.NoError(t, s.StartAsync(t.Context()))
	g := grow(t, path, chunk(0, []int{1}))
	g.flush()
	g.finish()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1}, n.events)
	assert.Empty(t, n.errs)
}

// Chunks follow one another in a file that is followed.
func TestGrowingFileOfChunks(t *testing.T) {
	first, second := chunk(0, []int{1}), chunk(1, []int{2}, []int{3})
	second.Header.State = 2
	path := written(t, concat(first, second))
	s := openFile(t, path)
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	for range 3 {
		soon(t, c)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	end, err := f.Seek(0, 2)
	require.NoError(t, err)
	_, err = f.WriteAt(chunk(2, []int{4}).Bytes(), end)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{0}, int64(len(first.Bytes()))+64)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1, 3, -1, 4, -1}, n.events)
	assert.Empty(t, n.errs)
}

// A file that is cut while it is read fails, and does not bring the program down.
func TestCutFile(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	path := filepath.Join(t.TempDir(), "grow.jfr")
	var events []int
	for n := range 5000 {
		events = append(events, n)
	}
	g := grow(t, path, chunk(0, []int{1}, events, []int{2}))
	g.flush()
	s := openFile(t, path)
	var errs []error
	var times int
	s.OnEvent(func(ev mmapjfr.Event) error {
		if times++; times == 2 {
			assert.NoError(t, os.Truncate(path, 4096))
		}
		return nil
	})
	s.OnError(func(err error) { errs = append(errs, err) })
	c := make(chan bool, 10)
	s.OnFlush(func() error { c <- true; return nil })
	require.NoError(t, s.StartAsync(t.Context()))
	soon(t, c)
	g.flush()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Less(t, times, 5000)
	require.NotEmpty(t, errs)
	assert.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
}
