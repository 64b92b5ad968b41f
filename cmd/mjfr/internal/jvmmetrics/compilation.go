package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// compilation is about the JVM's compilers.
func (c *catalog) compilation() {
	const statistics, event = "jdk.CompilerStatistics", "jdk.Compilation"
	spent := c.cumulative("jvm_compilation_time_seconds_total", "Time spent on compiling", from(statistics))
	compilations := c.cumulative("jvm_compilations_total",
		"Compilations of whole methods (standard) and of loops that were running (osr)", from(statistics), "kind")
	bailouts := c.cumulative("jvm_compilation_bailouts_total", "Compilations given up", from(statistics))
	invalidated := c.cumulative("jvm_compilation_invalidations_total", "Compilations whose results could not be used", from(statistics))
	long := c.histogram("jvm_compilation_seconds",
		"How long compilations took, if longer than the event's threshold", lengths, from(event), "compiler")

	total, standard, osr := mmapjfr.Path("totalTimeSpent"), mmapjfr.Path("standardCompileCount"), mmapjfr.Path("osrCompileCount")
	failed, dropped := mmapjfr.Path("bailoutCount"), mmapjfr.Path("invalidatedCount")
	c.on(statistics, func(ev mmapjfr.Event) {
		spent.setSeconds(ev, total, labels{})
		compilations.setInt(ev, standard, labels{"standard"})
		compilations.setInt(ev, osr, labels{"osr"})
		bailouts.setInt(ev, failed, labels{})
		invalidated.setInt(ev, dropped, labels{})
	}, "period=1s")
	compiler := mmapjfr.Path("compiler")
	c.on(event, func(ev mmapjfr.Event) { long.took(ev, labels{ev.Str(compiler)}) }, "threshold=100ms")
}
