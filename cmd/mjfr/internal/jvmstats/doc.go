// Package jvmstats keeps the state of a running JVM from its events: the load of the processors,
// heap, pauses, threads, where it spends its time, and the number of events of each type. It is
// rendered as a [Snapshot], which mjfr watch shows, and as metrics for Prometheus, so that a
// dashboard needs no agent in the JVM.
//
// # How it works
//
// [Vitals.Observe] gets every event of a stream, [Vitals.Flushed] is called after all events of a
// flush, and [Vitals.Ended] after the last event. Any goroutine can get a [Snapshot], which is the
// state after a flush, or serve metrics by [Vitals.Listen].
//
// Each event type stands in one place, with its settings, its fields, and what they are made into:
// metrics, which have the last value or a sum of values, and figures of the last minute. The
// snapshot reads the former, too.
//
// # Time
//
// All times are those of the events. "The last minute" ends at the newest event: a stream that is
// read from a file gives the same numbers as when the file was written, however fast it is read.
// Only while a stream has no events does the clock go on with that of the caller of Flushed.
//
// # Memory
//
// Memory does not grow with the stream. There are counts for each second of the last minute. Of
// methods, classes and the like, those that count most are kept, and the sum of all. No metric has
// more than [MaxSeries] combinations of labels: counters count the rest as "other", and gauges
// leave it out. Events without new names allocate nothing.
//
// # Metrics
//
// A metric has the name that Prometheus' client library for Java gives it, such as
// jvm_memory_used_bytes, and its help lists the events that it is made of. It exists from its first
// event on: if an event is not recorded, its metrics are missing rather than 0.
//
// A gauge has the value of its last event, and so has a counter that the JVM keeps itself, such as
// jvm_classes_loaded_total. After a restart of the JVM such a counter begins anew, which Prometheus
// detects, and values of the old JVM are removed. Other counters and histograms count events since
// the stream began. If events have a threshold, they count only what took longer.
package jvmstats
