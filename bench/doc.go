// Package bench measures what is promised about speed. It has no code but its
// benchmarks:
//
//	go test -bench . ./bench
//
// They run on recordings of the repository, and on the file that the environment
// variable JFR_BENCH_FILE names. Names are operation/file/variant, as benchstat
// likes them; ns/event and MB/s are of the events and the bytes that an operation
// reads or passes over. Limit is the time that merely touching all of the
// file takes.
//
// RESULTS.md tells what has been tried to make it fast, and what that gave.
package bench
