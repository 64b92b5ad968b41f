package summary_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// faults returns what could not be read.
func faults(s *summary.Summary) (list []error) {
	for _, f := range s.Faults {
		list = append(list, f.Err)
	}
	return list
}

// damaged are recordings of three chunks that are damaged in one way each.
func damaged(t *testing.T) map[string][]byte {
	const file = "jdk25-chunks.jfr"
	whole := read(t, file)
	rec, err := jfrtest.Decode(whole)
	require.NoError(t, err)
	broken := read(t, file)
	broken[rec.Chunks[1].Events[1].Offset] = 1 // a size that does not hold the event's own head
	lost := read(t, file)
	copy(lost[rec.Chunks[1].Offset+24:], []byte{0, 0, 0, 0, 0, 0, 0, 99}) // where the metadata begins
	between := append(append(whole[:rec.Chunks[1].Offset:rec.Chunks[1].Offset], "in between"...), whole[rec.Chunks[1].Offset:]...)
	return map[string][]byte{
		"truncated":  whole[:len(whole)-100],
		"broken":     broken,
		"no types":   lost,
		"in between": between,
		"trailing":   append(whole[:len(whole):len(whole)], "and more"...),
	}
}

func TestDamageIsReadAround(t *testing.T) {
	whole := collect(t, read(t, "jdk25-chunks.jfr"))
	for name, c := range map[string]struct {
		err    error
		chunk  int
		events uint64 // that are lost
	}{
		"truncated":  {mmapjfr.ErrTruncated, 2, 0},
		"broken":     {mmapjfr.ErrCorrupt, 1, 31},
		"no types":   {mmapjfr.ErrCorrupt, 1, 0},
		"in between": {mmapjfr.ErrTrailing, 1, 0},
		"trailing":   {mmapjfr.ErrTrailing, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			data := damaged(t)[name]
			s := collect(t, data)
			require.Len(t, s.Faults, 1)
			assert.ErrorIs(t, s.Faults[0].Err, c.err)
			assert.Same(t, s.Recordings[0], s.Faults[0].Recording)
			var at *mmapjfr.FormatError
			require.ErrorAs(t, s.Faults[0].Err, &at)
			assert.Equal(t, c.chunk, at.Chunk)
			assert.Equal(t, whole.Events-c.events, s.Events)
			assert.Equal(t, int64(len(data)), s.Size())

			// A good recording beside it does not suffer.
			both := collect(t, data, read(t, "jdk17-kinds.jfr"))
			assert.Equal(t, faults(s), faults(both))
			assert.Equal(t, s.Events+collect(t, read(t, "jdk17-kinds.jfr")).Events, both.Events)
		})
	}
}

func TestUnfinishedChunk(t *testing.T) {
	s := collect(t, read(t, "jdk25-killed.jfr"))
	require.Len(t, s.Faults, 1)
	assert.ErrorIs(t, s.Faults[0].Err, mmapjfr.ErrUnfinished)
	assert.False(t, s.Chunks[0].Chunk.Finished())
	assert.Positive(t, s.Duration())
}

// TestChunkThatWasNeverFlushed: its header does not say yet how long it lasts.
func TestChunkThatWasNeverFlushed(t *testing.T) {
	b := built(kind{200, "test.A", 1})
	b.Bare = true
	b.Header.State = 1
	b.Header.DurationNanos = 1 << 60
	b.ForceSize = new(int64)
	*b.ForceSize = jfrtest.HeaderSize
	s := collect(t, b.Bytes())
	require.Len(t, s.Faults, 1)
	assert.ErrorIs(t, s.Faults[0].Err, mmapjfr.ErrUnfinished)
	assert.Zero(t, s.Duration())
	assert.Equal(t, s.Start(), s.End())
}

func TestTimesOfAll(t *testing.T) {
	first, second, third := built(), built(), built()
	second.Header.StartNanos -= 10e9
	second.Header.DurationNanos = 2e9
	third.Header.StartNanos += 5e9
	third.Header.DurationNanos = 4e9
	third.Header.Minor = 0
	s := collect(t, joined(first, second), third.Bytes())
	start := time.Unix(1_700_000_000, 0).UTC()
	assert.Equal(t, start.Add(-10*time.Second), s.Start())
	assert.Equal(t, start.Add(9*time.Second), s.End())
	assert.Equal(t, 7*time.Second, s.Duration())
	assert.Equal(t, "2.1, 2.0", s.Version())
	assert.Len(t, s.Chunks, 3)
	assert.Same(t, s.Recordings[1], s.Chunks[2].Recording)
	assert.Zero(t, s.Chunks[2].Chunk.Number())
}

func TestNoRecordings(t *testing.T) {
	s := collect(t)
	assert.Len(t, s.Types, 2)
	assert.Zero(t, s.Events)
	assert.Zero(t, s.Start())
	assert.Zero(t, s.Share(1))
	_, ok := s.Rate(1)
	assert.False(t, ok)
}

// TestProgress expects a report of all bytes after the headers, or about as many.
func TestProgress(t *testing.T) {
	data := read(t, "jdk25-profile.jfr")
	for name, find := range map[string]func(s *summary.Summary, progress func(uint64)) error{
		"collect": func(s *summary.Summary, progress func(uint64)) error {
			_, err := summary.Count(t.Context(), s.Recordings, progress)
			return err
		},
		"pools": func(s *summary.Summary, progress func(uint64)) error { return s.ReadPools(t.Context(), progress) },
		"times": func(s *summary.Summary, progress func(uint64)) error { return s.ReadTimes(t.Context(), progress) },
	} {
		s := collect(t, data)
		want := s.Size() - jfrtest.HeaderSize
		if name == "times" {
			want = int64(s.Chunks[0].Events.Bytes)
		}
		var sum atomic.Uint64
		require.NoError(t, find(s, func(bytes uint64) { sum.Add(bytes) }))
		assert.InEpsilon(t, want, sum.Load(), 0.01, name)
	}
}

func TestCancelled(t *testing.T) {
	for name, find := range map[string]func(ctx context.Context, s *summary.Summary, progress func(uint64)) error{
		"collect": func(ctx context.Context, s *summary.Summary, progress func(uint64)) error {
			_, err := summary.Count(ctx, s.Recordings, progress)
			return err
		},
		"pools": func(ctx context.Context, s *summary.Summary, progress func(uint64)) error {
			return s.ReadPools(ctx, progress)
		},
		"times": func(ctx context.Context, s *summary.Summary, progress func(uint64)) error {
			return s.ReadTimes(ctx, progress)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := collect(t, read(t, "jdk25-profile.jfr"), read(t, "jdk17-profile.jfr"))
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			assert.Equal(t, enough, find(ctx, s, func(uint64) { cancel(enough) }))
			assert.Equal(t, enough, find(ctx, s, nil), "from the beginning")
			assert.Empty(t, s.Faults)
		})
	}
}

func TestClosedRecording(t *testing.T) {
	recs := open(t, read(t, "jdk25-kinds.jfr"), read(t, "jdk17-kinds.jfr"))
	require.NoError(t, recs[0].Close())
	s, err := summary.Count(t.Context(), recs, nil)
	require.NoError(t, err)
	require.NoError(t, s.ReadPools(t.Context(), nil))
	require.NoError(t, s.ReadTimes(t.Context(), nil))
	require.Len(t, s.Faults, 1)
	assert.ErrorIs(t, s.Faults[0].Err, mmapjfr.ErrClosed)
	assert.Equal(t, collect(t, read(t, "jdk17-kinds.jfr")).Events, s.Events)
}

// TestFileThatShrinks cuts a file that is mapped.
func TestFileThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jfr")
	require.NoError(t, os.WriteFile(path, read(t, "jdk25-profile.jfr"), 0o600))
	rec := opentest.File(t, path)
	if os.Truncate(path, 10_000) != nil || runtime.GOOS != "linux" {
		t.Skip("files that are mapped cannot be cut here, or are not mapped")
	}
	s, err := summary.Count(t.Context(), []*mmapjfr.Recording{rec}, nil)
	require.NoError(t, err)
	require.Len(t, s.Faults, 1)
	assert.ErrorIs(t, s.Faults[0].Err, mmapjfr.ErrTruncated)
}
