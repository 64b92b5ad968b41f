package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// system adds metrics of processors and memory, of the JVM's process and of the machine.
func (c *catalog) system() {
	const load = "jdk.CPULoad"
	jvm := c.gauge("jvm_cpu_load_ratio", "Share of all processors that the JVM used, in programs and in the system",
		from(load), "mode")
	machine := c.gauge("system_cpu_load_ratio", "Share of all processors that was used by anyone", from(load))
	user, kernel, total := mmapjfr.Path("jvmUser"), mmapjfr.Path("jvmSystem"), mmapjfr.Path("machineTotal")
	c.on(load, func(ev mmapjfr.Event) {
		jvm.setRatio(ev, user, labels{"user"})
		jvm.setRatio(ev, kernel, labels{"system"})
		machine.setRatio(ev, total, labels{})
	}, "period=1s")
	c.fields("jdk.ThreadContextSwitchRate", []fieldMetric{
		{gauge, "system_context_switch_rate_hertz", "Switches from one thread to another in a second, of all programs", "switchRate", setRatio},
	}, "period=5s")
	c.fields("jdk.ResidentSetSize", []fieldMetric{
		{gauge, "process_resident_memory_bytes", "Bytes of memory that the JVM's process has", "size", setKnown},
		{gauge, "process_resident_memory_peak_bytes", "The most bytes of memory that the JVM's process ever had", "peak", setKnown},
	}, "period=5s")
	c.fields("jdk.PhysicalMemory", []fieldMetric{
		{gauge, "system_memory_total_bytes", "Bytes of memory of the machine, or of the JVM's container", "totalSize", setKnown},
		{gauge, "system_memory_used_bytes", "Bytes of memory that is in use", "usedSize", setKnown},
	}, "period=5s")
	c.fields("jdk.SwapSpace", []fieldMetric{
		{gauge, "system_swap_total_bytes", "Bytes of swap space", "totalSize", setKnown},
		{gauge, "system_swap_free_bytes", "Bytes of swap space that is free", "freeSize", setKnown},
	}, "period=5s")
}

// container adds metrics of the container that the JVM runs in.
func (c *catalog) container() {
	c.fields("jdk.ContainerCPUThrottling", []fieldMetric{
		{cumulative, "jvm_container_cpu_periods_total", "Periods of time for which the container had a quota of processor time", "cpuElapsedSlices", setKnown},
		{cumulative, "jvm_container_cpu_throttled_periods_total", "Periods in which the container had to stand still because its quota was used up", "cpuThrottledSlices", setKnown},
		{cumulative, "jvm_container_cpu_throttled_seconds_total", "How long the container had to stand still because its quota was used up", "cpuThrottledTime", setSeconds},
	}, "period=5s")
	const usage = "jdk.ContainerCPUUsage"
	cpu := c.cumulative("jvm_container_cpu_seconds_total", "Processor time that the container took", from(usage), "mode")
	user, system := mmapjfr.Path("cpuUserTime"), mmapjfr.Path("cpuSystemTime")
	c.on(usage, func(ev mmapjfr.Event) {
		cpu.setSeconds(ev, user, labels{"user"})
		cpu.setSeconds(ev, system, labels{"system"})
	}, "period=5s")

	c.fields("jdk.ContainerMemoryUsage", []fieldMetric{
		{gauge, "jvm_container_memory_used_bytes", "Bytes of memory that the container has", "memoryUsage", setKnown},
		{cumulative, "jvm_container_memory_failures_total", "How often the container wanted more memory than its limit", "memoryFailCount", setKnown},
	}, "period=5s")
	c.fields("jdk.ContainerConfiguration", []fieldMetric{
		{gauge, "jvm_container_memory_limit_bytes", "Bytes of memory that the container may have", "memoryLimit", setKnown},
		{gauge, "jvm_container_cpus", "Processors that the container may use", "effectiveCpuCount", setKnown},
	})
}
