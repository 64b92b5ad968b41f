package jvmstats_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAllocations observes all events of recordings again, when all names are known.
func TestAllocations(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			v := jvmstats.New()
			events := inOrder(t, said.Recording(t, name))
			observe := func() {
				for _, ev := range events {
					_ = v.Observe(ev)
				}
			}
			for range 4 { // a few events of each type are kept as text after a flush
				observe()
			}
			assert.Zero(t, testing.AllocsPerRun(5, observe))
		})
	}
}

// TestConcurrently has readers while events come.
func TestConcurrently(t *testing.T) {
	events := inOrder(t, said.Recording(t, "jdk25-profile.jfr"))
	v := jvmstats.New()
	var wall atomic.Int64
	v.SetWall(func() time.Time { return time.Unix(wall.Add(1), 0) }) // no flush is too rateSeconds after another
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v.Pick("jdk.ClassLoad")
				s := v.Snapshot()
				count := uint64(0)
				for _, r := range s.Types {
					count += r.Count
				}
				assert.Equal(t, s.Events.Count, count, "a state between flushes")
				exposition(t, v)
				v.Pick("jdk.ThreadPark")
			}
		})
	}
	for range 4 {
		observeAll(t, v, events)
	}
	close(stop)
	wg.Wait()
	v.Ended(nil)
	assert.EqualValues(t, 4*len(events), v.Snapshot().Events.Count)
}

// observeAll flushes after every hundred events.
func observeAll(t *testing.T, v *jvmstats.Vitals, events []mmapjfr.Event) {
	for i, ev := range events {
		require.NoError(t, v.Observe(ev))
		if i%100 == 99 {
			v.Flushed(time.Time{})
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	events := inOrder(b, said.Recording(b, "jdk25-profile.jfr"))
	v := jvmstats.New()
	b.ReportAllocs()
	for b.Loop() {
		for _, ev := range events {
			_ = v.Observe(ev)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/event")
}

func BenchmarkFlushed(b *testing.B) {
	events := inOrder(b, said.Recording(b, "jdk25-profile.jfr"))
	v := jvmstats.New()
	at := time.Unix(0, 0)
	v.SetWall(func() time.Time { at = at.Add(time.Second); return at })
	for _, ev := range events {
		_ = v.Observe(ev)
	}
	b.ReportAllocs()
	for b.Loop() {
		v.Flushed(time.Time{})
	}
}
