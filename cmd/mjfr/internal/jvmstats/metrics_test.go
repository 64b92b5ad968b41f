package jvmstats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

const jdk25, jdk17 = "jdk25-empty.jfr", "jdk17-empty.jfr"

// TestMetricsOfEvents is about events that no recording of testdata has, and about
// values that are not usual.
func TestMetricsOfEvents(t *testing.T) {
	type want map[string]float64
	for _, test := range []struct {
		name  string
		of    func(*jvm)
		want  want
		not   []string // beginnings of what must not be there
		jdk17 bool     // whether JDK 17 has such events
	}{
		{"direct buffers", func(j *jvm) {
			j.emit(0, "jdk.DirectBufferStatistics", values{
				"maxCapacity": 1 << 30, "count": 3, "totalCapacity": 24576, "memoryUsed": 24000,
			})
		}, want{
			`jvm_buffer_pool_max_bytes{pool="direct"}`: 1 << 30, `jvm_buffer_pool_used_buffers{pool="direct"}`: 3,
			`jvm_buffer_pool_capacity_bytes{pool="direct"}`: 24576, `jvm_buffer_pool_used_bytes{pool="direct"}`: 24000,
		}, nil, true},
		{"native memory", func(j *jvm) {
			j.emit(0, "jdk.NativeMemoryUsage", values{"type": "Thread", "reserved": 900, "committed": 100}).
				emit(1, "jdk.NativeMemoryUsage", values{"type": "GC", "reserved": 800, "committed": 200}).
				emit(2, "jdk.NativeMemoryUsageTotal", values{"reserved": 2000, "committed": 301})
		}, want{
			`jvm_native_memory_committed_bytes{pool="Thread"}`: 100, `jvm_native_memory_reserved_bytes{pool="Thread"}`: 900,
			`jvm_native_memory_committed_bytes{pool="GC"}`: 200, `jvm_native_memory_reserved_bytes{pool="GC"}`: 800,
			`jvm_native_memory_committed_bytes{pool="Total"}`: 301, `jvm_native_memory_reserved_bytes{pool="Total"}`: 2000,
		}, nil, false},
		{"container", func(j *jvm) {
			j.emit(0, "jdk.ContainerCPUThrottling", values{
				"cpuElapsedSlices": 50, "cpuThrottledSlices": 7, "cpuThrottledTime": 1_500_000_000,
			}).emit(1, "jdk.ContainerCPUUsage", values{
				"cpuTime": int64(4_000_000_000), "cpuUserTime": int64(3_000_000_000), "cpuSystemTime": 1_000_000_000,
			}).emit(2, "jdk.ContainerMemoryUsage", values{"memoryFailCount": 4, "memoryUsage": 1 << 20}).
				emit(3, "jdk.ContainerConfiguration", values{"memoryLimit": 1 << 21, "effectiveCpuCount": 2})
		}, want{
			"jvm_container_cpu_periods_total": 50, "jvm_container_cpu_throttled_periods_total": 7,
			"jvm_container_cpu_throttled_seconds_total":    1.5,
			`jvm_container_cpu_seconds_total{mode="user"}`: 3, `jvm_container_cpu_seconds_total{mode="system"}`: 1,
			"jvm_container_memory_failures_total": 4, "jvm_container_memory_used_bytes": 1 << 20,
			"jvm_container_memory_limit_bytes": 1 << 21, "jvm_container_cpus": 2,
		}, nil, true},
		{"container that knows nothing", func(j *jvm) {
			j.emit(0, "jdk.ContainerCPUThrottling", values{
				"cpuElapsedSlices": -2, "cpuThrottledSlices": -2, "cpuThrottledTime": -2,
			}).emit(1, "jdk.ContainerMemoryUsage", values{"memoryFailCount": -1, "memoryUsage": -2}).
				emit(2, "jdk.ContainerConfiguration", values{"memoryLimit": -1, "effectiveCpuCount": -1})
		}, nil, []string{"jvm_container_"}, true},
		{"safepoints", func(j *jvm) {
			j.emit(0, "jdk.SafepointEnd", values{"safepointId": 8, "duration": 1}). // began before the stream did
												emit(time.Second, "jdk.SafepointBegin", values{"safepointId": 9, "duration": 2_000_000}).
												emit(time.Second+9*time.Millisecond, "jdk.SafepointEnd", values{"safepointId": 9, "duration": 1_000_000}).
												emit(time.Second+20*time.Millisecond, "jdk.SafepointEnd", values{"safepointId": 9, "duration": 1_000_000})
		}, want{
			"jvm_safepoint_begin_seconds_sum": .002, "jvm_safepoint_begin_seconds_count": 1,
			"jvm_safepoint_seconds_sum": .01, "jvm_safepoint_seconds_count": 1,
			`jvm_safepoint_seconds_bucket{le="0.005"}`: 0, `jvm_safepoint_seconds_bucket{le="0.025"}`: 1,
		}, nil, true},
		{"a safepoint whose end comes first", func(j *jvm) {
			j.emit(9*time.Millisecond, "jdk.SafepointEnd", values{"safepointId": 9, "duration": 1_000_000})
			for i := range 60 { // of which there is no more
				j.emit(time.Second, "jdk.SafepointBegin", values{"safepointId": 100 + i})
			}
			j.emit(0, "jdk.SafepointBegin", values{"safepointId": 9})
		}, want{"jvm_safepoint_seconds_sum": .01, "jvm_safepoint_seconds_count": 1}, nil, true},
		{"a safepoint whose end never comes", func(j *jvm) {
			for i := range 100 {
				j.emit(0, "jdk.SafepointBegin", values{"safepointId": i})
			}
			j.emit(9*time.Millisecond, "jdk.SafepointEnd", values{"safepointId": 0, "duration": 1_000_000})
		}, want{"jvm_safepoint_begin_seconds_count": 100}, []string{"jvm_safepoint_seconds"}, true},
		{"classes that were unloaded", func(j *jvm) {
			j.emit(0, "jdk.ClassLoadingStatistics", values{"loadedClassCount": 12, "unloadedClassCount": 5})
		}, want{
			"jvm_classes_loaded_total": 12, "jvm_classes_unloaded_total": 5, "jvm_classes_currently_loaded": 7,
		}, nil, true},
		{"code, and classes without numbers", func(j *jvm) {
			j.Emit(j.Event("jdk.MetaspaceSummary"), startTicks)
			j.emit(1, "jdk.CodeCacheStatistics", values{"codeBlobType": "CodeCache", "reservedTopAddress": 10})
		}, want{`jvm_memory_pool_used_bytes{pool="CodeCache"}`: 10}, []string{"jvm_memory_used_bytes"}, true},
		{"context switches", func(j *jvm) {
			j.emit(0, "jdk.ThreadContextSwitchRate", values{"switchRate": float32(1234.5)})
		}, want{"system_context_switch_rate_hertz": 1234.5}, nil, true},
		{"virtual threads", func(j *jvm) {
			j.emit(0, "jdk.VirtualThreadStart", nil).emit(1, "jdk.VirtualThreadStart", nil).
				emit(2, "jdk.VirtualThreadEnd", nil).emit(3, "jdk.VirtualThreadSubmitFailed", nil).
				emit(4, "jdk.VirtualThreadPinned", values{"duration": 30_000_000})
		}, want{
			"jvm_virtual_thread_starts_total": 2, "jvm_virtual_thread_ends_total": 1,
			"jvm_virtual_thread_submit_failures_total":            1,
			"jvm_virtual_thread_pinned_seconds_sum":               .03,
			`jvm_virtual_thread_pinned_seconds_bucket{le="0.02"}`: 0, `jvm_virtual_thread_pinned_seconds_bucket{le="0.05"}`: 1,
		}, nil, false},
		{"events that were lost", func(j *jvm) {
			j.emit(0, "jdk.DataLoss", values{"amount": 100, "total": 100}).emit(1, "jdk.DataLoss", values{"amount": 50, "total": 150})
		}, want{"jfr_lost_bytes_total": 150}, nil, true},
		{"numbers that make no sense", func(j *jvm) {
			nan := jfrtest.Raw{0x7f, 0xc0, 0, 0}
			j.emit(0, "jdk.CPULoad", values{"jvmUser": nan, "jvmSystem": float32(.25), "machineTotal": nan}).
				emit(1, "jdk.FileRead", values{"bytesRead": -1, "duration": -1}).
				emit(2, "jdk.ObjectAllocationSample", values{"weight": -5}).
				emit(3, "jdk.ThreadPark", values{"duration": int64(-1) << 63}).
				emit(4, "jdk.GCCPUTime", values{"userTime": -1, "systemTime": int64(1<<63 - 1)}).
				emit(5, "jdk.CodeCacheStatistics", values{"codeBlobType": "a", "startAddress": 4096, "reservedTopAddress": 1}).
				emit(6, "jdk.CodeCacheStatistics", values{"codeBlobType": "b", "reservedTopAddress": 1, "unallocatedCapacity": 2})
		}, want{`jvm_cpu_load_ratio{mode="system"}`: .25}, []string{
			`jvm_cpu_load_ratio{mode="user"}`, "system_cpu_load", "jvm_file_read_", "jvm_allocation", "jvm_thread_park",
			"jvm_gc_cpu", "jvm_memory_pool",
		}, true},
		{"a class space that is not there", func(j *jvm) {
			j.emit(0, "jdk.MetaspaceSummary", values{"metaspace.used": 300, "metaspace.committed": 400})
		}, want{
			`jvm_memory_pool_used_bytes{pool="Metaspace"}`: 300, `jvm_memory_pool_committed_bytes{pool="Metaspace"}`: 400,
		}, []string{`jvm_memory_pool_used_bytes{pool="Comp`, "jvm_memory_used_bytes"}, true},
		{"beside the heap", func(j *jvm) {
			j.emit(0, "jdk.MetaspaceSummary", values{"metaspace.used": 300}).
				emit(1, "jdk.CodeCacheStatistics", values{
					"codeBlobType": "CodeCache", "startAddress": 1000, "reservedTopAddress": 3000, "unallocatedCapacity": 1500,
				})
		}, want{
			`jvm_memory_used_bytes{area="nonheap"}`:        800,
			`jvm_memory_pool_used_bytes{pool="CodeCache"}`: 500, `jvm_memory_pool_max_bytes{pool="CodeCache"}`: 2000,
		}, nil, true},
		{"heap by what was told last", func(j *jvm) {
			j.emit(2*time.Second, "jdk.GCHeapSummary", values{"when": "After GC", "heapUsed": 5, "heapSpace.committedSize": 64}).
				emit(time.Second, "jdk.GCHeapMemoryUsage", values{"used": 9, "committed": 32, "max": 128})
		}, want{
			`jvm_memory_used_bytes{area="heap"}`: 5, `jvm_memory_committed_bytes{area="heap"}`: 64,
			`jvm_memory_max_bytes{area="heap"}`: 128, `jvm_gc_heap_used_bytes{when="after"}`: 5,
		}, nil, false},
		{"a clock that was set back", func(j *jvm) {
			j.emit(time.Hour, "jdk.ThreadContextSwitchRate", values{"switchRate": float32(1)}).
				emit(0, "jdk.ThreadContextSwitchRate", values{"switchRate": float32(2)})
		}, want{"system_context_switch_rate_hertz": 2}, nil, true},
		{"a collector without a name", func(j *jvm) {
			j.emit(0, "jdk.GarbageCollection", values{"duration": 1_000_000_000, "sumOfPauses": 1_000_000})
		}, want{
			`jvm_gc_collection_seconds_sum{gc="unknown"}`:            1,
			`jvm_gc_pause_seconds_sum{cause="unknown",gc="unknown"}`: .001,
		}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			jdks := []string{jdk25}
			if test.jdk17 {
				jdks = append(jdks, jdk17)
			}
			for _, jdk := range jdks {
				j := newJVM(t, jdk)
				test.of(j)
				got := scrape(t, fed(t, j))
				for name, value := range test.want {
					if assert.Contains(t, got, name, jdk) {
						assert.InDelta(t, value, got[name], 1e-12, "%s of %s", name, jdk)
					}
				}
				for name := range got {
					for _, not := range test.not {
						assert.False(t, strings.HasPrefix(name, not), "%s of %s", name, jdk)
					}
				}
			}
		})
	}
}

// information returns the fields of a jdk.JVMInformation of a JVM that began so long
// after a chunk would.
func information(after time.Duration, version string) values {
	return values{
		"jvmName": "OpenJDK VM", "jvmVersion": "OpenJDK VM (x) for y JRE (" + version + "), built on z",
		"jvmStartTime": (start + int64(after)) / 1_000_000, "pid": 1,
	}
}

func TestWhichJVMItIs(t *testing.T) {
	for recording, want := range map[string]string{
		"jdk17-profile.jfr": `jvm_runtime_info{runtime="OpenJDK 64-Bit Server VM",vendor="Debian",version="17.0.15+6-Debian-1deb12u1"}`,
		"jdk25-profile.jfr": `jvm_runtime_info{runtime="OpenJDK 64-Bit Server VM",vendor="Eclipse Adoptium",version="25.0.3+9-LTS"}`,
	} {
		m := jvmstats.New()
		feed(t, m, open(t, recording))
		got := scrape(t, m)
		assert.Equal(t, 1.0, got[want])
		var all []string
		for name := range got {
			if strings.HasPrefix(name, "jvm_runtime_info") {
				all = append(all, name)
			}
		}
		assert.Equal(t, []string{want}, all)
		began, err := time.Parse(time.RFC3339Nano, jdkPrint(t, recording)["jdk.JVMInformation"][0].Values["jvmStartTime"].(string))
		require.NoError(t, err)
		assert.InDelta(t, float64(began.UnixMilli())/1e3, got["process_start_time_seconds"], 1e-6)
	}
	j := newJVM(t, jdk25).emit(0, "jdk.JVMInformation", values{"jvmName": "J9", "jvmVersion": "0.51"})
	assert.Contains(t, scrape(t, fed(t, j)), `jvm_runtime_info{runtime="J9",vendor="unknown",version="0.51"}`)
}

// TestAnotherJVM has a JVM end and another one begin in its place.
func TestAnotherJVM(t *testing.T) {
	thread := func(j *jvm, key int64) jfrtest.Constant {
		return j.Constant("java.lang.Thread", key, "os", 1, "java", 1, 0, false)
	}
	first := newJVM(t, jdk25)
	first.emit(0, "jdk.InitialSystemProperty", values{"key": "java.vm.vendor", "value": "A"}).
		emit(0, "jdk.JVMInformation", information(-time.Minute, "17")).
		emit(1, "jdk.GCHeapMemoryPoolUsage", values{"name": "G1 Eden Space", "used": 1}).
		emit(1, "jdk.ExceptionStatistics", values{"throwables": 900}).
		emit(1, "jdk.ClassLoadingStatistics", values{"loadedClassCount": 700}).
		emit(1, "jdk.MetaspaceSummary", values{"metaspace.used": 300}).
		emit(1, "jdk.CodeCacheStatistics", values{"codeBlobType": "CodeCache", "reservedTopAddress": 10, "unallocatedCapacity": 5}).
		emit(1, "jdk.ThreadAllocationStatistics", values{"thread": thread(first, 1), "allocated": 1000}).
		emit(2, "jdk.ObjectAllocationSample", values{"weight": 10})
	second := newJVM(t, jdk25)
	second.Header.StartNanos += int64(time.Minute)
	second.emit(0, "jdk.ExceptionStatistics", values{"throwables": 3}). // before it tells who it is
										emit(1, "jdk.JVMInformation", information(30*time.Second, "25")).
										emit(1, "jdk.ThreadAllocationStatistics", values{"thread": thread(second, 1), "allocated": 1500}).
										emit(2, "jdk.GCHeapMemoryPoolUsage", values{"name": "ZGC Young Generation", "used": 2}).
										emit(3, "jdk.MetaspaceSummary", values{"metaspace.used": 200}).
										emit(4, "jdk.ObjectAllocationSample", values{"weight": 20})

	m := fed(t, first)
	got := scrape(t, m)
	assert.Contains(t, got, `jvm_runtime_info{runtime="OpenJDK VM",vendor="A",version="17"}`)
	assert.Equal(t, 900.0, got["jvm_exceptions_created_total"])
	assert.Equal(t, 305.0, got[`jvm_memory_used_bytes{area="nonheap"}`])

	feed(t, m, second.open())
	got = scrape(t, m)
	assert.Contains(t, got, `jvm_runtime_info{runtime="OpenJDK VM",vendor="unknown",version="25"}`)
	assert.NotContains(t, got, `jvm_runtime_info{runtime="OpenJDK VM",vendor="A",version="17"}`)
	assert.Equal(t, 3.0, got["jvm_exceptions_created_total"], "it begins anew, as the JVM's does")
	assert.NotContains(t, got, "jvm_classes_loaded_total", "what only the first has told")
	assert.NotContains(t, got, `jvm_memory_pool_used_bytes{pool="G1 Eden Space"}`)
	assert.NotContains(t, got, `jvm_memory_used_bytes{area="nonheap"}`, "of which a part is the first's")
	assert.Equal(t, 2.0, got[`jvm_memory_pool_used_bytes{pool="ZGC Young Generation"}`])
	assert.Equal(t, 30.0, got["jvm_allocation_sampled_bytes_total"], "what is summed up here goes on")
	assert.Equal(t, 2500.0, got["jvm_threads_allocated_bytes_total"], "a thread of the second with the number of one of the first")

	// The same JVM tells again who it is at the start of each chunk.
	third := newJVM(t, jdk25)
	third.Header.StartNanos += int64(2 * time.Minute)
	third.emit(0, "jdk.JVMInformation", information(30*time.Second, "25"))
	feed(t, m, third.open())
	assert.Equal(t, 3.0, scrape(t, m)["jvm_exceptions_created_total"])

	// One more follows, whose code comes before its classes.
	fourth := newJVM(t, jdk25)
	fourth.Header.StartNanos += int64(3 * time.Minute)
	fourth.emit(0, "jdk.JVMInformation", information(150*time.Second, "25")).
		emit(1, "jdk.CodeCacheStatistics", values{"codeBlobType": "CodeCache", "reservedTopAddress": 10, "unallocatedCapacity": 5})
	feed(t, m, fourth.open())
	assert.NotContains(t, scrape(t, m), `jvm_memory_used_bytes{area="nonheap"}`)
}

// TestEventsWithoutTheirFields is about JVMs that describe other fields than those of
// today do.
func TestEventsWithoutTheirFields(t *testing.T) {
	j := newJVM(t, jdk25)
	for _, name := range jvmstats.New().EventTypes() {
		j.Emit(j.Event(name), startTicks)
	}
	got := scrape(t, fed(t, j))
	for name, value := range got {
		if strings.HasPrefix(name, "mjfr_events_total") {
			assert.Equal(t, 1.0, value, name)
			delete(got, name)
		}
	}
	assert.Equal(t, map[string]float64{
		"jvm_thread_starts_total": 1, "jvm_thread_ends_total": 1, "jvm_virtual_thread_starts_total": 1,
		"jvm_virtual_thread_ends_total": 1, "jvm_virtual_thread_submit_failures_total": 1,
		"jvm_errors_thrown_total": 1, "mjfr_errors_total": 0,
	}, got)
}

func TestStragglersDoNotSetCountersBack(t *testing.T) {
	j := newJVM(t, jdk25).
		emit(2*time.Second, "jdk.ExceptionStatistics", values{"throwables": 50}).
		emit(time.Second, "jdk.ExceptionStatistics", values{"throwables": 40})
	assert.Equal(t, 50.0, scrape(t, fed(t, j))["jvm_exceptions_created_total"])
}

// TestAllocationOfThreads sums up what threads tell in rounds.
func TestAllocationOfThreads(t *testing.T) {
	j := newJVM(t, jdk25)
	round := func(at time.Duration, allocated map[int64]int64) {
		for _, key := range []int64{1, 2, 3} {
			if bytes, ok := allocated[key]; ok {
				thread := jfrtest.Constant{Class: j.Lookup("java.lang.Thread").ID, Key: key}
				j.emit(at, "jdk.ThreadAllocationStatistics", values{"thread": thread, "allocated": bytes})
			}
		}
	}
	for _, key := range []int64{1, 2, 3} {
		j.Constant("java.lang.Thread", key, "os", key, "java", key, 0, false)
	}
	round(10*time.Second, map[int64]int64{1: 100, 2: 1000}) // 1100
	round(20*time.Second, map[int64]int64{1: 150, 2: 1000}) // 50
	round(30*time.Second, map[int64]int64{1: 150, 3: 7})    // 7; the second has ended
	round(29*time.Second, map[int64]int64{1: 120})          // a straggler
	round(40*time.Second, map[int64]int64{1: 160})          // 10
	round(50*time.Second, map[int64]int64{1: 160, 2: 1030}) // 1030, of another with the number of the second
	round(60*time.Second, map[int64]int64{1: 160, 2: 1035}) // 5
	round(70*time.Second, map[int64]int64{1: 40})           // 40, of another that is not known to be of another JVM
	assert.Equal(t, 1100.0+50+7+10+1030+5+40, scrape(t, fed(t, j))["jvm_threads_allocated_bytes_total"])
}

// TestLabelsAreBounded has more causes of collections, and event types, than anybody
// needs, and strings that Prometheus would refuse.
func TestLabelsAreBounded(t *testing.T) {
	t.Run("too many", func(t *testing.T) {
		j := newJVM(t, jdk25)
		const many = jvmstats.MaxSeries + 50
		for i := range many {
			j.emit(time.Duration(i), "jdk.GarbageCollection", values{"name": "gc", "cause": fmt.Sprint("cause ", i)}).
				emit(time.Duration(i), "jdk.GCHeapMemoryPoolUsage", values{"name": fmt.Sprint("pool ", i), "used": 1})
		}
		got := scrape(t, fed(t, j))
		var counts, pools int
		for name := range got {
			if strings.HasPrefix(name, "jvm_gc_pause_seconds_count") {
				counts++
			}
			if strings.HasPrefix(name, "jvm_memory_pool_used_bytes") {
				pools++
			}
		}
		assert.Equal(t, jvmstats.MaxSeries+1, counts)
		assert.Equal(t, 50.0, got[`jvm_gc_pause_seconds_count{cause="other",gc="other"}`])
		assert.Equal(t, jvmstats.MaxSeries, pools)
		assert.NotContains(t, got, `jvm_memory_pool_used_bytes{pool="other"}`)
	})
	t.Run("event types", func(t *testing.T) {
		j := newJVM(t, jdk25)
		for i := range 1010 {
			j.Emit(j.Event(fmt.Sprint("test.Type", i)), startTicks)
		}
		got := scrape(t, fed(t, j))
		assert.Equal(t, 1.0, got[`mjfr_events_total{type="test.Type999"}`])
		assert.NotContains(t, got, `mjfr_events_total{type="test.Type1000"}`)
		assert.Equal(t, 10.0, got[`mjfr_events_total{type="other"}`])
	})
	t.Run("odd", func(t *testing.T) {
		j := newJVM(t, jdk25)
		pool := func(name any) {
			j.emit(0, "jdk.GCHeapMemoryPoolUsage", values{"name": name, "used": 7})
		}
		pool(jfrtest.UTF8("a\xffb"))
		pool(jfrtest.UTF8("a\xfeb")) // the same when it has been made valid
		pool("line\n\"quoted\"")
		pool(strings.Repeat("ü", 1000))
		pool("a" + strings.Repeat("ü", 1000)) // which is cut within a character
		pool(nil)
		got := scrape(t, fed(t, j))
		for _, label := range []string{"a\uFFFDb", `line\n\"quoted\"`, strings.Repeat("ü", 64), "a" + strings.Repeat("ü", 63), "unknown"} {
			assert.Equal(t, 7.0, got[`jvm_memory_pool_used_bytes{pool="`+label+`"}`], label)
		}
	})
}

func TestNothingOfThisProcess(t *testing.T) {
	m := jvmstats.New()
	assert.Equal(t, map[string]float64{"mjfr_errors_total": 0}, scrape(t, m))
}

func TestAboutTheReading(t *testing.T) {
	m := fed(t, newJVM(t, jdk25).
		emit(0, "jdk.ThreadPark", values{"duration": int64(time.Second)}).
		emit(5, "jdk.ThreadSleep", nil))
	m.Failed()
	m.Failed()
	at := time.Unix(0, start).Add(time.Second + 300*time.Millisecond)
	m.Flushed(at)
	m.Flushed(at.Add(time.Second)) // without an event
	got := scrape(t, m)
	assert.Equal(t, 2.0, got["mjfr_errors_total"])
	assert.InDelta(t, float64(at.UnixNano())/1e9+1, got["mjfr_last_flush_timestamp_seconds"], 1e-6)
	assert.InDelta(t, .3, got["mjfr_event_delay_seconds_sum"], 1e-9, "from the end of the newest event")
	assert.Equal(t, 1.0, got["mjfr_event_delay_seconds_count"])
	assert.Equal(t, 1.0, got[`mjfr_events_total{type="jdk.ThreadPark"}`])
}
