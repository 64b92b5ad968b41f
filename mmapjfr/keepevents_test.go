package mmapjfr_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// keptEvent is an event that stays, with what it was when it came.
type keptEvent struct {
	ev   mmapjfr.Event
	line line
}

// TestKeptEventsAreReadByOthers reads events in other goroutines, again and again, while more
// come. The race detector looks on.
func TestKeptEventsAreReadByOthers(t *testing.T) {
	recorded, err := os.ReadFile("../testdata/jdk25-flushed.jfr")
	require.NoError(t, err)
	built := flushes(12, 20, "text").Bytes()
	unlinked := unlinkedFlushes().Bytes()
	data := slices.Concat(recorded, open(built), unlinked, open(unlinked), built)
	var wg sync.WaitGroup
	handed := make(chan keptEvent, 10_000)
	var mu sync.Mutex
	var all []keptEvent
	for range 4 {
		wg.Go(func() {
			w := newWriter(t)
			var mine []keptEvent
			for k := range handed {
				// The printer keeps texts of constants by where they lie: not across chunks.
				if len(mine) > 0 && mine[len(mine)-1].ev.Chunk() != k.ev.Chunk() {
					w = newWriter(t)
				}
				mine = append(mine, k)
				assert.Equal(t, k.line, w.line(k.ev))
				assert.GreaterOrEqual(t, engine.EventEndTicks(k.ev), engine.EventStartTicks(k.ev))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	lr := readLive(t, bytes.NewReader(data), engine.KeepEvents())
	n := 0
	for {
		live, span, err := engine.ChunkStreamNext(lr)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		w := newWriter(t)
		require.Empty(t, eventsIn(live, span, func(ev mmapjfr.Event) {
			n++
			handed <- keptEvent{ev, w.line(ev)}
		}))
	}
	close(handed)
	wg.Wait()
	require.Len(t, all, n)
	require.Greater(t, n, 500)
	for _, k := range all {
		require.Equal(t, k.line, newWriterOf(t, k.ev).line(k.ev))
	}
}

var keptWriters = map[mmapjfr.Chunk]*writer{}

// newWriterOf returns the writer for the chunk of an event.
func newWriterOf(t testing.TB, ev mmapjfr.Event) *writer {
	t.Helper()
	w := keptWriters[ev.Chunk()]
	if w == nil {
		w = newWriter(t)
		keptWriters[ev.Chunk()] = w
	}
	return w
}

// unlinkedFlushes builds a chunk in which a class refers to one that is described only later,
// and by then has it.
func unlinkedFlushes() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	basic := b.Classes()
	late := &jfrtest.Class{ID: 7000, Name: "test.LateClass", Fields: []jfrtest.Field{jfrtest.Of("n", "int")}}
	b.Add(late)
	class := b.Event("test.Whole", jfrtest.Const("name", "jdk.types.Symbol"))
	odd := b.Event("test.Odd", jfrtest.Of("late", "test.LateClass"))
	b.Metadata(&jfrtest.Metadata{ID: 1, Classes: append(slices.Clone(basic[:len(basic):len(basic)]), class, odd)})
	for i := range 8 {
		for j := range 10 {
			b.Emit(class, start+10*i+j, 1)
		}
		if i == 4 {
			b.Metadata(&jfrtest.Metadata{ID: 2})
		}
		if i >= 4 {
			b.Emit(odd, start+10*i, jfrtest.Inline{i})
		}
		b.Checkpoint(jfrtest.MaskFlush).Add("jdk.types.Symbol", 1, "symbol")
	}
	return b
}

// TestKeptEventsOfAFileStay keeps events over flushes, chunks and the end of the file.
func TestKeptEventsOfAFileStay(t *testing.T) {
	forms(t, func() *jfrtest.Builder { return flushes(10, 10, "text") }, func(t *testing.T, b *jfrtest.Builder) {
		w := newLiveWriter(t, b.Bytes(), 0)
		f := openLive(t, w.path, 0, engine.KeepEvents())
		var kept []keptEvent
		for w.flush() {
			for {
				span, err := engine.ChunkFollowerAdvance(f)
				require.NoError(t, err)
				if span.From >= span.To {
					break
				}
				wr := newWriter(t)
				require.Empty(t, eventsIn(&f.GrowingChunk, span, func(ev mmapjfr.Event) { kept = append(kept, keptEvent{ev, wr.line(ev)}) }))
			}
		}
		require.NoError(t, engine.ChunkFollowerClose(f))
		w.put(bytes.Repeat([]byte{0xff}, len(w.data)), 0) // what is in memory stays
		require.NotEmpty(t, kept)
		for _, k := range kept {
			require.Equal(t, k.line, newWriter(t).line(k.ev))
		}
	})
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestKeptEventsGo drops events of large flushes, and with the last one of each its memory.
func TestKeptEventsGo(t *testing.T) {
	data := open(flushes(20, 4, strings.Repeat("x", 256<<10)).Bytes())
	before := heap()
	lr := readLive(t, bytes.NewReader(data), engine.KeepEvents())
	var kept []mmapjfr.Event
	for {
		live, span, err := engine.ChunkStreamNext(lr)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		n := len(kept)
		require.Empty(t, eventsIn(live, span, func(ev mmapjfr.Event) { kept = append(kept[:n], ev) }))
	}
	require.Len(t, kept, 20)
	assert.Greater(t, heap(), before+18<<20, "one event keeps its flush")
	runtime.KeepAlive(kept)
	last := kept[len(kept)-1]
	kept = nil
	assert.Eventually(t, func() bool { return heap() < before+6<<20 }, time.Minute, 10*time.Millisecond)
	assert.Len(t, last.Str(mmapjfr.Path("text")), 256<<10)
	runtime.KeepAlive(lr)
	runtime.KeepAlive(data)
}

// TestLiveEventAllocatesNothing lays out all events of a part.
func TestLiveEventAllocatesNothing(t *testing.T) {
	data, err := os.ReadFile("../testdata/jdk25-flushed.jfr")
	require.NoError(t, err)
	lives := map[string]*mmapjfr.GrowingChunk{}
	spans := map[string]mmapjfr.ByteRange{}
	for _, form := range liveForms {
		f := openLive(t, "../testdata/jdk25-flushed.jfr", 0, form.opts...)
		span, err := engine.ChunkFollowerAdvance(f)
		require.NoError(t, err)
		lives[form.name], spans[form.name] = &f.GrowingChunk, span
	}
	live, span, err := engine.ChunkStreamNext(readLive(t, bytes.NewReader(data)))
	require.NoError(t, err)
	lives["piped"], spans["piped"] = live, span
	chunk := engine.ChunkGrowing(openBytes(t, data).Chunks()[0])
	lives["of a chunk"], spans["of a chunk"] = chunk, engine.GrowingChunkEvents(chunk)
	for name, live := range lives {
		t.Run(name, func(t *testing.T) {
			recs := make([]index.EventHeader, 100_000)
			n, _, err := engine.ChunkIndex(engine.GrowingChunkChunk(live)).ReadHeaders(spans[name].From, spans[name].To, recs)
			require.NoError(t, err)
			recs = slices.DeleteFunc(recs[:n], func(r index.EventHeader) bool { return !r.IsEvent() })
			require.Greater(t, len(recs), 20)
			path := mmapjfr.Path("startTime")
			ends := int64(0)
			allocatesNothing(t, func() {
				for _, rec := range recs {
					ev, err := engine.GrowingChunkEvent(live, rec, 0)
					if err != nil || ev.IsZero() {
						panic("no event")
					}
					sinkInt += ev.Int(path)
					ends = engine.EventEndTicks(ev)
				}
			})
			assert.NotZero(t, ends)
		})
	}
}

// A live view of a chunk is what the chunk's own events are.
func TestLiveOfAChunk(t *testing.T) {
	for _, name := range []string{"jdk25-chunks.jfr", "concat-jdk17-jdk25.jfr", "jdk17-kinds.jfr"} {
		rec := openFile(t, name)
		var got []line
		for _, c := range rec.Chunks() {
			live := engine.ChunkGrowing(c)
			w := newWriter(t)
			require.Empty(t, eventsIn(live, engine.GrowingChunkEvents(live), func(ev mmapjfr.Event) { got = append(got, w.line(ev)) }))
			types, err := engine.GrowingChunkNewestTypes(live)
			require.NoError(t, err)
			require.NotEmpty(t, types)
			require.NoError(t, engine.GrowingChunkProtect(live, func() error { return nil }), "the chunk is still open")
		}
		data, err := os.ReadFile("../testdata/" + name)
		require.NoError(t, err)
		want, errs := mappedLines(t, data)
		require.Empty(t, errs)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i].text, got[i].text)
			require.Equal(t, want[i].offset, got[i].offset)
		}
		require.NoError(t, rec.Close())
	}
}

func TestEndTicks(t *testing.T) {
	b := jfrtest.NewChunk()
	long := b.Event("test.Long", jfrtest.Duration())
	short := b.Event("test.Short")
	b.Emit(long, start+7, 35)
	b.Emit(short, start+9)
	b.Emit(long, int64(1)<<62, int64(1)<<62)
	rec := openBytes(t, b.Bytes())
	var ends []int64
	for _, ev := range all(t, rec) {
		ends = append(ends, engine.EventEndTicks(ev))
		if engine.EventEndTicks(ev) > 0 {
			assert.Equal(t, engine.ChunkTicksToTime(ev.Chunk(), engine.EventEndTicks(ev)), ev.End())
		}
	}
	assert.Equal(t, []int64{start + 42, start + 9, -1 << 63}, ends, "sums wrap around")
}
