package repository_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// base is a base directory of a test.
type base struct {
	t   *testing.T
	dir string
	r   *repository.Repository
}

func newBase(t *testing.T) *base {
	dir := t.TempDir()
	return &base{t, dir, repository.Open(dir)}
}

// jvm returns the directory of a virtual machine that was made at a second, of a
// process.
func (b *base) jvm(second, pid int) string {
	return filepath.Join(b.dir, fmt.Sprintf("2026_11_21_12_00_%02d_%d", second, pid))
}

// put makes a chunk in a directory and returns that.
func (b *base) put(dir, name string, c chunk) string {
	put(b.t, filepath.Join(dir, name), c)
	return dir
}

// chose scans and returns which directory was chosen.
func (b *base) chose(want string) {
	b.t.Helper()
	scan(b.t, b.r)
	assert.Equal(b.t, want, b.r.Dir())
}

func TestNewestVirtualMachine(t *testing.T) {
	b := newBase(t)
	b.put(b.jvm(30, 1), "a.jfr", chunk{start: 10})
	newest := b.put(b.jvm(10, 2), "a.jfr", chunk{start: 5})
	b.put(newest, "b.jfr", chunk{start: 20})
	b.put(newest, "c.jfr", chunk{start: 15})
	b.put(b.jvm(20, 3), "a.jfr", chunk{start: 19})
	b.chose(newest)
	assert.Equal(t, []string{"a.jfr", "c.jfr", "b.jfr"}, names(b.r))
	pid, ok := b.r.PID()
	assert.True(t, ok)
	assert.Equal(t, 2, pid)
	others, err := b.r.Others()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{b.jvm(30, 1), b.jvm(20, 3)}, others)
}

func TestEquallyNew(t *testing.T) {
	b := newBase(t)
	for i := range 30 {
		b.put(b.jvm(i+1, 40-i), "a.jfr", chunk{start: 10})
	}
	b.chose(b.jvm(30, 11))
}

func TestBaseIsToCome(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "to", "come")
	b := &base{t, dir, repository.Open(dir)}
	b.chose("")
	require.NoError(t, os.MkdirAll(dir, 0o777))
	b.chose(dir) // for all that is known, chunks will be in it
	jvm := b.jvm(1, 1)
	require.NoError(t, os.Mkdir(jvm, 0o777))
	b.chose(jvm)
	assert.Empty(t, b.r.Files())
	b.put(jvm, "a.jfr", chunk{start: 1})
	b.chose(jvm)
	assert.Len(t, b.r.Files(), 1)
}

// TestChunksBesideVirtualMachines has a recording in the directory where temporary files
// are.
func TestChunksBesideVirtualMachines(t *testing.T) {
	b := newBase(t)
	b.put(b.dir, "mine.jfr", chunk{start: 100})
	require.NoError(t, os.WriteFile(b.jvm(1, 1), nil, 0o666)) // only named as a directory
	b.chose(b.dir)
	assert.Equal(t, []string{"mine.jfr"}, names(b.r))
	f := follower{r: b.r}
	f.next()
	jvm := b.jvm(2, 2)
	require.NoError(t, os.Mkdir(jvm, 0o777))
	b.chose(jvm)
	assert.Empty(t, b.r.Files())
	b.put(jvm, "a.jfr", chunk{start: 1})
	b.chose(jvm)
	assert.Equal(t, []string{"a.jfr"}, f.next())
}

// TestStays starts another virtual machine while one is followed.
func TestStays(t *testing.T) {
	b := newBase(t)
	first := b.put(b.jvm(1, 1), "a.jfr", chunk{start: 10})
	b.chose(first)
	others, err := b.r.Others()
	require.NoError(t, err)
	assert.Empty(t, others)
	second := b.put(b.jvm(2, 2), "a.jfr", chunk{start: 20})
	b.chose(first)
	b.put(first, "b.jfr", chunk{start: 30})
	b.chose(first)
	assert.Equal(t, []string{"a.jfr", "b.jfr"}, names(b.r))
	others, err = b.r.Others()
	require.NoError(t, err)
	assert.Equal(t, []string{second}, others)
}

// TestJustBegun chooses a virtual machine without chunks, but does not stay with it.
func TestJustBegun(t *testing.T) {
	b := newBase(t)
	old := b.put(b.jvm(1, 1), "a.jfr", chunk{start: 10})
	begun := b.jvm(2, 2)
	require.NoError(t, os.Mkdir(begun, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(begun, "a.jfr"), nil, 0o666))
	b.chose(begun)
	assert.Empty(t, b.r.Files())
	age(t, begun, time.Minute)
	b.chose(old)
	b.put(begun, "a.jfr", chunk{start: 20})
	b.chose(old)
}

func TestDeadVirtualMachines(t *testing.T) {
	pid := endedPID(t)
	t.Run("a living one goes before", func(t *testing.T) {
		b := newBase(t)
		age(t, b.put(b.jvm(2, pid), "a.jfr", chunk{start: 20}), time.Minute)
		living := b.put(b.jvm(1, os.Getpid()), "a.jfr", chunk{start: 10})
		age(t, living, time.Minute) // quiet, but there is a process
		b.chose(living)
		others, err := b.r.Others()
		require.NoError(t, err)
		assert.Empty(t, others)
	})
	t.Run("the last chunk says so", func(t *testing.T) {
		b := newBase(t)
		b.put(b.jvm(2, pid), "a.jfr", chunk{start: 20, flags: jfrtest.FlagFinal})
		living := b.put(b.jvm(1, pid), "a.jfr", chunk{start: 10})
		b.chose(living)
	})
	t.Run("the last chunk is not complete yet", func(t *testing.T) {
		b := newBase(t)
		living := b.put(b.jvm(2, pid), "a.jfr", chunk{start: 20, flags: jfrtest.FlagFinal, state: 3})
		b.put(b.jvm(1, pid), "a.jfr", chunk{start: 10})
		b.chose(living)
	})
	t.Run("better than none", func(t *testing.T) {
		b := newBase(t)
		older := b.put(b.jvm(1, pid), "a.jfr", chunk{start: 10})
		age(t, older, time.Minute)
		dead := b.put(b.jvm(2, pid), "a.jfr", chunk{start: 20})
		age(t, dead, time.Minute)
		empty := b.jvm(3, pid)
		require.NoError(t, os.Mkdir(empty, 0o777))
		age(t, empty, time.Minute)
		b.chose(dead)
		f := follower{r: b.r}
		assert.Equal(t, []string{"a.jfr"}, f.next())

		living := b.put(b.jvm(4, 4), "x.jfr", chunk{start: 1})
		b.chose(living)
		assert.Equal(t, []string{"x.jfr"}, f.next())
	})
	t.Run("without chunks", func(t *testing.T) {
		b := newBase(t)
		empty, idle := b.jvm(3, pid), b.jvm(2, os.Getpid())
		for _, dir := range []string{empty, idle} {
			require.NoError(t, os.Mkdir(dir, 0o777))
			age(t, dir, time.Minute)
		}
		b.chose(idle)
	})
}

// TestTakesOver ends the virtual machine that is followed.
func TestTakesOver(t *testing.T) {
	b := newBase(t)
	long := b.put(b.jvm(0, endedPID(t)), "z.jfr", chunk{start: 5})
	age(t, long, time.Hour)
	first := b.put(b.jvm(1, 1), "a.jfr", chunk{start: 10})
	b.chose(first)
	f := follower{r: b.r}
	assert.Equal(t, []string{"a.jfr"}, f.next())
	life := b.r.Liveness()
	require.NoError(t, os.RemoveAll(first))
	b.chose(first)
	assert.True(t, b.r.Gone(), "what has been dead for long does not take over")
	assert.Empty(t, f.next())

	second := b.put(b.jvm(2, 2), "b.jfr", chunk{start: 20})
	b.chose(second)
	assert.False(t, b.r.Gone())
	assert.Equal(t, []string{"b.jfr"}, f.next())
	assert.NotSame(t, life, b.r.Liveness())
}

// TestDiesAndIsLeft kills a virtual machine, whose directory remains.
func TestDiesAndIsLeft(t *testing.T) {
	b := newBase(t)
	// On Linux it counts who has the chunk open; elsewhere that there is a process.
	starting := process(t, "")
	first := b.put(b.jvm(1, starting.Process.Pid), "a.jfr", chunk{start: 30})
	b.chose(first)
	life := repository.NewLivenessOf(first, starting.Process.Pid)
	b.r.SetLife(life)
	f := follower{r: b.r}
	assert.Equal(t, []string{"a.jfr"}, f.next())
	second := b.put(b.jvm(2, 2), "b.jfr", chunk{start: 20})
	b.chose(first)
	require.NoError(t, starting.Process.Kill())
	_ = starting.Wait()
	require.Eventually(t, func() bool { return life.State() == repository.Dead }, time.Minute, time.Millisecond)
	b.chose(second)
	assert.Equal(t, []string{"b.jfr"}, f.next())

	require.NoError(t, os.RemoveAll(second))
	b.put(first, "c.jfr", chunk{start: 40})
	b.chose(second)
	assert.True(t, b.r.Gone())
	assert.Empty(t, f.next(), "there is no way back")
}

func TestBaseVanishes(t *testing.T) {
	b := newBase(t)
	require.NoError(t, os.Mkdir(b.jvm(1, 1), 0o777))
	b.chose(b.jvm(1, 1))
	require.NoError(t, os.RemoveAll(b.dir))
	scan(t, b.r)
	assert.True(t, b.r.Gone())
	again := b.put(b.jvm(2, 2), "a.jfr", chunk{start: 1})
	b.chose(again)
	assert.False(t, b.r.Gone())
}

// TestLinkToVirtualMachine has a link that is named as a virtual machine's directory.
func TestLinkToVirtualMachine(t *testing.T) {
	b := newBase(t)
	elsewhere := filepath.Join(t.TempDir(), jvm)
	put(t, filepath.Join(elsewhere, "a.jfr"), chunk{start: 100})
	if err := os.Symlink(elsewhere, b.jvm(9, 9)); err != nil {
		t.Skip("this system or user makes no links: ", err)
	}
	b.chose(b.dir)
	here := b.put(b.jvm(1, 1), "a.jfr", chunk{start: 1})
	b.chose(here)
	others, err := b.r.Others()
	require.NoError(t, err)
	assert.Empty(t, others)
}

// TestLinkToBase opens a link.
func TestLinkToBase(t *testing.T) {
	b := newBase(t)
	b.put(b.jvm(1, 1), "a.jfr", chunk{start: 100})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(b.dir, link); err != nil {
		t.Skip("this system or user makes no links: ", err)
	}
	r := repository.Open(link)
	scan(t, r)
	assert.Equal(t, filepath.Join(link, filepath.Base(b.jvm(1, 1))), r.Dir())
	assert.Len(t, r.Files(), 1)
}

func TestVirtualMachineThatCanNotBeRead(t *testing.T) {
	b := newBase(t)
	denied := b.jvm(2, 2)
	require.NoError(t, os.Mkdir(denied, 0))
	t.Cleanup(func() { _ = os.Chmod(denied, 0o700) }) // so that it can be removed
	if _, err := os.ReadDir(denied); err == nil {
		t.Skip("this user may read everything")
	}
	scan(t, b.r)
	require.NoError(t, os.Remove(denied))
	require.NoError(t, os.Rename(b.dir, b.dir+"away"))
	scan(t, b.r)
	assert.True(t, b.r.Gone())
	require.NoError(t, os.Rename(b.dir+"away", b.dir))
	require.NoError(t, os.Mkdir(denied, 0))
	readable := b.put(b.jvm(1, 1), "a.jfr", chunk{start: 1})
	b.chose(readable)
	assert.False(t, b.r.Gone())
}

// TestChunkComesWithinATick makes a chunk so soon after the directory was looked at that
// its time is the same.
func TestChunkComesWithinATick(t *testing.T) {
	b := newBase(t)
	first, second := b.jvm(1, 1), b.jvm(2, 2)
	then := time.Now()
	for _, jvm := range []string{first, second} {
		require.NoError(t, os.Mkdir(jvm, 0o777))
		require.NoError(t, os.Chtimes(jvm, then, then))
	}
	b.chose(second)
	b.put(first, "a.jfr", chunk{start: then.Unix() + 1})
	require.NoError(t, os.Chtimes(first, then, then))
	b.chose(first)
}
