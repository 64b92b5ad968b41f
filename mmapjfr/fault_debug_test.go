//go:build jfrdebug && !nounsafe && (linux || darwin || freebsd || netbsd || openbsd)

package mmapjfr_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var sinkBytes byte

// scanErrors reports whether do reads or writes what nobody may.
func faults(do func()) (fault bool) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		_, fault = recover().(interface{ Addr() uintptr })
	}()
	do()
	return false
}

// aliasesOf returns strings and bytes of an event that lie in the recording.
func aliasesOf(ev mmapjfr.Event) map[string]string {
	return map[string]string{
		"Value.StrView": ev.Value().Get(mmapjfr.Path("stackTrace.frames")).Index(0).Get(mmapjfr.Path("method.name")).StrView(),
		"Event.StrView": ev.StrView(mmapjfr.Path("sampledThread.group.name")),
	}
}

// sampleOf returns the first sample that has all of what aliasesOf wants.
func sampleOf(t *testing.T, rec *mmapjfr.Recording) mmapjfr.Event {
	t.Helper()
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
		require.NoError(t, err)
		if !bytes.Contains([]byte(strings.Join(valuesOf(aliasesOf(ev)), "\x00")), []byte("\x00\x00")) {
			return ev
		}
	}
	require.Fail(t, "no sample")
	return mmapjfr.Event{}
}

func valuesOf(m map[string]string) (list []string) {
	for _, s := range m {
		list = append(list, s)
	}
	return list
}

// TestAliasesFaultAfterClose keeps strings that alias the recording, on purpose.
func TestAliasesFaultAfterClose(t *testing.T) {
	opened := func(opts ...mmapjfr.Option) func(t *testing.T) *mmapjfr.Recording {
		return func(t *testing.T) *mmapjfr.Recording {
			rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr", opts...)
			require.NoError(t, err)
			return rec
		}
	}
	for _, c := range []struct {
		name  string
		open  func(t *testing.T) *mmapjfr.Recording
		valid bool
	}{
		{"mapped", opened(), false},
		{"in memory", func(t *testing.T) *mmapjfr.Recording { return openBytes(t, sizable(t)) }, false},
		{"copied", opened(mmapjfr.CopyOnOpen()), true}, // strings stay valid, says CopyOnOpen
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := c.open(t)
			ev := sampleOf(t, rec)
			raw, all := engine.EventBytes(ev), engine.RecordingIndex(rec).Data()
			kept, strs := aliasesOf(ev), stringsOf([]mmapjfr.Event{ev})
			want := strings.Join(strs, "\x00")
			for name, s := range kept {
				assert.False(t, faults(func() { sinkBytes ^= s[0] }), "%s before", name)
			}
			// Close and all other recordings of the test do not give the addresses to anybody.
			require.NoError(t, rec.Close())
			for range 20 {
				sampleOf(t, c.open(t))
			}
			for name, s := range kept {
				assert.Equal(t, !c.valid, faults(func() { sinkBytes ^= s[0] }), name)
			}
			assert.Equal(t, want, strings.Join(strs, "\x00"), "strings stay")
			assert.Equal(t, !c.valid, faults(func() { sinkBytes ^= raw[0] }), "Event.Bytes")
			assert.Equal(t, !c.valid, faults(func() { sinkBytes ^= all[len(all)-1] }), "Index.Data")
		})
	}
}

// TestBytesCannotBeChanged: nor is there anything to be read after them.
func TestBytesCannotBeChanged(t *testing.T) {
	rec := openBytes(t, sizable(t))
	raw := engine.EventBytes(first(t, rec))
	assert.True(t, faults(func() { raw[0]++ }))
	assert.Equal(t, sizable(t), engine.RecordingIndex(rec).Data())
}

// TestSavedIndexFaultsAfterClose: small ones, too, are taken away.
func TestSavedIndexFaultsAfterClose(t *testing.T) {
	for _, small := range []int64{0, 1 << 20} {
		mmapjfr.SetSmallIndex(t, small)
		file := placed(t, sizable(t))
		save(t, file)
		rec := openSaved(t, file)
		saved := rec.SavedData()
		assert.False(t, faults(func() { sinkBytes ^= saved[0] }))
		require.NoError(t, rec.Close())
		assert.True(t, faults(func() { sinkBytes ^= saved[0] }))
	}
}

// TestAnAliasEndsTheProcess runs such a program: where nobody looks for faults there is
// no going on.
func TestAnAliasEndsTheProcess(t *testing.T) {
	if os.Getenv("MMAPJFR_ALIAS") != "" {
		rec := openFile(t, "jdk25-profile.jfr")
		name := aliasesOf(sampleOf(t, rec))["Value.StrView"]
		require.NoError(t, rec.Close())
		t.Log("still alive: " + name)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "MMAPJFR_ALIAS=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "fault")
	assert.NotContains(t, string(out), "still alive")
}

// TestLiveChunkThatHasGrown: what it was is gone, but for events that are kept.
func TestLiveChunkThatHasGrown(t *testing.T) {
	text := mmapjfr.Path("text")
	data := flushes(6, 9, "some text").Bytes()
	for _, form := range liveForms {
		t.Run(form.name, func(t *testing.T) {
			w := newLiveWriter(t, data, 0)
			f := openLive(t, w.path, 0, form.opts...)
			grows := func() (last mmapjfr.Event) {
				require.True(t, w.flush())
				for {
					span, err := engine.ChunkFollowerAdvance(f)
					require.NoError(t, err)
					if span.From >= span.To {
						return last
					}
					require.Empty(t, eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) {
						if ev.Has(text) {
							last = ev
						}
					}))
				}
			}
			// Advance has been called after the last event, but the chunk has not grown since.
			ev := grows()
			require.Equal(t, "some text", ev.Str(text))
			v, s, view, chunk := ev.Get(text), ev.Str(text), ev.StrView(text), engine.GrowingChunkChunk(&f.GrowingChunk)
			grows()
			if form.name == "kept" {
				assert.Equal(t, "some text", ev.Str(text)+v.Str()[9:]+view[9:])
				assert.NoError(t, chunk.ConstantsErr())
				return
			}
			const gone = " is called after the recording was closed, or the live chunk has grown"
			assert.PanicsWithValue(t, "mmapjfr: Event.Str"+gone, func() { ev.Str(text) })
			assert.PanicsWithValue(t, "mmapjfr: Value.Str"+gone, func() { _ = v.Str() })
			assert.ErrorIs(t, chunk.ConstantsErr(), mmapjfr.ErrClosed)
			assert.Equal(t, form.name == "copied", faults(func() { sinkBytes ^= view[0] }), "a map goes on where it is")
			assert.Equal(t, "some text", s)
		})
	}
}

// TestLiveReaderGoesOn: with the next flush, and with the next chunk.
func TestLiveReaderGoesOn(t *testing.T) {
	text := mmapjfr.Path("text")
	data := flushes(3, 9, "some text").Bytes()
	lr := readLive(t, bytes.NewReader(append(bytes.Clone(data), data...)))
	var before []mmapjfr.Event
	var texts, views []string
	parts := 0
	for {
		live, span, err := engine.ChunkStreamNext(lr)
		if err != nil {
			break // it has not grown
		}
		for i := range texts {
			require.Panics(t, func() { before[i].Str(text) })
			require.True(t, faults(func() { sinkBytes ^= views[i][0] }))
			require.Equal(t, "some text", texts[i])
		}
		parts++
		before, texts, views = nil, nil, nil
		require.Empty(t, eventsIn(live, span, func(ev mmapjfr.Event) {
			if ev.Has(text) {
				before, texts, views = append(before, ev), append(texts, ev.Str(text)), append(views, ev.StrView(text))
			}
		}))
		require.NotEmpty(t, before)
	}
	assert.GreaterOrEqual(t, parts, 6)
}

// TestMapsOfLiveFilesFault when the file is closed.
func TestMapsOfLiveFilesFault(t *testing.T) {
	text := mmapjfr.Path("text")
	path := filepath.Join(t.TempDir(), "live.jfr")
	require.NoError(t, os.WriteFile(path, flushes(3, 9, "some text").Bytes(), 0o600))
	f, err := engine.FollowChunk(path, 0)
	require.NoError(t, err)
	span, err := engine.ChunkFollowerAdvance(f)
	require.NoError(t, err)
	var kept, view string
	require.Empty(t, eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) { kept, view = ev.Str(text), ev.StrView(text) }))
	require.Equal(t, "some text", kept)
	require.NoError(t, engine.ChunkFollowerClose(f))
	assert.True(t, faults(func() { sinkBytes ^= view[0] }))
	assert.Equal(t, "some text", kept)
}
