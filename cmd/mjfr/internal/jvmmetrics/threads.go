package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// threads adds metrics of the number of threads.
func (c *catalog) threads() {
	const (
		statistics       = "jdk.JavaThreadStatistics"
		start, end       = "jdk.ThreadStart", "jdk.ThreadEnd"
		virtual, lasting = "jdk.VirtualThreadStart", "jdk.VirtualThreadEnd"
		failed           = "jdk.VirtualThreadSubmitFailed"
	)
	c.fields(statistics, []fieldMetric{
		{gauge, "jvm_threads_current", "Threads that live, but for virtual ones", "activeCount", setInt},
		{gauge, "jvm_threads_daemon", "Daemon threads that live", "daemonCount", setInt},
		{gauge, "jvm_threads_peak", "The most threads that lived at a time", "peakCount", setInt},
		{cumulative, "jvm_threads_started_total", "Threads started since the JVM began", "accumulatedCount", setInt},
	}, "period=1s")
	starts := c.counter("jvm_thread_starts_total", "Threads seen to start", from(start))
	ends := c.counter("jvm_thread_ends_total", "Threads seen to end", from(end))
	virtualStarts := c.counter("jvm_virtual_thread_starts_total", "Virtual threads seen to start", from(virtual))
	virtualEnds := c.counter("jvm_virtual_thread_ends_total", "Virtual threads seen to end", from(lasting))
	failures := c.counter("jvm_virtual_thread_submit_failures_total",
		"Virtual threads that could not be started or go on", from(failed))

	one := func(s *summed) func(mmapjfr.Event) {
		return func(mmapjfr.Event) { s.add(1, labels{}) }
	}
	c.on(start, one(starts), noStack)
	c.on(end, one(ends))
	c.ifRecorded(virtual, one(virtualStarts))
	c.ifRecorded(lasting, one(virtualEnds))
	c.on(failed, one(failures), noStack)
}

// lengths are the limits of buckets for events with a threshold.
var lengths = []float64{.01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// waits adds metrics of threads that wait longer than the threshold of the events.
func (c *catalog) waits() {
	for _, wait := range []struct{ event, name, help string }{
		{"jdk.JavaMonitorEnter", "jvm_monitor_enter_seconds", "How long threads waited to enter a monitor"},
		{"jdk.JavaMonitorWait", "jvm_monitor_wait_seconds", "How long threads waited in Object.wait"},
		{"jdk.ThreadPark", "jvm_thread_park_seconds", "How long threads were parked, as by locks of java.util.concurrent"},
		{"jdk.ThreadSleep", "jvm_thread_sleep_seconds", "How long threads slept"},
		{"jdk.VirtualThreadPinned", "jvm_virtual_thread_pinned_seconds", "How long virtual threads waited and kept their carrier"},
	} {
		h := c.histogram(wait.name, wait.help+", if longer than the event's threshold", lengths, from(wait.event))
		c.on(wait.event, func(ev mmapjfr.Event) { h.took(ev, labels{}) }, "threshold=10ms", noStack)
	}
	const statistics = "jdk.JavaMonitorStatistics"
	inUse := c.gauge("jvm_monitors_in_use", "Monitors that have been inflated, because threads contend or wait", from(statistics))
	count := mmapjfr.Path("count")
	c.on(statistics, func(ev mmapjfr.Event) { inUse.setInt(ev, count, labels{}) }, "period=5s")
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
		const only = ", if longer than the event's threshold"
		times := c.histogram(io.name+"_seconds", "How long "+io.help+" took"+only, lengths, from(io.event))
		handle := func(ev mmapjfr.Event) { times.took(ev, labels{}) }
		if io.bytes != "" {
			moved := c.counter(io.name+"_bytes_total", "Bytes that were moved by "+io.help+only, from(io.event))
			bytes := mmapjfr.Path(io.bytes)
			handle = func(ev mmapjfr.Event) {
				times.took(ev, labels{})
				moved.addInt(ev, bytes, labels{})
			}
		}
		c.on(io.event, handle, "threshold=10ms", noStack)
	}
}
