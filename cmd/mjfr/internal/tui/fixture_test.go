package tui_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

var update = flag.Bool("update", false, "write the golden files anew; look at them")

// golden compares a screen, without its styles, with the one that is kept.
func golden(t *testing.T, name, screen string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	got := ansi.Strip(screen) + "\n"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		t.Error("written: look at it, and run without -update")
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// source is one whose state a test sets.
type source struct {
	mu    sync.Mutex
	title string
	snap  jvmstats.Snapshot
	texts map[string][]string
}

func (s *source) Title() string { return s.title }

func (s *source) Snapshot() jvmstats.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := s.snap
	snap.Recent = s.texts[snap.Picked]
	return snap
}

func (s *source) Pick(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snap.Picked = name
}

// change makes another state of it.
func (s *source) change(do func(*jvmstats.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(&s.snap)
	s.snap.Number++
}

// shop is the source of most tests: a JVM in full swing.
func shop() *source {
	return &source{title: "4711", snap: shopSnapshot(), texts: map[string][]string{
		"jdk.GCPhasePause": {
			"jdk.GCPhasePause {\n  startTime = 12:00:01.000 (2026-11-21)\n  duration = 4.12 ms\n  gcId = 17\n  name = \"GC Pause\"\n}\n\n",
			"jdk.GCPhasePause {\n  startTime = 12:00:09.000 (2026-11-21)\n  duration = 3.01 ms\n  gcId = 18\n  name = \"GC Pause\"\n}\n\n",
		},
	}}
}

// now is when the state of the tests was.
var now = time.Date(2026, 11, 21, 12, 0, 10, 0, time.UTC)

func shopSnapshot() jvmstats.Snapshot {
	s := jvmstats.Snapshot{
		Time: jsonout.At(now), Start: jsonout.At(now.Add(-10 * time.Minute)), State: jvmstats.Live, Quiet: 300 * time.Millisecond,
		Events: jvmstats.Events{Count: 1234567, PerSecond: 1782.4},
		JVM: jvmstats.JVM{
			PID: 4711, Name: "OpenJDK 64-Bit Server VM",
			Version:       "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on 2026-04-21",
			JavaArguments: "com.example.shop.Main --till 3", Start: jsonout.At(now.Add(-3*time.Hour - 12*time.Minute)),
		},
		CPU:       jvmstats.CPU{Time: jsonout.At(now), JVMUser: 0.31, JVMSystem: 0.062, Machine: 0.52},
		Heap:      jvmstats.Heap{Time: jsonout.At(now), Used: 312 << 20, Committed: 1 << 30, Max: 4 << 30, BeforeGC: 700 << 20, AfterGC: 280 << 20},
		Metaspace: jvmstats.Metaspace{Time: jsonout.At(now), Used: 52 << 20, Committed: 60 << 20, Reserved: 1 << 30},
		GC: jvmstats.GC{
			Time: jsonout.At(now.Add(-1900 * time.Millisecond)), Last: 4120 * time.Microsecond, Recent: 12, Sum: 123 * time.Millisecond,
			Longest: 32 * time.Millisecond, Share: 0.00205, Count: 4321, Total: 40 * time.Second, Young: "G1New", Old: "G1Old",
			Causes: []jvmstats.Cause{
				{Name: "G1 Evacuation Pause", Count: 11, Pauses: 103 * time.Millisecond},
				{Name: "Metadata GC Threshold", Count: 1, Pauses: 20 * time.Millisecond},
			},
		},
		Alloc: jvmstats.Allocation{
			Source: "jdk.ObjectAllocationSample", PerSecond: 126 << 20, Recent: 7 << 30,
			Classes: []jvmstats.ClassAlloc{
				{Class: "byte[]", Bytes: 4 << 30, Events: 6000, Share: 4. / 7},
				{Class: "com.example.shop.catalogue.assortment.seasonal.ArticleDescriptionTranslation", Bytes: 2 << 30, Events: 500, Share: 2. / 7},
				{Class: "java.util.HashMap$Node[]", Bytes: 1 << 30, Events: 300, Share: 1. / 7},
			},
		},
		Methods: jvmstats.Methods{Samples: 1200, Top: []jvmstats.Method{
			{Name: "java.util.HashMap.getNode", Samples: 600, Share: 0.5},
			{Name: "com.example.shop.catalogue.assortment.seasonal.ArticleDescriptionTranslation.translate", Samples: 400, Share: 1. / 3},
			{Name: "com.example.日本語.注文.処理", Samples: 150, Share: 0.125},
			{Name: "java.lang.String.hashCode", Samples: 50, Share: 50. / 1200},
		}},
		Native: jvmstats.Methods{Samples: 90, Top: []jvmstats.Method{
			{Name: "sun.nio.ch.EPoll.wait", Samples: 88, Share: 88. / 90},
			{Name: "java.lang.ProcessImpl.forkAndExec", Samples: 2, Share: 2. / 90},
		}},
		Locks: []jvmstats.Lock{
			{Kind: jvmstats.Monitor, Class: "com.example.shop.Till", Count: 1263, Wait: 38900 * time.Millisecond},
			{Kind: jvmstats.Park, Class: "java.util.concurrent.locks.ReentrantLock$NonfairSync", Count: 8, Wait: 101 * time.Millisecond},
		},
		Exceptions: jvmstats.Exceptions{
			Time: jsonout.At(now), Count: 44012, PerSecond: 3.1, Source: "jdk.JavaExceptionThrow", Recorded: 180,
			Classes: []jvmstats.ClassCount{
				{Class: "java.lang.NumberFormatException", Count: 175},
				{Class: "com.example.shop.SoldOutException", Count: 5},
			},
		},
		Threads: jvmstats.Threads{Time: jsonout.At(now), Active: 42, Daemon: 12, Peak: 51, Started: 300},
		IO:      jvmstats.IO{Time: jsonout.At(now), FileRead: 44 << 20, FileWrite: 22 << 10, SocketRead: 1300, SocketWrite: 900, RecentEvents: 100},
		Types: []jvmstats.TypeRate{
			{Name: "com.example.shop.Order", Count: 70123, PerSecond: 120.4, PerSecondMinute: 117.2, Last: jsonout.At(now)},
			{Name: "jdk.CPULoad", Count: 600, PerSecond: 1, PerSecondMinute: 1, Last: jsonout.At(now)},
			{Name: "jdk.ExecutionSample", Count: 12000, PerSecond: 20, PerSecondMinute: 20, Last: jsonout.At(now)},
			{Name: "jdk.GCPhasePause", Count: 4321, PerSecond: 0.2, PerSecondMinute: 0.2, Last: jsonout.At(now)},
			{Name: "jdk.GarbageCollection", Count: 4300, PerSecond: 0.2, PerSecondMinute: 0.19, Last: jsonout.At(now)},
			{Name: "jdk.JVMInformation", Count: 1, Last: jsonout.At(now.Add(-10 * time.Minute))},
			{Name: "jdk.JavaExceptionThrow", Count: 44012, PerSecond: 3.1, PerSecondMinute: 3, Last: jsonout.At(now)},
			{Name: "jdk.JavaMonitorEnter", Count: 12345, PerSecond: 21, PerSecondMinute: 21.05, Last: jsonout.At(now)},
			{Name: "jdk.NativeMethodSample", Count: 900, PerSecond: 1.5, PerSecondMinute: 1.5, Last: jsonout.At(now)},
			{Name: "jdk.ObjectAllocationInNewTLAB", Count: 0},
			{Name: "jdk.ObjectAllocationSample", Count: 90000, PerSecond: 150, PerSecondMinute: 149.9, Last: jsonout.At(now)},
			{Name: "jdk.SocketRead", Count: 333, PerSecond: 0.4, PerSecondMinute: 0.38, Last: jsonout.At(now)},
			{Name: "jdk.ThreadPark", Count: 80, PerSecond: 0.1, PerSecondMinute: 0.13, Last: jsonout.At(now)},
		},
	}
	for i := range 100 {
		at := now.Add(time.Duration(i-99) * time.Second)
		jvm := 0.5 + 0.45*math.Sin(float64(i)/7)
		s.CPU.History = append(s.CPU.History, jvmstats.CPUPoint{Time: jsonout.At(at), JVM: jvm, Machine: min(1, jvm+0.2)})
		s.Heap.History = append(s.Heap.History, jvmstats.HeapPoint{Time: jsonout.At(at), Used: int64(i%20*100+280) << 20, Committed: 1 << 30})
	}
	return s
}
