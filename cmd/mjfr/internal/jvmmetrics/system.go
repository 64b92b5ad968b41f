package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// system adds metrics of processors and memory, of the JVM's process and of the machine.
func (c *catalog) system() {
	const load, switches = "jdk.CPULoad", "jdk.ThreadContextSwitchRate"
	jvm := c.gauge("jvm_cpu_load_ratio", "Share of all processors that the JVM used, in programs and in the system",
		from(load), "mode")
	machine := c.gauge("system_cpu_load_ratio", "Share of all processors that was used by anyone", from(load))
	rate := c.gauge("system_context_switch_rate_hertz", "Switches from one thread to another in a second, of all programs",
		from(switches))
	user, kernel, total := mmapjfr.Path("jvmUser"), mmapjfr.Path("jvmSystem"), mmapjfr.Path("machineTotal")
	c.on(load, func(ev mmapjfr.Event) {
		jvm.setRatio(ev, user, labels{"user"})
		jvm.setRatio(ev, kernel, labels{"system"})
		machine.setRatio(ev, total, labels{})
	}, "period=1s")
	perSecond := mmapjfr.Path("switchRate")
	c.on(switches, func(ev mmapjfr.Event) { rate.setRatio(ev, perSecond, labels{}) }, "period=5s")

	const resident, physical, swap = "jdk.ResidentSetSize", "jdk.PhysicalMemory", "jdk.SwapSpace"
	for _, event := range []struct {
		name    string
		metrics []sizeMetric
	}{
		{resident, []sizeMetric{
			{"process_resident_memory_bytes", "Bytes of memory that the JVM's process has", "size"},
			{"process_resident_memory_peak_bytes", "The most bytes of memory that the JVM's process ever had", "peak"},
		}},
		{physical, []sizeMetric{
			{"system_memory_total_bytes", "Bytes of memory of the machine, or of the JVM's container", "totalSize"},
			{"system_memory_used_bytes", "Bytes of memory that is in use", "usedSize"},
		}},
		{swap, []sizeMetric{
			{"system_swap_total_bytes", "Bytes of swap space", "totalSize"},
			{"system_swap_free_bytes", "Bytes of swap space that is free", "freeSize"},
		}},
	} {
		c.sizes(event.name, event.metrics, "period=5s")
	}
}

// sizeMetric is a metric with the value of a field.
type sizeMetric struct{ name, help, field string }

// sizes adds gauges for fields of an event. A field is negative if its value is not known.
func (c *catalog) sizes(event string, metrics []sizeMetric, settings ...string) {
	gauges := make([]*sampled, len(metrics))
	paths := make([]*mmapjfr.FieldPath, len(metrics))
	for i, m := range metrics {
		gauges[i] = c.gauge(m.name, m.help, from(event))
		paths[i] = mmapjfr.Path(m.field)
	}
	c.on(event, func(ev mmapjfr.Event) {
		for i, g := range gauges {
			g.setKnown(ev, paths[i], labels{})
		}
	}, settings...)
}

// container adds metrics of the container that the JVM runs in.
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
