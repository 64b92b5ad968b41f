// Package profile sums up the samples of recordings by stack: where time, allocated memory,
// locks and input and output go.
//
//	rec, err := mmapjfr.Open("app.jfr")
//	...
//	p, err := profile.Read(ctx, []*mmapjfr.Recording{rec}, profile.Options{})
//	for s := range p.Samples() {
//		fmt.Println(s.Kind.Name, s.Values[0])
//		for id := range p.Stack(s.Stack) { // the innermost frame first
//			fmt.Println("\tat", profile.Names{}.Frame(p, p.Frame(id)))
//		}
//	}
//
// # Kinds
//
// A [Kind] is what a stack is weighted by, such as cpu or alloc. Each kind has one to three
// values: the number of samples, and what they weigh. [Kinds] lists all of them, and which
// events they are made of. Where several types of events measure the same in a chunk, only the
// most exact one counts, unless it has hardly any samples there; [Profile.Notes] says so. Any other
// event with a stack trace can be a kind, too: see [Options].
//
// # Partial results
//
// A Profile is a partial result: [Profile.Merge] adds another one, of other chunks, files,
// hours or machines, in any order to the same answer. It can be written to bytes and read
// back. Methods, frames and stacks are equal if their contents are.
//
// A recording is the unit of work: what samples weigh can depend on its other chunks. Where it does not, as
// [Options.Divisible] reports, the profiles of ranges of one add up, too.
//
// # Errors
//
// Errors are those of [mmapjfr.Selection.Parallel]. With those about what could not be read
// comes the profile of all that could.
//
// # Concurrency
//
// A Profile may be read by several goroutines at once, and changed by one alone.
package profile
