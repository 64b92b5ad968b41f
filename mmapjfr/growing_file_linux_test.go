package mmapjfr_test

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestLiveFileIsCut cuts a file while it is followed: events that were taken in
// have gone, which makes a map fault and is no crash.
func TestLiveFileIsCut(t *testing.T) {
	data := flushes(4, 2000, "some text to fill pages").Bytes()
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			crash(t, func(t *testing.T) {
				w := newLiveWriter(t, data, 0)
				f := openLive(t, w.path, 0, form.opts...)
				w.flush()
				advanceAll(t, f)
				w.flush()
				span, err := engine.ChunkFollowerAdvance(f)
				require.NoError(t, err)
				require.NoError(t, os.Truncate(w.path, 8192))
				n := 0
				err = engine.GrowingChunkProtect(&f.GrowingChunk, func() error {
					for _, err := range eventsIn(&f.GrowingChunk, span, func(mmapjfr.Event) { n++ }) {
						return err
					}
					return nil
				})
				if form.copies {
					require.NoError(t, err, "it is in memory")
					assert.Greater(t, n, 1000)
				} else {
					require.ErrorIs(t, err, mmapjfr.ErrTruncated)
					assert.Less(t, n, 1000)
				}
				_, err = engine.ChunkFollowerAdvance(f)
				require.ErrorIs(t, err, mmapjfr.ErrTruncated)
				for _, size := range []int64{40, 0} { // now the header has gone, too
					require.NoError(t, os.Truncate(w.path, size))
					_, err = engine.ChunkFollowerAdvance(f)
					require.ErrorIs(t, err, mmapjfr.ErrTruncated)
				}
			})
		})
	}
}

// A chunk that is larger than its first map gets another one, and the first one goes.
func TestLiveFileHasOneMap(t *testing.T) {
	longtest.Long(t, "it takes 50 MB")
	data := flushes(6, 9, strings.Repeat("x", 1<<20)).Bytes()
	w := newLiveWriter(t, data, 5000)
	moved := filepath.Join(filepath.Dir(w.path), "outgrown.jfr")
	require.NoError(t, os.Rename(w.path, moved))
	f := openLive(t, moved, 5000)
	assert.Zero(t, mapsOf(t, "outgrown.jfr"))
	sizes := map[string]bool{}
	for w.flush() {
		_, err := engine.ChunkFollowerAdvance(f)
		require.NoError(t, err)
		assert.Equal(t, 1, mapsOf(t, "outgrown.jfr"))
		sizes[mapOf(t, "outgrown.jfr")] = true
	}
	assert.Len(t, sizes, 2, "it was mapped twice, and not at each flush")
	require.NoError(t, engine.ChunkFollowerClose(f))
	assert.Zero(t, mapsOf(t, "outgrown.jfr"))
}

// TestLiveFileIsCutWhenItGetsAnotherMap: the chunk is in the new one, though that cannot be
// read. The old one has gone, and others may be there.
func TestLiveFileIsCutWhenItGetsAnotherMap(t *testing.T) {
	crash(t, func(t *testing.T) {
		w := newLiveWriter(t, flushes(2, 50, "some text").Bytes(), 0)
		f := openLive(t, w.path, 0)
		w.flush()
		span, err := engine.ChunkFollowerAdvance(f)
		require.NoError(t, err)
		recs := make([]index.EventHeader, 16)
		_, _, err = engine.ChunkIndex(engine.GrowingChunkChunk(&f.GrowingChunk)).ReadHeaders(span.From, span.To, recs)
		require.NoError(t, err)
		lost, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
		require.NoError(t, err)
		defer func() { assert.NoError(t, unix.Munmap(lost)) }()
		require.ErrorIs(t, f.GrowTo(lost), mmapjfr.ErrTruncated)
		i := slices.IndexFunc(recs, index.EventHeader.IsEvent)
		assert.ErrorIs(t, engine.GrowingChunkProtect(&f.GrowingChunk, func() error { _, err := engine.GrowingChunkEvent(&f.GrowingChunk, recs[i], 0); return err }), mmapjfr.ErrTruncated)
	})
}

// mapOf returns the line that the system has for the map of a file.
func mapOf(t *testing.T, name string) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, name) {
			return line
		}
	}
	return ""
}

// An event keeps the map of its chunk, and nothing else does.
func TestAForgottenLiveFileIsUnmapped(t *testing.T) {
	data := flushes(2, 5, "").Bytes()
	file := filepath.Join(t.TempDir(), "leaked.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	func() {
		f, err := engine.FollowChunk(file, 0)
		require.NoError(t, err)
		span, err := engine.ChunkFollowerAdvance(f)
		require.NoError(t, err)
		var last mmapjfr.Event
		require.Empty(t, eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) { last = ev.Detached() }))
		f = nil
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		runtime.GC()
		assert.Equal(t, 1, mapsOf(t, "leaked.jfr"))
		assert.NotEmpty(t, last.Str(mmapjfr.Path("name")))
	}()
	assert.Eventually(t, func() bool {
		runtime.GC()
		return mapsOf(t, "leaked.jfr") == 0
	}, time.Minute, 10*time.Millisecond)
}

// A header may name a size that the file has, but nobody ever wrote.
func TestLiveFileThatIsSparse(t *testing.T) {
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			w := newLiveWriter(t, flushes(2, 5, "").Bytes(), 0)
			if err := os.Truncate(w.path, 1<<41); err != nil {
				t.Skip("the file system has no such files:", err)
			}
			end := w.ends[0]
			w.put(w.data[68:end.size], 68)
			f := openLive(t, w.path, 0, form.opts...)
			for _, size := range []uint64{1 << 28, 1 << 36} {
				if size > math.MaxInt/4 {
					break // there are no addresses for it
				}
				end.size = size
				w.header(end, 3)
				lines, more, err := advance(t, f)
				if form.copies && err == nil { // the first flush
					require.True(t, more)
					_, _, err = advance(t, f)
				}
				require.ErrorIs(t, err, mmapjfr.ErrCorrupt, "zeros are no events")
				if size == 1<<28 {
					assert.Len(t, lines, 5)
				}
			}
		})
	}
}
