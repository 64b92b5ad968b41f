package mmapjfr_test

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// TestLoadOfGrowingFiles follows files that grow, in all ways at once: by maps, by copies, by
// streams and through pipes. Some readers leave early. The others get what is there in the end.
func TestLoadOfGrowingFiles(t *testing.T) {
	leavesNothing(t)
	rounds := loadRounds(t, 0.1, func(r *rand.Rand) {
		for range longtest.Cases(1, 4) {
			data := flushes(8+r.IntN(20), 20, "some text").Bytes()
			want := linesOf(t, data, 0)
			w := newLiveWriter(t, data, 0)
			require.True(t, w.flush())
			var readers sync.WaitGroup
			var begun atomic.Int64
			read := func(do func(r *rand.Rand)) {
				seed := r.Uint64()
				readers.Go(func() {
					loadCount.opens.Add(1)
					begun.Add(1)
					do(rand.New(rand.NewPCG(seed, 1)))
				})
			}
			for i := range 12 {
				form := liveForms[i%len(liveForms)]
				read(func(*rand.Rand) { followFile(t, w.path, want, form.opts) })
				read(func(r *rand.Rand) { followStream(t, w.path, want, i, r) })
				read(func(*rand.Rand) { followPipe(t, data, want, i%2 == 0) })
			}
			for begun.Load() < 20 {
				runtime.Gosched()
			}
			for w.flush() {
				runtime.Gosched()
			}
			require.NoError(t, w.file.Truncate(int64(len(data)))) // what lies after would be the next chunk
			w.finish()
			readers.Wait()
			require.NoError(t, w.file.Close())
		}
	})
	loadReport(t, rounds)
}

// followFile reads a file until it is finished.
func followFile(t *testing.T, path string, want []line, opts []mmapjfr.Option) {
	f, err := mmapjfr.FollowChunk(path, 0, opts...)
	if !assert.NoError(t, err) {
		return
	}
	defer func() { assert.NoError(t, f.Close()) }()
	var got []line
	for {
		finished := f.Finished()
		some, more, err := advance(t, f)
		if !assert.NoError(t, err) {
			return
		}
		got = append(got, some...)
		if finished && !more {
			break
		}
		runtime.Gosched()
	}
	compareLines(t, want, got)
}

// followStream streams a file, as many events of it as it likes.
func followStream(t *testing.T, path string, want []line, way int, r *rand.Rand) {
	s, err := stream.OpenFile(path)
	if !assert.NoError(t, err) || !assert.NoError(t, s.SetOrdered(false)) || !assert.NoError(t, s.SetReuse(way%3 > 0)) {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	enough := len(want) + 1
	if way%2 == 0 {
		loadCount.cancels.Add(1)
		enough = 1 + r.IntN(len(want)-1)
	}
	wr := newWriter(t)
	var got []line
	s.OnEvent(func(ev mmapjfr.Event) error {
		got = append(got, wr.line(ev))
		if len(got) == enough {
			if way%4 == 0 {
				cancel()
			} else {
				return s.Close()
			}
		}
		return nil
	})
	s.OnError(func(err error) { assert.NoError(t, err) })
	err = s.Start(ctx)
	switch {
	case enough > len(want):
		assert.NoError(t, err)
		compareLines(t, want, got)
	case way%4 == 0:
		assert.ErrorIs(t, err, context.Canceled)
	default:
		assert.NoError(t, err)
		compareLines(t, want[:enough], got)
	}
}

// followPipe reads a pipe in small pieces.
func followPipe(t *testing.T, data []byte, want []line, keep bool) {
	in, out := io.Pipe()
	defer in.Close()
	go func() {
		defer out.Close()
		for at := 0; at < len(data); at += 4096 {
			if _, err := out.Write(data[at:min(at+4096, len(data))]); err != nil {
				return
			}
		}
	}()
	var opts []mmapjfr.Option
	if keep {
		opts = append(opts, mmapjfr.KeepEvents())
	}
	got, errs := pipedLines(t, in, opts...)
	assert.Empty(t, errs)
	compareLines(t, want, got)
}

// compareLines counts a reading, and compares it with what it should be.
func compareLines(t *testing.T, want, got []line) {
	loadCount.reads.Add(1)
	loadCount.events.Add(int64(len(got)))
	if !assert.Len(t, got, len(want)) {
		return
	}
	for i := range want {
		if want[i] != got[i] {
			assert.Equal(t, want[i], got[i])
			return
		}
	}
}
