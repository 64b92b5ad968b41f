// Package bench measures what is promised about speed, on recordings of the repository and on the
// file that the environment variable JFR_BENCH_FILE names:
//
//	go test -bench . ./bench
//
// Names are operation/file/variant, as benchstat likes them. ns/event and MB/s are of the events and
// bytes that an operation reads or skips; Limit is the time that touching all of the file takes.
package bench
