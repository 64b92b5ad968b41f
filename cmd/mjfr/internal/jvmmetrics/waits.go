package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// lengths are the limits of buckets for what has a threshold.
var lengths = []float64{.01, .02, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// waits is about threads that wait, for longer than the threshold of the events.
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
