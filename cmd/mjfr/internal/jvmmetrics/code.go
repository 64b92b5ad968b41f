package jvmmetrics

import (
	"github.com/mmapjfr/jfr/mmapjfr"
)

// classes adds metrics of classes and exceptions.
func (c *catalog) classes() {
	const statistics = "jdk.ClassLoadingStatistics"
	current := c.gauge("jvm_classes_currently_loaded", "Classes that are loaded", from(statistics))
	loaded := c.cumulative("jvm_classes_loaded_total", "Classes loaded since the JVM began", from(statistics))
	unloaded := c.cumulative("jvm_classes_unloaded_total", "Classes unloaded since the JVM began", from(statistics))
	in, out := mmapjfr.Path("loadedClassCount"), mmapjfr.Path("unloadedClassCount")
	c.on(statistics, func(ev mmapjfr.Event) {
		loaded.setInt(ev, in, labels{})
		unloaded.setInt(ev, out, labels{})
		if ev.Has(in) && ev.Has(out) {
			current.set(ev.StartNanos(), float64(ev.Int(in)-ev.Int(out)), labels{})
		}
	}, "period=1s")

	const exceptions, thrown = "jdk.ExceptionStatistics", "jdk.JavaErrorThrow"
	created := c.cumulative("jvm_exceptions_created_total",
		"Throwables created since the JVM first recorded it", from(exceptions))
	errors := c.counter("jvm_errors_thrown_total", "Errors seen to be thrown, exceptions not among them", from(thrown))
	count := mmapjfr.Path("throwables")
	c.on(exceptions, func(ev mmapjfr.Event) { created.setInt(ev, count, labels{}) }, "period=1s")
	c.on(thrown, func(mmapjfr.Event) { errors.add(1, labels{}) }, noStack)
}

// compilation adds metrics of the JVM's compilers.
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
