package mmapjfr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// written is a mapped recording whose file the test may write to.
type written struct {
	t    *testing.T
	path string
	rec  *mmapjfr.Recording
}

func openWritten(t *testing.T, data []byte, opts ...mmapjfr.Option) *written {
	t.Helper()
	w := &written{t: t, path: filepath.Join(t.TempDir(), "written.jfr")}
	require.NoError(t, os.WriteFile(w.path, data, 0o600))
	// So that what is written later is written later.
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(w.path, long, long))
	rec, err := mmapjfr.Open(w.path, opts...)
	require.NoError(t, err)
	w.rec = rec
	t.Cleanup(func() { _ = rec.Close() })
	return w
}

// put writes over the file, in place.
func (w *written) put(data []byte, at int64) {
	w.t.Helper()
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	require.NoError(w.t, err)
	_, err = f.WriteAt(data, at)
	require.NoError(w.t, err)
	require.NoError(w.t, f.Close())
}

// otherRecording is one of the same size that began at another time.
func otherRecording(t *testing.T, data []byte) []byte {
	t.Helper()
	other := slices.Clone(data)
	other[32+7]++ // the start of the first chunk
	return other
}

// entryPoints read a recording, and return the first thing that is wrong with it.
var entryPoints = map[string]func(t *testing.T, rec *mmapjfr.Recording) error{
	"Events": func(_ *testing.T, rec *mmapjfr.Recording) error { return lastErr(rec.Select().Cursor()) },
	"Select": func(_ *testing.T, rec *mmapjfr.Recording) error {
		return lastErr(rec.Select(mmapjfr.Types("*")).Cursor())
	},
	"Chunk.Select": func(_ *testing.T, rec *mmapjfr.Recording) error {
		return lastErr(rec.Chunks()[0].Select().Cursor())
	},
	"Parallel": func(_ *testing.T, rec *mmapjfr.Recording) error {
		return rec.Select().Parallel(context.Background(), func(int, mmapjfr.Event) error { return nil })
	},
	"Batches": func(_ *testing.T, rec *mmapjfr.Recording) error {
		return engine.SelectionBatches(rec.Select(), context.Background(), func(int, *mmapjfr.Batch) error { return nil })
	},
	"Fold": func(_ *testing.T, rec *mmapjfr.Recording) error {
		_, err := mmapjfr.Fold(context.Background(), rec.Select(), func(n *int, _ mmapjfr.Event) error { *n++; return nil }, func(n, m *int) { *n += *m })
		return err
	},
	"EventAtOffset":  func(_ *testing.T, rec *mmapjfr.Recording) error { _, err := rec.EventAtOffset(68); return err },
	"EventByOrdinal": func(_ *testing.T, rec *mmapjfr.Recording) error { _, err := rec.EventByOrdinal(1); return err },
	"FirstEventSince": func(_ *testing.T, rec *mmapjfr.Recording) error {
		_, err := rec.FirstEventSince(rec.Start())
		return err
	},
	"Bind": func(t *testing.T, rec *mmapjfr.Recording) error {
		b, err := mmapjfr.Bind[struct {
			N int `jfr:"n"`
		}](rec, "test.Many")
		if err != nil {
			return err
		}
		for _, err := range b.Events() {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"ConstantsErr": func(_ *testing.T, rec *mmapjfr.Recording) error { return rec.Chunks()[0].ConstantsErr() },
	"Err":          func(_ *testing.T, rec *mmapjfr.Recording) error { return rec.FileErr() },
}

func lastErr(cur *mmapjfr.Cursor) (err error) {
	for {
		for cur.Next() {
		}
		if cur.Err() == nil {
			return err
		}
		err = errors.Join(err, cur.Err())
	}
}

// events builds a recording of several pages with an event at offset 68.
func eventsAt68() []byte {
	b := jfrtest.NewChunk()
	ty := b.Event("test.Many", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass))
	for i := range 2000 {
		b.Emit(ty, start+i, i, "some text")
	}
	return b.Bytes()
}

// TestAFileThatIsOverwritten writes another recording over the one that is mapped, before
// anything was asked of it and after all was.
func TestAFileThatIsOverwritten(t *testing.T) {
	data := eventsAt68()
	for name, ask := range entryPoints {
		for _, warm := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := openWritten(t, data)
				require.NoError(t, w.rec.FileErr())
				if warm {
					for _, ask := range entryPoints {
						require.NoError(t, ask(t, w.rec))
					}
				}
				w.put(otherRecording(t, data), 0)
				err := ask(t, w.rec)
				require.ErrorIs(t, err, mmapjfr.ErrChanged)
				require.ErrorIs(t, w.rec.FileErr(), mmapjfr.ErrChanged)
				// And so it stays.
				require.ErrorIs(t, lastErr(w.rec.Select().Cursor()), mmapjfr.ErrChanged)
				require.ErrorContains(t, w.rec.FileErr(), "CopyOnOpen")
			})
		}
	}
}

// TestBytesThatAreOverwritten changes no header: that shows at the end of what is read, or
// where something is wrong.
func TestBytesThatAreOverwritten(t *testing.T) {
	data := eventsAt68()
	for name, ask := range entryPoints {
		if name == "EventAtOffset" || name == "EventByOrdinal" || name == "FirstEventSince" || name == "Bind" {
			continue // they find an event that is right
		}
		t.Run(name, func(t *testing.T) {
			w := openWritten(t, data)
			w.put([]byte{0xff, 0xff, 0xff}, int64(len(data)/2))
			if name == "ConstantsErr" {
				require.NoError(t, ask(t, w.rec), "it lies elsewhere")
				return
			}
			require.ErrorIs(t, ask(t, w.rec), mmapjfr.ErrChanged)
		})
	}
	for _, name := range []string{"EventAtOffset", "EventByOrdinal", "FirstEventSince"} {
		t.Run(name, func(t *testing.T) {
			w := openWritten(t, data)
			w.put([]byte{0, 0, 0, 0}, 68)
			require.ErrorIs(t, entryPoints[name](t, w.rec), mmapjfr.ErrChanged)
		})
	}
}

// TestWhatIsNoChange: a recorder adds to its file, a file is given another name, another
// one gets its name, or somebody has only looked at it.
func TestWhatIsNoChange(t *testing.T) {
	data := eventsAt68()
	unfinished := slices.Clone(data)
	unfinished[64] = 3
	for name, c := range map[string]struct {
		data   []byte
		change func(w *written)
	}{
		"a chunk is added":      {data, func(w *written) { w.put(data, int64(len(data))) }},
		"the chunk is finished": {unfinished, func(w *written) { w.put([]byte{0}, 64) }},
		"the file grows":        {unfinished, func(w *written) { w.put(make([]byte, 5000), int64(len(data))) }},
		"it is removed":         {data, func(w *written) { require.NoError(w.t, os.Remove(w.path)) }},
		"it has another name":   {data, func(w *written) { require.NoError(w.t, os.Rename(w.path, w.path+".old")) }},
		"another takes its name": {data, func(w *written) {
			require.NoError(w.t, os.WriteFile(w.path+".new", otherRecording(w.t, data), 0o600))
			require.NoError(w.t, os.Rename(w.path+".new", w.path))
		}},
		"its mode is another": {data, func(w *written) { require.NoError(w.t, os.Chmod(w.path, 0o400)) }},
	} {
		t.Run(name, func(t *testing.T) {
			for ask, do := range entryPoints {
				w := openWritten(t, c.data)
				c.change(w)
				err := do(t, w.rec)
				require.False(t, errors.Is(err, mmapjfr.ErrChanged) || errors.Is(err, mmapjfr.ErrTruncated), "%s: %v", ask, err)
				require.NoError(t, w.rec.FileErr())
			}
		})
	}
}

// TestCopyOnOpenDoesNotChange whatever becomes of the file.
func TestCopyOnOpenDoesNotChange(t *testing.T) {
	data := eventsAt68()
	w := openWritten(t, data, mmapjfr.CopyOnOpen())
	texts := w.rec.Select()
	w.put(otherRecording(t, data), 0)
	require.NoError(t, os.Truncate(w.path, 0))
	require.NoError(t, w.rec.FileErr())
	events, errs := walk(t, texts)
	require.Empty(t, errs)
	require.Len(t, events, 2000)
	assert.Equal(t, "some text", events[1999].Str(mmapjfr.Path("text")))
}

// TestALoopEndsWhenTheFileChanges in the middle of it, and views are empty then.
func TestALoopEndsWhenTheFileChanges(t *testing.T) {
	data := eventsAt68()
	w := openWritten(t, data)
	n := 0
	var errs []error
	var last mmapjfr.Event
	for ev, err := range w.rec.Events() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if n++; n == 100 {
			w.put(otherRecording(t, data), 0)
			require.ErrorIs(t, w.rec.FileErr(), mmapjfr.ErrChanged)
			assert.True(t, ev.Get(mmapjfr.Path("n")).IsAbsent())
			assert.Empty(t, engine.EventBytes(ev))
		}
		last = ev
	}
	assert.Equal(t, 100, n)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], mmapjfr.ErrChanged)
	assert.Zero(t, engine.EventStartTicks(last))
}

// TestReadersOfAFileThatIsScribbledOn asks everything while somebody writes anything
// anywhere, cuts the file and makes it longer again. All that matters is that nobody
// falls.
func TestReadersOfAFileThatIsScribbledOn(t *testing.T) {
	crash(t, func(t *testing.T) {
		for name, data := range map[string][]byte{"profile": profile(t), "built": eventsAt68()} {
			for _, cuts := range []bool{false, true} {
				for range longtest.Cases(3, 15) {
					scribbled(t, name, data, cuts)
				}
			}
		}
	})
}

func scribbled(t *testing.T, name string, data []byte, cuts bool) {
	t.Helper()
	w := openWritten(t, data)
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	require.NoError(t, err)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		junk := make([]byte, 64)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for i := range junk {
				junk[i] = byte(rand.Uint32())
			}
			// The header stays, or that would soon be all there is to find.
			_, _ = f.WriteAt(junk[:1+rand.IntN(len(junk))], 68+rand.Int64N(int64(len(data)-len(junk)-68)))
			if cuts && rand.IntN(4) == 0 {
				_ = f.Truncate(rand.Int64N(int64(len(data))))
				_ = f.Truncate(int64(len(data)))
			}
		}
	}()
	d := &driver{t: t, rec: w.rec, left: 20_000, unsteady: true}
	d.recording(len(data))
	for _, ask := range entryPoints {
		_ = ask(t, w.rec)
	}
	close(stop)
	<-done
	require.NoError(t, f.Close())
	require.Error(t, w.rec.FileErr(), name)
	require.NoError(t, w.rec.Close())
}
