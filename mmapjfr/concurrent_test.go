package mmapjfr_test

import (
	"hash/fnv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestManyReadOneRecording lets goroutines do everything at once on a recording
// that nobody has touched, so that all that is made on first use is made in a
// race.
func TestManyReadOneRecording(t *testing.T) {
	for _, name := range []string{"jdk25-chunks.jfr", "jdk25-flushed.jfr", "concat-jdk17-jdk25.jfr", "jdk25-strings.jfr"} {
		t.Run(name, func(t *testing.T) {
			want := everything(t, openFile(t, name), 0)
			rec := openFile(t, name)
			var wg sync.WaitGroup
			got := make([]uint64, 16)
			for i := range got {
				wg.Go(func() { got[i] = everything(t, rec, i) })
			}
			wg.Wait()
			for i, sum := range got {
				assert.Equal(t, want, sum, "goroutine %d", i)
			}
			require.NoError(t, rec.Close())
		})
	}
}

// everything reads a recording in all ways and returns a sum of what it read. It
// begins in a different place for each goroutine.
func everything(t *testing.T, rec *mmapjfr.Recording, first int) uint64 {
	paths := []*mmapjfr.FieldPath{
		mmapjfr.Path("eventThread.javaName"), mmapjfr.Path("stackTrace.frames[0].method.name"), mmapjfr.Path("duration"),
		mmapjfr.Path("eventThread.group.name"), mmapjfr.Path("text"), mmapjfr.Path("name"),
	}
	hash := func(texts ...string) uint64 {
		h := fnv.New64a()
		for _, s := range texts {
			_, _ = h.Write([]byte(s))
		}
		return h.Sum64()
	}
	ways := []func() uint64{
		func() (sum uint64) { // iterate
			for ev, err := range rec.Events() {
				if err != nil {
					continue
				}
				sum += hash(told(ev))
			}
			return sum
		},
		func() (sum uint64) { // EventAtOffset, with offsets from a selection
			for ev := range rec.Select(mmapjfr.Types("*")).Events() {
				if ev.IsZero() {
					continue
				}
				at, err := rec.EventAtOffset(ev.Offset())
				if !assert.NoError(t, err) {
					return 0
				}
				sum += at.Ordinal() * uint64(at.Size())
			}
			return sum
		},
		func() (sum uint64) { // paths
			cur := rec.Select().Cursor()
			for cur.Next() {
				for _, p := range paths {
					sum += hash(cur.Event().Str(p)) + cur.Event().Uint(p)
				}
			}
			return sum
		},
		func() (sum uint64) { // stacks
			for ev := range rec.Events() {
				if ev.IsZero() {
					continue
				}
				for f := range ev.StackTrace().Frames() {
					sum += hash(f.Method().Class().Name(), f.Method().Name()) + uint64(f.Line())
				}
			}
			return sum
		},
		func() (sum uint64) { // constants
			for _, c := range rec.Chunks() {
				types, err := c.Types()
				if !assert.NoError(t, err) {
					return 0
				}
				for _, typ := range types {
					for key, v := range engine.ChunkConstants(c, typ) {
						sum += uint64(key) ^ hash(v.Str())
					}
				}
				assert.NoError(t, c.ConstantsErr())
			}
			return sum
		},
		func() (sum uint64) { // bindings
			b, err := mmapjfr.Bind[struct {
				Start int64 `jfr:"startTime,ticks"`
			}](rec, "jdk.ActiveSetting")
			if err != nil {
				return 1
			}
			for row := range b.Events() {
				sum += uint64(row.Start)
			}
			return sum
		},
	}
	var sum uint64
	for i := range ways {
		n := (i + first) % len(ways)
		sum += ways[n]() * uint64(n+1)
	}
	return sum
}

// TestDetachedEventsInOtherGoroutines passes events on while the iteration runs.
func TestDetachedEventsInOtherGoroutines(t *testing.T) {
	rec := openFile(t, "jdk25-chunks.jfr")
	type job struct {
		ev   mmapjfr.Event
		want string
	}
	jobs := make(chan job)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for j := range jobs {
				assert.Equal(t, j.want, told(j.ev))
			}
		})
	}
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		jobs <- job{ev.Detached(), told(ev)}
	}
	close(jobs)
	wg.Wait()
}

// TestPathsAreMadeAndResolvedAtOnce: all goroutines begin with paths that nobody
// has used.
func TestPathsAreMadeAndResolvedAtOnce(t *testing.T) {
	rec, _ := openBuilt(t, newSample(), newSample().Uncompressed())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 50 {
				p := mmapjfr.Path("stackTrace.frames[" + string(rune('0'+i%10)) + "].concurrent" + string(rune('a'+i/10)))
				q := mmapjfr.Path("sampledThread.group.name")
				for ev := range rec.Select(mmapjfr.Types("ExecutionSample")).Events() {
					assert.False(t, ev.Has(p))
					if !ev.Get(mmapjfr.Path("sampledThread")).IsMissing() {
						assert.Equal(t, "main-group", ev.Str(q))
					}
				}
			}
		})
	}
	wg.Wait()
}
