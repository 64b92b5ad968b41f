package mmapjfr_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
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

// indexes is the option for the folder of the indexes of a file of a test.
func indexes(t testing.TB, file string) mmapjfr.Option {
	t.Helper()
	mmapjfr.KeepAllIndexes(t)
	return mmapjfr.SavedIndexes(filepath.Join(filepath.Dir(file), "index"))
}

// savedIn returns the path of the only index beside a file of a test.
func savedIn(t testing.TB, file string) string {
	t.Helper()
	folder := filepath.Join(filepath.Dir(file), "index")
	names := namesIn(t, folder)
	require.Len(t, names, 1)
	return filepath.Join(folder, names[0])
}

// save reads all of a recording and keeps its index.
func save(t testing.TB, file string, opts ...mmapjfr.Option) (index string) {
	t.Helper()
	rec, err := mmapjfr.Open(file, append(opts, indexes(t, file))...)
	require.NoError(t, err)
	shown(t, rec)
	require.NoError(t, rec.Protect(func() error { return engine.RecordingLoadConstants(rec, t.Context(), rec.Chunks()) }))
	require.NoError(t, rec.Close())
	return savedIn(t, file)
}

// openSaved opens a recording that has a saved index.
func openSaved(t testing.TB, file string, opts ...mmapjfr.Option) *mmapjfr.Recording {
	t.Helper()
	rec := opentest.File(t, file, append(opts, indexes(t, file))...)
	require.True(t, engine.RecordingIndex(rec).Loaded())
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
			list = append(list, fmt.Sprint(ev.Value(), engine.StackTraceValue(ev.StackTrace())))
			again, err := rec.EventAtOffset(ev.Offset())
			list = append(list, fmt.Sprint(again.Ordinal(), again.Type().Name(), err))
		}
	}
	for _, err := range errs {
		list = append(list, err.Error())
	}
	return list
}

// TestNoIndexIsSavedOfWhatIsSmallOrNew: it would be read as fast, or may still be written to.
func TestNoIndexIsSavedOfWhatIsSmallOrNew(t *testing.T) {
	file := placed(t, sizable(t))
	rec, err := mmapjfr.Open(file, mmapjfr.SavedIndexes(filepath.Dir(file)))
	require.NoError(t, err)
	shown(t, rec)
	require.NoError(t, rec.Close())
	assert.Equal(t, []string{"app.jfr"}, namesIn(t, filepath.Dir(file)))

	file = placed(t, bytes.Repeat(sizable(t), 120))
	for _, want := range []int{1, 2} { // with the recording
		rec, err := mmapjfr.Open(file, mmapjfr.SavedIndexes(filepath.Dir(file)))
		require.NoError(t, err)
		assert.Positive(t, rec.EventCount())
		require.NoError(t, rec.Close())
		assert.Len(t, namesIn(t, filepath.Dir(file)), want)
		long := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(file, long, long))
	}
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

		first, err := mmapjfr.Open(file, indexes(t, file))
		require.NoError(t, err)
		require.Equal(t, want, shown(t, first))
		require.NoError(t, first.Close())
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "index")); err != nil {
			return // no chunk is finished
		}
		path := savedIn(t, file)
		before, err := os.Stat(path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, fs.FileMode(0o600), before.Mode().Perm())
		}
		for _, small := range []int64{0, 1 << 40} {
			mmapjfr.SetSmallIndex(t, small)
			for _, opts := range [][]mmapjfr.Option{nil, {mmapjfr.CopyOnOpen()}} {
				rec := openSaved(t, file, opts...)
				require.Equal(t, want, shown(t, rec))
				require.NoError(t, rec.Close())
			}
		}
		after, err := os.Stat(path)
		require.NoError(t, err)
		assert.True(t, os.SameFile(before, after))
	})
}

// TestAnIndexThatDoesNotFitIsMadeAnew: whatever lies in its place, the recording
// opens and reads right.
func TestAnIndexThatDoesNotFitIsMadeAnew(t *testing.T) {
	data := sizable(t)
	other, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	change := func(at int, v byte) func(t *testing.T, file, index string) {
		return func(t *testing.T, _, index string) {
			saved, err := os.ReadFile(index)
			require.NoError(t, err)
			if at < 0 {
				at += len(saved)
			}
			saved[at] = v
			require.NoError(t, os.WriteFile(index, saved, 0o600))
		}
	}
	write := func(data []byte) func(t *testing.T, file, index string) {
		return func(t *testing.T, file, _ string) { require.NoError(t, os.WriteFile(file, data, 0o600)) }
	}
	for name, spoil := range map[string]func(t *testing.T, file, index string){
		"another recording": write(other),
		"it has grown":      write(append(slices.Clone(data), other...)),
		"it was written to": func(t *testing.T, file, _ string) {
			require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)))
		},
		"another version": change(8, 1),
		"damaged":         change(-20, 7),
		"of another recording": func(t *testing.T, _, index string) {
			require.NoError(t, os.Rename(save(t, placed(t, other)), index))
		},
		"torn": func(t *testing.T, _, index string) {
			info, err := os.Stat(index)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(index, info.Size()*2/3))
		},
		"empty": func(t *testing.T, _, index string) { require.NoError(t, os.Truncate(index, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, small := range []int64{0, 1 << 40}[:longtest.Cases(1, 2)] {
				mmapjfr.SetSmallIndex(t, small)
				file := placed(t, data)
				spoil(t, file, save(t, file))
				plain, err := mmapjfr.Open(file)
				require.NoError(t, err)
				want := shown(t, plain)
				require.NoError(t, plain.Close())

				rec, err := mmapjfr.Open(file, indexes(t, file))
				require.NoError(t, err)
				assert.False(t, engine.RecordingIndex(rec).Loaded())
				assert.False(t, rec.SavedMapped())
				assert.Equal(t, want, shown(t, rec))
				require.NoError(t, rec.Close())
				assert.Equal(t, want, shown(t, openSaved(t, file)))
			}
		})
	}
}

// TestRecordingOpensWhereNothingCanBeWritten: nobody hears of it, and nothing is left.
func TestRecordingOpensWhereNothingCanBeWritten(t *testing.T) {
	mmapjfr.KeepAllIndexes(t)
	want := shown(t, openBytes(t, sizable(t)))
	check := func(t *testing.T, file, folder string) {
		t.Helper()
		rec, err := mmapjfr.Open(file, mmapjfr.SavedIndexes(folder))
		require.NoError(t, err)
		assert.False(t, engine.RecordingIndex(rec).Loaded())
		assert.Equal(t, want, shown(t, rec))
		require.NoError(t, rec.Close())
	}
	t.Run("a folder in its place", func(t *testing.T) {
		file := placed(t, sizable(t))
		path := save(t, file)
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700))
		check(t, file, filepath.Dir(path))
		assert.Len(t, namesIn(t, filepath.Dir(path)), 1, "nothing is left over")
	})
	t.Run("no folder", func(t *testing.T) { check(t, placed(t, sizable(t)), placed(t, nil)) })
	t.Run("too large", func(t *testing.T) {
		mmapjfr.SetMostKept(t, 5000)
		folder := t.TempDir()
		check(t, placed(t, sizable(t)), folder)
		assert.Empty(t, namesIn(t, folder))
	})
	t.Run("folder that may not be written to", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write anywhere")
		}
		folder := t.TempDir()
		require.NoError(t, os.Chmod(folder, 0o500))
		t.Cleanup(func() { _ = os.Chmod(folder, 0o700) }) // so that it can be removed
		check(t, placed(t, sizable(t)), folder)
	})
}

// TestAnyNameOfAFile leads to its index.
func TestAnyNameOfAFile(t *testing.T) {
	file := placed(t, sizable(t))
	path := save(t, file)
	assert.Regexp(t, `^[0-9a-f]{32}\.mjfri$`, filepath.Base(path))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	t.Chdir(filepath.Dir(file))
	link := filepath.Join(t.TempDir(), "link.jfr")
	require.NoError(t, os.Symlink(file, link))
	for _, name := range []string{file, "app.jfr", "./app.jfr", link} {
		rec, err := mmapjfr.Open(name, mmapjfr.SavedIndexes("index"))
		require.NoError(t, err)
		assert.True(t, engine.RecordingIndex(rec).Loaded(), name)
		require.NoError(t, rec.Close())
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Less(t, time.Since(info.ModTime()), 10*time.Minute, "when it was used")
}

// TestVerifyBelievesNoIndex damages a file without a trace but the bytes.
func TestVerifyBelievesNoIndex(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	file := placed(t, data)
	save(t, file)
	before, err := os.Stat(file)
	require.NoError(t, err)
	events := all(t, openBytes(t, data))
	copy(data[events[len(events)/3].Offset():], "\xff\xff\xff\x7f")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.NoError(t, os.Chtimes(file, before.ModTime(), before.ModTime()))
	report, err := verify.Check(t.Context(), openSaved(t, file))
	require.NoError(t, err)
	assert.False(t, report.OK(verify.Error))
}

// TestRecordingThatChangesWhileItIsRead: nobody knows what was read of it.
func TestRecordingThatChangesWhileItIsRead(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"it is written to": func(file string) error { return os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)) },
		"it is removed":    os.Remove,
		"another takes its name": func(file string) error {
			info, err := os.Stat(file)
			require.NoError(t, err)
			other := placedAt(t, file+".new", sizable(t))
			return errors.Join(os.Chtimes(other, time.Time{}, info.ModTime()), os.Rename(other, file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := placed(t, sizable(t))
			rec, err := mmapjfr.Open(file, indexes(t, file))
			require.NoError(t, err)
			rec.EventCount()
			require.NoError(t, change(file))
			_ = rec.Close() // on Windows it may say that
			assert.Empty(t, namesIn(t, filepath.Join(filepath.Dir(file), "index")))
		})
	}
}

// TestCloseInsideALoopOverConstants: their places lie in the saved index, which is
// unmapped with the recording.
func TestCloseInsideALoopOverConstants(t *testing.T) {
	crash(t, func(t *testing.T) {
		mmapjfr.SetSmallIndex(t, 0)
		file := placed(t, sizable(t))
		save(t, file)
		rec := openSaved(t, file)
		require.True(t, rec.SavedMapped())
		symbols, ok := rec.Type("jdk.types.Symbol")
		require.True(t, ok)
		n := 0
		for range engine.ChunkConstants(rec.Chunks()[0], symbols) {
			require.NoError(t, rec.Close())
			n++
		}
		assert.Greater(t, n, 100)
		assert.False(t, rec.SavedMapped())
		lateUse(t, "Chunk.Constants", func() {
			for range engine.ChunkConstants(rec.Chunks()[0], symbols) {
				assert.Fail(t, "a constant")
			}
		})
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
