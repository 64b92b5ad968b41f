package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// container is about the container that the JVM runs in, if it does.
func (c *catalog) container() {
	const throttling, usage = "jdk.ContainerCPUThrottling", "jdk.ContainerCPUUsage"
	periods := c.cumulative("jvm_container_cpu_periods_total",
		"Periods of time for which the container had a quota of processor time", from(throttling))
	throttled := c.cumulative("jvm_container_cpu_throttled_periods_total",
		"Periods in which the container had to stand still because its quota was used up", from(throttling))
	stood := c.cumulative("jvm_container_cpu_throttled_seconds_total",
		"How long the container had to stand still because its quota was used up", from(throttling))
	cpu := c.cumulative("jvm_container_cpu_seconds_total", "Processor time that the container took", from(usage), "mode")

	elapsed, slowed, length := mmapjfr.Path("cpuElapsedSlices"), mmapjfr.Path("cpuThrottledSlices"), mmapjfr.Path("cpuThrottledTime")
	c.on(throttling, func(ev mmapjfr.Event) {
		periods.setKnown(ev, elapsed, labels{})
		throttled.setKnown(ev, slowed, labels{})
		stood.setSeconds(ev, length, labels{})
	}, "period=5s")
	user, system := mmapjfr.Path("cpuUserTime"), mmapjfr.Path("cpuSystemTime")
	c.on(usage, func(ev mmapjfr.Event) {
		cpu.setSeconds(ev, user, labels{"user"})
		cpu.setSeconds(ev, system, labels{"system"})
	}, "period=5s")

	const memory = "jdk.ContainerMemoryUsage"
	used := c.gauge("jvm_container_memory_used_bytes", "Bytes of memory that the container has", from(memory))
	failures := c.cumulative("jvm_container_memory_failures_total",
		"How often the container wanted more memory than its limit", from(memory))
	bytes, failed := mmapjfr.Path("memoryUsage"), mmapjfr.Path("memoryFailCount")
	c.on(memory, func(ev mmapjfr.Event) {
		used.setKnown(ev, bytes, labels{})
		failures.setKnown(ev, failed, labels{})
	}, "period=5s")
	c.sizes("jdk.ContainerConfiguration", []sizeMetric{
		{"jvm_container_memory_limit_bytes", "Bytes of memory that the container may have", "memoryLimit"},
		{"jvm_container_cpus", "Processors that the container may use", "effectiveCpuCount"},
	})
}
