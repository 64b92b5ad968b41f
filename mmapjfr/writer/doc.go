// Package writer writes recordings of format 2.1, which the JDK's jfr, JDK Mission Control and
// async-profiler's converter read as they read those of a JVM: a Go program records its own events.
//
// # Events from structs
//
//	w, err := writer.Create("service.jfr")
//	requests, err := writer.NewRecorder[Request](w, writer.EventInfo{Name: "app.Request", Spans: true})
//	...
//	ctx, request := requests.Begin(ctx)
//	...
//	err = request.End(Request{Path: path, Status: 200})
//	...
//	err = w.Close()
//
// [Recorder] says how fields become fields of events. It fills in start, duration, thread and stack
// trace. Goroutines are threads.
//
// # Values in order
//
// [Writer.DefineEvent] defines an event type by its fields, and [EventType.Write] takes a value for
// each of them. [Writer.Define] defines types of values. The types of the
// JDK for threads, classes and stack traces are defined already.
//
// # Destinations
//
// [New] writes to a stream, a chunk at a time. [Create] writes to a file that others can follow:
// after a [Writer.Flush] all that has been recorded can be read. What has been recorded since the
// last Flush is lost, and a file has no events for any reader, if the program ends without Flush or
// [Writer.Close]: log.Fatal and os.Exit run no defer.
//
// # Concurrency
//
// All methods can be called by any number of goroutines. Events are encoded one at a time under a
// lock; the one that fills a chunk waits until the chunk is written.
//
// # Errors
//
// Misuse returns an error, and leaves the recording as it was. The first error of a destination is
// returned by all calls that follow. Close returns it, too.
//
// # Memory
//
// A writer takes about three times the size of a chunk ([ChunkSize]) at most: the chunk, its
// constants, and those of the chunk before. Older ones are forgotten.
package writer
