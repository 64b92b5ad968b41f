// Package profile adds up the samples of recordings by stack: CPU time, allocated memory, locks,
// I/O and more.
//
//	rec, err := mmapjfr.Open("app.jfr")
//	...
//	p, err := profile.Read(ctx, []*mmapjfr.Recording{rec}, profile.Options{})
//	for s := range p.Samples() {
//		fmt.Println(s.Kind.Name, s.Values[0])
//		for _, frame := range p.Stack(s.Stack) { // the innermost first
//			fmt.Println("\tat", frame)
//		}
//	}
//
// # Kinds
//
// A [Kind] says what is measured, such as cpu or alloc. It has one to three values: the number of
// samples, and their weight. [Kinds] lists them with their event types. If several event types of a
// chunk measure the same, only the most exact one counts, unless it has hardly any samples;
// [Profile.Notes] says so. With [Options], any event with a stack trace can be a kind.
//
// # Partial results
//
// [Profile.Merge] adds a profile of other chunks, files, hours or machines; the order does not
// matter. A profile can be written to bytes and read back. Methods, frames and stacks are equal if
// their contents are.
//
// The weight of a sample can depend on other chunks of its recording, so the recording is the unit
// of work. If [Options.Divisible] reports true, profiles of ranges of a recording add up, too.
//
// # Errors
//
// Errors are those of [mmapjfr.Selection.Parallel]. The profile then has everything that could be
// read.
//
// # Concurrency
//
// Several goroutines may read a Profile at once, but only one may change it.
package profile
