package repository_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

func TestState(t *testing.T) {
	assert.Equal(t, "unknown", repository.Unknown.String())
	assert.Equal(t, "alive", repository.Alive.String())
	assert.Equal(t, "dead", repository.Dead.String())
}

// livesIn makes a directory of a process with a chunk in it.
func livesIn(t *testing.T, pid int) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "2026_11_21_12_00_00_"+strconv.Itoa(pid))
	path = filepath.Join(dir, "a.jfr")
	put(t, path, chunk{start: 1})
	return dir, path
}

// soon waits until the answer is that.
func soon(t *testing.T, l *repository.Liveness, want repository.State) {
	t.Helper()
	require.Eventually(t, func() bool { return l.State() == want }, time.Minute, time.Millisecond)
}

func TestNoSuchProcess(t *testing.T) {
	pid := endedPID(t)
	synctest.Test(t, func(t *testing.T) {
		dir, path := livesIn(t, pid)
		l := repository.NewLiveness(dir)
		changed := time.Unix(1e9, 0)
		for _, change := range []func(){
			func() {},
			func() { require.NoError(t, os.Chtimes(path, changed, changed)) },
			func() {
				require.NoError(t, os.WriteFile(path, []byte("another size"), 0o666))
				require.NoError(t, os.Chtimes(path, changed, changed))
			},
			func() { put(t, filepath.Join(dir, "b.jfr"), chunk{start: 2}) },
			func() { require.NoError(t, os.WriteFile(path, nil, 0o666)) },
			func() { require.NoError(t, os.Remove(path)) },
			func() { require.NoError(t, os.Remove(filepath.Join(dir, "b.jfr"))) },
			func() { require.NoError(t, os.RemoveAll(dir)) },
		} {
			change()
			time.Sleep(time.Second)
			require.Equal(t, repository.Unknown, l.State())
			for range 9 {
				time.Sleep(time.Second)
				require.Equal(t, repository.Unknown, l.State())
			}
			time.Sleep(time.Second)
			require.Equal(t, repository.Dead, l.State())
		}
	})
}

func TestDirectoryWithoutAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := repository.NewLiveness(t.TempDir())
		for range 30 {
			require.Equal(t, repository.Unknown, l.State())
			time.Sleep(time.Second)
		}
	})
}

// TestProcessRecords has a process with the chunk open that is then killed.
func TestProcessRecords(t *testing.T) {
	_, held := livesIn(t, 1)
	cmd := process(t, held)
	dir, path := livesIn(t, cmd.Process.Pid)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Link(held, path))
	l := repository.NewLiveness(dir)
	assert.Equal(t, repository.Alive, l.State())
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for then := time.Unix(1e9, 0); l.State() != repository.Dead; then = then.Add(time.Second) {
		require.NoError(t, os.Chtimes(path, then, then)) // it is not that nothing changes
	}

	put(t, filepath.Join(dir, "b.jfr"), chunk{start: 2})
	time.Sleep(100 * time.Millisecond) // until it would look again
	assert.Equal(t, repository.Dead, l.State(), "the one that changes the directory is another one")
}

// TestProcessThatNobodyAskedAbout has ended, but its parent does not know yet.
func TestProcessThatNobodyAskedAbout(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	_, held := livesIn(t, 1)
	cmd := process(t, held)
	l := repository.NewLivenessOf(filepath.Dir(held), cmd.Process.Pid)
	assert.Equal(t, repository.Alive, l.State())
	require.NoError(t, cmd.Process.Kill())
	soon(t, l, repository.Dead)
}

// TestProcessOfThatNumber is there, but it is not known whether it is the one.
func TestProcessOfThatNumber(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a process has open")
	}
	cmd := process(t, "")
	synctest.Test(t, func(t *testing.T) {
		dir, _ := livesIn(t, cmd.Process.Pid)
		l := repository.NewLiveness(dir)
		for range 30 {
			require.Equal(t, repository.Unknown, l.State())
			time.Sleep(time.Second)
		}
	})
	dir, _ := livesIn(t, cmd.Process.Pid)
	assert.Equal(t, repository.Alive, repository.NewLivenessOf(dir, cmd.Process.Pid).State(), "the caller knows")
}

// TestProcessIsTooYoung has a process with the number that was not there when the
// directory was made.
func TestProcessIsTooYoung(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it takes a directory that is old for sure")
	}
	cmd := process(t, "")

	old := filepath.Join(t.TempDir(), "old")
	require.NoError(t, os.Mkdir(old, 0o777))
	assert.False(t, repository.IsAnother(cmd.Process.Pid, old))
	assert.False(t, repository.IsAnother(process(t, "").Process.Pid, old), "it is as good as that old")

	// Without the slack it takes no more than the ticks by which processes are dated.
	repository.SetAgeSlack(0)
	t.Cleanup(func() { repository.SetAgeSlack(2 * time.Second) })
	time.Sleep(50 * time.Millisecond)
	assert.True(t, repository.IsAnother(process(t, "").Process.Pid, old))

	chunks := filepath.Join(old, "a.jfr")
	put(t, chunks, chunk{start: 1})
	assert.False(t, repository.IsAnother(process(t, chunks).Process.Pid, old), "what it has open counts more")
	elsewhere := filepath.Join(t.TempDir(), "a.jfr")
	put(t, elsewhere, chunk{start: 1})
	assert.True(t, repository.IsAnother(process(t, elsewhere).Process.Pid, old), "it is another one of that name")
}

// TestProcessOfAnotherUser has the number, but not the owner.
func TestProcessOfAnotherUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	dir, _ := livesIn(t, 1)
	if err := os.Chown(dir, os.Getuid()+1, -1); err != nil {
		t.Skip("only root can give a folder to another user: ", err)
	}
	cmd := process(t, "")
	assert.True(t, repository.IsAnother(cmd.Process.Pid, dir))
}
