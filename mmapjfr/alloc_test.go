package mmapjfr_test

import (
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	sinkInt int64
	sinkStr string
)

// allocatesNothing runs f once, and then fails if it allocates.
func allocatesNothing(t *testing.T, f func()) {
	t.Helper()
	skipIfChecked(t, "it allocates")
	if raceEnabled || copiesStrings {
		t.Skip("this build allocates")
	}
	f()
	assert.Zero(t, testing.AllocsPerRun(longtest.Cases(5, 20), f), "allocations")
}

// mallocs returns how often f allocates.
func mallocs(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

func TestIterationAllocatesNothing(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	require.Greater(t, len(all(t, rec)), 1000)
	t.Run("cursor", func(t *testing.T) {
		skipIfChecked(t, "it allocates")
		// Walking a whole recording takes a cursor and its scratch, however many
		// events there are.
		if raceEnabled {
			t.Skip("the race detector allocates")
		}
		walk := func() {
			cur := rec.Select().Cursor()
			for cur.Next() {
				sinkInt += int64(cur.Event().Offset())
			}
		}
		walk()
		// The seventh is for looking whether the file is still what it was, the eighth the window.
		assert.LessOrEqual(t, testing.AllocsPerRun(5, walk), 8.0)
		cur := rec.Select().Cursor()
		require.True(t, cur.Next())
		var more bool
		allocs := testing.AllocsPerRun(1000, func() { more = cur.Next() })
		require.True(t, more, "it did not come to the end")
		assert.Zero(t, allocs)
	})
	t.Run("pull", func(t *testing.T) {
		next, stop := iter.Pull2(rec.Events())
		defer stop()
		_, _, ok := next()
		require.True(t, ok)
		allocatesNothing(t, func() {
			ev, _, _ := next()
			sinkInt += int64(ev.Size())
		})
	})
	t.Run("one event or many", func(t *testing.T) {
		if raceEnabled {
			t.Skip("the race detector allocates")
		}
		one, _ := openBuilt(t, plain(1))
		many := plain()
		ty := many.Lookup("test.N")
		for i := range 5000 {
			many.Emit(ty, start, i, "text")
		}
		lots, _ := openBuilt(t, many)
		n := mmapjfr.Path("n")
		loop := func(rec *mmapjfr.Recording) func() {
			return func() {
				for ev := range rec.Events() {
					sinkInt += ev.Int(n)
				}
			}
		}
		loop(one)()
		loop(lots)()
		assert.InDelta(t, mallocs(loop(one)), mallocs(loop(lots)), 50, "of 5,000 events")
	})
	t.Run("selection", func(t *testing.T) {
		cur := rec.Select(mmapjfr.Types("jdk.ObjectAllocation*"), mmapjfr.Categories("Java Application")).Cursor()
		require.True(t, cur.Next())
		allocatesNothing(t, func() {
			if cur.Next() {
				sinkInt += int64(cur.Event().Size())
			}
		})
		require.NoError(t, cur.Err())
	})
}

func TestAccessorsAllocateNothing(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	var samples []mmapjfr.Event
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if ev.StackTrace().Len() > 3 {
			samples = append(samples, ev)
		}
	}
	require.Greater(t, len(samples), 300)
	samples = samples[:longtest.Cases(300, len(samples))]
	paths := []*mmapjfr.FieldPath{
		mmapjfr.Path("startTime"), mmapjfr.Path("duration"), mmapjfr.Path("eventThread"), mmapjfr.Path("sampledThread.javaName"),
		mmapjfr.Path("eventThread.group.name"), mmapjfr.Path("stackTrace.frames[2].method.name"),
		mmapjfr.Path("stackTrace.frames[1].lineNumber"), mmapjfr.Path("objectClass.name"), mmapjfr.Path("weight"), mmapjfr.Path("nothing.at.all"),
	}
	var frames []mmapjfr.Frame
	for name, use := range map[string]func(ev mmapjfr.Event){
		"by path": func(ev mmapjfr.Event) {
			for _, p := range paths {
				v := ev.Get(p)
				sinkInt += ev.Int(p) + int64(ev.Float(p)) + ev.Time(p).Unix() + int64(ev.Timespan(p)) + int64(ev.Uint(p))
				sinkInt += int64(len(ev.Str(p))) + v.Int() + v.Thread().Key() + v.StackTrace().Key()
				if ev.Has(p) && ev.Bool(p) && engine.ValueIsUnset(v) {
					sinkInt++
				}
			}
		},
		"times": func(ev mmapjfr.Event) {
			sinkInt += ev.StartNanos() + engine.EventEndNanos(ev) + ev.Start().Unix() + ev.End().Unix() + int64(ev.Duration())
		},
		"thread": func(ev mmapjfr.Event) {
			th := ev.Thread()
			sinkInt += th.Key() + th.JavaThreadID() + th.OSThreadID() + int64(len(th.Name())+len(th.OSName())+len(th.Group().Name()))
		},
		"frames": func(ev mmapjfr.Event) {
			for f := range ev.StackTrace().Frames() {
				m := f.Method()
				sinkInt += int64(len(m.Name())+len(engine.MethodDescriptor(m))+len(m.Class().Name())+len(m.Class().Package())+len(f.Kind())+f.Line()) + engine.MethodKey(m)
			}
		},
		"AppendFrames": func(ev mmapjfr.Event) {
			frames = engine.StackTraceAppendFrames(ev.StackTrace(), frames[:0])
			for _, f := range frames {
				sinkInt += int64(f.Line() + len(f.Method().Name()))
			}
			sinkInt += int64(ev.StackTrace().Frame(1).Line())
		},
		"fields": func(ev mmapjfr.Event) {
			for f, v := range ev.Fields() {
				sinkInt += v.Int() + int64(len(v.Str())+len(f.Name()))
				for f, v := range v.Fields() {
					sinkInt += v.Int() + int64(len(f.Name()))
				}
			}
		},
		"elements": func(ev mmapjfr.Event) {
			v := engine.StackTraceValue(ev.StackTrace()).Get(mmapjfr.Path("frames"))
			for e := range v.Elements() {
				sinkInt += engine.ValueKey(e) + int64(e.Len())
			}
			sinkInt += int64(v.Index(1).Len() + v.Len())
		},
		"place": func(ev mmapjfr.Event) {
			sinkInt += int64(ev.Offset()) + int64(ev.Size()) + int64(ev.Ordinal()) + int64(ev.Chunk().Number()) + int64(len(ev.Type().Name()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			allocatesNothing(t, func() {
				for _, ev := range samples {
					use(ev)
				}
			})
		})
		t.Run(name+" of detached events", func(t *testing.T) {
			allocatesNothing(t, func() {
				for _, ev := range samples[:100] {
					use(ev.Detached())
				}
			})
		})
	}
}

func TestEventAtAllocatesNothing(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	events := all(t, rec)
	offsets := offsetsOf(events)
	for _, ev := range events {
		sinkInt += engine.EventStartTicks(ev) // resolves the path for each type
	}
	at := 0
	allocatesNothing(t, func() {
		for range 100 {
			at = (at + 7919) % len(offsets)
			ev, err := rec.EventAtOffset(offsets[at])
			if err != nil {
				t.Error(err)
			}
			sinkInt += engine.EventStartTicks(ev)
		}
	})
}

func TestBindingsAllocateNothing(t *testing.T) {
	skipIfChecked(t, "it allocates")
	if raceEnabled || copiesStrings {
		t.Skip("this build allocates")
	}
	type row struct {
		N    int32    `jfr:"n"`
		Text string   `jfr:"text"`
		List []int64  `jfr:"list"`
		Strs []string `jfr:"strs"`
		Time int64    `jfr:"startTime,ticks"`
	}
	build := func(n int) *mmapjfr.Recording {
		b := jfrtest.NewChunk()
		ty := b.Event("E", jfrtest.Of("n", "int"), jfrtest.Of("text", jfrtest.StringClass),
			jfrtest.Of("list", "long").Array(), jfrtest.Of("strs", jfrtest.StringClass).Array())
		for i := range n {
			b.Emit(ty, start, i, jfrtest.Latin1("Größe"), []int64{1, 2, 3}, []string{"a", "b"})
		}
		rec, _ := openBuilt(t, b)
		return rec
	}
	loop := func(rec *mmapjfr.Recording) func() {
		bound, err := mmapjfr.Bind[row](rec, "E")
		require.NoError(t, err)
		return func() {
			for r, err := range bound.Events() {
				if err != nil {
					t.Error(err)
				}
				sinkInt += int64(r.N) + int64(len(r.Text)+len(r.List)+len(r.Strs))
			}
		}
	}
	few, many := loop(build(2)), loop(build(3000))
	few()
	many()
	// What other goroutines of the runtime allocate meanwhile is not there each time.
	least := func(f func()) uint64 { return min(mallocs(f), mallocs(f), mallocs(f)) }
	assert.InDelta(t, least(few), least(many), 4)

	rec := build(1)
	bound, err := mmapjfr.Bind[row](rec, "E")
	require.NoError(t, err)
	r, ev := bound.Row(), first(t, rec)
	allocatesNothing(t, func() { sinkInt += int64(r.Read(ev).N) })
}

func TestConvertedTextsAllocateOnce(t *testing.T) {
	for name, s := range map[string]jfrtest.Text{
		"Latin-1":         jfrtest.Latin1("Größe"),
		"long Latin-1":    jfrtest.Latin1("Größe und vieles andere, das länger ist als ein Puffer auf dem Stapel"),
		"chars":           jfrtest.UTF16("日本語"),
		"malformed UTF-8": jfrtest.UTF8("a\xffb"),
	} {
		t.Run(name, func(t *testing.T) {
			v := valueOf(t, false, jfrtest.Of("f", jfrtest.StringClass), s)
			allocatesNothing(t, func() { sinkStr = v.Str() })
			var buf []byte
			allocatesNothing(t, func() { buf = v.AppendStr(buf[:0]) })
			if name == "malformed UTF-8" {
				return // AppendUTF16 converts it twice
			}
			var units []uint16
			allocatesNothing(t, func() { units = engine.ValueAppendUTF16(v, units[:0]) })
		})
	}
}
