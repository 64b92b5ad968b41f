package mmapjfr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestOverwrittenWithoutTrace overwrites a file while it is read, so that neither its path nor the
// time of the last write shows it. Reading must not panic, whatever the bytes have become.
func TestOverwrittenWithoutTrace(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	for name, hide := range map[string]func(path string, was time.Time) error{
		"removed":  func(path string, _ time.Time) error { return os.Remove(path) },
		"replaced": func(path string, _ time.Time) error { return os.Rename(path, path+".old") },
		"its time": func(path string, was time.Time) error { return os.Chtimes(path, was, was) },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 5))
				path := filepath.Join(t.TempDir(), "f.jfr")
				require.NoError(t, os.WriteFile(path, data, 0o600))
				was := time.Now().Add(-time.Hour)
				require.NoError(t, os.Chtimes(path, was, was))
				rec, err := mmapjfr.Open(path, mmapjfr.Workers(2))
				require.NoError(t, err)
				at := r.IntN(200)
				overwrite := func() {
					f, err := os.OpenFile(path, os.O_RDWR, 0)
					require.NoError(t, err)
					noise := make([]byte, len(data)-68)
					for i := range noise {
						noise[i] = byte(r.Uint32()) | byte(-(seed % 2)) // at random, or all ones
					}
					_, err = f.WriteAt(noise, 68)
					require.NoError(t, err)
					require.NoError(t, f.Close())
					require.NoError(t, hide(path, was))
				}
				readAllOf(rec, at, overwrite)
				require.NoError(t, rec.Close())
			}
		})
	}
}

// TestPanicsOfHandlersPass makes sure that a handler's own mistake is not taken for a file that
// has changed.
func TestPanicsOfHandlersPass(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) { testPanicsOfHandlersPass(t, workers) })
	}
}

func testPanicsOfHandlersPass(t *testing.T, workers int) {
	t.Helper()
	data, err := os.ReadFile("../testdata/jdk25-kinds.jfr")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "f.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	rec := opentest.File(t, path, mmapjfr.Workers(workers))
	var none []int
	var null *testing.T
	for _, mistake := range []func(int, mmapjfr.Event) error{
		func(int, mmapjfr.Event) error { none[1]++; return nil },
		func(int, mmapjfr.Event) error { null.Log(); return nil },
		func(int, mmapjfr.Event) error { _ = strings.Repeat("", -1-len(none)); return nil },
	} {
		for _, change := range []func() error{
			func() error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
			func() error { return os.Rename(path, path+".old") },
		} {
			require.NoError(t, change())
			require.Panics(t, func() { _ = rec.Select().Parallel(t.Context(), mistake) })
			require.Panics(t, func() { _ = rec.Protect(func() error { return mistake(0, mmapjfr.Event{}) }) })
			require.Panics(t, func() {
				_ = rec.Protect(func() error { return rec.Select().Parallel(t.Context(), mistake) })
			}, "also where several functions of the library handle the panic in turn")
		}
		require.NoError(t, os.Rename(path+".old", path))
	}
}

// readAllOf reads all that there is of a recording, and calls overwrite at a step.
func readAllOf(rec *mmapjfr.Recording, at int, overwrite func()) {
	n := 0
	var kept []mmapjfr.Event
	read := func(ev mmapjfr.Event) {
		_ = ev.String()
		for _, v := range ev.Fields() {
			_ = fmt.Sprint(v)
			for e := range v.Elements() {
				_ = e.Str()
			}
		}
		for f := range ev.StackTrace().Frames() {
			_ = f.String()
		}
		_, _, _ = ev.Thread().Name(), ev.Size(), ev.Value().Len()
	}
	for ev, err := range rec.Events() {
		if err != nil {
			continue
		}
		if n++; n == at {
			overwrite()
		}
		if n%17 == 0 {
			kept = append(kept, ev.Detached())
		}
		if n < at+300 {
			read(ev)
		}
	}
	for _, ev := range kept {
		read(ev)
	}
	for i := range uint64(50) {
		if ev, err := rec.EventByOrdinal(i * 7); err == nil {
			read(ev)
		}
	}
	_ = engine.SelectionBatches(rec.Select(), context.Background(), func(_ int, b *mmapjfr.Batch) error {
		for _, f := range engine.BatchType(b).Fields() {
			p := mmapjfr.Path(f.Name())
			_, _, _, _ = engine.BatchInts(b, p), engine.BatchStrings(b, p), engine.BatchFloats(b, p), engine.BatchConstants(b, p)
		}
		return nil
	})
}
