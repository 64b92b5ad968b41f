package mmapjfr_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// liveForms are the ways in which a live file is read.
var liveForms = []struct {
	name   string
	opts   []mmapjfr.Option
	copies bool // one flush at a time
}{
	{"mapped", nil, false},
	{"copied", []mmapjfr.Option{mmapjfr.CopyOnOpen()}, true},
	{"kept", []mmapjfr.Option{engine.KeepEvents()}, true},
}

// eachLiveForm runs a test with all ways to read a live file, and both forms of integers.
func eachLiveForm(t *testing.T, build func() *jfrtest.Builder, do func(t *testing.T, data []byte, copies bool, opts []mmapjfr.Option)) {
	t.Helper()
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			forms(t, build, func(t *testing.T, b *jfrtest.Builder) { do(t, b.Bytes(), form.copies, form.opts) })
		})
	}
}

func openLive(t testing.TB, path string, at int64, opts ...mmapjfr.Option) *mmapjfr.ChunkFollower {
	t.Helper()
	f, err := engine.FollowChunk(path, at, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.ChunkFollowerClose(f)) })
	return f
}

// advance takes in what has come once, and returns its events as lines.
func advance(t testing.TB, f *mmapjfr.ChunkFollower) (lines []line, more bool, err error) {
	t.Helper()
	span, err := engine.ChunkFollowerAdvance(f)
	if span.From >= span.To {
		return nil, false, err
	}
	w := newWriter(t)
	var errs []error
	guarded := engine.GrowingChunkProtect(&f.GrowingChunk, func() error {
		errs = eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) { lines = append(lines, w.line(ev)) })
		return nil
	})
	return lines, true, errors.Join(append(errs, guarded, err)...)
}

// advanceAll takes in all that has come.
func advanceAll(t testing.TB, f *mmapjfr.ChunkFollower) (lines []line) {
	t.Helper()
	for {
		some, more, err := advance(t, f)
		require.NoError(t, err)
		lines = append(lines, some...)
		if !more {
			return lines
		}
	}
}

// linesOf returns all events of a chunk that lies at an offset of its file.
func linesOf(t testing.TB, data []byte, at int64) []line {
	t.Helper()
	lines, errs := mappedLines(t, data)
	require.Empty(t, errs)
	for i := range lines {
		lines[i].offset += uint64(at)
	}
	return lines
}

// before returns the lines of a chunk that begin before an offset of the file.
func before(lines []line, offset uint64) []line {
	for i := range lines {
		if lines[i].offset >= offset {
			return lines[:i]
		}
	}
	return lines
}

// placesOf returns lines without what is on them.
func placesOf(lines []line) (list []line) {
	for _, l := range lines {
		list = append(list, line{offset: l.offset})
	}
	return list
}

// same fails at the first line that is another one.
func same(t testing.TB, want, got []line) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i], got[i], "line %d", i)
	}
	require.Equal(t, len(want), len(got))
}

func TestLiveFileGivesEachFlushOnce(t *testing.T) {
	for name, at := range map[string]int64{"first chunk": 0, "within a page": 4096 + 37} {
		t.Run(name, func(t *testing.T) {
			build := func() *jfrtest.Builder { return flushes(8, 40, "some text") }
			eachLiveForm(t, build, func(t *testing.T, data []byte, _ bool, opts []mmapjfr.Option) {
				w := newLiveWriter(t, data, at)
				all := linesOf(t, data, at)
				f := openLive(t, w.path, at, opts...)
				assert.Empty(t, advanceAll(t, f), "nothing has been flushed")
				assert.False(t, engine.ChunkFollowerHasHeader(f))
				w.junk(wire.HeaderLen)
				var got []line
				for w.flush() {
					end := w.ends[w.done-1]
					got = append(got, advanceAll(t, f)...)
					same(t, before(all, uint64(at)+end.size), got)
					require.Empty(t, advanceAll(t, f), "nothing twice")
					require.True(t, engine.ChunkFollowerHasHeader(f))
					require.False(t, engine.ChunkFollowerFinished(f))
					require.Equal(t, end.size, engine.ChunkFollowerBytesRead(f))
					require.EqualValues(t, 1000*end.size, engine.GrowingChunkChunk(&f.GrowingChunk).Duration(), "of the newest header")
					require.NoError(t, engine.GrowingChunkChunk(&f.GrowingChunk).ConstantsErr())
				}
				same(t, all, got)
				w.finish()
				require.Empty(t, advanceAll(t, f))
				assert.True(t, engine.ChunkFollowerFinished(f))
				assert.True(t, engine.GrowingChunkChunk(&f.GrowingChunk).Finished())
				assert.False(t, engine.ChunkFollowerFinal(f))
				require.NoError(t, engine.ChunkFollowerClose(f))
				require.NoError(t, engine.ChunkFollowerClose(f))
			})
		})
	}
}

func TestLiveFileOfWhichThereIsNoHeaderYet(t *testing.T) {
	data := flushes(2, 3, "").Bytes()
	for _, form := range liveForms {
		path := filepath.Join(t.TempDir(), "live.jfr")
		for _, n := range []int{0, 1, 40, 67} {
			require.NoError(t, os.WriteFile(path, data[:n], 0o600))
			f := openLive(t, path, 0, form.opts...)
			assert.Empty(t, advanceAll(t, f))
			assert.False(t, engine.ChunkFollowerHasHeader(f))
			assert.False(t, engine.ChunkFollowerFinished(f))
			assert.False(t, engine.ChunkFollowerFinal(f))
			require.NoError(t, os.WriteFile(path, data, 0o600))
			same(t, linesOf(t, data, 0), advanceAll(t, f))
			assert.True(t, engine.ChunkFollowerFinished(f))
		}
	}
	_, err := engine.FollowChunk(filepath.Join(t.TempDir(), "none"), 0)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// While the state is 255 nothing else in the header counts.
func TestLiveFileWhileTheHeaderIsRewritten(t *testing.T) {
	eachLiveForm(t, func() *jfrtest.Builder { return flushes(3, 3, "") }, func(t *testing.T, data []byte, _ bool, opts []mmapjfr.Option) {
		w := newLiveWriter(t, data, 0)
		f := openLive(t, w.path, 0, opts...)
		torn := []flushEnd{{1 << 50, 1 << 50, 1 << 50}, {0, 0, 0}, {100, 7, 9}, w.ends[2]}
		var got []line
		for range w.ends {
			for _, end := range torn {
				w.header(end, wire.StateUpdating)
				require.Empty(t, advanceAll(t, f))
				require.False(t, engine.ChunkFollowerFinished(f))
			}
			require.True(t, w.flush())
			got = append(got, advanceAll(t, f)...)
		}
		same(t, linesOf(t, data, 0), got)
	})
}

// TestLiveFileThatOutgrowsItsMap has more than is mapped at first.
func TestLiveFileThatOutgrowsItsMap(t *testing.T) {
	data := flushes(6, 9, strings.Repeat("x", 1<<20)).Bytes()
	require.Greater(t, len(data), 48<<20)
	path := mmapjfr.Path("text")
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			if form.name != liveForms[0].name {
				longtest.Long(t, "it takes 50 MB")
			}
			w := newLiveWriter(t, data, 0)
			f := openLive(t, w.path, 0, form.opts...)
			n := 0
			for w.flush() {
				for {
					span, err := engine.ChunkFollowerAdvance(f)
					require.NoError(t, err)
					if span.From >= span.To {
						break
					}
					require.Empty(t, eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) {
						if ev.Type().Name() == "test.Flushed" {
							require.Len(t, ev.Str(path), 1<<20)
							require.Equal(t, n/9, int(ev.Int(mmapjfr.Path("flush"))))
							require.NotEmpty(t, ev.Str(mmapjfr.Path("name")))
							n++
						}
					}))
				}
			}
			assert.Equal(t, 6*9, n)
		})
	}
}

func TestLiveFileRefuses(t *testing.T) {
	data := flushes(3, 5, "").Bytes()
	other := bytes.Clone(data)
	other[39]++
	clock := bytes.Clone(data)
	clock[55]++
	raw := bytes.Clone(data)
	raw[67] = 0
	old := bytes.Clone(data)
	old[5] = 0
	blank := func(w *liveWriter) { w.header(flushEnd{size: uint64(len(data))}, wire.StateFinished) }
	write := func(b []byte) func(*liveWriter) {
		return func(w *liveWriter) { w.put(b[:wire.HeaderLen], 0) }
	}
	for _, form := range liveForms {
		for _, c := range []struct {
			name   string
			change func(w *liveWriter)
			first  error // if nothing has been taken in
			then   error // if something has
		}{
			{"no recording", write(make([]byte, 68)), mmapjfr.ErrNotRecording, mmapjfr.ErrNotRecording},
			{"finished without metadata", blank, mmapjfr.ErrCorrupt, mmapjfr.ErrCorrupt},
			{"another start", write(other), nil, mmapjfr.ErrCorrupt},
			{"another clock", write(clock), nil, mmapjfr.ErrCorrupt},
			{"another form", write(raw), nil, mmapjfr.ErrCorrupt},
			{"smaller than it was", func(w *liveWriter) { w.header(flushEnd{70, 1, 1}, 5) }, nil, mmapjfr.ErrCorrupt},
			{"too large", func(w *liveWriter) { w.header(flushEnd{1<<40 + 1, 1, 1}, 5) }, mmapjfr.ErrUnsupported, mmapjfr.ErrUnsupported},
			{"larger than anything", func(w *liveWriter) { w.header(flushEnd{1<<64 - 1, 1, 1}, 0) }, mmapjfr.ErrUnsupported, mmapjfr.ErrUnsupported},
			{"larger than the file", func(w *liveWriter) { w.header(flushEnd{1 << 39, w.ends[0].checkpoint, w.ends[0].metadata}, 5) }, mmapjfr.ErrTruncated, mmapjfr.ErrTruncated},
			{"of an old version", write(old), mmapjfr.ErrUnsupported, mmapjfr.ErrUnsupported},
		} {
			t.Run(form.name+"/"+c.name, func(t *testing.T) {
				for _, begun := range []bool{false, true} {
					w := newLiveWriter(t, data, 100)
					f := openLive(t, w.path, 100, form.opts...)
					want := c.first
					if begun {
						w.flush()
						require.NotEmpty(t, advanceAll(t, f))
						want = c.then
					}
					c.change(w)
					if want == nil {
						continue
					}
					_, err := engine.ChunkFollowerAdvance(f)
					require.ErrorIs(t, err, want)
					assert.ErrorContains(t, err, "live.jfr")
					if want != mmapjfr.ErrTruncated { // else what there is has faults, too
						var at *mmapjfr.FormatError
						require.ErrorAs(t, err, &at)
						assert.EqualValues(t, 100, at.Offset)
					}
					require.NotPanics(t, func() { _, _ = engine.ChunkFollowerAdvance(f) })
				}
			})
		}
	}
}

// A file whose bytes are still being copied, or that was cut, gives what it has.
func TestLiveFileThatIsShorterThanItsChunk(t *testing.T) {
	data := flushesWith(5, 20, "", false).Bytes()
	ends := flushEnds(t, data)
	all := linesOf(t, data, 0)
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "live.jfr")
			require.NoError(t, os.WriteFile(path, data[:ends[2].size], 0o600))
			f := openLive(t, path, 0, form.opts...)
			var got []line
			for {
				lines, more, err := advance(t, f)
				require.ErrorIs(t, err, mmapjfr.ErrTruncated)
				got = append(got, lines...)
				if !more {
					break
				}
			}
			// Of a map the header names the constants, which are not there yet.
			same(t, placesOf(before(all, ends[2].size)), placesOf(got))
			assert.True(t, engine.ChunkFollowerFinished(f), "there is no more")
			require.NoError(t, os.WriteFile(path, data, 0o600))
			got = append(got, advanceAll(t, f)...)
			same(t, placesOf(all), placesOf(got))
			same(t, all[len(all)-20:], got[len(all)-20:])
			assert.True(t, engine.ChunkFollowerFinished(f))
		})
	}
}

// The file has a name no more, but anybody who writes to it goes on.
func TestLiveFileThatIsDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted")
	}
	eachLiveForm(t, func() *jfrtest.Builder { return flushes(4, 5, "") }, func(t *testing.T, data []byte, _ bool, opts []mmapjfr.Option) {
		w := newLiveWriter(t, data, 0)
		f := openLive(t, w.path, 0, opts...)
		w.flush()
		got := advanceAll(t, f)
		require.NoError(t, os.Remove(w.path))
		for w.flush() {
			got = append(got, advanceAll(t, f)...)
		}
		same(t, linesOf(t, data, 0), got)
		info, err := engine.ChunkFollowerStat(f)
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(len(data)))
	})
}

// A frame that leads out of what was flushed ends the part, and the next flush is read.
func TestLiveFileWithABrokenFlush(t *testing.T) {
	b := flushes(4, 20, "")
	data, layout := b.Build()
	ends := flushEnds(t, data)
	bad := layout.Events[25] // in the second flush
	require.Greater(t, uint64(bad.Offset), ends[0].size)
	data[bad.Offset] = 0x7f
	data[bad.Offset+1] |= 0x80 // so that its type does not end either, where it can
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			w := newLiveWriter(t, b.Bytes(), 0)
			w.data = data
			f := openLive(t, w.path, 0, form.opts...)
			w.flush()
			advanceAll(t, f)
			w.put(data, 0)
			w.ends[1].size = uint64(bad.Offset) + 1 // the flush ends inside a head
			w.flush()
			lines, more, err := advance(t, f)
			require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
			assert.NotErrorIs(t, err, mmapjfr.ErrTruncated)
			assert.True(t, more)
			assert.NotEmpty(t, lines)
			_, more, err = advance(t, f)
			require.NoError(t, err)
			require.False(t, more)
		})
	}
}

func TestLiveFileWithoutReadableTypes(t *testing.T) {
	data := flushes(4, 20, "").Bytes()
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			w := newLiveWriter(t, data, 0)
			metadata := w.ends[0].metadata
			w.data[metadata+20] = 0xff // in its string table
			w.data[metadata+21] = 0xff
			f := openLive(t, w.path, 0, form.opts...)
			errs, lines := 0, 0
			for range 3 {
				w.flush()
				for {
					l, more, err := advance(t, f)
					lines += len(l)
					if err != nil {
						errs++
						require.ErrorIs(t, err, mmapjfr.ErrCorrupt)
						var at *mmapjfr.FormatError
						require.ErrorAs(t, err, &at)
						assert.Greater(t, at.Offset, metadata)
						assert.Less(t, at.Offset, metadata+100)
					}
					if !more {
						break
					}
				}
				if w.done == 1 {
					assert.Zero(t, lines)
				}
			}
			assert.Equal(t, 1, errs, "it is reported once")
			assert.NotZero(t, lines, "the next metadata can be read")
		})
	}
}
