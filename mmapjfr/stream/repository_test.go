package stream_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// jvm is a virtual machine that records into a directory of its own.
type jvm struct {
	t   testing.TB
	dir string
}

// newJVM makes the directory of a virtual machine whose process has a number, in a base
// directory.
func newJVM(t testing.TB, base string, pid int) *jvm {
	t.Helper()
	j := &jvm{t, filepath.Join(base, fmt.Sprintf("2026_01_01_00_00_00_%d", pid))}
	require.NoError(t, os.Mkdir(j.dir, 0o700))
	return j
}

// path returns the path of the chunk with a number.
func (j *jvm) path(number int) string {
	return filepath.Join(j.dir, fmt.Sprintf("2026_01_01_00_%02d_%02d.jfr", number/60, number%60))
}

// finished writes a chunk that is finished.
func (j *jvm) finished(number int, flushes ...[]int) { j.put(number, chunk(number, flushes...)) }

// final writes the last one.
func (j *jvm) final(number int, flushes ...[]int) {
	b := chunk(number, flushes...)
	b.Header.Flags |= jfrtest.FlagFinal
	j.put(number, b)
}

// put writes a chunk elsewhere, and moves it to its place.
func (j *jvm) put(number int, b *jfrtest.Builder) {
	j.t.Helper()
	path := filepath.Join(j.dir, "new")
	require.NoError(j.t, os.WriteFile(path, b.Bytes(), 0o600))
	require.NoError(j.t, os.Rename(path, j.path(number)))
}

// grow begins a chunk.
func (j *jvm) grow(number int, flushes ...[]int) *growing {
	return grow(j.t, j.path(number), chunk(number, flushes...))
}

// here is the number of a process that lives: this one.
var here = os.Getpid()

func openRepository(t testing.TB, dir string) *stream.Stream {
	t.Helper()
	s, err := stream.OpenRepository(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// fromTheStart makes a stream begin with the oldest chunk.
func fromTheStart(t testing.TB, s *stream.Stream) *stream.Stream {
	t.Helper()
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	return s
}

// From chunk to chunk until the last, each once.
func TestRotation(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		for _, base := range []bool{true, false} {
			dir := t.TempDir()
			j := newJVM(t, dir, here)
			if !base {
				dir = j.dir
			}
			j.finished(0, []int{1}, []int{3, 2})
			j.finished(1, []int{4})
			g := j.grow(2, []int{5}, []int{6})
			g.flush()
			s := fromTheStart(t, openRepository(t, dir))
			require.NoError(t, s.SetReuse(reuse))
			n := noting(s)
			c := flushes(s, n)
			require.NoError(t, s.StartAsync(t.Context()))
			for range 4 {
				soon(t, c)
			}
			next := j.grow(3, []int{7})
			g.flush()
			g.finish()
			next.flush()
			soon(t, c)
			soon(t, c)
			j.final(4, []int{8})
			next.finish()
			require.NoError(t, s.AwaitTermination(time.Minute))
			assert.Equal(t, []int{1, -1, 2, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1, 8, -1}, n.events)
			assert.Empty(t, n.errs)
			assert.Equal(t, 1, n.closed)
		}
	}
}

// Without a start time a stream begins at the end of what has been flushed.
func TestRepositoryFromNow(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		j := newJVM(t, t.TempDir(), here)
		j.finished(0, []int{1})
		g := j.grow(1, []int{2}, []int{3}, []int{4, 5}, []int{6})
		g.flush()
		g.flush()
		g.ahead()
		s := openRepository(t, j.dir)
		require.NoError(t, s.SetReuse(reuse))
		n := noting(s)
		c := flushes(s, n)
		described := make(chan bool, 10)
		s.OnMetadata(func(stream.Metadata) error { described <- true; return nil })
		require.NoError(t, s.StartAsync(t.Context()))
		soon(t, described)
		assert.Empty(t, c)
		g.flush()
		assert.Equal(t, []int{4, 5, -1}, soon(t, c))
		j.final(2, []int{7})
		g.flush()
		g.finish()
		require.NoError(t, s.AwaitTermination(time.Minute))
		assert.Equal(t, []int{4, 5, -1, 6, -1, 7, -1}, n.events)
		assert.Empty(t, n.errs)
	}
}

func TestRepositoryFromATime(t *testing.T) {
	j := newJVM(t, t.TempDir(), here)
	j.finished(0, []int{1})
	j.finished(1, []int{2}, []int{3, 4})
	j.final(2, []int{5})
	for want, from := range map[int]time.Time{1: begin.Add(-time.Hour), 4: at(1, 4), 5: at(1, 5)} {
		s := openRepository(t, j.dir)
		require.NoError(t, s.SetStartTime(from))
		n := noting(s)
		require.NoError(t, s.Start(t.Context()))
		require.Empty(t, n.errs)
		var got []int
		for _, e := range n.events {
			if e > 0 {
				got = append(got, e)
			}
		}
		assert.Equal(t, []int{1, 2, 3, 4, 5}[want-1:], got)
	}
}

func TestRepositoryThatIsNotFollowed(t *testing.T) {
	j := newJVM(t, t.TempDir(), here)
	s := openRepository(t, j.dir)
	require.NoError(t, s.SetFollow(false))
	assert.Empty(t, delivered(t, s), "nothing is there yet")
	j.finished(0, []int{1})
	j.grow(1, []int{2}, []int{3}).flush()
	s = fromTheStart(t, openRepository(t, j.dir))
	require.NoError(t, s.SetFollow(false))
	assert.Equal(t, []int{1, -1, 2, -1}, delivered(t, s))
	s = openRepository(t, j.dir)
	require.NoError(t, s.SetFollow(false))
	assert.Empty(t, delivered(t, s), "from now on until now")
}

// A virtual machine that begins to record later is waited for, and nothing of it left out.
func TestRepositoryWithoutAChunkYet(t *testing.T) {
	base := t.TempDir()
	s := openRepository(t, base)
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	require.ErrorIs(t, s.AwaitTermination(20*time.Millisecond), stream.ErrTimeout)
	j := newJVM(t, base, here)
	g := j.grow(0, []int{1}, []int{2})
	g.flush()
	assert.Equal(t, []int{1, -1}, soon(t, c))
	j.final(1)
	g.finish()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1}, n.events[:4])
	assert.Empty(t, n.errs)
}

// What has been opened ahead of slow handlers is not lost when it is removed, and what could
// not be is reported.
func TestChunksThatVanish(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	stream.ScanAlways(t)
	const chunks, opened = 24, 16
	j := newJVM(t, t.TempDir(), here)
	for n := range chunks {
		j.finished(n, []int{n})
	}
	j.final(chunks, []int{chunks})
	s := fromTheStart(t, openRepository(t, j.dir))
	first := true
	s.OnEvent(func(mmapjfr.Event) error {
		return onlyOnce(&first, func() error {
			var errs []error
			for n := range chunks {
				errs = append(errs, os.Remove(j.path(n)))
			}
			return errors.Join(errs...)
		})
	})
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	var want []int
	for n := range opened {
		want = append(want, n, -1)
	}
	assert.Equal(t, append(want, chunks, -1), n.events)
	var text string
	for _, err := range n.errs {
		require.ErrorIs(t, err, stream.ErrChunkRemoved)
		text += err.Error()
	}
	for n := opened; n < chunks; n++ {
		assert.Contains(t, text, filepath.Base(j.path(n)), "each is reported")
	}
}

// A directory that is gone has no more chunks.
func TestDirectoryThatIsDeleted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	stream.SetPatience(t, 10*time.Millisecond)
	for name, c := range map[string]struct {
		finish, named bool
	}{
		"finished":             {true, true},
		"unfinished":           {false, true},
		"finished, odd name":   {true, false},
		"unfinished, odd name": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJVM(t, t.TempDir(), here)
			if !c.named {
				j.dir = t.TempDir()
			}
			g := j.grow(0, []int{1}, []int{2})
			g.flush()
			s := fromTheStart(t, openRepository(t, j.dir))
			n := noting(s)
			flushed := flushes(s, n)
			require.NoError(t, s.StartAsync(t.Context()))
			soon(t, flushed)
			if c.finish {
				g.flush()
				g.finish()
				soon(t, flushed)
			}
			require.NoError(t, os.RemoveAll(j.dir))
			require.NoError(t, s.AwaitTermination(time.Minute))
			assert.Equal(t, 1, n.closed)
			if c.finish {
				assert.Equal(t, []int{1, -1, 2, -1}, n.events)
				assert.Empty(t, n.errs)
				return
			}
			assert.Equal(t, []int{1, -1}, n.events)
			require.Len(t, n.errs, 1)
			assert.ErrorIs(t, n.errs[0], stream.ErrKilled)
		})
	}
}

// A process that has gone has left its last chunk unfinished; all that it had flushed is
// delivered.
func TestKilledProcess(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	p := startProcess(t)
	j := newJVM(t, t.TempDir(), p.pid)
	j.finished(0, []int{1})
	g := j.grow(1, []int{2}, []int{3}, []int{4})
	g.flush()
	p.open(j.path(1))
	s := fromTheStart(t, openRepository(t, j.dir))
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	soon(t, c)
	soon(t, c)
	require.ErrorIs(t, s.AwaitTermination(100*time.Millisecond), stream.ErrTimeout, "it lives")
	g.flush()
	g.ahead()
	p.kill()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1, 3, -1}, n.events)
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], stream.ErrKilled)
	assert.ErrorContains(t, n.errs[0], j.path(1))
}

// Another virtual machine in the base directory takes over from one that was killed.
func TestTwoMachines(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	base := t.TempDir()
	p := startProcess(t)
	killed := newJVM(t, base, p.pid)
	g := killed.grow(0, []int{1}, []int{2})
	g.flush()
	p.open(killed.path(0))
	s := fromTheStart(t, openRepository(t, base))
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	soon(t, c)
	other := newJVM(t, base, here)
	other.finished(5, []int{3})
	last := other.grow(6, []int{4}, []int{5})
	last.flush()
	require.ErrorIs(t, s.AwaitTermination(200*time.Millisecond), stream.ErrTimeout)
	assert.Empty(t, c, "the first lives")
	p.kill()
	soon(t, c)
	soon(t, c)
	last.flush()
	soon(t, c)
	other.final(7, []int{6})
	last.finish()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 3, -1, 4, -1, 5, -1, 6, -1}, n.events)
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], stream.ErrKilled)
}

// A chunk that cannot be read is reported, and those after it are read.
func TestBadChunks(t *testing.T) {
	j := newJVM(t, t.TempDir(), here)
	bad := chunk(0, []int{1})
	bad.ForceMetadataOffset = new(int64(0))
	j.put(0, bad)
	j.finished(1, []int{2})
	j.final(2, []int{3})
	s := fromTheStart(t, openRepository(t, j.dir))
	n := noting(s)
	require.NoError(t, s.Start(t.Context()))
	assert.Equal(t, []int{2, -1, 3, -1}, n.events)
	require.Len(t, n.errs, 1)
	assert.ErrorIs(t, n.errs[0], mmapjfr.ErrCorrupt)
	assert.ErrorContains(t, n.errs[0], filepath.Base(j.path(0)))
}

// JDK 17 makes a directory, removes it, and makes another one.
func TestMachineThatGoesWithoutAChunk(t *testing.T) {
	stream.SetPatience(t, 10*time.Millisecond)
	base := t.TempDir()
	first := newJVM(t, base, 1)
	s := openRepository(t, base)
	n := noting(s)
	require.NoError(t, s.StartAsync(t.Context()))
	time.Sleep(50 * time.Millisecond) // the first one may be seen, or not
	require.NoError(t, os.Remove(first.dir))
	require.ErrorIs(t, s.AwaitTermination(100*time.Millisecond), stream.ErrTimeout)
	newJVM(t, base, here).final(0, []int{1})
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1}, n.events)
	assert.Empty(t, n.errs)
}

// Chunks that come while a long one is delivered are opened at once, as they may not be there
// any more when it ends.
func TestChunkThatComesAndGoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	stream.ScanAlways(t)
	j := newJVM(t, t.TempDir(), here)
	j.finished(0, []int{1}, []int{2}, []int{3})
	s := fromTheStart(t, openRepository(t, j.dir))
	require.NoError(t, s.SetReuse(false)) // one flush after the other is read
	s.OnEvent(func(ev mmapjfr.Event) error {
		switch ev.Int(fieldN) {
		case 1:
			j.final(1, []int{4})
		case 3:
			return os.Remove(j.path(1))
		}
		return nil
	})
	n := noting(s)
	require.NoError(t, s.StartAsync(t.Context()))
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1, 3, -1, 4, -1}, n.events)
	assert.Empty(t, n.errs)
}

// One that exits ends the stream, even if its last chunk was there too shortly to be seen and
// another one records in the base directory.
func TestExitBesideAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	stream.SetPatience(t, time.Second) // it flushes again before that, also on a busy machine
	base := t.TempDir()
	j := newJVM(t, base, here)
	g := j.grow(0, []int{1}, []int{2})
	g.flush()
	s := fromTheStart(t, openRepository(t, base))
	n := noting(s)
	c := flushes(s, n)
	require.NoError(t, s.StartAsync(t.Context()))
	soon(t, c)
	newJVM(t, base, 1).grow(5, []int{3}).flush()
	require.NoError(t, os.RemoveAll(j.dir))
	g.flush()
	g.finish()
	require.NoError(t, s.AwaitTermination(time.Minute))
	assert.Equal(t, []int{1, -1, 2, -1}, n.events)
	assert.Empty(t, n.errs)
}
