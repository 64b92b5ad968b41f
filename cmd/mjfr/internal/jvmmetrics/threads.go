package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// threads is about how many threads there are.
func (c *catalog) threads() {
	const (
		statistics       = "jdk.JavaThreadStatistics"
		start, end       = "jdk.ThreadStart", "jdk.ThreadEnd"
		virtual, lasting = "jdk.VirtualThreadStart", "jdk.VirtualThreadEnd"
		failed           = "jdk.VirtualThreadSubmitFailed"
	)
	current := c.gauge("jvm_threads_current", "Threads that live, but for virtual ones", from(statistics))
	daemon := c.gauge("jvm_threads_daemon", "Daemon threads that live", from(statistics))
	peak := c.gauge("jvm_threads_peak", "The most threads that lived at a time", from(statistics))
	started := c.cumulative("jvm_threads_started_total", "Threads started since the JVM began", from(statistics))
	starts := c.counter("jvm_thread_starts_total", "Threads seen to start", from(start))
	ends := c.counter("jvm_thread_ends_total", "Threads seen to end", from(end))
	virtualStarts := c.counter("jvm_virtual_thread_starts_total", "Virtual threads seen to start", from(virtual))
	virtualEnds := c.counter("jvm_virtual_thread_ends_total", "Virtual threads seen to end", from(lasting))
	failures := c.counter("jvm_virtual_thread_submit_failures_total",
		"Virtual threads that could not be started or go on", from(failed))

	alive, daemons := mmapjfr.Path("activeCount"), mmapjfr.Path("daemonCount")
	most, all := mmapjfr.Path("peakCount"), mmapjfr.Path("accumulatedCount")
	c.on(statistics, func(ev mmapjfr.Event) {
		current.setInt(ev, alive, labels{})
		daemon.setInt(ev, daemons, labels{})
		peak.setInt(ev, most, labels{})
		started.setInt(ev, all, labels{})
	}, "period=1s")
	one := func(s *summed) func(mmapjfr.Event) {
		return func(mmapjfr.Event) { s.add(1, labels{}) }
	}
	c.on(start, one(starts), noStack)
	c.on(end, one(ends))
	c.ifRecorded(virtual, one(virtualStarts))
	c.ifRecorded(lasting, one(virtualEnds))
	c.on(failed, one(failures), noStack)
}
