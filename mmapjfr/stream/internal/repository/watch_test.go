package repository_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// watch returns a Watch that the system notifies, and skips the test if it does not.
func watch(t *testing.T, path ...string) *repository.Watch {
	t.Helper()
	probe := repository.NewWatch(t.TempDir())
	defer probe.Close()
	if probe.Polling() {
		t.Skip("the system does not notify")
	}
	w := repository.NewWatch(path...)
	t.Cleanup(func() { assert.NoError(t, w.Close()) })
	assert.False(t, w.Polling())
	return w
}

// notices requires that Wait returns long before its time.
func notices(t *testing.T, w *repository.Watch, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, w.Wait(ctx, time.Hour), what)
}

// calm takes what is left of what happened, until nothing happens for a while.
func calm(t *testing.T, w *repository.Watch) (returns int) {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := w.Wait(ctx, time.Hour)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return returns
		}
		returns++
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	require.NoError(t, err)
	_, err = f.WriteString(data)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestWatchDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jfr")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	w := watch(t, dir)
	calm(t, w)
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"write to an open file", func() error { _, err := f.WriteString("x"); return err }},
		{"write over what was there", func() error { _, err := f.WriteAt([]byte("y"), 0); return err }},
		{"make a file", func() error { return os.WriteFile(filepath.Join(dir, "b.jfr"), nil, 0o666) }},
		{"rename it", func() error { return os.Rename(filepath.Join(dir, "b.jfr"), filepath.Join(dir, "c.jfr")) }},
		{"remove it", func() error { return os.Remove(filepath.Join(dir, "c.jfr")) }},
		{"make a directory", func() error { return os.Mkdir(filepath.Join(dir, jvm), 0o777) }},
	} {
		require.NoError(t, step.do(), step.what)
		notices(t, w, step.what)
		assert.LessOrEqual(t, calm(t, w), 5, step.what)
	}
}

func TestWatchFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jfr")
	write(t, path, "x")
	w := watch(t, path)
	calm(t, w)
	write(t, path, "y")
	notices(t, w, "write")
	calm(t, w)

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	if os.Remove(path) != nil {
		return // not while it is open
	}
	notices(t, w, "remove, though it is open")
	calm(t, w)
	write(t, path, "z")
	notices(t, w, "make again")
	calm(t, w)
	write(t, path, "z")
	notices(t, w, "write to the new one")
}

func TestWatchWhatIsToCome(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "to", "come")
	w := watch(t, dir)
	assert.Zero(t, calm(t, w))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	notices(t, w, "make it")
	for range 3 {
		calm(t, w)
		write(t, filepath.Join(dir, "a.jfr"), "x")
		notices(t, w, "write in it")
		calm(t, w)
		require.NoError(t, os.RemoveAll(dir))
		notices(t, w, "remove it")
		assert.LessOrEqual(t, calm(t, w), 2)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		notices(t, w, "make it again")
	}
}

// TestWatchDirectoryThatIsReplaced removes it and makes it again at once, with the one
// above watched and not.
func TestWatchDirectoryThatIsReplaced(t *testing.T) {
	for _, above := range []bool{false, true} {
		base := t.TempDir()
		dir, away := filepath.Join(base, "dir"), filepath.Join(base, "away")
		require.NoError(t, os.Mkdir(dir, 0o777))
		w := watch(t, dir)
		if above {
			w.Add(base)
		}
		for range 50 {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.Mkdir(dir, 0o777))
		}
		notices(t, w, "replaced")
		calm(t, w)
		write(t, filepath.Join(dir, "a.jfr"), "x")
		notices(t, w, "write in it")
		for range 50 {
			require.NoError(t, os.Rename(dir, away))
			require.NoError(t, os.RemoveAll(away))
			require.NoError(t, os.Mkdir(dir, 0o777))
		}
		notices(t, w, "moved, removed and made again")
		calm(t, w)
		assert.False(t, w.Polling())
		write(t, filepath.Join(dir, "a.jfr"), "x")
		notices(t, w, "write in it")
		require.NoError(t, w.Close())
	}
}

func TestNothingHappens(t *testing.T) {
	w := watch(t, t.TempDir())
	assert.Zero(t, calm(t, w))
	assert.NoError(t, w.Wait(t.Context(), time.Millisecond))
	assert.NoError(t, w.Wait(t.Context(), 0))
	assert.NoError(t, w.Wait(t.Context(), -time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, w.Wait(ctx, time.Hour), context.Canceled)
	assert.ErrorIs(t, w.Wait(ctx, 0), context.Canceled)
}

func TestAddAndRemove(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	w := watch(t, one)
	assert.Zero(t, calm(t, w))
	w.Add(two)
	notices(t, w, "what happened there before is not known")
	assert.Zero(t, calm(t, w))
	w.Add(two + string(filepath.Separator))
	assert.Zero(t, calm(t, w), "it is watched already")
	write(t, filepath.Join(two, "a.jfr"), "x")
	notices(t, w, "write")
	calm(t, w)
	w.Remove(one)
	w.Remove(one)
	write(t, filepath.Join(one, "a.jfr"), "x")
	assert.Zero(t, calm(t, w))
	write(t, filepath.Join(two, "a.jfr"), "x")
	notices(t, w, "write")
	calm(t, w)

	nowhere := filepath.Join(two, "nowhere")
	w.Add(nowhere)
	calm(t, w)
	w.Remove(nowhere)
	w.Remove(two)
	require.NoError(t, os.Mkdir(nowhere, 0o777))
	assert.Zero(t, calm(t, w))
}

// TestAddWhileWaiting adds, removes and closes while another goroutine waits.
func TestAddWhileWaiting(t *testing.T) {
	for _, w := range []*repository.Watch{watch(t), repository.NewPollingWatch()} {
		var wg sync.WaitGroup
		started := make(chan struct{})
		wg.Go(func() {
			for first := true; ; first = false {
				err := w.Wait(t.Context(), time.Hour)
				if err != nil {
					assert.ErrorIs(t, err, repository.ErrClosed)
					return
				}
				if first {
					close(started)
				}
			}
		})
		dir := t.TempDir()
		w.Add(dir)
		<-started
		for range 20 {
			w.Remove(dir)
			w.Add(dir)
			write(t, filepath.Join(dir, "a.jfr"), "x")
		}
		require.NoError(t, w.Close())
		wg.Wait()
	}
}

func TestClosed(t *testing.T) {
	dir := t.TempDir()
	for _, w := range []*repository.Watch{watch(t, dir), repository.NewPollingWatch(dir)} {
		require.NoError(t, w.Close())
		require.NoError(t, w.Close())
		assert.ErrorIs(t, w.Wait(t.Context(), time.Hour), repository.ErrClosed)
		w.Add(dir)
		w.Remove(dir)
	}
}

func TestPolling(t *testing.T) {
	dir := t.TempDir()
	w := repository.NewPollingWatch(dir)
	defer w.Close()
	assert.True(t, w.Polling())
	for range 5 {
		notices(t, w, "in a while")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, w.Wait(ctx, time.Hour), context.Canceled)
}

// TestNotNotified watches what the system does not tell of.
func TestNotNotified(t *testing.T) {
	const silent = "/proc/self"
	if _, err := os.Stat(silent); err != nil {
		t.Skip("only Linux has a folder whose changes are not told: ", err)
	}
	dir := t.TempDir()
	w := watch(t, dir)
	w.Add(silent)
	assert.True(t, w.Polling())
	for range 5 {
		notices(t, w, "in a while")
	}
	w.Remove(silent)
	assert.False(t, w.Polling())
	calm(t, w)
	write(t, filepath.Join(dir, "a.jfr"), "x")
	notices(t, w, "write")
}

// TestBurst writes as fast as it can.
func TestBurst(t *testing.T) {
	dir := t.TempDir()
	w := watch(t, dir)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, name := range []string{"a.jfr", "b.jfr"} {
		f, err := os.Create(filepath.Join(dir, name))
		require.NoError(t, err)
		defer f.Close()
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, err := f.WriteAt([]byte("x"), 64)
					assert.NoError(t, err)
				}
			}
		})
	}
	begin := time.Now()
	const returns = 40
	for range returns + 1 {
		notices(t, w, "burst")
	}
	took := time.Since(begin)
	close(stop)
	wg.Wait()
	assert.GreaterOrEqual(t, took, returns*5*time.Millisecond, "it gives time to breathe")
	calm(t, w)
}

// TestManyWrites writes often while nobody waits, as when the caller is busy.
func TestManyWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jfr")
	write(t, path, "x")
	w := watch(t, filepath.Dir(path))
	calm(t, w)
	for range 1000 {
		write(t, path, "x")
	}
	notices(t, w, "writes")
	assert.LessOrEqual(t, calm(t, w), 10, "they count as one")

	for range 2000 { // those do not
		write(t, path, "x")
		write(t, path+".jfr", "x")
	}
	notices(t, w, "writes")
	assert.LessOrEqual(t, calm(t, w), 1000, "many are taken at a time")
}

// TestTooMany lets more happen than the system keeps.
func TestTooMany(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "dir")
	require.NoError(t, os.Mkdir(dir, 0o777))
	w := watch(t, dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "x")
	for range 10_000 {
		require.NoError(t, os.Rename(a, b))
		require.NoError(t, os.Rename(b, a))
	}
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Mkdir(dir, 0o777))
	notices(t, w, "it does not matter what")
	calm(t, w)
	assert.False(t, w.Polling())
	write(t, a, "x")
	notices(t, w, "write in the new one")
}

func TestWatchWith(t *testing.T) {
	b := newBase(t)
	w := watch(t)
	watched := func(want ...string) {
		t.Helper()
		scan(t, b.r)
		b.r.WatchWith(w)
		assert.ElementsMatch(t, want, w.Paths())
	}
	watched(b.dir)
	first := b.jvm(1, 1)
	require.NoError(t, os.Mkdir(first, 0o777))
	watched(b.dir, first)
	b.put(first, "a.jfr", chunk{start: 10})
	watched(first)
	calm(t, w)
	b.r.WatchWith(w)
	assert.Zero(t, calm(t, w), "nothing is new")
	require.NoError(t, os.RemoveAll(first))
	notices(t, w, "it is gone")
	watched(b.dir, first)
	second := b.put(b.jvm(2, 2), "a.jfr", chunk{start: 20})
	watched(second)

	own := repository.Open(first)
	scan(t, own)
	own.WatchWith(w)
	assert.Equal(t, []string{first}, w.Paths())
}
