package jvmstats_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// recordings are of less than ten seconds: all of them is recent.
var recordings = []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-cputime.jfr"}

// TestAgainstJDK compares the state after a recording with the events that the JDK
// prints of it.
func TestAgainstJDK(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			s := observed(t, inOrder(t, said.Recording(t, name))).Snapshot()
			events := answer(t, name)
			assert.Equal(t, jvmstats.Ended, s.State)
			assert.EqualValues(t, len(events), s.Events.Count)
			sameTypes(t, events, s)
			sameJVM(t, events, s)
			sameHeap(t, events, s)
			samePauses(t, events, s)
			sameAllocation(t, events, s)
			sameMethods(t, events, s)
			sameLocks(t, events, s)
			sameExceptions(t, events, s)
			sameIO(t, events, s)
		})
	}
}

// ends returns when the first and the last event ended.
func ends(events []told) (first, last time.Time) {
	for _, e := range events {
		at := e.end
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return first, last
}

// perSecond returns the rate of an amount over the time of all events, or over what
// there is of the last seconds, the current one counting as far as it has got.
func perSecond(events []told, seconds int, weight func(e told) int64) float64 {
	first, last := ends(events)
	from := last.Truncate(time.Second).Add(-time.Duration(seconds-1) * time.Second)
	sum := int64(0)
	for _, e := range events {
		if !e.end.Before(from) {
			sum += weight(e)
		}
	}
	if first.After(from) {
		from = first
	}
	return float64(sum) / max(1, last.Sub(from).Seconds())
}

func sameTypes(t *testing.T, events []told, s jvmstats.Snapshot) {
	counts, _ := sums(events, func(e told) string { return e.Type }, one)
	assert.Len(t, s.Types, len(counts))
	for _, r := range s.Types {
		ofType := func(e told) int64 {
			if e.Type == r.Name {
				return 1
			}
			return 0
		}
		assert.EqualValues(t, counts[r.Name], r.Count, r.Name)
		assert.InDelta(t, perSecond(events, 10, ofType), r.PerSecond, 1e-9, r.Name)
		assert.InDelta(t, perSecond(events, 60, ofType), r.PerSecondMinute, 1e-9, r.Name)
		assert.Equal(t, last(t, events, r.Name).end.Truncate(time.Second), r.Last.Time, r.Name)
	}
	first, last := ends(events)
	assert.Equal(t, first, s.Start.Time)
	assert.Equal(t, last, s.Time.Time)
	assert.InDelta(t, perSecond(events, 10, one), s.Events.PerSecond, 1e-9)
}

func sameJVM(t *testing.T, events []told, s jvmstats.Snapshot) {
	j := last(t, events, "jdk.JVMInformation")
	c := last(t, events, "jdk.CPUInformation")
	start, err := time.Parse(time.RFC3339Nano, j.text("jvmStartTime"))
	require.NoError(t, err)
	assert.Equal(t, jvmstats.JVM{
		PID: j.int("pid"), Name: j.text("jvmName"), Version: j.text("jvmVersion"),
		Arguments: j.text("jvmArguments"), JavaArguments: j.text("javaArguments"), Start: jsonout.At(start),
		Processor: c.text("cpu"), HardwareThreads: c.int("hwThreads"),
	}, s.JVM)
	if loads := of(events, "jdk.CPULoad"); len(loads) > 0 {
		l := last(t, events, "jdk.CPULoad")
		assert.Equal(t, l.end, s.CPU.Time.Time)
		assert.InDelta(t, l.at("jvmUser"), s.CPU.JVMUser, 1e-6)
		assert.InDelta(t, l.at("jvmSystem"), s.CPU.JVMSystem, 1e-6)
		assert.InDelta(t, l.at("machineTotal"), s.CPU.Machine, 1e-6)
		assert.LessOrEqual(t, len(s.CPU.History), len(loads))
		assert.NotEmpty(t, s.CPU.History)
	}
	if len(of(events, "jdk.JavaThreadStatistics")) > 0 {
		n := last(t, events, "jdk.JavaThreadStatistics")
		assert.Equal(t, jvmstats.Threads{
			Time: jsonout.At(n.end), Active: n.int("activeCount"), Daemon: n.int("daemonCount"),
			Peak: n.int("peakCount"), Started: n.int("accumulatedCount"),
		}, s.Threads)
	}
}

func sameHeap(t *testing.T, events []told, s jvmstats.Snapshot) {
	assert.Equal(t, last(t, events, "jdk.GCHeapConfiguration").int("maxSize"), s.Heap.Max)
	var newest told
	for _, name := range []string{"jdk.GCHeapSummary", "jdk.GCHeapMemoryUsage"} {
		for _, e := range of(events, name) {
			if newest.Type == "" || e.end.After(newest.end) {
				newest = e
			}
		}
	}
	if newest.Type == "jdk.GCHeapSummary" {
		assert.Equal(t, newest.int("heapUsed"), s.Heap.Used)
		assert.Equal(t, newest.int("heapSpace.committedSize"), s.Heap.Committed)
	} else {
		assert.Equal(t, newest.int("used"), s.Heap.Used)
		assert.Equal(t, newest.int("committed"), s.Heap.Committed)
	}
	for when, got := range map[string]int64{"Before GC": s.Heap.BeforeGC, "After GC": s.Heap.AfterGC} {
		want := int64(0)
		for _, e := range of(events, "jdk.GCHeapSummary") {
			if e.text("when") == when {
				want = e.int("heapUsed")
			}
		}
		assert.Equal(t, want, got, when)
	}
	if len(of(events, "jdk.MetaspaceSummary")) > 0 {
		m := last(t, events, "jdk.MetaspaceSummary")
		assert.Equal(t, jvmstats.Metaspace{
			Time: jsonout.At(m.end), Used: m.int("metaspace.used"),
			Committed: m.int("metaspace.committed"), Reserved: m.int("metaspace.reserved"),
		}, s.Metaspace)
	}
}

func samePauses(t *testing.T, events []told, s jvmstats.Snapshot) {
	var sum, longest time.Duration
	pauses := of(events, "jdk.GCPhasePause")
	for _, e := range pauses {
		sum += e.length(t, "duration")
		longest = max(longest, e.length(t, "duration"))
	}
	assert.EqualValues(t, len(pauses), s.GC.Recent)
	assert.EqualValues(t, len(pauses), s.GC.Count)
	assert.Equal(t, sum, s.GC.Sum)
	assert.Equal(t, sum, s.GC.Total)
	assert.Equal(t, longest, s.GC.Longest)
	if len(pauses) > 0 {
		l := last(t, events, "jdk.GCPhasePause")
		assert.Equal(t, l.length(t, "duration"), s.GC.Last)
		assert.Equal(t, l.end, s.GC.Time.Time)
		first, last := ends(events)
		assert.InDelta(t, sum.Seconds()/max(1, last.Sub(first).Seconds()), s.GC.Share, 1e-9)
	}
	collections := of(events, "jdk.GarbageCollection")
	cause := func(e told) string { return e.text("cause") }
	counts, _ := sums(collections, cause, one)
	times, _ := sums(collections, cause, func(e told) int64 { return int64(e.length(t, "sumOfPauses")) })
	assert.Len(t, s.GC.Causes, len(counts))
	for _, c := range s.GC.Causes {
		assert.Equal(t, counts[c.Name], c.Count, c.Name)
		assert.Equal(t, times[c.Name], int64(c.Pauses), c.Name)
	}
	assert.Equal(t, last(t, events, "jdk.GCConfiguration").text("youngCollector"), s.GC.Young)
	assert.Equal(t, last(t, events, "jdk.GCConfiguration").text("oldCollector"), s.GC.Old)
}

// sameAllocation has recordings with samples and with events of buffers, of which only
// the former count: as written, or less for the first one of a thread.
func sameAllocation(t *testing.T, events []told, s jvmstats.Snapshot) {
	samples := of(events, "jdk.ObjectAllocationSample")
	weight := func(e told) int64 { return e.int("weight") }
	by, all := sums(samples, func(e told) string { return e.class("objectClass") }, weight)
	assert.Equal(t, "jdk.ObjectAllocationSample", s.Alloc.Source)
	assert.LessOrEqual(t, s.Alloc.Recent, all)
	assert.LessOrEqual(t, s.Alloc.PerSecond-1e-3, perSecond(events, 10, func(e told) int64 {
		if e.Type == "jdk.ObjectAllocationSample" {
			return weight(e)
		}
		return 0
	}))
	require.NotEmpty(t, s.Alloc.Classes)
	for i, c := range s.Alloc.Classes {
		assert.LessOrEqual(t, c.Bytes, by[c.Class], c.Class)
		assert.InDelta(t, float64(c.Bytes)/float64(s.Alloc.Recent), c.Share, 1e-9)
		if i > 0 {
			assert.LessOrEqual(t, c.Bytes, s.Alloc.Classes[i-1].Bytes)
		}
	}
	assert.Len(t, s.Alloc.Classes, min(len(by), 50))
}

func sameMethods(t *testing.T, events []told, s jvmstats.Snapshot) {
	for name, got := range map[string]jvmstats.Methods{
		"jdk.ExecutionSample": s.Methods, "jdk.NativeMethodSample": s.Native, "jdk.CPUTimeSample": s.CPUTime,
	} {
		by, all := sums(of(events, name), told.top, one)
		assert.Equal(t, all, got.Samples, name)
		assert.Len(t, got.Top, min(len(by), 50), name)
		for _, m := range got.Top {
			assert.Equal(t, by[m.Name], m.Samples, m.Name)
			assert.InDelta(t, float64(m.Samples)/float64(all), m.Share, 1e-9)
		}
	}
}

func sameLocks(t *testing.T, events []told, s jvmstats.Snapshot) {
	length := func(e told) int64 { return int64(e.length(t, "duration")) }
	all := 0
	for kind, where := range map[jvmstats.LockKind][2]string{
		jvmstats.Monitor: {"jdk.JavaMonitorEnter", "monitorClass"},
		jvmstats.Park:    {"jdk.ThreadPark", "parkedClass"},
	} {
		class := func(e told) string {
			if name := e.class(where[1]); name != "" {
				return name
			}
			return "(unknown)"
		}
		counts, _ := sums(of(events, where[0]), class, one)
		waits, _ := sums(of(events, where[0]), class, length)
		all += len(counts)
		for _, l := range s.Locks {
			if l.Kind == kind {
				assert.Equal(t, counts[l.Class], l.Count, l.Class)
				assert.Equal(t, waits[l.Class], int64(l.Wait), l.Class)
			}
		}
	}
	assert.Len(t, s.Locks, all)
}

func sameExceptions(t *testing.T, events []told, s jvmstats.Snapshot) {
	class := func(e told) string { return e.class("thrownClass") }
	by, all := sums(of(events, "jdk.JavaErrorThrow"), class, one)
	thrown, _ := sums(of(events, "jdk.JavaExceptionThrow"), class, one)
	for name, n := range thrown {
		if by[name] == 0 {
			by[name], all = n, all+n
		}
	}
	assert.Equal(t, all, s.Exceptions.Recorded)
	assert.Len(t, s.Exceptions.Classes, len(by))
	for _, c := range s.Exceptions.Classes {
		assert.Equal(t, by[c.Class], c.Count, c.Class)
	}
	stats := of(events, "jdk.ExceptionStatistics")
	if len(stats) > 0 {
		first, last := stats[0], last(t, events, "jdk.ExceptionStatistics")
		assert.Equal(t, last.int("throwables"), s.Exceptions.Count)
		took := last.end.Sub(first.end).Seconds()
		if took > 0 && last.end.Truncate(time.Second) != first.end.Truncate(time.Second) {
			assert.InDelta(t, float64(last.int("throwables")-first.int("throwables"))/took, s.Exceptions.PerSecond, 1e-9)
		}
	}
}

func sameIO(t *testing.T, events []told, s jvmstats.Snapshot) {
	all := 0
	for name, where := range map[string]struct {
		field string
		got   float64
	}{
		"jdk.FileRead":    {"bytesRead", s.IO.FileRead},
		"jdk.FileWrite":   {"bytesWritten", s.IO.FileWrite},
		"jdk.SocketRead":  {"bytesRead", s.IO.SocketRead},
		"jdk.SocketWrite": {"bytesWritten", s.IO.SocketWrite},
	} {
		all += len(of(events, name))
		assert.InDelta(t, perSecond(events, 10, func(e told) int64 {
			if e.Type == name {
				return max(0, e.int(where.field))
			}
			return 0
		}), where.got, 1e-6, name)
	}
	assert.EqualValues(t, all, s.IO.RecentEvents)
}
