// Package jvmmetrics makes metrics for Prometheus out of the events of a JVM's
// flight recorder, so that a dashboard needs no agent in the JVM.
//
//	m := jvmmetrics.New()
//	for _, s := range m.Handlers() {
//		stream.OnEventType(s.Type, s.Handle)
//	}
//	server, err := m.Listen(ctx, "localhost:9404", jvmmetrics.Access{})
//	if err != nil { ... }
//	go server.Serve(ctx)
//
// # Names
//
// A metric has the name that Prometheus' client library for Java gives it: jvm_memory_used_bytes,
// jvm_gc_collection_seconds, jvm_threads_current and so on. The help text of each metric
// lists the events that it is made of.
//
// # Values
//
// A metric exists from its first event on. If an event is not recorded, its metrics are missing
// rather than 0.
//
// A gauge has the value of its last event, and so has a counter that the JVM keeps itself, such as
// jvm_classes_loaded_total. After a restart of the JVM such a counter begins anew, which Prometheus
// detects, and values of the old JVM are removed. Other counters and histograms count events since
// the stream began. If events have a threshold, they count only what took longer.
//
// # Labels
//
// No metric has more than [MaxSeries] combinations of labels. Counters count the rest as "other",
// and gauges leave it out.
//
// # Concurrency
//
// Handlers and [Metrics.Flushed] must not be called at the same time; a stream never does. Scrapes
// may come at any time.
//
// # Access
//
// [Metrics.Listen] listens at localhost if no host is given. It answers only requests whose Host
// header names this machine. If there is a token, requests must have it; see [Access].
//
// # Performance
//
// A handler allocates only for new labels.
package jvmmetrics
