//go:build unix

package bench_test

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

var liveFor = flag.Duration("live", 3*time.Second, "how long JVMs are followed")

// BenchmarkLive follows a JVM that writes 100,000 events a second, beside the JDK's own
// stream with the same subscription, in a process of its own. It reports which part of a
// processor each takes, and how long after a flush its first event is handled. What the
// virtual machine takes to write what it flushes is part of that.
func BenchmarkLive(b *testing.B) {
	const rate = 100_000
	for _, subscription := range []struct {
		name  string
		types []string
	}{
		{"one type of many", []string{"jdk.JavaMonitorEnter"}},
		{"all that comes", []string{"mmapjfr.Tick"}},
		{"everything", nil},
	} {
		b.Run(subscription.name, func(b *testing.B) {
			j := jvmtest.Start(b, jvmtest.Options{Major: 25, Threads: 2, Rate: rate, Busy: true})
			jdk := jvmtest.StartConsumer(b, j.Repository, jvmtest.ConsumeOptions{Types: subscription.types})
			s, err := stream.OpenRepository(j.Repository)
			require.NoError(b, err)
			ours := follow(s, subscription.types)
			began, cpu := time.Now(), processorTime(b)
			require.NoError(b, s.StartAsync(context.Background()))
			for range b.N {
				time.Sleep(*liveFor)
			}
			cpu, elapsed := processorTime(b)-cpu, time.Since(began)
			require.NoError(b, s.Close())
			require.NoError(b, s.AwaitTermination(0))
			theirs := jdk.Stop()
			j.Kill()

			b.ReportMetric(0, "ns/op")
			b.ReportMetric(100*cpu.Seconds()/elapsed.Seconds(), "cpu-%")
			b.ReportMetric(100*theirs.CPU.Seconds()/elapsed.Seconds(), "jdk-cpu-%")
			b.ReportMetric(float64(ours.events)/elapsed.Seconds(), "events/s")
			b.ReportMetric(float64(theirs.Events())/elapsed.Seconds(), "jdk-events/s")
			slices.Sort(ours.delays)
			if n := len(ours.delays); n > 0 {
				b.ReportMetric(float64(ours.delays[n/2].Microseconds())/1000, "delay-ms")
				b.ReportMetric(float64(ours.delays[n*9/10].Microseconds())/1000, "delay-p90-ms")
			}
		})
	}
}

// followed is what came of following a JVM.
type followed struct {
	events int
	counts map[string]int
	wall   int64     // of the youngest tick
	first  time.Time // when the first event of the flush was handled
	delays []time.Duration
}

// follow makes a stream do what the JDK's is made to do: count events by type, and read
// a field of those of one type.
func follow(s *stream.Stream, types []string) *followed {
	f := &followed{counts: map[string]int{}}
	wall := mmapjfr.Path("wall")
	handle := func(ev mmapjfr.Event) error {
		if f.first.IsZero() {
			f.first = time.Now()
		}
		name := ev.Type().Name()
		f.events++
		f.counts[name]++
		if name == "mmapjfr.Tick" {
			f.wall = max(f.wall, ev.Int(wall))
		}
		return nil
	}
	if len(types) == 0 {
		s.OnEvent(handle)
	}
	for _, name := range types {
		s.OnEventType(name, handle)
	}
	s.OnFlush(func() error {
		if !f.first.IsZero() {
			f.delays = append(f.delays, f.first.Sub(s.LastFlush()))
		}
		f.first = time.Time{}
		return nil
	})
	return f
}

// processorTime returns how long processors have worked for this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
