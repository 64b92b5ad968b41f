package writer_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
	"github.com/mmapjfr/jfr/mmapjfr/writer"
)

// A file can be followed flush by flush, over new types and new constants.
func TestFollowChunkSeesEachFlush(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jfr")
	w, err := writer.Create(path, writer.Clock(newClock().Now))
	require.NoError(t, err)
	follower, err := engine.FollowChunk(path, 0)
	require.NoError(t, err)
	defer engine.ChunkFollowerClose(follower)
	next := func() (texts []string) {
		events, err := engine.ChunkFollowerAdvance(follower)
		require.NoError(t, err)
		var headers [1]index.EventHeader
		for at := events.From; at < events.To; {
			n, next, err := engine.ChunkIndex(engine.GrowingChunkChunk(&follower.GrowingChunk)).ReadHeaders(at, at+1, headers[:])
			require.NoError(t, err)
			require.Equal(t, 1, n)
			if at = next; headers[0].Type == schema.MetadataID || headers[0].Type == schema.CheckpointID {
				continue
			}
			ev, err := engine.GrowingChunkEvent(&follower.GrowingChunk, headers[0], 0)
			require.NoError(t, err)
			texts = append(texts, ev.Type().Name()+" "+ev.Str(mmapjfr.Path("thread.javaName")))
		}
		return texts
	}
	assert.Empty(t, next(), "nothing has been flushed yet")
	first := define(t, w, "test.First", constant(field("thread", "java.lang.Thread")))
	write := func(typ *writer.EventType, thread string) {
		require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Thread{Name: thread}.Value()))
	}
	write(first, "a")
	assert.Empty(t, next())
	require.NoError(t, w.Flush())
	assert.Equal(t, []string{"test.First a"}, next())
	require.NoError(t, w.Flush())
	assert.Empty(t, next())
	second := define(t, w, "test.Second", constant(field("thread", "java.lang.Thread")))
	write(first, "a")
	write(second, "b")
	require.NoError(t, w.Flush())
	assert.Equal(t, []string{"test.First a", "test.Second b"}, next())
	for range 300 { // more than there are states
		require.NoError(t, w.Flush())
		assert.Empty(t, next())
	}
	write(second, "a")
	require.NoError(t, w.Close())
	assert.Equal(t, []string{"test.Second a"}, next())
	assert.True(t, engine.ChunkFollowerFinished(follower))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Len(t, values(t, read(t, data)), 4)
}

// streamOf runs a stream until its end, and sends the numbers of the events of test.Event.
func streamOf(t *testing.T, s *stream.Stream) (numbers chan int64, done chan error) {
	t.Helper()
	numbers, done = make(chan int64, 1000), make(chan error, 1)
	path := mmapjfr.Path("n")
	s.OnEventType("test.Event", func(ev mmapjfr.Event) error {
		numbers <- ev.Int(path)
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	go func() { done <- s.Start(ctx) }()
	return numbers, done
}

// writeAndReceive writes events, and takes those of each flush from the stream before it writes more.
func writeAndReceive(t *testing.T, w *writer.Writer, numbers chan int64) {
	t.Helper()
	typ := define(t, w, "test.Event", field("n", "int"), field("filler", "java.lang.String"))
	n := int64(0)
	for range 10 {
		first := n
		for range 30 {
			require.NoError(t, typ.Write(writer.Time(w.Now()), writer.Int(n), writer.Text("some filler that takes some bytes")))
			n++
		}
		require.NoError(t, w.Flush())
		for i := first; i < n; i++ {
			select {
			case got := <-numbers:
				require.Equal(t, i, got)
			case <-time.After(30 * time.Second):
				require.FailNow(t, "an event that was flushed is not delivered")
			}
		}
	}
}

func TestStreamFollowsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jfr")
	w, err := writer.Create(path, writer.ChunkSize(8192))
	require.NoError(t, err)
	s, err := stream.OpenFile(path)
	require.NoError(t, err)
	numbers, done := streamOf(t, s)
	writeAndReceive(t, w, numbers)
	require.NoError(t, w.Close())
	require.NoError(t, <-done)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Greater(t, len(read(t, data).Chunks()), 1)
}
