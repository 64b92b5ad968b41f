// Package jvmstats keeps the state of a running JVM from its events: the load of the processors,
// heap, pauses, threads, where it spends its time, and the number of events of each type.
//
// # How it works
//
// [Vitals.Observe] gets every event of a stream, [Vitals.Flushed] is called after all events of a
// flush, and [Vitals.Ended] after the last event. The goroutine of the stream calls them. Any other
// goroutine can get a [Snapshot], which is the state after a flush.
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
// methods, classes and the like, those that count most are kept, and the sum of all others. Events
// without new names allocate nothing.
package jvmstats
