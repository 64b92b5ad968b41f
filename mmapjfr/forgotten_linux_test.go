package mmapjfr_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// eventOf returns the first event of a type, which shares nothing with an iteration.
func eventOf(t *testing.T, rec *mmapjfr.Recording, typ string) mmapjfr.Event {
	t.Helper()
	for ev, err := range rec.Select(mmapjfr.Types(typ)).Events() {
		require.NoError(t, err)
		return ev.Detached()
	}
	require.Fail(t, "no event", typ)
	return mmapjfr.Event{}
}

// heldViews are views that are all that somebody keeps of a recording: each returns what
// reads it, which has nothing else.
var heldViews = map[string]func(t *testing.T, rec *mmapjfr.Recording) (read func() string){
	"recording": func(_ *testing.T, rec *mmapjfr.Recording) func() string {
		return func() string { return fmt.Sprint(rec.Type("test.Kinds")) }
	},
	"event": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		return eventOf(t, rec, "test.Kinds").String
	},
	"event of EventAt": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		ev, err := rec.EventAtOffset(eventOf(t, rec, "test.Kinds").Offset())
		require.NoError(t, err)
		return ev.String
	},
	"value": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		return eventOf(t, rec, "test.Lists").Value().String
	},
	"array": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		v := eventOf(t, rec, "test.Lists").Get(mmapjfr.Path("boxes"))
		require.NotZero(t, v.Len())
		return v.Index(0).String
	},
	"elements": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		list := eventOf(t, rec, "test.Lists").Get(mmapjfr.Path("strings")).Elements()
		return func() (text string) {
			for v := range list {
				text += v.Text()
			}
			return text
		}
	},
	"constant": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		thread := eventOf(t, rec, "test.Kinds").Thread()
		return func() string { return thread.JavaName() }
	},
	"constants": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		typ, ok := rec.Type("java.lang.Thread")
		require.True(t, ok)
		all := engine.ChunkConstants(rec.Chunks()[0], typ)
		return func() (text string) {
			for key, v := range all {
				text += fmt.Sprint(key, v)
			}
			return text
		}
	},
	"stack": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		stack := eventOf(t, rec, "jdk.ExecutionSample").StackTrace()
		return engine.StackTraceValue(stack).String
	},
	"frame": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		frame := eventOf(t, rec, "jdk.ExecutionSample").StackTrace().Frame(0)
		return func() string { return frame.Method().Name() + frame.Method().Class().Name() }
	},
	"chunk": func(_ *testing.T, rec *mmapjfr.Recording) func() string {
		chunk := rec.Chunks()[0]
		return func() string { types, err := chunk.Types(); return fmt.Sprint(len(types), err) }
	},
	"selection": func(_ *testing.T, rec *mmapjfr.Recording) func() string {
		return textOf(rec.Select().Events())
	},
	"iterator": func(_ *testing.T, rec *mmapjfr.Recording) func() string {
		return textOf(rec.Events())
	},
	"iterator under way": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		next, stop := iter.Pull2(rec.Events())
		_, err, ok := next()
		require.NoError(t, err)
		require.True(t, ok)
		var text string
		return func() string { // it can be read once
			if text == "" {
				ev, _, _ := next()
				text = ev.String()
				stop()
			}
			return text
		}
	},
	"cursor": func(_ *testing.T, rec *mmapjfr.Recording) func() string {
		cur := rec.Select().Cursor()
		cur.Next()
		return func() string { return cur.Event().String() }
	},
	"live chunk": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		live := engine.ChunkGrowing(rec.Chunks()[0])
		return func() (text string) {
			eventsIn(live, engine.GrowingChunkEvents(live), func(ev mmapjfr.Event) { text += ev.String() })
			return text
		}
	},
	"binding": func(t *testing.T, rec *mmapjfr.Recording) func() string {
		all, err := mmapjfr.Bind[struct {
			Thread mmapjfr.Thread `jfr:"eventThread"`
		}](rec, "test.Kinds")
		require.NoError(t, err)
		return func() (text string) {
			for row := range all.Events() {
				text += row.Thread.JavaName()
			}
			return text
		}
	},
}

// textOf returns what reads all of the events.
func textOf(events iter.Seq2[mmapjfr.Event, error]) func() string {
	return func() (text string) {
		for ev, err := range events {
			text += fmt.Sprint(ev.String(), err)
		}
		return text
	}
}

// TestAViewKeepsItsRecording: as long as there is one, nothing is unmapped, and after that
// everything is. The saved index is kept with the recording.
func TestAViewKeepsItsRecording(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	crash(t, func(t *testing.T) {
		for name, view := range heldViews {
			t.Run(name, func(t *testing.T) {
				file := placed(t, newSample().Bytes())
				save(t, file)
				for _, opts := range [][]mmapjfr.Option{{indexes(t, file)}, nil}[:longtest.Cases(1, 2)] {
					leaktest.CheckForgotten(t, func() {
						rec, err := mmapjfr.Open(file, opts...)
						require.NoError(t, err)
						want := view(t, rec)()
						require.NotEmpty(t, want)
						before := mapsOf(t, filepath.Dir(file))
						read := view(t, rec)
						rec = nil
						for range 3 {
							runtime.GC()
							time.Sleep(time.Millisecond) // for finalizers
						}
						assert.Equal(t, before, mapsOf(t, filepath.Dir(file)))
						assert.Equal(t, want, read())
					})
				}
			})
		}
	})
}

// TestAnAccessorKeepsItsRecording: what is forgotten while the last accessor reads it is not
// unmapped before that has ended.
func TestAnAccessorKeepsItsRecording(t *testing.T) {
	b := jfrtest.NewChunk()
	ty := b.Event("test.Large", jfrtest.Of("text", jfrtest.StringClass), jfrtest.Of("list", "long").Array())
	long := make([]int64, 1<<16)
	for i := range long {
		long[i] = int64(i)
	}
	text := strings.Repeat("ünïcödé ", longtest.Cases(1<<15, 1<<18))
	b.Emit(ty, start, jfrtest.Latin1(text), long)
	data := b.Bytes()
	for name, use := range map[string]func(ev mmapjfr.Event) int{
		"Str":       func(ev mmapjfr.Event) int { return len(strings.Clone(ev.Get(mmapjfr.Path("text")).Str())) },
		"AppendStr": func(ev mmapjfr.Event) int { return len(ev.Get(mmapjfr.Path("text")).AppendStr(nil)) },
		"String":    func(ev mmapjfr.Event) int { return len(ev.String()) },
		"Index":     func(ev mmapjfr.Event) int { return int(ev.Get(mmapjfr.Path("list")).Index(1<<16 - 1).Int()) },
		"Elements": func(ev mmapjfr.Event) (n int) {
			for v := range ev.Get(mmapjfr.Path("list")).Elements() {
				n += int(v.Int())
			}
			return n
		},
		"Parallel": func(ev mmapjfr.Event) (n int) {
			_ = ev.Chunk().Select().Parallel(context.Background(), func(_ int, ev mmapjfr.Event) error {
				n = len(ev.String())
				return nil
			})
			return n
		},
	} {
		t.Run(name, func(t *testing.T) {
			crash(t, func(t *testing.T) {
				file := placed(t, data)
				want := use(first(t, openBytes(t, data)))
				require.NotZero(t, want)
				var stop atomic.Bool
				ended := make(chan bool)
				go func() {
					defer close(ended)
					for !stop.Load() {
						runtime.GC()
					}
				}()
				for range longtest.Cases(2, 8) {
					assert.Equal(t, want, use(forgotten(t, file)))
				}
				stop.Store(true)
				<-ended
			})
		})
	}
}

// forgotten returns the first event of a recording that nobody has any more.
func forgotten(t *testing.T, file string) mmapjfr.Event {
	t.Helper()
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	return first(t, rec).Detached()
}
