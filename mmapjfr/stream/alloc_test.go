package stream_test

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// long returns a chunk of many flushes of n events.
func long(flushes, events int) []byte {
	b := chunk(0)
	tick := b.Lookup("test.Tick")
	n := 0
	for range flushes {
		for range events {
			b.Emit(tick, ticks(b, n^3), n)
			n++
		}
		b.Checkpoint(jfrtest.MaskFlush)
	}
	b.MetadataFirst = true
	return b.Bytes()
}

// mallocs runs a stream and returns how often it allocates.
func mallocs(t *testing.T, s *stream.Stream) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, s.Start(t.Context()))
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// With reuse an event allocates nothing: more events in the same number of flushes allocate
// as much.
func TestAllocations(t *testing.T) {
	if wire.Debug {
		t.Skip("the build checks itself: each event has a scratch of its own")
	}
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const flushes = 10
	few, many := longtest.Cases(500, 5000), longtest.Cases(3000, 25_000)
	paths := map[int]string{}
	data := map[int][]byte{}
	for _, events := range []int{few, many} {
		data[events] = long(flushes, events)
		paths[events] = written(t, data[events])
	}
	for name, open := range map[string]func(events int) *stream.Stream{
		"file":   func(events int) *stream.Stream { return openFile(t, paths[events]) },
		"reader": func(events int) *stream.Stream { return stream.OpenReader(bytes.NewReader(data[events])) },
	} {
		for _, ordered := range []bool{true, false} {
			for how, subscribe := range map[string]func(s *stream.Stream, f func(mmapjfr.Event) error){
				"all":  func(s *stream.Stream, f func(mmapjfr.Event) error) { s.OnEvent(f) },
				"type": func(s *stream.Stream, f func(mmapjfr.Event) error) { s.OnEventType("test.Tick", f) },
				"both": func(s *stream.Stream, f func(mmapjfr.Event) error) {
					s.OnEventType("test.*", func(mmapjfr.Event) error { return nil })
					s.OnEvent(f)
				},
			} {
				t.Run(name+"/"+how+"/ordered "+strconv.FormatBool(ordered), func(t *testing.T) {
					got := map[int]uint64{}
					for _, events := range []int{few, many, few, many} {
						s := open(events)
						require.NoError(t, s.SetOrdered(ordered))
						sum, times := int64(0), 0
						subscribe(s, func(ev mmapjfr.Event) error {
							sum += ev.Int(fieldN)
							times++
							return nil
						})
						got[events] = mallocs(t, s)
						assert.Equal(t, flushes*events, times)
						assert.Positive(t, sum)
					}
					// Tens of thousands of events more: others in the process allocate meanwhile.
					assert.Less(t, int(got[many])-int(got[few]), 200, "allocations by events of a flush: %v", got)
				})
			}
		}
	}
}

// Without reuse events stay as they were, in whatever goroutine they are read.
func TestKeptEvents(t *testing.T) {
	b := chunk(0)
	text := b.Event("test.Text", jfrtest.Of("n", "long"), jfrtest.Of("text", jfrtest.StringClass),
		jfrtest.Const("pooled", jfrtest.StringClass))
	const flushes, events = 20, 50
	for f := range flushes {
		for i := range events {
			n := f*events + i
			b.Emit(text, ticks(b, n), n, "text "+strconv.Itoa(n), n)
		}
		b.Metadata(&jfrtest.Metadata{ID: 1})
		c := b.Checkpoint(jfrtest.MaskFlush)
		for i := range events {
			n := f*events + i
			c.Add(jfrtest.StringClass, n, "pooled "+strconv.Itoa(n))
		}
	}
	data := slices.Concat(b.Bytes(), b.Bytes())
	dir := newJVM(t, t.TempDir(), here)
	dir.put(0, b)
	final := *b
	final.Header.Flags |= jfrtest.FlagFinal
	final.Header.StartTicks++
	dir.put(1, &final)
	for name, s := range map[string]*stream.Stream{
		"file":       openFile(t, written(t, data)),
		"reader":     stream.OpenReader(bytes.NewReader(data)),
		"repository": fromTheStart(t, openRepository(t, dir.dir)),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.SetReuse(false))
			kept := make(chan mmapjfr.Event, 4*flushes*events)
			read := make(chan int)
			check := func(ev mmapjfr.Event) {
				n := strconv.FormatInt(ev.Int(fieldN), 10)
				assert.Equal(t, "text "+n, ev.Str(mmapjfr.Path("text")))
				assert.Equal(t, "pooled "+n, ev.Str(mmapjfr.Path("pooled")))
			}
			go func() {
				n := 0
				for ev := range kept {
					check(ev)
					n++
				}
				read <- n
			}()
			var all []mmapjfr.Event
			s.OnEvent(func(ev mmapjfr.Event) error {
				kept <- ev
				all = append(all, ev)
				return nil
			})
			s.OnError(func(err error) { assert.NoError(t, err) })
			require.NoError(t, s.Start(t.Context()))
			close(kept)
			assert.Equal(t, 2*flushes*events, <-read)
			runtime.GC()
			for _, ev := range all {
				check(ev)
			}
		})
	}
}

// So do their strings alone.
func TestKeptStrings(t *testing.T) {
	b := chunk(0)
	text := b.Event("test.Text", jfrtest.Of("text", jfrtest.StringClass))
	b.Emit(text, ticks(b, 1), "kept")
	data := b.Bytes()
	for _, s := range []*stream.Stream{openFile(t, written(t, data)), stream.OpenReader(bytes.NewReader(data))} {
		require.NoError(t, s.SetReuse(false))
		var kept string
		h := s.OnEvent(func(ev mmapjfr.Event) error { kept = ev.Str(mmapjfr.Path("text")); return nil })
		require.NoError(t, s.Start(t.Context()))
		require.True(t, s.Remove(h))
		for range 10 {
			runtime.GC() // what it lies in must not go, even if nothing else is left of it
			time.Sleep(time.Millisecond)
		}
		assert.Equal(t, "kept", kept)
	}
}
