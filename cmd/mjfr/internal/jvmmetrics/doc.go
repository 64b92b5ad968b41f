// Package jvmmetrics makes metrics for Prometheus out of the events of a JVM's
// flight recorder, so that a dashboard needs no agent in the JVM.
//
//	m := jvmmetrics.New(nil, nil)
//	for _, s := range m.Handlers() {
//		stream.OnEventType(s.Type, s.Handle)
//	}
//	go m.Serve(ctx, "localhost:9404", jvmmetrics.Access{})
//
// # Names
//
// What Prometheus' client library for Java has a name for has that name here:
// jvm_memory_used_bytes, jvm_gc_collection_seconds, jvm_threads_current and so on.
// [Describe] lists all, with the events they come from; so does the help text of
// each.
//
// # Values
//
// A metric is there from the first event on that tells of it, and not before: where
// an event is not recorded there is no metric, rather than one that is 0.
//
// Gauges, and counters that the JVM keeps itself, such as jvm_classes_loaded_total,
// have the value of the last event; after a restart of the JVM they begin anew, which
// Prometheus takes for what it is. What a JVM has left behind that another one
// follows is dropped. Other counters, and histograms, are of the events since the
// stream began. Of events that have a threshold they know only what took longer.
//
// # Labels
//
// No metric has more than [MaxSeries] combinations of labels. What is beyond is
// counted as "other"; of gauges it is left out.
//
// # Concurrency
//
// Handlers, and [Metrics.Flushed], must not be called at the same time, as those of
// one stream never are. Scrapes may come at any time.
//
// # Who may ask
//
// [Metrics.Serve] listens at localhost where no host is given, answers only requests whose
// Host header names this machine, and, with a token, those that show it; see [Access].
//
// # Performance
//
// A handler allocates nothing once it has seen the labels of its events.
package jvmmetrics
