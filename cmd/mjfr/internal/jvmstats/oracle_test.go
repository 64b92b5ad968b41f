package jvmstats_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// jdkEvent is an event as the JDK's jfr prints it.
type jdkEvent struct {
	Type   string         `json:"type"`
	Values map[string]any `json:"values"`
}

// jdkEvents are all events of a recording, by type, in the order of their times.
type jdkEvents map[string][]jdkEvent

func jdkPrint(t testing.TB, recording string) jdkEvents {
	t.Helper()
	answer := said.Of(t, recording, "print", "--json")
	require.Empty(t, answer.Refusal)
	var doc struct {
		Recording struct {
			Events []jdkEvent `json:"events"`
		} `json:"recording"`
	}
	require.NoError(t, json.Unmarshal(answer.Out, &doc))
	events := jdkEvents{}
	for _, ev := range doc.Recording.Events {
		events[ev.Type] = append(events[ev.Type], ev)
	}
	return events
}

// last returns a field of the last event, or false if the event is missing.
func (e jdkEvents) last(t testing.TB, event, field string) (float64, bool) {
	if len(e[event]) == 0 {
		return 0, false
	}
	return e[event][len(e[event])-1].number(t, field), true
}

// sum returns the sum of a field.
func (e jdkEvents) sum(t testing.TB, event, field string) (float64, bool) {
	var sum float64
	for _, ev := range e[event] {
		sum += ev.number(t, field)
	}
	return sum, len(e[event]) > 0
}

// count returns how many events there are.
func (e jdkEvents) count(event string) (float64, bool) {
	return float64(len(e[event])), len(e[event]) > 0
}

// where returns the events of a type that have a text in a field.
func (e jdkEvents) where(event, field, text string) jdkEvents {
	chosen := jdkEvents{}
	for _, ev := range e[event] {
		if ev.Values[field] == text {
			chosen[event] = append(chosen[event], ev)
		}
	}
	return chosen
}

var isoDuration = regexp.MustCompile(`^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$`)

// number returns a field as a number; lengths of time in seconds. A field can be in
// another one: "heapSpace.committedSize".
func (e jdkEvent) number(t testing.TB, field string) float64 {
	t.Helper()
	v := any(e.Values)
	for name := range strings.SplitSeq(field, ".") {
		of, ok := v.(map[string]any)
		require.True(t, ok, field)
		require.Contains(t, of, name)
		v = of[name]
	}
	if f, ok := v.(float64); ok {
		if f == 1<<64 {
			return -1 // what Java, and not its reader, has where there is no limit
		}
		return f
	}
	text, ok := v.(string)
	require.True(t, ok, "%s of %s is %v", field, e.Type, v)
	parts := isoDuration.FindStringSubmatch(text)
	require.NotNil(t, parts, text)
	var sum float64
	for i, seconds := range []float64{3600, 60, 1} {
		if parts[i+1] != "" {
			f, err := strconv.ParseFloat(parts[i+1], 64)
			require.NoError(t, err)
			sum += f * seconds
		}
	}
	return sum
}

// TestMetricsAreWhatTheJDKSays compares with numbers that are taken from what the
// JDK's own reader prints.
func TestMetricsAreWhatTheJDKSays(t *testing.T) {
	for _, recording := range []string{
		"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-virtual.jfr", "jdk25-cputime.jfr", "jdk25-empty.jfr",
	} {
		t.Run(recording, func(t *testing.T) {
			m := jvmstats.New()
			feed(t, m, open(t, recording))
			got := scrape(t, m)
			events := jdkPrint(t, recording)
			want := expected(t, events)
			raw, _ := events.sum(t, "jdk.ObjectAllocationSample", "weight")
			assert.LessOrEqual(t, got["jvm_allocation_sampled_bytes_total"], raw)
			for name, value := range want {
				if assert.Contains(t, got, name) {
					assert.InDelta(t, value, got[name], max(1e-6*value, 1e-9), name)
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok && !strings.Contains(name, "_bucket{") && !unchecked.MatchString(name) {
					t.Errorf("%s: the JDK's events do not have that", name)
				}
			}
		})
	}
}

// unchecked are what other tests look at: who the JVM is, and what is about this
// process.
var unchecked = regexp.MustCompile(`^(jvm_runtime_info|process_start_time_seconds|mjfr_errors_total$|jvm_allocation_sampled_bytes_total$)`) // the last one is not what the JDK sums up

// expected works out the metrics from events.
func expected(t testing.TB, events jdkEvents) map[string]float64 {
	want := map[string]float64{}
	put := func(name string) func(float64, bool) {
		return func(value float64, ok bool) {
			if ok {
				want[name] = value
			}
		}
	}
	last := func(name, event, field string) { put(name)(events.last(t, event, field)) }
	histogram := func(name, labels string, of jdkEvents, event, field string) {
		put(name + "_sum" + labels)(of.sum(t, event, field))
		put(name + "_count" + labels)(of.count(event))
	}

	for event, all := range events {
		want[`mjfr_events_total{type="`+event+`"}`] = float64(len(all))
	}
	for name, field := range map[string]string{"used": "used", "committed": "committed", "max": "max"} {
		for _, ev := range events["jdk.GCHeapMemoryPoolUsage"] {
			want["jvm_memory_pool_"+name+`_bytes{pool="`+ev.Values["name"].(string)+`"}`] = ev.number(t, field)
		}
	}
	last(`jvm_memory_committed_bytes{area="heap"}`, "jdk.GCHeapSummary", "heapSpace.committedSize")
	last(`jvm_memory_committed_bytes{area="heap"}`, "jdk.GCHeapMemoryUsage", "committed") // at the end of the recording
	last(`jvm_memory_max_bytes{area="heap"}`, "jdk.GCHeapMemoryUsage", "max")
	last(`jvm_memory_max_bytes{area="heap"}`, "jdk.GCHeapConfiguration", "maxSize")
	last(`jvm_memory_init_bytes{area="heap"}`, "jdk.GCHeapConfiguration", "initialSize")
	last(`jvm_memory_pool_used_bytes{pool="Metaspace"}`, "jdk.MetaspaceSummary", "metaspace.used")
	last(`jvm_memory_pool_committed_bytes{pool="Metaspace"}`, "jdk.MetaspaceSummary", "metaspace.committed")
	last(`jvm_memory_pool_used_bytes{pool="Compressed Class Space"}`, "jdk.MetaspaceSummary", "classSpace.used")
	last(`jvm_memory_pool_committed_bytes{pool="Compressed Class Space"}`, "jdk.MetaspaceSummary", "classSpace.committed")
	last(`jvm_memory_pool_max_bytes{pool="Compressed Class Space"}`, "jdk.MetaspaceSummary", "classSpace.reserved")
	for _, ev := range events["jdk.CodeCacheStatistics"] {
		pool := `{pool="` + ev.Values["codeBlobType"].(string) + `"}`
		size := ev.number(t, "reservedTopAddress") - ev.number(t, "startAddress")
		want["jvm_memory_pool_max_bytes"+pool] = size
		want["jvm_memory_pool_used_bytes"+pool] = size - ev.number(t, "unallocatedCapacity")
		want["jvm_code_cache_entries"+pool] = ev.number(t, "entryCount")
		want["jvm_code_cache_methods"+pool] = ev.number(t, "methodCount")
		want["jvm_code_cache_full_total"+pool] = ev.number(t, "fullCount")
	}

	last(`jvm_memory_used_bytes{area="heap"}`, "jdk.GCHeapSummary", "heapUsed")
	last(`jvm_memory_used_bytes{area="heap"}`, "jdk.GCHeapMemoryUsage", "used")
	if used, ok := want[`jvm_memory_pool_used_bytes{pool="Metaspace"}`]; ok {
		for name, code := range want {
			if strings.HasPrefix(name, `jvm_memory_pool_used_bytes{pool="CodeHeap`) {
				used += code
			}
		}
		want[`jvm_memory_used_bytes{area="nonheap"}`] = used
	}
	for _, ev := range events["jdk.GCHeapSummary"] {
		when := map[string]string{"Before GC": "before", "After GC": "after"}[ev.Values["when"].(string)]
		want[`jvm_gc_heap_used_bytes{when="`+when+`"}`] = ev.number(t, "heapUsed")
	}
	for _, ev := range events["jdk.GarbageCollection"] {
		gc, cause := ev.Values["name"].(string), ev.Values["cause"].(string)
		of := events.where("jdk.GarbageCollection", "name", gc)
		histogram("jvm_gc_collection_seconds", `{gc="`+gc+`"}`, of, "jdk.GarbageCollection", "duration")
		of = of.where("jdk.GarbageCollection", "cause", cause)
		histogram("jvm_gc_pause_seconds", `{cause="`+cause+`",gc="`+gc+`"}`, of, "jdk.GarbageCollection", "sumOfPauses")
	}
	for _, ev := range events["jdk.GCPhasePause"] {
		phase := ev.Values["name"].(string)
		histogram("jvm_gc_phase_pause_seconds", `{phase="`+phase+`"}`,
			events.where("jdk.GCPhasePause", "name", phase), "jdk.GCPhasePause", "duration")
	}
	put(`jvm_gc_cpu_seconds_total{mode="user"}`)(events.sum(t, "jdk.GCCPUTime", "userTime"))
	put(`jvm_gc_cpu_seconds_total{mode="system"}`)(events.sum(t, "jdk.GCCPUTime", "systemTime"))
	histogram("jvm_safepoint_begin_seconds", "", events, "jdk.SafepointBegin", "duration")

	put(`jvm_allocation_tlab_bytes_total{where="tlab"}`)(events.sum(t, "jdk.ObjectAllocationInNewTLAB", "tlabSize"))
	put(`jvm_allocation_tlab_bytes_total{where="outside"}`)(events.sum(t, "jdk.ObjectAllocationOutsideTLAB", "allocationSize"))

	if all := events["jdk.ThreadAllocationStatistics"]; len(all) > 0 {
		threads := map[float64]float64{}
		for _, ev := range all {
			threads[ev.number(t, "thread.osThreadId")] = ev.number(t, "allocated")
		}
		var sum float64
		for _, bytes := range threads {
			sum += bytes
		}
		want["jvm_threads_allocated_bytes_total"] = sum
	}
	last("jvm_threads_current", "jdk.JavaThreadStatistics", "activeCount")
	last("jvm_threads_daemon", "jdk.JavaThreadStatistics", "daemonCount")
	last("jvm_threads_peak", "jdk.JavaThreadStatistics", "peakCount")
	last("jvm_threads_started_total", "jdk.JavaThreadStatistics", "accumulatedCount")
	put("jvm_thread_starts_total")(events.count("jdk.ThreadStart"))
	put("jvm_thread_ends_total")(events.count("jdk.ThreadEnd"))
	put("jvm_virtual_thread_starts_total")(events.count("jdk.VirtualThreadStart"))
	put("jvm_virtual_thread_ends_total")(events.count("jdk.VirtualThreadEnd"))
	last("jvm_monitors_in_use", "jdk.JavaMonitorStatistics", "count")
	for name, event := range map[string]string{
		"jvm_monitor_enter_seconds": "jdk.JavaMonitorEnter", "jvm_monitor_wait_seconds": "jdk.JavaMonitorWait",
		"jvm_thread_park_seconds": "jdk.ThreadPark", "jvm_thread_sleep_seconds": "jdk.ThreadSleep",
		"jvm_virtual_thread_pinned_seconds": "jdk.VirtualThreadPinned",
		"jvm_file_read_seconds":             "jdk.FileRead", "jvm_file_write_seconds": "jdk.FileWrite",
		"jvm_file_force_seconds":  "jdk.FileForce",
		"jvm_socket_read_seconds": "jdk.SocketRead", "jvm_socket_write_seconds": "jdk.SocketWrite",
	} {
		histogram(name, "", events, event, "duration")
	}
	put("jvm_file_read_bytes_total")(events.sum(t, "jdk.FileRead", "bytesRead"))
	put("jvm_file_write_bytes_total")(events.sum(t, "jdk.FileWrite", "bytesWritten"))
	put("jvm_socket_read_bytes_total")(events.sum(t, "jdk.SocketRead", "bytesRead"))
	put("jvm_socket_write_bytes_total")(events.sum(t, "jdk.SocketWrite", "bytesWritten"))

	last("jvm_classes_loaded_total", "jdk.ClassLoadingStatistics", "loadedClassCount")
	last("jvm_classes_unloaded_total", "jdk.ClassLoadingStatistics", "unloadedClassCount")
	if loaded, ok := want["jvm_classes_loaded_total"]; ok {
		want["jvm_classes_currently_loaded"] = loaded - want["jvm_classes_unloaded_total"]
	}
	last("jvm_exceptions_created_total", "jdk.ExceptionStatistics", "throwables")
	put("jvm_errors_thrown_total")(events.count("jdk.JavaErrorThrow"))
	last("jvm_compilation_time_seconds_total", "jdk.CompilerStatistics", "totalTimeSpent")
	last(`jvm_compilations_total{kind="standard"}`, "jdk.CompilerStatistics", "standardCompileCount")
	last(`jvm_compilations_total{kind="osr"}`, "jdk.CompilerStatistics", "osrCompileCount")
	last("jvm_compilation_bailouts_total", "jdk.CompilerStatistics", "bailoutCount")
	last("jvm_compilation_invalidations_total", "jdk.CompilerStatistics", "invalidatedCount")
	for _, compiler := range []string{"c1", "c2"} {
		of := events.where("jdk.Compilation", "compiler", compiler)
		histogram("jvm_compilation_seconds", `{compiler="`+compiler+`"}`, of, "jdk.Compilation", "duration")
	}

	last(`jvm_cpu_load_ratio{mode="user"}`, "jdk.CPULoad", "jvmUser")
	last(`jvm_cpu_load_ratio{mode="system"}`, "jdk.CPULoad", "jvmSystem")
	last("system_cpu_load_ratio", "jdk.CPULoad", "machineTotal")
	last("jvm_container_cpus", "jdk.ContainerConfiguration", "effectiveCpuCount")
	last("process_resident_memory_bytes", "jdk.ResidentSetSize", "size")
	last("process_resident_memory_peak_bytes", "jdk.ResidentSetSize", "peak")
	last("system_memory_total_bytes", "jdk.PhysicalMemory", "totalSize")
	last("system_memory_used_bytes", "jdk.PhysicalMemory", "usedSize")
	last("system_swap_total_bytes", "jdk.SwapSpace", "totalSize")
	last("system_swap_free_bytes", "jdk.SwapSpace", "freeSize")
	return want
}
