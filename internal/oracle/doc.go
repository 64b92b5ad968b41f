// Package oracle asks the jfr command of JDK 25 what a recording holds and keeps
// what it said, so that tests can compare with it on machines without a JVM.
//
// # What is asked
//
// jfr summary is asked of the whole file. Events and classes are asked of every
// chunk on its own, cut out into a temporary file, because the JDK carries the
// clock and the constants of earlier chunks over into later ones; the answers of
// the chunks are then added up. What it says is reduced to sums:
//
//   - per event type a [Sum]: the number of its events and the wrapping sum of a
//     128-bit hash of each. The order of events does not matter, duplicates count.
//   - per class the set of 64-bit hashes of its blocks in jfr metadata.
//
// A file or a chunk the JDK does not read gives the first line of its refusal. It crashes in jfr
// metadata if an annotation has an array of primitives; the event types that it can print are then
// asked for by name. A chunk whose header is unfinished (state byte not 0) is asked once more in a
// copy whose state byte is 0 and which ends where the header says; see [Answers.AsFinished].
//
// # Canonical texts
//
// An event is the text of its object in jfr print --json --stack-depth 9999 with the white space
// outside strings removed, nothing else changed: numbers and escapes are as the JDK writes them.
//
//	{"type":"jdk.ThreadStart","values":{"startTime":"2026-11-20T21:22:36.999Z",...}}
//
// A class is its block in jfr metadata, from its first annotation to the closing
// brace, lines ended by \n, without a newline at the end.
//
// # The answers file
//
// JSON, of the type [Answers]. Version, number of chunks, start and duration are those of
// jfr summary; Refused stands in their place where it refuses. The hashes of a class
// are numbers; those of the events are their number and 32 hexadecimal digits.
//
// The answers of dir/x.jfr are in dir/answers/x.json, and are made again with
//
//	MMAPJFR_TEST=jvm go test ./internal/oracle -run Fit -ask
//
// # Concurrency
//
// The functions share nothing and may be called concurrently; each question starts
// a JVM. The types are plain data.
package oracle
