package mmapjfr_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// sizable returns a recording of some thousand events.
func sizable(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	return data
}

// placed writes a recording to a folder of its own.
func placed(t testing.TB, data []byte) (file string) {
	t.Helper()
	return placedAt(t, filepath.Join(t.TempDir(), "app.jfr"), data)
}

func placedAt(t testing.TB, file string, data []byte) string {
	t.Helper()
	require.NoError(t, os.WriteFile(file, data, 0o640))
	return file
}

func openSaved(t testing.TB, file string, opts ...mmapjfr.Option) *mmapjfr.Recording {
	t.Helper()
	rec, err := mmapjfr.Open(file, append(opts, mmapjfr.SavedIndex(mmapjfr.IndexBeside))...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	return rec
}

func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// shown is all events of a recording, some as text, found in several ways.
func shown(t testing.TB, rec *mmapjfr.Recording) (list []string) {
	t.Helper()
	events, errs := walk(t, rec.Select())
	for i, ev := range events {
		list = append(list, fmt.Sprint(ev.Offset(), ev.Type().Name()))
		if i%53 == 0 {
			list = append(list, fmt.Sprint(ev.Value(), ev.StackTrace().Value()))
			again, err := rec.EventAtOffset(ev.Offset())
			list = append(list, fmt.Sprint(again.Ordinal(), again.Type().Name(), err))
		}
	}
	for _, err := range errs {
		list = append(list, err.Error())
	}
	return list
}

func TestNoIndexIsSavedUnlessAskedFor(t *testing.T) {
	file := placed(t, sizable(t))
	for _, opts := range [][]mmapjfr.Option{nil, {mmapjfr.SavedIndex(mmapjfr.IndexOff)}} {
		rec, err := mmapjfr.Open(file, opts...)
		require.NoError(t, err)
		all(t, rec)
		assert.Zero(t, rec.IndexState())
		require.NoError(t, rec.Close())
		assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
	}
	_, err := mmapjfr.Open(file, mmapjfr.SavedIndex(77))
	assert.ErrorContains(t, err, "no place 77")
}

func TestTheSecondOpenUsesTheSavedIndex(t *testing.T) {
	corpus(t, func(t *testing.T, name string, data []byte) {
		if isOld(name) {
			return
		}
		file := placed(t, data)
		plain, err := mmapjfr.Open(file)
		require.NoError(t, err)
		want := shown(t, plain)
		require.NoError(t, plain.Close())

		first := openSaved(t, file)
		state := first.IndexState()
		assert.Equal(t, file+".mjfri", state.Path)
		assert.False(t, state.Used)
		assert.NoError(t, state.LoadErr)
		if state.SaveErr != nil {
			require.ErrorIs(t, state.SaveErr, mmapjfr.ErrUnfinished)
			require.False(t, state.Written)
			require.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
			require.Equal(t, want, shown(t, first))
			return
		}
		require.True(t, state.Written)
		require.Equal(t, want, shown(t, first))
		before, err := os.Stat(state.Path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, fs.FileMode(0o640), before.Mode().Perm(), "readers of the recording read the index")
		}

		for _, small := range []int64{0, 1 << 40} {
			mmapjfr.SetSmallIndex(t, small)
			for _, opts := range [][]mmapjfr.Option{nil, {mmapjfr.CopyOnOpen()}} {
				rec := openSaved(t, file, opts...)
				require.Equal(t, mmapjfr.IndexState{Path: state.Path, Used: true}, rec.IndexState())
				for i, c := range rec.Index().Chunks() {
					b := c.CachedBlocks()
					whole := c.TrailingErr() == nil && c.Header().Finished()
					if c := first.Index().Chunks()[i]; whole {
						k, err := c.Constants()
						whole = err == nil && k.Err() == nil && c.Blocks().Err() == nil
					}
					require.Equal(t, whole, b != nil, "nothing is built")
					require.True(t, b == nil || b.Saved())
				}
				require.Equal(t, want, shown(t, rec))
				require.NoError(t, rec.Close())
			}
		}
		after, err := os.Stat(state.Path)
		require.NoError(t, err)
		assert.Equal(t, before.ModTime(), after.ModTime())
		assert.True(t, os.SameFile(before, after))
		assert.Equal(t, []string{"app.jfr", "app.jfr.mjfri"}, namesIn(t, filepath.Dir(file)))
	})
}

// TestAnIndexThatDoesNotFitIsMadeAnew: whatever lies in its place, the recording
// opens and reads right.
func TestAnIndexThatDoesNotFitIsMadeAnew(t *testing.T) {
	data := sizable(t)
	other, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	change := func(at int, v byte) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			saved, err := os.ReadFile(file + ".mjfri")
			require.NoError(t, err)
			if at < 0 {
				at += len(saved)
			}
			saved[at] = v
			require.NoError(t, os.WriteFile(file+".mjfri", saved, 0o600))
		}
	}
	write := func(data []byte) func(t *testing.T, file string) {
		return func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, data, 0o600)) }
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, file string)
		says  string
	}{
		"another recording": {write(other), "bytes, this one has"},
		"it has grown":      {write(append(slices.Clone(data), other...)), "bytes, this one has"},
		"it was written to": {func(t *testing.T, file string) {
			require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)))
		}, "that was written at"},
		"another version": {change(8, 1), "version 1"},
		"damaged":         {change(-20, 7), "directory is not where it should be"},
		"of another recording": {func(t *testing.T, file string) {
			file2 := placed(t, other)
			require.True(t, openSaved(t, file2).IndexState().Written)
			require.NoError(t, os.Rename(file2+".mjfri", file+".mjfri"))
		}, "bytes, this one has"},
		"torn": {func(t *testing.T, file string) {
			info, err := os.Stat(file + ".mjfri")
			require.NoError(t, err)
			require.NoError(t, os.Truncate(file+".mjfri", info.Size()*2/3))
		}, "it is incomplete"},
		"empty": {func(t *testing.T, file string) { require.NoError(t, os.Truncate(file+".mjfri", 0)) }, "no saved index"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, small := range []int64{0, 1 << 40}[:longtest.Cases(1, 2)] {
				mmapjfr.SetSmallIndex(t, small)
				file := placed(t, data)
				first := openSaved(t, file)
				require.True(t, first.IndexState().Written)
				require.NoError(t, first.Close())
				c.spoil(t, file)
				plain, err := mmapjfr.Open(file)
				require.NoError(t, err)
				want := shown(t, plain)
				require.NoError(t, plain.Close())

				rec := openSaved(t, file)
				state := rec.IndexState()
				assert.False(t, state.Used)
				require.ErrorIs(t, state.LoadErr, mmapjfr.ErrSavedIndex)
				assert.ErrorContains(t, state.LoadErr, c.says)
				assert.True(t, state.Written)
				assert.NoError(t, state.SaveErr)
				assert.False(t, rec.SavedMapped())
				assert.Equal(t, want, shown(t, rec))

				again := openSaved(t, file)
				assert.True(t, again.IndexState().Used)
				assert.Equal(t, want, shown(t, again))
			}
		})
	}
}

// TestDamageOfAPartIsNoticedWhenItIsUsed: what lies between header and directory
// is not looked at by Open.
func TestDamageOfAPartIsNoticedWhenItIsUsed(t *testing.T) {
	file := placed(t, sizable(t))
	rec := openSaved(t, file)
	want := shown(t, rec)
	require.NoError(t, rec.Close())
	saved, err := os.ReadFile(file + ".mjfri")
	require.NoError(t, err)
	for at := 40; at < len(saved)-24-128; at += longtest.Cases(14_999, 4999) {
		bad := slices.Clone(saved)
		bad[at]++
		require.NoError(t, os.WriteFile(file+".mjfri", bad, 0o600))
		rec := openSaved(t, file)
		require.True(t, rec.IndexState().Used)
		_, err := rec.CheckIndex(mmapjfr.IndexBeside)
		require.ErrorIs(t, err, mmapjfr.ErrSavedIndex)
		require.Equal(t, want, shown(t, rec))
		require.NoError(t, rec.Close())
	}
}

func TestWhatWasLeftByHalfIsNotUsed(t *testing.T) {
	file := placed(t, sizable(t))
	rec := openSaved(t, file)
	saved, err := os.ReadFile(rec.IndexState().Path)
	require.NoError(t, err)
	require.NoError(t, mmapjfr.RemoveIndex(file, mmapjfr.IndexBeside))
	part := file + ".mjfri.1234.part"
	require.NoError(t, os.WriteFile(part, saved[:len(saved)/2], 0o600))
	state := openSaved(t, file).IndexState()
	assert.True(t, state.Written)
	assert.NoError(t, state.LoadErr)
	assert.FileExists(t, part, "somebody may be writing it")
}

// TestRecordingOpensWhereNothingCanBeWritten: the index is there, in memory.
func TestRecordingOpensWhereNothingCanBeWritten(t *testing.T) {
	data := sizable(t)
	want := shown(t, openBytes(t, data))
	check := func(t *testing.T, rec *mmapjfr.Recording) {
		t.Helper()
		defer rec.Close()
		state := rec.IndexState()
		assert.False(t, state.Used)
		assert.False(t, state.Written)
		require.Error(t, state.SaveErr)
		assert.Equal(t, want, shown(t, rec))
	}
	t.Run("a folder in its place", func(t *testing.T) {
		file := placed(t, data)
		require.NoError(t, os.MkdirAll(filepath.Join(file+".mjfri", "inside"), 0o700))
		rec := openSaved(t, file)
		assert.ErrorIs(t, rec.IndexState().LoadErr, mmapjfr.ErrSavedIndex)
		check(t, rec)
		assert.Equal(t, []string{"app.jfr", "app.jfr.mjfri"}, namesIn(t, filepath.Dir(file)), "nothing is left over")
	})
	t.Run("no cache", func(t *testing.T) {
		none := placed(t, nil)
		t.Setenv("XDG_CACHE_HOME", none)
		t.Setenv("HOME", none)
		t.Setenv("LocalAppData", none)
		rec, err := mmapjfr.Open(placed(t, data), mmapjfr.SavedIndex(mmapjfr.IndexInCache))
		require.NoError(t, err)
		check(t, rec)
	})
	t.Run("no home", func(t *testing.T) {
		for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} {
			t.Setenv(name, "")
		}
		rec, err := mmapjfr.Open(placed(t, data), mmapjfr.SavedIndex(mmapjfr.IndexInCache))
		require.NoError(t, err)
		assert.Empty(t, rec.IndexState().Path)
		check(t, rec)
	})
	t.Run("folder that may not be written to", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write anywhere")
		}
		file := placed(t, data)
		require.NoError(t, os.Chmod(filepath.Dir(file), 0o500))
		t.Cleanup(func() { _ = os.Chmod(filepath.Dir(file), 0o700) }) // so that it can be removed
		check(t, openSaved(t, file))
	})
}

func TestIndexInTheCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	file := placed(t, sizable(t))
	rec, err := mmapjfr.Open(file, mmapjfr.SavedIndex(mmapjfr.IndexInCache))
	require.NoError(t, err)
	defer rec.Close()
	state := rec.IndexState()
	require.True(t, state.Written, "%v", state.SaveErr)
	assert.True(t, strings.HasPrefix(state.Path, cache), state.Path)
	assert.Equal(t, "mmapjfr", filepath.Base(filepath.Dir(state.Path)))
	assert.Regexp(t, `^[0-9a-f]{32}\.mjfri$`, filepath.Base(state.Path))
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))

	// By whatever name the file is called.
	t.Chdir(filepath.Dir(file))
	link := filepath.Join(t.TempDir(), "link.jfr")
	require.NoError(t, os.Symlink(file, link))
	for _, name := range []string{file, "app.jfr", "./app.jfr", link} {
		rec, err := mmapjfr.Open(name, mmapjfr.SavedIndex(mmapjfr.IndexInCache))
		require.NoError(t, err)
		assert.True(t, rec.IndexState().Used, name)
		require.NoError(t, rec.Close())
	}
	other, err := mmapjfr.IndexPath("other.jfr", mmapjfr.IndexInCache)
	require.NoError(t, err)
	assert.NotEqual(t, state.Path, other)
}

func TestOpenBytesSavesNothing(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(sizable(t), mmapjfr.SavedIndex(mmapjfr.IndexBeside))
	require.NoError(t, err)
	defer rec.Close()
	assert.Zero(t, rec.IndexState())
	_, err = rec.SaveIndex(mmapjfr.IndexBeside)
	assert.ErrorContains(t, err, "no file")
	_, err = rec.CheckIndex(mmapjfr.IndexBeside)
	assert.ErrorContains(t, err, "no file")
}

func TestSaveCheckAndRemove(t *testing.T) {
	data := sizable(t)
	file := placed(t, data)
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	_, err = rec.CheckIndex(mmapjfr.IndexBeside)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, mmapjfr.RemoveIndex(file, mmapjfr.IndexBeside), fs.ErrNotExist)

	path, err := rec.SaveIndex(mmapjfr.IndexBeside)
	require.NoError(t, err)
	assert.Equal(t, file+".mjfri", path)
	info, err := rec.CheckIndex(mmapjfr.IndexBeside)
	require.NoError(t, err)
	assert.Equal(t, uint64(len(data)), info.Stamp.Size)
	assert.Equal(t, 1, info.Saved)
	assert.Positive(t, info.Blocks)
	assert.Positive(t, info.Constants)
	assert.Zero(t, rec.IndexState())

	require.NoError(t, mmapjfr.RemoveIndex(file, mmapjfr.IndexBeside))
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
	_, err = rec.SaveIndex(mmapjfr.IndexOff)
	assert.ErrorContains(t, err, "no place")
	assert.ErrorContains(t, mmapjfr.RemoveIndex(file, mmapjfr.IndexOff), "no place")

	// Another state of the file is not the one that was read.
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)))
	_, err = rec.SaveIndex(mmapjfr.IndexBeside)
	require.ErrorIs(t, err, mmapjfr.ErrSavedIndex)
	assert.ErrorContains(t, err, "has changed since it was opened")
	require.NoError(t, os.Remove(file))
	_, err = rec.SaveIndex(mmapjfr.IndexBeside)
	require.ErrorIs(t, err, fs.ErrNotExist)

	// Another file of that name, size and time is another file.
	again, err := mmapjfr.Open(placedAt(t, file, data))
	require.NoError(t, err)
	defer again.Close()
	was, err := os.Stat(file)
	require.NoError(t, err)
	other := placedAt(t, file+".new", data)
	require.NoError(t, os.Chtimes(other, time.Time{}, was.ModTime()))
	require.NoError(t, os.Rename(other, file))
	_, err = again.SaveIndex(mmapjfr.IndexBeside)
	require.ErrorIs(t, err, mmapjfr.ErrSavedIndex)
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))

	require.NoError(t, rec.Close())
	_, err = rec.SaveIndex(mmapjfr.IndexBeside)
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
	_, err = rec.CheckIndex(mmapjfr.IndexBeside)
	assert.ErrorIs(t, err, mmapjfr.ErrClosed)
}

// TestRecordingThatChangesWhileItIsSaved: nobody knows what was read of it.
func TestRecordingThatChangesWhileItIsSaved(t *testing.T) {
	file := placed(t, sizable(t))
	for name, c := range map[string]struct {
		fill func(w io.Writer) error
		want error
	}{
		"it is written to": {func(io.Writer) error { return os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)) }, mmapjfr.ErrSavedIndex},
		"disk full":        {func(io.Writer) error { return syscall.ENOSPC }, syscall.ENOSPC},
		"it is removed":    {func(io.Writer) error { return os.Remove(file) }, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(file))
			rec, err := mmapjfr.Open(placedAt(t, file, sizable(t)))
			require.NoError(t, err)
			defer rec.Close()
			err = rec.WriteIndex(file+".mjfri", func(w io.Writer) error {
				_, err := w.Write([]byte("some of it"))
				return errors.Join(err, c.fill(w))
			})
			require.ErrorIs(t, err, c.want)
			assert.NotContains(t, fmt.Sprint(namesIn(t, filepath.Dir(file))), "mjfri")
		})
	}
}

// TestNothingIsSavedOfARecordingThatGrows: it would be read for nothing.
func TestNothingIsSavedOfARecordingThatGrows(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-live.jfr")
	require.NoError(t, err)
	file := placed(t, data)
	rec := openSaved(t, file)
	state := rec.IndexState()
	require.ErrorIs(t, state.SaveErr, mmapjfr.ErrUnfinished)
	assert.False(t, state.Written)
	assert.Nil(t, rec.Index().Chunks()[0].CachedBlocks())
	assert.Nil(t, rec.Index().Chunks()[0].CachedConstants())
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))
}

// TestManySaveAtOnce: the last one wins, and all are right.
func TestManySaveAtOnce(t *testing.T) {
	file := placed(t, sizable(t))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			rec, err := mmapjfr.Open(file, mmapjfr.SavedIndex(mmapjfr.IndexBeside))
			if !assert.NoError(t, err) {
				return
			}
			defer rec.Close()
			state := rec.IndexState()
			assert.NoError(t, state.LoadErr)
			assert.NoError(t, state.SaveErr)
			n := 0
			for range rec.Events() {
				n++
			}
			assert.Greater(t, n, 1000)
		})
	}
	wg.Wait()
	assert.Equal(t, []string{"app.jfr", "app.jfr.mjfri"}, namesIn(t, filepath.Dir(file)))
	assert.True(t, openSaved(t, file).IndexState().Used)
}

// TestCloseInsideALoopOverConstants: their places lie in the saved index, which is
// unmapped with the recording.
func TestCloseInsideALoopOverConstants(t *testing.T) {
	crash(t, func(t *testing.T) {
		mmapjfr.SetSmallIndex(t, 0)
		file := placed(t, sizable(t))
		openSaved(t, file)
		rec := openSaved(t, file)
		require.True(t, rec.SavedMapped())
		symbols, ok := rec.Type("jdk.types.Symbol")
		require.True(t, ok)
		n := 0
		for range rec.Chunks()[0].Constants(symbols) {
			require.NoError(t, rec.Close())
			n++
		}
		assert.Greater(t, n, 100)
		assert.False(t, rec.SavedMapped())
		lateUse(t, "Chunk.Constants", func() {
			for range rec.Chunks()[0].Constants(symbols) {
				assert.Fail(t, "a constant")
			}
		})
	})
}

// TestViewsOfASavedIndexAfterClose: they answer as if nothing were there, and do
// not look into what is no longer mapped.
func TestViewsOfASavedIndexAfterClose(t *testing.T) {
	skipIfChecked(t, "they panic")
	crash(t, func(t *testing.T) {
		mmapjfr.SetSmallIndex(t, 0)
		data, _ := newSample().Build()
		file := placed(t, data)
		openSaved(t, file)
		rec := openSaved(t, file)
		require.True(t, rec.SavedMapped())
		k := keep(t, rec)
		require.NoError(t, rec.Close())
		paths := []*mmapjfr.FieldPath{
			mmapjfr.Path("sampledThread.javaName"), mmapjfr.Path("stackTrace.frames[0].method.name"), mmapjfr.Path("strings[1]"),
		}
		for _, ev := range k.events {
			eventIsNothing(t, ev, paths)
		}
		for _, v := range k.values {
			valueIsNothing(t, v, paths)
		}
	})
}

// manyChunks are recordings that were joined, of which each has more events.
func manyChunks(n int) []byte {
	var builders []*jfrtest.Builder
	for i := range n {
		b := jfrtest.NewChunk()
		event := b.Event("test.Many", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
		for i := range 100 * i {
			b.Emit(event, start+i, i, "some text")
		}
		builders = append(builders, b)
	}
	data, _ := jfrtest.Concat(builders...)
	return data
}

// TestManyUseASavedIndexForTheFirstTime is for the race detector.
func TestManyUseASavedIndexForTheFirstTime(t *testing.T) {
	file := placed(t, manyChunks(9))
	first := openSaved(t, file)
	want := offsetsOf(all(t, first))
	for range 5 {
		rec := openSaved(t, file)
		require.True(t, rec.IndexState().Used)
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				for i := range want {
					i = (i + n*len(want)/8) % len(want)
					ev, err := rec.EventAtOffset(want[i])
					assert.NoError(t, err)
					if i%500 == 0 {
						assert.Equal(t, uint64(i), ev.Ordinal())
					}
				}
			})
		}
		wg.Wait()
	}
}
