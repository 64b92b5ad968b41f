// Package jvmstats keeps what is known of a running JVM, from the events that it records:
// how busy it is, its heap, pauses, threads, what it spends its time on, and how many
// events of which types there are.
//
// # How it works
//
// [Vitals.Observe] gets every event of a stream, [Vitals.Flushed] is called when all
// events of a flush have come, and [Vitals.Ended] when there will be no more. These
// belong to one goroutine, that of the stream. Any other may ask for a [Snapshot], and
// gets the state after a flush.
//
// # Time
//
// All times are those of the events. "The last minute" ends at the newest event: a
// stream that is read from a file gives the same numbers as when the file was written,
// however fast it is read. Only while a stream has nothing to tell does the clock go on
// with that of the one who calls Flushed.
//
// # Memory
//
// It does not grow with the stream. Counts are kept for each second of the last minute;
// of methods, classes and the like those that count most are kept, and the sum of all
// others. Events that have no new names in them allocate nothing.
package jvmstats
