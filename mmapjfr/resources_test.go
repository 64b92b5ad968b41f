package mmapjfr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// errStop is what callers fail with.
var errStop = errors.New("stop")

// openings are the options that recordings are opened with.
func openings(t testing.TB) map[string][]mmapjfr.Option {
	mmapjfr.KeepAllIndexes(t)
	folder := t.TempDir()
	return map[string][]mmapjfr.Option{
		"mapped":        nil,
		"copied":        {mmapjfr.CopyOnOpen()},
		"one worker":    {mmapjfr.Workers(1)},
		"saved index":   {mmapjfr.SavedIndexes(folder)},
		"all of them":   {mmapjfr.CopyOnOpen(), mmapjfr.Workers(3), mmapjfr.SavedIndexes(folder)},
		"not an option": {mmapjfr.Workers(-1)},
	}
}

// recordingUses are what is done with a recording, well or not. They may panic.
var recordingUses = map[string]func(rec *mmapjfr.Recording) error{
	"nothing": func(*mmapjfr.Recording) error { return nil },
	"all events": func(rec *mmapjfr.Recording) error {
		for ev := range rec.Events() {
			_ = ev.String()
		}
		return nil
	},
	"break": func(rec *mmapjfr.Recording) error {
		for range rec.Events() {
			break
		}
		return nil
	},
	"panic in a loop": func(rec *mmapjfr.Recording) error {
		for range rec.Events() {
			panic(errStop)
		}
		return nil
	},
	"panic in a loop over constants": func(rec *mmapjfr.Recording) error {
		types, err := rec.Types()
		for _, typ := range types {
			for range engine.ChunkConstants(rec.Chunks()[0], typ) {
				panic(errStop)
			}
		}
		return err
	},
	"panic in Guard":          func(rec *mmapjfr.Recording) error { return rec.Protect(func() error { panic(errStop) }) },
	"error of Guard":          func(rec *mmapjfr.Recording) error { return rec.Protect(func() error { return errStop }) },
	"a cursor is left behind": func(rec *mmapjfr.Recording) error { rec.Select().Cursor().Next(); return nil },
	"panic in Parallel": func(rec *mmapjfr.Recording) error {
		return rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { panic(errStop) })
	},
	"error of Parallel": func(rec *mmapjfr.Recording) error {
		return rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { return errStop })
	},
	"Parallel is cancelled": func(rec *mmapjfr.Recording) error {
		ctx, cancel := context.WithCancel(context.Background())
		return rec.Select().Parallel(ctx, func(int, mmapjfr.Event) error { cancel(); return nil })
	},
	"panic in Batches": func(rec *mmapjfr.Recording) error {
		return engine.SelectionBatches(rec.Select(), context.Background(), func(int, *mmapjfr.Batch) error { panic(errStop) })
	},
	"panic in Fold": func(rec *mmapjfr.Recording) error {
		_, err := mmapjfr.Fold(context.Background(), rec.Select(),
			func(*int, mmapjfr.Event) error { return nil }, func(_, _ *int) { panic(errStop) })
		return err
	},
	"closed twice": func(rec *mmapjfr.Recording) error { return errors.Join(rec.Close(), rec.Close()) },
	"closed in a loop": func(rec *mmapjfr.Recording) error {
		for range rec.Events() {
			_ = rec.Close()
		}
		return nil
	},
}

// caught calls do, and returns its error, also what it panics with.
func caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

// onlyRecordings fails if there is anything in a folder but recordings and their indexes.
func onlyRecordings(t *testing.T, dir string) {
	t.Helper()
	for _, name := range namesIn(t, dir) {
		if filepath.Ext(name) != ".jfr" {
			assert.Fail(t, "a file is left", name)
		}
	}
}

// used is a recording of several chunks, of which the first has constants.
var used = sync.OnceValue(func() []byte { return slices.Concat(newSample().Bytes(), manyChunks(3)) })

func TestRecordingsThatAreClosedLeaveNothing(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	data := used()
	for name, opts := range openings(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			leaktest.Check(t, func() {
				for use, do := range recordingUses {
					file := placedAt(t, filepath.Join(dir, use+".jfr"), data)
					for range 2 { // the second time there may be an index
						rec, err := mmapjfr.Open(file, opts...)
						if name == "not an option" {
							assert.Error(t, err)
							continue
						}
						require.NoError(t, err)
						err = caught(func() error { return do(rec) })
						if strings.HasPrefix(use, "panic") {
							assert.EqualError(t, err, "panic: stop", use)
						}
						assert.NoError(t, rec.Close())
					}
				}
			})
			onlyRecordings(t, dir)
		})
	}
}

func TestRecordingsThatAreForgottenLeaveNothing(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	data := used()
	for name, opts := range openings(t) {
		t.Run(name, func(t *testing.T) {
			leaktest.CheckForgotten(t, func() {
				for use, do := range recordingUses {
					if strings.HasPrefix(use, "closed") {
						continue
					}
					file := placed(t, data)
					for range 2 {
						if rec, err := mmapjfr.Open(file, opts...); err == nil {
							_ = caught(func() error { return do(rec) })
						}
					}
				}
			})
		})
	}
}

// unopenable are files that cannot be opened, in a folder.
func unopenable(t *testing.T) map[string]string {
	dir := t.TempDir()
	files := map[string]string{
		"not there":     filepath.Join(dir, "missing.jfr"),
		"a directory":   dir,
		"no permission": placedAt(t, filepath.Join(dir, "private.jfr"), manyChunks(1)),
		"below a file":  filepath.Join(dir, "private.jfr", "it.jfr"),
	}
	require.NoError(t, os.Chmod(files["no permission"], 0))
	if f, err := os.Open(files["no permission"]); err == nil { // for root nothing is private
		require.NoError(t, f.Close())
		delete(files, "no permission")
	}
	for i, c := range notRecordings {
		files[c.name] = placedAt(t, filepath.Join(dir, fmt.Sprintf("%d.jfr", i)), []byte(c.data))
	}
	return files
}

func TestFilesThatCannotBeOpenedLeaveNothing(t *testing.T) {
	files := unopenable(t)
	leaktest.Check(t, func() {
		for name, file := range files {
			for with, opts := range openings(t) {
				_, err := mmapjfr.Open(file, opts...)
				assert.Error(t, err, "%s, %s", name, with)
			}
		}
	})
}

// What is wrong further on comes while it is read.
func TestDamagedRecordingsLeaveNothing(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	data := sizable(t)
	dir := t.TempDir()
	leaktest.Check(t, func() {
		for _, size := range []int{100, 4096, len(data) / 2, len(data) - 1} {
			for with, opts := range openings(t) {
				rec, err := mmapjfr.Open(placedAt(t, filepath.Join(dir, fmt.Sprint(size, with, ".jfr")), data[:size]), opts...)
				if err != nil {
					assert.Equal(t, "not an option", with, err)
					continue
				}
				for range rec.Events() {
					continue
				}
				assert.NoError(t, rec.Close())
			}
		}
	})
	onlyRecordings(t, dir)
}

func TestLiveFilesLeaveNothing(t *testing.T) {
	data := flushes(3, 5, "").Bytes()
	files := unopenable(t)
	files["whole"] = placed(t, data)
	files["cut"] = placed(t, data[:len(data)-3])
	use := func(end func(f *mmapjfr.ChunkFollower)) {
		for _, form := range liveForms {
			for name, file := range files {
				f, err := engine.FollowChunk(file, 0, form.opts...)
				if err != nil {
					continue
				}
				for range 5 {
					span, _ := engine.ChunkFollowerAdvance(f)
					if engine.ChunkFollowerHasHeader(f) {
						_ = caught(func() error { return engine.GrowingChunkProtect(&f.GrowingChunk, func() error { panic(errStop) }) })
						eventsIn(&f.GrowingChunk, span, func(mmapjfr.Event) {})
					}
				}
				assert.Equal(t, name == "whole" || name == "cut", engine.ChunkFollowerHasHeader(f), name)
				end(f)
			}
		}
	}
	leaktest.Check(t, func() {
		use(func(f *mmapjfr.ChunkFollower) {
			assert.NoError(t, engine.ChunkFollowerClose(f))
			assert.NoError(t, engine.ChunkFollowerClose(f))
		})
		_, err := engine.FollowChunk(files["whole"], 0, mmapjfr.Workers(-1))
		assert.Error(t, err)
		_, err = engine.ReadChunks(strings.NewReader(""), mmapjfr.Workers(-1))
		assert.Error(t, err)
	})
	leaktest.CheckForgotten(t, func() { use(func(*mmapjfr.ChunkFollower) {}) })
}

func TestLiveReadersLeaveNothing(t *testing.T) {
	data := string(flushes(3, 5, "").Bytes())
	for _, r := range []io.Reader{
		strings.NewReader(data),
		strings.NewReader(data[:len(data)/2]),
		io.MultiReader(strings.NewReader(data[:1000]), iotest.ErrReader(errStop)),
	} {
		leaktest.Check(t, func() {
			live, err := engine.ReadChunks(r)
			require.NoError(t, err)
			for err == nil || errors.As(err, new(*mmapjfr.FormatError)) {
				_, _, err = engine.ChunkStreamNext(live)
			}
			assert.Error(t, err)
		})
	}
}
