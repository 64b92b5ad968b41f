package jvmmetrics

import "github.com/mmapjfr/jfr/mmapjfr"

// classes is about classes and exceptions.
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
