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
// A file or a chunk the JDK does not read gives the first line of its refusal. It
// crashes in jfr metadata if an annotation has an array of primitives; the event types
// that it can print are then asked for by name.
// A chunk whose header is unfinished (state byte not 0) is asked once more in a
// copy whose state byte is 0 and which ends where the header says; see
// [Answers.AsFinished].
//
// # Canonical texts
//
// An event is the text of its object in jfr print --json --stack-depth 9999 with
// the white space outside strings removed, nothing else changed: numbers and
// escapes are as the JDK writes them.
//
//	{"type":"jdk.ThreadStart","values":{"startTime":"2026-11-20T21:22:36.999Z",...}}
//
// A class is its block in jfr metadata, from its first annotation to the closing
// brace, lines ended by \n, without a newline at the end.
//
// # The answers file
//
// Plain text, one item per line:
//
//	mmapjfr answers 1
//	file small.jfr
//	bytes 123456
//	sha256 <64 hex digits>
//	jdk 25.0.3
//	(empty line)
//	account plain
//	version 2.1
//	chunks 1
//	start 2026-11-20 21:22:36 (UTC)
//	duration 3 s
//	chunk 0 at 0 size 123456 state 0 events 789
//	names
//	boolean - - - - 5f1c...
//	jdk.CPULoad 4 180 4 <32 hex digits> 0b77...
//
// The lines after account are repeated for "account as-finished" where there is
// one. version, chunks, start and duration are those of jfr summary; where it
// refuses, one line "summary refused: text" stands for the four. Likewise "chunk 0
// print refused: text" and "chunk 0 metadata refused: text" follow the line of
// their chunk. After names come all names known to any of the three questions,
// sorted, with five columns: count and bytes of the summary, number and sum of the
// events hashed, hashes of the class joined by commas; - where there is no answer.
// A name with white space, quotes or anything but ASCII is quoted as in Go.
//
// The answers of dir/x.jfr are in dir/answers/x.txt, and are made again with
//
//	go run ./internal/oracle/ask testdata/*.jfr
//
// # Concurrency
//
// The functions share nothing and may be called concurrently; each question starts
// a JVM. The types are plain data.
package oracle
