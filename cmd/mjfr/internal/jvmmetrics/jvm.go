package jvmmetrics

import (
	"math"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// virtualMachine adds metrics of the JVM itself. It detects that another JVM has replaced it.
func (c *catalog) virtualMachine() {
	const information, property = "jdk.JVMInformation", "jdk.InitialSystemProperty"
	c.on(information, "")
	c.on(property, "")
	info := c.metric(information, gauge, "jvm_runtime_info", "Which JVM it is; the value is 1", "runtime", "vendor", "version")
	c.metric(property, gauge, info.name, "")
	started := c.metric(information, gauge, "process_start_time_seconds", "When the JVM began, in seconds since 1970")

	name, version := mmapjfr.Path("jvmName"), mmapjfr.Path("jvmVersion")
	start := mmapjfr.Path("jvmStartTime")
	key, value := mmapjfr.Path("key"), mmapjfr.Path("value")
	var (
		known    labels
		began    int64 // nanoseconds since 1970
		vendorAt int64 // time of the event with its vendor
	)
	update := func(at int64, now labels) {
		if now != known {
			info.drop(math.MaxInt64)
			known = now
		}
		if known[0] != "" {
			info.put(at, 1, known)
		}
	}
	c.handle(information, func(ev mmapjfr.Event) {
		now := labels{ev.Str(name), known[1], runtimeVersion(ev.Str(version))}
		if at := ev.Time(start); !at.IsZero() {
			if nanos := at.UnixNano(); nanos != began {
				began = nanos
				c.restart(began)
				if vendorAt < began {
					now[1] = ""
				}
			}
			started.put(ev.StartNanos(), float64(at.UnixNano())/1e9, labels{})
		}
		update(ev.StartNanos(), now)
	})
	c.handle(property, func(ev mmapjfr.Event) {
		if ev.Str(key) == "java.vm.vendor" {
			vendorAt = ev.StartNanos()
			update(vendorAt, labels{known[0], ev.Str(value), known[2]})
		}
	})
}

// runtimeVersion returns the version of the Java runtime, as in "25.0.3+9-LTS". In HotSpot's long
// version it follows "JRE (". Versions of other JVMs do not change.
func runtimeVersion(long string) string {
	_, rest, ok := strings.Cut(long, "JRE (")
	if !ok {
		return long
	}
	version, _, _ := strings.Cut(rest, ")")
	return version
}

// classes adds metrics of classes and exceptions.
func (c *catalog) classes() {
	in, out := mmapjfr.Path("loadedClassCount"), mmapjfr.Path("unloadedClassCount")
	current := func(ev mmapjfr.Event, _ *mmapjfr.FieldPath) (float64, bool) {
		return float64(ev.Int(in) - ev.Int(out)), ev.Has(in) && ev.Has(out)
	}
	c.on("jdk.ClassLoadingStatistics", "period=1s",
		value{gauge, "jvm_classes_currently_loaded", "Classes that are loaded", "", current, ""},
		value{cumulative, "jvm_classes_loaded_total", "Classes loaded since the JVM began", "loadedClassCount", number, ""},
		value{cumulative, "jvm_classes_unloaded_total", "Classes unloaded since the JVM began", "unloadedClassCount", number, ""})
	c.on("jdk.ExceptionStatistics", "period=1s",
		value{cumulative, "jvm_exceptions_created_total", "Throwables created since the JVM first recorded it, errors counted twice", "throwables", number, ""})
	c.on("jdk.JavaErrorThrow", noStack,
		value{counter, "jvm_errors_thrown_total", "Errors seen to be thrown, exceptions not among them", "", one, ""})
}

// compilation adds metrics of the JVM's compilers.
func (c *catalog) compilation() {
	c.on("jdk.CompilerStatistics", "period=1s",
		value{cumulative, "jvm_compilation_time_seconds_total", "Time spent on compiling", "totalTimeSpent", seconds, ""},
		value{cumulative, "jvm_compilations_total", "Compilations of whole methods (standard) and of loops that were running (osr)", "standardCompileCount", number, "kind=standard"},
		value{cumulative, "jvm_compilations_total", "", "osrCompileCount", number, "kind=osr"},
		value{cumulative, "jvm_compilation_bailouts_total", "Compilations given up", "bailoutCount", number, ""},
		value{cumulative, "jvm_compilation_invalidations_total", "Compilations whose results could not be used", "invalidatedCount", number, ""})
	c.on("jdk.Compilation", "threshold=100ms",
		value{lengths, "jvm_compilation_seconds", "How long compilations took, if longer than the event's threshold", "duration", seconds, "compiler:compiler"})
}

// collections adds metrics of garbage collections and safepoints.
func (c *catalog) collections() {
	c.on("jdk.GarbageCollection", "threshold=0ms",
		value{pauses, "jvm_gc_collection_seconds", "How long collections took from beginning to end, the program running or not", "duration", seconds, "gc:name"},
		value{pauses, "jvm_gc_pause_seconds", "How long the program stood still in a collection, all its pauses together", "sumOfPauses", seconds, "gc:name, cause:cause"})
	c.on("jdk.GCPhasePause", "threshold=0ms",
		value{pauses, "jvm_gc_phase_pause_seconds", "How long each pause of a collection took", "duration", seconds, "phase:name"})
	c.on("jdk.GCCPUTime", "",
		value{counter, "jvm_gc_cpu_seconds_total", "Processor time that collections took", "userTime", seconds, "mode=user"},
		value{counter, "jvm_gc_cpu_seconds_total", "", "systemTime", seconds, "mode=system"})
	c.safepoints()
}

// safepoints adds metrics of all pauses that the JVM imposes on threads.
func (c *catalog) safepoints() {
	const begin, end = "jdk.SafepointBegin", "jdk.SafepointEnd"
	c.on(begin, "threshold=0ms",
		value{pauses, "jvm_safepoint_begin_seconds", "How long it took until all threads had stopped for a safepoint", "duration", seconds, ""})
	c.on(end, "threshold=0ms")
	whole := c.metric(begin, pauses, "jvm_safepoint_seconds",
		"How long safepoints took, from the first thread that was to stop until all could go on")
	c.metric(end, pauses, whole.name, "")
	pairs := map[int64]safepoint{}
	c.onRestart(func(int64) { clear(pairs) })
	join := func(id int64, s safepoint) {
		switch {
		case s.start != 0 && s.end != 0:
			whole.put(s.end, between(s.start, s.end), labels{})
			delete(pairs, id)
			return
		case len(pairs) >= maxPairs: // most of them will never be complete
			clear(pairs)
		}
		pairs[id] = s
	}
	id := mmapjfr.Path("safepointId")
	c.handle(begin, func(ev mmapjfr.Event) {
		if ev.Has(id) {
			n := ev.Int(id)
			join(n, safepoint{ev.StartNanos(), pairs[n].end})
		}
	})
	c.handle(end, func(ev mmapjfr.Event) {
		n := ev.Int(id)
		join(n, safepoint{pairs[n].start, ev.EndNanos()})
	})
}

// safepoint has the times of a safepoint in nanoseconds since 1970; 0 if its event has not arrived.
// There is one safepoint at a time, but in a file the event of its end can precede that of its
// beginning.
type safepoint struct{ start, end int64 }

// maxPairs is the number of incomplete safepoints that are kept.
const maxPairs = 64

// between returns the seconds between two times in nanoseconds since 1970.
func between(start, end int64) float64 { return time.Duration(end - start).Seconds() }

// threads adds metrics of the number of threads.
func (c *catalog) threads() {
	c.on("jdk.JavaThreadStatistics", "period=1s",
		value{gauge, "jvm_threads_current", "Threads that live, but for virtual ones", "activeCount", number, ""},
		value{gauge, "jvm_threads_daemon", "Daemon threads that live", "daemonCount", number, ""},
		value{gauge, "jvm_threads_peak", "The most threads that lived at a time", "peakCount", number, ""},
		value{cumulative, "jvm_threads_started_total", "Threads started since the JVM began", "accumulatedCount", number, ""})
	c.on("jdk.ThreadStart", noStack,
		value{counter, "jvm_thread_starts_total", "Threads seen to start", "", one, ""})
	c.on("jdk.ThreadEnd", "",
		value{counter, "jvm_thread_ends_total", "Threads seen to end", "", one, ""})
	c.on("jdk.VirtualThreadStart", unasked,
		value{counter, "jvm_virtual_thread_starts_total", "Virtual threads seen to start", "", one, ""})
	c.on("jdk.VirtualThreadEnd", unasked,
		value{counter, "jvm_virtual_thread_ends_total", "Virtual threads seen to end", "", one, ""})
	c.on("jdk.VirtualThreadSubmitFailed", noStack,
		value{counter, "jvm_virtual_thread_submit_failures_total", "Virtual threads that could not be started or go on", "", one, ""})
}

// overThreshold is the end of the help about events with a threshold.
const overThreshold = ", if longer than the event's threshold"

// waits adds metrics of threads that wait longer than the threshold of the events.
func (c *catalog) waits() {
	for _, wait := range []struct{ event, name, help string }{
		{"jdk.JavaMonitorEnter", "jvm_monitor_enter_seconds", "How long threads waited to enter a monitor"},
		{"jdk.JavaMonitorWait", "jvm_monitor_wait_seconds", "How long threads waited in Object.wait"},
		{"jdk.ThreadPark", "jvm_thread_park_seconds", "How long threads were parked, as by locks of java.util.concurrent"},
		{"jdk.ThreadSleep", "jvm_thread_sleep_seconds", "How long threads slept"},
		{"jdk.VirtualThreadPinned", "jvm_virtual_thread_pinned_seconds", "How long virtual threads waited and kept their carrier"},
	} {
		c.on(wait.event, "threshold=10ms "+noStack, value{lengths, wait.name, wait.help + overThreshold, "duration", seconds, ""})
	}
	c.on("jdk.JavaMonitorStatistics", "period=5s",
		value{gauge, "jvm_monitors_in_use", "Monitors that have been inflated, because threads contend or wait", "count", number, ""})
}

// inOut adds metrics of files and sockets: durations and bytes of operations that took longer than
// the threshold of the events.
func (c *catalog) inOut() {
	for _, io := range []struct{ event, name, help, bytes string }{
		{"jdk.FileRead", "jvm_file_read", "reads from files", "bytesRead"},
		{"jdk.FileWrite", "jvm_file_write", "writes to files", "bytesWritten"},
		{"jdk.FileForce", "jvm_file_force", "flushes of files to disk", ""},
		{"jdk.SocketRead", "jvm_socket_read", "reads from sockets", "bytesRead"},
		{"jdk.SocketWrite", "jvm_socket_write", "writes to sockets", "bytesWritten"},
	} {
		values := []value{{lengths, io.name + "_seconds", "How long " + io.help + " took" + overThreshold, "duration", seconds, ""}}
		if io.bytes != "" {
			values = append(values, value{counter, io.name + "_bytes_total", "Bytes that were moved by " + io.help + overThreshold, io.bytes, number, ""})
		}
		c.on(io.event, "threshold=10ms "+noStack, values...)
	}
}

// system adds metrics of processors and memory, of the JVM's process and of the machine.
func (c *catalog) system() {
	c.on("jdk.CPULoad", "period=1s",
		value{gauge, "jvm_cpu_load_ratio", "Share of all processors that the JVM used, in programs and in the system", "jvmUser", ratio, "mode=user"},
		value{gauge, "jvm_cpu_load_ratio", "", "jvmSystem", ratio, "mode=system"},
		value{gauge, "system_cpu_load_ratio", "Share of all processors that was used by anyone", "machineTotal", ratio, ""})
	c.on("jdk.ThreadContextSwitchRate", "period=5s",
		value{gauge, "system_context_switch_rate_hertz", "Switches from one thread to another in a second, of all programs", "switchRate", ratio, ""})
	c.on("jdk.ResidentSetSize", "period=5s",
		value{gauge, "process_resident_memory_bytes", "Bytes of memory that the JVM's process has", "size", known, ""},
		value{gauge, "process_resident_memory_peak_bytes", "The most bytes of memory that the JVM's process ever had", "peak", known, ""})
	c.on("jdk.PhysicalMemory", "period=5s",
		value{gauge, "system_memory_total_bytes", "Bytes of memory of the machine, or of the JVM's container", "totalSize", known, ""},
		value{gauge, "system_memory_used_bytes", "Bytes of memory that is in use", "usedSize", known, ""})
	c.on("jdk.SwapSpace", "period=5s",
		value{gauge, "system_swap_total_bytes", "Bytes of swap space", "totalSize", known, ""},
		value{gauge, "system_swap_free_bytes", "Bytes of swap space that is free", "freeSize", known, ""})
}

// container adds metrics of the container that the JVM runs in.
func (c *catalog) container() {
	c.on("jdk.ContainerCPUThrottling", "period=5s",
		value{cumulative, "jvm_container_cpu_periods_total", "Periods of time for which the container had a quota of processor time", "cpuElapsedSlices", known, ""},
		value{cumulative, "jvm_container_cpu_throttled_periods_total", "Periods in which the container had to stand still because its quota was used up", "cpuThrottledSlices", known, ""},
		value{cumulative, "jvm_container_cpu_throttled_seconds_total", "How long the container had to stand still because its quota was used up", "cpuThrottledTime", seconds, ""})
	c.on("jdk.ContainerCPUUsage", "period=5s",
		value{cumulative, "jvm_container_cpu_seconds_total", "Processor time that the container took", "cpuUserTime", seconds, "mode=user"},
		value{cumulative, "jvm_container_cpu_seconds_total", "", "cpuSystemTime", seconds, "mode=system"})
	c.on("jdk.ContainerMemoryUsage", "period=5s",
		value{gauge, "jvm_container_memory_used_bytes", "Bytes of memory that the container has", "memoryUsage", known, ""},
		value{cumulative, "jvm_container_memory_failures_total", "How often the container wanted more memory than its limit", "memoryFailCount", known, ""})
	c.on("jdk.ContainerConfiguration", "",
		value{gauge, "jvm_container_memory_limit_bytes", "Bytes of memory that the container may have", "memoryLimit", known, ""},
		value{gauge, "jvm_container_cpus", "Processors that the container may use", "effectiveCpuCount", known, ""})
}
