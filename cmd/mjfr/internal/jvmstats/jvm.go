package jvmstats

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// textLen is the greatest length of a text in bytes.
const textLen = 4096

// text returns a copy of the string at a path, or old if that is the same.
func text(ev mmapjfr.Event, p *mmapjfr.FieldPath, old string) string {
	s := ev.Str(p)
	if s = s[:min(len(s), textLen)]; s == old {
		return old
	}
	return strings.Clone(strings.ToValidUTF8(s, "\uFFFD"))
}

var jvmName, jvmVersion, jvmArguments, javaArguments, jvmPID, jvmStart = mmapjfr.Path("jvmName"), mmapjfr.Path("jvmVersion"),
	mmapjfr.Path("jvmArguments"), mmapjfr.Path("javaArguments"), mmapjfr.Path("pid"), mmapjfr.Path("jvmStartTime")

// set takes a jdk.JVMInformation.
func (j *JVM) set(ev mmapjfr.Event) {
	j.Name = text(ev, jvmName, j.Name)
	j.Version = text(ev, jvmVersion, j.Version)
	j.Arguments = text(ev, jvmArguments, j.Arguments)
	j.JavaArguments = text(ev, javaArguments, j.JavaArguments)
	j.PID = ev.Int(jvmPID)
	j.Start = jsonout.Timestamp{}
	// JSON has no years with more than four digits.
	if start := ev.Time(jvmStart); start.Year() > 1 && start.Year() < 10000 {
		j.Start = jsonout.At(start)
	}
}

// virtualMachine adds metrics of the JVM itself. It detects that another JVM has replaced it.
func (v *Vitals) virtualMachine() {
	const information, property = "jdk.JVMInformation", "jdk.InitialSystemProperty"
	v.on(information, "period=beginChunk")
	v.on(property, "metrics: period=beginChunk")
	info := v.metric(information, gauge, "jvm_runtime_info", "Which JVM it is; the value is 1", "runtime", "vendor", "version")
	v.metric(property, gauge, info.name, "")
	started := v.metric(information, gauge, "process_start_time_seconds", "When the JVM began, in seconds since 1970")
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
	v.handle(information, func(ev mmapjfr.Event) {
		v.jvm.set(ev)
		now := labels{ev.Str(jvmName), known[1], runtimeVersion(ev.Str(jvmVersion))}
		if at := ev.Time(jvmStart); !at.IsZero() {
			if nanos := at.UnixNano(); nanos != began {
				began = nanos
				v.restart(began)
				if vendorAt < began {
					now[1] = ""
				}
			}
			started.put(ev.StartNanos(), float64(at.UnixNano())/1e9, labels{})
		}
		update(ev.StartNanos(), now)
	})
	v.handle(property, func(ev mmapjfr.Event) {
		if ev.Str(key) == "java.vm.vendor" {
			vendorAt = ev.StartNanos()
			update(vendorAt, labels{known[0], ev.Str(value), known[2]})
		}
	})
	cpu, threads := mmapjfr.Path("cpu"), mmapjfr.Path("hwThreads")
	v.on("jdk.CPUInformation", "period=beginChunk")
	v.handle("jdk.CPUInformation", func(ev mmapjfr.Event) {
		v.jvm.Processor, v.jvm.HardwareThreads = text(ev, cpu, v.jvm.Processor), amount(float64(ev.Int(threads)))
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
func (v *Vitals) classes() {
	in, out := mmapjfr.Path("loadedClassCount"), mmapjfr.Path("unloadedClassCount")
	current := func(ev mmapjfr.Event, _ *mmapjfr.FieldPath) (float64, bool) {
		return float64(ev.Int(in) - ev.Int(out)), ev.Has(in) && ev.Has(out)
	}
	v.on("jdk.ClassLoadingStatistics", "metrics: period=1s",
		value{gauge, "jvm_classes_currently_loaded", "Classes that are loaded", "", current, ""},
		value{cumulative, "jvm_classes_loaded_total", "Classes loaded since the JVM began", "loadedClassCount", number, ""},
		value{cumulative, "jvm_classes_unloaded_total", "Classes unloaded since the JVM began", "unloadedClassCount", number, ""})
	v.on("jdk.ExceptionStatistics", "period=1s",
		value{cumulative, created, "Throwables created since the JVM first recorded it, errors counted twice", "throwables", number, ""})
	v.handle("jdk.ExceptionStatistics", func(mmapjfr.Event) { v.thrown.count(v.second, v.last(created)) })
	v.on("jdk.JavaErrorThrow", noStack,
		value{counter, "jvm_errors_thrown_total", "Errors seen to be thrown, exceptions not among them", "", v.byClass(one, &v.thrown.errors, "thrownClass", amount), ""})
	v.on("jdk.JavaExceptionThrow", "25: throttle=100/s")
	thrown := v.byClass(one, &v.thrown.all, "thrownClass", amount)
	v.handle("jdk.JavaExceptionThrow", func(ev mmapjfr.Event) { thrown(ev, nil) })
}

// compilation adds metrics of the JVM's compilers.
func (v *Vitals) compilation() {
	v.on("jdk.CompilerStatistics", "metrics: period=1s",
		value{cumulative, "jvm_compilation_time_seconds_total", "Time spent on compiling", "totalTimeSpent", seconds, ""},
		value{cumulative, "jvm_compilations_total", "Compilations of whole methods (standard) and of loops that were running (osr)", "standardCompileCount", number, "kind=standard"},
		value{cumulative, "jvm_compilations_total", "", "osrCompileCount", number, "kind=osr"},
		value{cumulative, "jvm_compilation_bailouts_total", "Compilations given up", "bailoutCount", number, ""},
		value{cumulative, "jvm_compilation_invalidations_total", "Compilations whose results could not be used", "invalidatedCount", number, ""})
	v.on("jdk.Compilation", "metrics: threshold=100ms",
		value{lengths, "jvm_compilation_seconds", "How long compilations took, if longer than the event's threshold", "duration", seconds, "compiler:compiler"})
}

// threads adds metrics of the number of threads.
func (v *Vitals) threads() {
	v.on("jdk.JavaThreadStatistics", "period=1s",
		value{gauge, threadsCurrent, "Threads that live, but for virtual ones", "activeCount", number, ""},
		value{gauge, threadsDaemon, "Daemon threads that live", "daemonCount", number, ""},
		value{gauge, threadsPeak, "The most threads that lived at a time", "peakCount", number, ""},
		value{cumulative, threadsStarted, "Threads started since the JVM began", "accumulatedCount", number, ""})
	v.on("jdk.ThreadStart", noStack,
		value{counter, "jvm_thread_starts_total", "Threads seen to start", "", one, ""})
	v.on("jdk.ThreadEnd", "metrics:",
		value{counter, "jvm_thread_ends_total", "Threads seen to end", "", one, ""})
	v.on("jdk.VirtualThreadStart", never,
		value{counter, "jvm_virtual_thread_starts_total", "Virtual threads seen to start", "", one, ""})
	v.on("jdk.VirtualThreadEnd", never,
		value{counter, "jvm_virtual_thread_ends_total", "Virtual threads seen to end", "", one, ""})
	v.on("jdk.VirtualThreadSubmitFailed", noStack,
		value{counter, "jvm_virtual_thread_submit_failures_total", "Virtual threads that could not be started or go on", "", one, ""})
}

// overThreshold is the end of the help about events with a threshold.
const overThreshold = ", if longer than the event's threshold"

// waits adds metrics of threads that wait longer than the threshold of the events.
func (v *Vitals) waits() {
	for _, wait := range []struct {
		event, settings, name, help string
		read                        reader
	}{
		{"jdk.JavaMonitorEnter", "threshold=10ms, " + noStack, "jvm_monitor_enter_seconds", "How long threads waited to enter a monitor",
			v.byClass(seconds, &v.locks.monitors, "monitorClass", nanos)},
		{"jdk.JavaMonitorWait", noStack + " threshold=10ms", "jvm_monitor_wait_seconds", "How long threads waited in Object.wait", seconds},
		{"jdk.ThreadPark", "threshold=10ms, " + noStack, "jvm_thread_park_seconds", "How long threads were parked, as by locks of java.util.concurrent",
			v.byClass(seconds, &v.locks.parks, "parkedClass", nanos)},
		{"jdk.ThreadSleep", noStack + " threshold=10ms", "jvm_thread_sleep_seconds", "How long threads slept", seconds},
		{"jdk.VirtualThreadPinned", noStack + " threshold=10ms", "jvm_virtual_thread_pinned_seconds", "How long virtual threads waited and kept their carrier", seconds},
	} {
		v.on(wait.event, wait.settings, value{lengths, wait.name, wait.help + overThreshold, "duration", wait.read, ""})
	}
	v.on("jdk.JavaMonitorStatistics", "metrics: period=5s",
		value{gauge, "jvm_monitors_in_use", "Monitors that have been inflated, because threads contend or wait", "count", number, ""})
}

// locksNow returns the locks with the longest waits.
func (v *Vitals) locksNow() (all []Lock) {
	now := v.clock.second()
	for _, p := range v.locks.monitors.top(now) {
		all = append(all, Lock{Monitor, p.name, p.count, time.Duration(p.weight)})
	}
	for _, p := range v.locks.parks.top(now) {
		all = append(all, Lock{Park, p.name, p.count, time.Duration(p.weight)})
	}
	slices.SortStableFunc(all, func(a, b Lock) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(b.Count, a.Count), strings.Compare(a.Class, b.Class))
	})
	return all[:min(len(all), topLen)]
}

// traffic is the bytes that were read and written.
type traffic struct {
	at                                           time.Time
	fileRead, fileWrite, socketRead, socketWrite tally
}

// inOut adds metrics of files and sockets: durations and bytes of operations that took longer than
// the threshold of the events.
func (v *Vitals) inOut() {
	for _, io := range []struct {
		event, name, help, bytes string
		recent                   *tally
	}{
		{"jdk.FileRead", "jvm_file_read", "reads from files", "bytesRead", &v.io.fileRead},
		{"jdk.FileWrite", "jvm_file_write", "writes to files", "bytesWritten", &v.io.fileWrite},
		{"jdk.FileForce", "jvm_file_force", "flushes of files to disk", "", nil},
		{"jdk.SocketRead", "jvm_socket_read", "reads from sockets", "bytesRead", &v.io.socketRead},
		{"jdk.SocketWrite", "jvm_socket_write", "writes to sockets", "bytesWritten", &v.io.socketWrite},
	} {
		took := value{lengths, io.name + "_seconds", "How long " + io.help + " took" + overThreshold, "duration", seconds, ""}
		if io.bytes == "" {
			v.on(io.event, noStack+" threshold=10ms", took)
			continue
		}
		moved := and(number, func(ev mmapjfr.Event, bytes float64) {
			v.io.at = ev.End()
			io.recent.add(v.second, amount(bytes))
		})
		v.on(io.event, "threshold=10ms, 25: threshold=1ms, "+noStack,
			took, value{counter, io.name + "_bytes_total", "Bytes that were moved by " + io.help + overThreshold, io.bytes, moved, ""})
	}
}

func (v *Vitals) trafficNow() IO {
	o := &v.io
	s := IO{
		Time:        jsonout.At(o.at),
		FileRead:    v.rate(&o.fileRead.weight, rateSeconds),
		FileWrite:   v.rate(&o.fileWrite.weight, rateSeconds),
		SocketRead:  v.rate(&o.socketRead.weight, rateSeconds),
		SocketWrite: v.rate(&o.socketWrite.weight, rateSeconds),
	}
	for _, t := range []*tally{&o.fileRead, &o.fileWrite, &o.socketRead, &o.socketWrite} {
		s.RecentEvents += t.count.sum(v.clock.second(), minute)
	}
	return s
}

// Metrics that the snapshot has, too.
const (
	cpuLoad        = "jvm_cpu_load_ratio"
	machineLoad    = "system_cpu_load_ratio"
	threadsCurrent = "jvm_threads_current"
	threadsDaemon  = "jvm_threads_daemon"
	threadsPeak    = "jvm_threads_peak"
	threadsStarted = "jvm_threads_started_total"
	created        = "jvm_exceptions_created_total"
)

func (v *Vitals) cpuNow() CPU {
	c := CPU{
		JVMUser:   v.last(cpuLoad, "user").value,
		JVMSystem: v.last(cpuLoad, "system").value,
		Machine:   v.last(machineLoad).value,
		History:   v.cpu.list(),
	}
	if n := len(c.History); n > 0 {
		c.Time = c.History[n-1].Time
	}
	return c
}

func (v *Vitals) threadsNow() Threads {
	current := v.last(threadsCurrent)
	return Threads{
		current.time(), current.amount(), v.last(threadsDaemon).amount(), v.last(threadsPeak).amount(), v.last(threadsStarted).amount(),
	}
}

// running counts the methods that samples found running.
func (v *Vitals) running() {
	for _, of := range []struct {
		event, settings string
		methods         *ranking
	}{
		{"jdk.ExecutionSample", "period=20ms", &v.samples.java},
		{"jdk.NativeMethodSample", "period=20ms", &v.samples.native},
		{"jdk.CPUTimeSample", never, &v.samples.cpuTime},
	} {
		v.on(of.event, of.settings)
		v.handle(of.event, func(ev mmapjfr.Event) { of.methods.add(v.second, v.topMethod(ev), 1) })
	}
}

// topMethod puts the name of the method at the top of the event's stack into v.name.
func (v *Vitals) topMethod(ev mmapjfr.Event) []byte {
	m := ev.StackTrace().Frame(0).Method()
	v.name = append(v.name[:0], m.Class().Name()...)
	switch name := m.Name(); {
	case name == "":
		v.name = append(v.name[:0], unknown...)
	case len(v.name) == 0: // native code in recordings of other profilers
		v.name = append(v.name, name...)
	default:
		v.name = append(append(v.name, '.'), name...)
	}
	return v.name
}

func (v *Vitals) methodsOf(k *ranking) Methods {
	now := v.clock.second()
	m := Methods{Samples: k.all.count.sum(now, minute)}
	for _, p := range k.top(now) {
		m.Top = append(m.Top, Method{p.name, p.count, share(p.count, m.Samples)})
	}
	return m
}

// exceptions are the exceptions and errors. An error has one event of errors and two of exceptions:
// classes that have the former count by these alone.
type exceptions struct {
	all, errors ranking
	// counts are the numbers that the JVM recorded since its start.
	counts history[series]
}

// count takes a number. It begins anew if the number is less than before: it is that of another
// JVM.
func (e *exceptions) count(second int64, now series) {
	if last := e.counts.last(); last != nil && now.value < last.value {
		e.counts.forget()
	}
	e.counts.add(second, now, newest)
}

func (v *Vitals) exceptionsNow() Exceptions {
	now := v.clock.second()
	all, errors := &v.thrown.all, &v.thrown.errors
	e := Exceptions{Recorded: all.all.count.sum(now, minute) + errors.all.count.sum(now, minute)}
	switch {
	case all.seen(now):
		e.Source = "jdk.JavaExceptionThrow"
	case errors.rows != nil:
		e.Source = "jdk.JavaErrorThrow"
	}
	places := errors.recent(now)
	isError := make(map[string]bool)
	for _, p := range places {
		isError[p.name] = true
	}
	for _, p := range all.recent(now) {
		if isError[p.name] {
			e.Recorded -= p.count
		} else {
			places = append(places, p)
		}
	}
	for _, p := range top(places) {
		e.Classes = append(e.Classes, ClassCount{p.name, p.count})
	}
	if counts := v.thrown.counts.list(); len(counts) > 0 {
		newest := counts[len(counts)-1]
		e.Time, e.Count, e.PerSecond = newest.time(), newest.amount(), thrownRate(counts)
	}
	return e
}

// thrownRate returns the rate between the newest count and the newest of those that are at least
// ten seconds older, or the oldest one.
func thrownRate(counts []series) float64 {
	newest, old := counts[len(counts)-1], counts[0]
	for _, c := range counts {
		if newest.at-c.at < rateSeconds*int64(time.Second) {
			break
		}
		old = c
	}
	if took := time.Duration(newest.at - old.at).Seconds(); took > 0 {
		return (newest.value - old.value) / took
	}
	return 0
}

// system adds metrics of processors and memory, of the JVM's process and of the machine.
func (v *Vitals) system() {
	v.on("jdk.CPULoad", "period=1s",
		value{gauge, cpuLoad, "Share of all processors that the JVM used, in programs and in the system", "jvmUser", ratio, "mode=user"},
		value{gauge, cpuLoad, "", "jvmSystem", ratio, "mode=system"},
		value{gauge, machineLoad, "Share of all processors that was used by anyone", "machineTotal", ratio, ""})
	v.handle("jdk.CPULoad", func(ev mmapjfr.Event) {
		jvm := v.last(cpuLoad, "user").value + v.last(cpuLoad, "system").value
		v.cpu.add(v.second, CPUPoint{jsonout.At(ev.End()), min(1, jvm), v.last(machineLoad).value}, newest)
	})
	v.on("jdk.ThreadContextSwitchRate", "metrics: period=5s",
		value{gauge, "system_context_switch_rate_hertz", "Switches from one thread to another in a second, of all programs", "switchRate", float, ""})
	v.on("jdk.ResidentSetSize", "metrics: period=5s",
		value{gauge, "process_resident_memory_bytes", "Bytes of memory that the JVM's process has", "size", known, ""},
		value{gauge, "process_resident_memory_peak_bytes", "The most bytes of memory that the JVM's process ever had", "peak", known, ""})
	v.on("jdk.PhysicalMemory", "metrics: period=5s",
		value{gauge, "system_memory_total_bytes", "Bytes of memory of the machine, or of the JVM's container", "totalSize", known, ""},
		value{gauge, "system_memory_used_bytes", "Bytes of memory that is in use", "usedSize", known, ""})
	v.on("jdk.SwapSpace", "metrics: period=5s",
		value{gauge, "system_swap_total_bytes", "Bytes of swap space", "totalSize", known, ""},
		value{gauge, "system_swap_free_bytes", "Bytes of swap space that is free", "freeSize", known, ""})
}

// container adds metrics of the container that the JVM runs in.
func (v *Vitals) container() {
	v.on("jdk.ContainerCPUThrottling", "metrics: period=5s",
		value{cumulative, "jvm_container_cpu_periods_total", "Periods of time for which the container had a quota of processor time", "cpuElapsedSlices", known, ""},
		value{cumulative, "jvm_container_cpu_throttled_periods_total", "Periods in which the container had to stand still because its quota was used up", "cpuThrottledSlices", known, ""},
		value{cumulative, "jvm_container_cpu_throttled_seconds_total", "How long the container had to stand still because its quota was used up", "cpuThrottledTime", seconds, ""})
	v.on("jdk.ContainerCPUUsage", "metrics: period=5s",
		value{cumulative, "jvm_container_cpu_seconds_total", "Processor time that the container took", "cpuUserTime", seconds, "mode=user"},
		value{cumulative, "jvm_container_cpu_seconds_total", "", "cpuSystemTime", seconds, "mode=system"})
	v.on("jdk.ContainerMemoryUsage", "metrics: period=5s",
		value{gauge, "jvm_container_memory_used_bytes", "Bytes of memory that the container has", "memoryUsage", known, ""},
		value{cumulative, "jvm_container_memory_failures_total", "How often the container wanted more memory than its limit", "memoryFailCount", known, ""})
	v.on("jdk.ContainerConfiguration", "metrics:",
		value{gauge, "jvm_container_memory_limit_bytes", "Bytes of memory that the container may have", "memoryLimit", known, ""},
		value{gauge, "jvm_container_cpus", "Processors that the container may use", "effectiveCpuCount", known, ""})
}
