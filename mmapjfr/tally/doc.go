// Package tally counts and adds up what events tell: how many there are by a key, sums by a
// key, the top of them, and quantiles.
//
//	samples := rec.Select(mmapjfr.Types("jdk.ExecutionSample"))
//	methods, err := tally.Count(ctx, samples, func(ev mmapjfr.Event) string {
//		return ev.StackTrace().Frame(0).Method().Signature()
//	})
//	for _, m := range methods.TopByCount(20) {
//		fmt.Println(m.Count, m.Key)
//	}
//
// [Count], [Sum] and [Measure] read a selection on all processors, by [mmapjfr.Fold]. A
// [Table] and [Quantiles] can also be filled by hand, with events of a stream, say.
//
// # Partial results
//
// All that this package makes can be made in parts, of chunks, files or hours, and be merged:
// in any order the result is the same, to the last bit, since there are only integers in it.
// It can be written as JSON and read again. Keys should be contents, such as names: numbers of
// constants mean nothing outside their chunk.
//
// # Errors
//
// Errors are those of [mmapjfr.Fold]. With those about what could not be read, such as
// [mmapjfr.ErrUnfinished] of a recording that is still being written, comes the result of all
// that could.
//
// # Concurrency
//
// A Table and Quantiles belong to one goroutine while they are being filled.
package tally
