package mmapjfr_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestCloseTwice(t *testing.T) {
	rec := openFile(t, "jdk25-kinds.jfr")
	require.NoError(t, rec.Close())
	require.NoError(t, rec.Close())
}

func TestClosedRecording(t *testing.T) {
	rec := openFile(t, "jdk25-kinds.jfr")
	ev := first(t, rec)
	offset, typ := ev.Offset(), ev.Type()
	sel := rec.Select(mmapjfr.Types("*"))
	cur := rec.Select().Cursor()
	require.True(t, cur.Next())
	chunk := rec.Chunks()[0]
	binding, err := mmapjfr.Bind[struct {
		Start time.Time `jfr:"startTime"`
	}](rec, typ.Name())
	require.NoError(t, err)
	require.NoError(t, rec.Close())

	t.Run("events", func(t *testing.T) {
		for _, s := range []*mmapjfr.Selection{sel, rec.Select()} {
			events, errs := walk(t, s)
			assert.Empty(t, events)
			require.Len(t, errs, 1)
			assert.ErrorIs(t, errs[0], mmapjfr.ErrClosed)
		}
	})
	t.Run("cursor", func(t *testing.T) {
		for _, c := range []*mmapjfr.Cursor{cur, sel.Cursor()} {
			assert.False(t, c.Next())
			assert.ErrorIs(t, c.Err(), mmapjfr.ErrClosed)
			assert.False(t, c.Next())
			assert.NoError(t, c.Err(), "the end comes after the error")
		}
	})
	t.Run("EventAtOffset", func(t *testing.T) {
		ev, err := rec.EventAtOffset(offset)
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
		assert.True(t, ev.IsZero())
	})
	t.Run("types", func(t *testing.T) {
		_, err := chunk.Types()
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
		types, err := rec.Types()
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
		assert.Empty(t, types)
		_, ok := rec.Type(typ.Name())
		assert.False(t, ok)
		_, _, err = engine.ChunkRegion(chunk)
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
	})
	t.Run("constants", func(t *testing.T) {
		assert.ErrorIs(t, chunk.ConstantsErr(), mmapjfr.ErrClosed)
		lateUse(t, "Chunk.Constants", func() {
			for range engine.ChunkConstants(chunk, typ) {
				assert.Fail(t, "a constant")
			}
		})
	})
	t.Run("binding", func(t *testing.T) {
		for _, err := range binding.Events() {
			assert.ErrorIs(t, err, mmapjfr.ErrClosed)
		}
		_, err := mmapjfr.Bind[struct {
			Start time.Time `jfr:"startTime"`
		}](rec, typ.Name())
		assert.ErrorIs(t, err, mmapjfr.ErrClosed)
	})
	t.Run("what needs no bytes", func(t *testing.T) {
		assert.Equal(t, offset, ev.Offset())
		assert.NotEmpty(t, ev.Type().Name())
		assert.NotEmpty(t, ev.Type().Fields())
		assert.NotZero(t, rec.Start())
		assert.Len(t, rec.Chunks(), 1)
	})
}

// kept is what somebody might keep of a recording.
type kept struct {
	events  []mmapjfr.Event
	values  []mmapjfr.Value
	stacks  []mmapjfr.StackTrace
	threads []mmapjfr.Thread
	frames  []mmapjfr.Frame
	classes []mmapjfr.Class
}

func keep(t *testing.T, rec *mmapjfr.Recording) (k kept) {
	t.Helper()
	for _, ev := range all(t, rec) {
		again, err := rec.EventAtOffset(ev.Offset())
		require.NoError(t, err)
		k.events = append(k.events, ev, ev.Detached(), again)
		k.values = append(k.values, ev.Value())
		for _, v := range ev.Fields() {
			k.values = append(k.values, v)
			for e := range v.Elements() {
				k.values = append(k.values, e)
			}
			for _, inner := range v.Fields() {
				k.values = append(k.values, inner)
			}
		}
		if s := ev.StackTrace(); !s.IsZero() {
			k.stacks = append(k.stacks, s)
			k.frames = engine.StackTraceAppendFrames(s, k.frames)
		}
		for _, th := range []mmapjfr.Thread{ev.Thread(), ev.Get(mmapjfr.Path("sampledThread")).Thread()} {
			if !th.IsZero() {
				k.threads = append(k.threads, th)
			}
		}
	}
	for _, f := range k.frames {
		if c := f.Method().Class(); !c.IsZero() {
			k.classes = append(k.classes, c)
		}
	}
	return k
}

func TestWhatIsKeptAnswersWithNothingAfterClose(t *testing.T) {
	skipIfChecked(t, "it panics")
	paths := []*mmapjfr.FieldPath{
		mmapjfr.Path("startTime"), mmapjfr.Path("l"), mmapjfr.Path("utf8"), mmapjfr.Path("strings[1]"),
		mmapjfr.Path("sampledThread.javaName"), mmapjfr.Path("stackTrace.frames[0].method.name"), mmapjfr.Path("box.tags[0]"),
		mmapjfr.Path("javaName"), mmapjfr.Path("group.name"), mmapjfr.Path("frames[1].lineNumber"), mmapjfr.Path("y"),
	}
	forms(t, newSample, func(t *testing.T, b *jfrtest.Builder) {
		data, _ := b.Build()
		rec := openBytes(t, data)
		k := keep(t, rec)
		require.NotEmpty(t, k.classes)
		require.NotEmpty(t, k.threads)
		require.NoError(t, rec.Close())

		t.Run("events", func(t *testing.T) {
			for _, ev := range k.events {
				require.NotPanics(t, func() { eventIsNothing(t, ev, paths) }, ev.Type().Name())
			}
		})
		t.Run("values", func(t *testing.T) {
			for _, v := range k.values {
				require.NotPanics(t, func() { valueIsNothing(t, v, paths) }, v.Type().Name())
			}
		})
		t.Run("stacks", func(t *testing.T) {
			for _, s := range k.stacks {
				require.NotPanics(t, func() {
					assert.Zero(t, s.Len())
					assert.False(t, s.IsTruncated())
					assert.Empty(t, engine.StackTraceAppendFrames(s, nil))
				})
			}
			for _, f := range k.frames {
				require.NotPanics(t, func() {
					assert.Zero(t, f.Line())
					assert.Zero(t, f.BytecodeIndex())
					assert.Empty(t, f.Kind())
					assert.Empty(t, f.Method().Name())
				})
			}
		})
		t.Run("threads", func(t *testing.T) {
			for _, th := range k.threads {
				require.NotPanics(t, func() {
					assert.Empty(t, th.OSName())
					assert.Zero(t, th.OSThreadID())
					assert.Empty(t, th.JavaName())
					assert.Zero(t, th.JavaThreadID())
					assert.Empty(t, th.Name())
					assert.Empty(t, th.Group().Name())
					assert.Empty(t, th.Group().Parent().Name())
					assert.False(t, th.IsVirtual())
				})
			}
		})
		t.Run("classes", func(t *testing.T) {
			for _, c := range k.classes {
				require.NotPanics(t, func() {
					assert.Empty(t, c.Name())
					assert.Empty(t, c.Package())
					assert.Zero(t, engine.ClassModifiers(c))
					assert.Empty(t, c.Loader().Name())
					assert.False(t, c.IsHidden())
				})
			}
		})
	})
}

func eventIsNothing(t *testing.T, ev mmapjfr.Event, paths []*mmapjfr.FieldPath) {
	t.Helper()
	assert.Empty(t, engine.EventBytes(ev))
	assert.Zero(t, ev.Size())
	assert.Zero(t, engine.EventStartTicks(ev))
	assert.Zero(t, ev.Duration())
	assert.Zero(t, ev.Thread().Name())
	assert.True(t, ev.Thread().IsZero())
	assert.True(t, ev.StackTrace().IsZero())
	assert.Equal(t, mmapjfr.KindNone, ev.Value().Kind())
	for _, v := range ev.Fields() {
		valueIsNothing(t, v, nil)
	}
	for _, p := range paths {
		valueIsNothing(t, ev.Get(p), nil)
		assert.Zero(t, ev.Int(p))
		assert.Zero(t, ev.Uint(p))
		assert.False(t, ev.Bool(p))
		assert.Zero(t, ev.Float(p))
		assert.Empty(t, ev.Str(p))
		assert.Zero(t, ev.Timespan(p))
	}
	assert.Equal(t, ev.Type(), ev.Detached().Type())
}

func valueIsNothing(t *testing.T, v mmapjfr.Value, paths []*mmapjfr.FieldPath) {
	t.Helper()
	assert.Zero(t, v.Int())
	assert.Zero(t, v.Uint())
	assert.False(t, v.Bool())
	assert.Zero(t, v.Float())
	assert.Empty(t, v.Str())
	assert.Empty(t, v.AppendStr(nil))
	assert.Empty(t, engine.ValueAppendUTF16(v, nil))
	assert.Zero(t, v.Len())
	assert.Zero(t, v.Duration())
	assert.Zero(t, v.Index(0).Int())
	for range v.Elements() {
		assert.Fail(t, "an element")
	}
	for _, inner := range v.Fields() {
		assert.Zero(t, inner.Int())
		assert.Empty(t, inner.Str())
	}
	for _, p := range paths {
		assert.Zero(t, v.Get(p).Int())
		assert.Empty(t, v.Get(p).Str())
	}
}

// TestTimesAreZeroAfterClose: a time that was never recorded must not come out
// of a clock that has nothing to convert.
func TestCountEventsAfterClose(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	require.NoError(t, rec.Close())
	for range engine.RecordingCountEvents(rec, t.Context(), nil) {
		t.Error("a closed recording has no chunks to count")
	}
}

func TestTimesAreZeroAfterClose(t *testing.T) {
	skipIfChecked(t, "it panics")
	rec, _ := openBuilt(t, newSample())
	ev := first(t, rec)
	v := ev.Get(mmapjfr.Path("startTime"))
	require.NoError(t, rec.Close())
	assert.True(t, v.Time().IsZero(), "Value.Time")
	assert.True(t, ev.Time(mmapjfr.Path("startTime")).IsZero(), "Event.Time")
	assert.True(t, ev.Start().IsZero(), "Event.Start")
	assert.True(t, ev.End().IsZero(), "Event.End")
	assert.Zero(t, ev.StartNanos(), "Event.StartNanos")
}

// TestValuesAreAbsentAfterClose: Value.IsAbsent says that it is true when the
// recording is closed.
func TestValuesAreAbsentAfterClose(t *testing.T) {
	rec, _ := openBuilt(t, newSample())
	v := first(t, rec).Get(mmapjfr.Path("l"))
	assert.False(t, v.IsAbsent())
	require.NoError(t, rec.Close())
	assert.True(t, v.IsAbsent())
}

func TestCloseInsideALoop(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	total := len(all(t, rec))
	require.Greater(t, total, 1000)
	for _, at := range []int{0, 1, 63, 64, 65, 500, total - 1} {
		rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
		require.NoError(t, err)
		mapped := rec.Mapped() // not everywhere
		n := 0
		var errs []error
		for ev, err := range rec.Events() {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if n == at {
				require.NoError(t, rec.Close())
				assert.Equal(t, mapped, rec.Mapped(), "a loop keeps the map")
			}
			assert.Equal(t, n >= at, ev.Size() == 0)
			n++
		}
		assert.Equal(t, at+1, n)
		require.Len(t, errs, 1)
		assert.ErrorIs(t, errs[0], mmapjfr.ErrClosed)
		assert.False(t, rec.Mapped(), "the last loop unmaps")
	}
}

// TestClosedIsTheLastError: also where the chunk is damaged a little further on.
func TestClosedIsTheLastError(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("E")
	b.Emit(ty, 1)
	b.Emit(ty, 2)
	b.EmitRaw(jfrtest.EventOptions{Size: new(int64(0))}, ty.ID, nil)
	rec, _ := openBuilt(t, b)
	var errs []error
	for _, err := range rec.Events() {
		if err != nil {
			errs = append(errs, err)
		}
		require.NoError(t, rec.Close())
	}
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], mmapjfr.ErrClosed)
}

// crash runs a test of this file in a process of its own, because what it does
// may end the process.
func crash(t *testing.T, do func(t *testing.T)) {
	t.Helper()
	if os.Getenv("MMAPJFR_CRASH") == t.Name() {
		do(t)
		return
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes here")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	cmd.Env = append(os.Environ(), "MMAPJFR_CRASH="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil {
		assert.Fail(t, "the process failed", "%.600s", out)
	}
}

// stackOf returns a stack trace that no running iteration keeps mapped.
func stackOf(t *testing.T, rec *mmapjfr.Recording) mmapjfr.StackTrace {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if s := ev.StackTrace(); s.Len() > 3 {
			return s
		}
	}
	require.Fail(t, "no stack")
	return mmapjfr.StackTrace{}
}

// Loops over what an event refers to do not keep the recording mapped.
func TestCloseInsideALoopOverFrames(t *testing.T) {
	for method, loop := range map[string]func(s mmapjfr.StackTrace, end func()){
		"StackTrace.Frames": func(s mmapjfr.StackTrace, end func()) {
			for range s.Frames() {
				end()
			}
		},
		"Value.Elements": func(s mmapjfr.StackTrace, end func()) {
			for range engine.StackTraceValue(s).Get(mmapjfr.Path("frames")).Elements() {
				end()
			}
		},
		"Value.Fields": func(s mmapjfr.StackTrace, end func()) {
			for range engine.StackTraceValue(s).Fields() {
				end()
			}
		},
	} {
		t.Run(method, func(t *testing.T) {
			crash(t, func(t *testing.T) {
				rec := openFile(t, "jdk25-profile.jfr")
				n := 0
				lateUse(t, method, func() {
					loop(stackOf(t, rec), func() {
						require.NoError(t, rec.Close())
						n++
					})
				})
				assert.Positive(t, n)
			})
		})
	}
}

// TestCloseWhileOthersIterate: each of them ends with ErrClosed, and the last one
// unmaps the file.
func TestCloseWhileOthersIterate(t *testing.T) {
	crash(t, func(t *testing.T) {
		for range longtest.Cases(2, 20) {
			rec, err := mmapjfr.Open("../testdata/jdk25-profile.jfr")
			require.NoError(t, err)
			var started, done sync.WaitGroup
			for range 4 {
				started.Add(1)
				done.Go(func() {
					begun := false
					for {
						for ev, err := range rec.Events() {
							if err != nil {
								assert.ErrorIs(t, err, mmapjfr.ErrClosed)
								return
							}
							if !begun {
								begun = true
								started.Done()
							}
							_ = ev.StackTrace().Len() + len(ev.Thread().Name())
						}
					}
				})
			}
			started.Wait()
			require.NoError(t, rec.Close())
			done.Wait()
			assert.False(t, rec.Mapped())
		}
	})
}
