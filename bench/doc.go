// Package bench measures what is promised about speed. It has no code but its
// benchmarks:
//
//	go test -bench . ./bench
//
// They run on recordings of the repository, and on the file that the environment
// variable JFR_BENCH_FILE names. Names are operation/file; ns/event and MB/s are
// of the whole file's events and bytes.
package bench
