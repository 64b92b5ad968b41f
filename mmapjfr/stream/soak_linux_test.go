package stream_test

import (
	"context"
	"flag"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

var rotations = flag.Int("rotations", 12, "how often the soak test lets a JVM begin a new chunk")

// held is what a process has.
type held struct {
	files, maps, goroutines int
	heap                    uint64
}

// holds returns what this process has of a repository.
func holds(t *testing.T, dir string) (h held) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, fd := range fds {
		if target, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(target, dir) {
			h.files++
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	h.maps = strings.Count(string(maps), dir)
	h.goroutines = runtime.NumGoroutine()
	runtime.GC()
	runtime.GC() // what the first one has let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap = m.HeapAlloc
	return h
}

// TestSoak follows a JVM through many chunks, which it removes soon: what the stream holds
// does not become more.
func TestSoak(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, Threads: 2, Rate: 20_000, Busy: true, Recording: "maxage=1s,maxsize=3m"})
	s, err := stream.OpenRepository(j.Repository)
	require.NoError(t, err)
	var ticks, flushes atomic.Int64
	number := mmapjfr.Path("number")
	last := map[int64]int64{} // by worker
	worker := mmapjfr.Path("worker")
	s.OnEventType("mmapjfr.Tick", func(ev mmapjfr.Event) error {
		ticks.Add(1)
		w, n := ev.Int(worker), ev.Int(number)
		if before, ok := last[w]; ok && n != before+1 {
			t.Errorf("worker %d: tick %d follows %d", w, n, before)
		}
		last[w] = n
		return nil
	})
	s.OnEvent(func(ev mmapjfr.Event) error { _ = ev.StackTrace().Len(); return nil })
	s.OnFlush(func() error { flushes.Add(1); return nil })
	s.OnError(func(err error) { t.Error(err) })
	require.NoError(t, s.StartAsync(context.Background()))

	var warm held
	for n := range *rotations {
		j.Send("rotate")
		time.Sleep(300 * time.Millisecond)
		if n == *rotations/3 {
			warm = holds(t, j.Repository)
		}
	}
	end := holds(t, j.Repository)
	t.Logf("%d rotations, %d ticks in %d flushes; after a third of them %+v, in the end %+v", *rotations, ticks.Load(), flushes.Load(), warm, end)
	assert.LessOrEqual(t, end.files, warm.files+2, "files")
	assert.LessOrEqual(t, end.maps, warm.maps+1, "maps")
	assert.LessOrEqual(t, end.goroutines, warm.goroutines, "goroutines")
	assert.Less(t, end.heap, warm.heap+4<<20, "heap")

	j.Exit()
	require.NoError(t, s.AwaitTermination(time.Minute))
	after := holds(t, j.Repository)
	assert.Zero(t, after.files)
	assert.Zero(t, after.maps)
}
