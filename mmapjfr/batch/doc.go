// Package batch divides the work on many recordings into items that any number of machines do in any order, and merges
// what they find.
//
//	objects, err := batch.List(names)
//	items := batch.Plan(question, objects, batch.PlanOptions{})
//	p, err := batch.Map(ctx, question, items[3], batch.Open) // on one machine
//	data, err := p.MarshalBinary()
//	o, err := batch.Unmarshal(data, question) // on another
//	err = sum.Merge(o)
//
// [Work.Run] and [OpenFolders] do that with files in a folder. A [Store] lists and opens objects of servers, too.
//
// # Items
//
// An object is a file, whatever holds it. An [Item] is objects: small ones together, up to about 64 MiB, or a large one by
// itself. If the question is [Divisible], a large object becomes several items, each of a range of it. A range has the chunks
// whose header begins in it, so a chunk is never divided.
//
// # Partial results
//
// A [Partial] is what a [Question] finds in items: an answer, which items they were, and what could not be read.
// Partial results of different items merge in any order to the same bytes. The same item twice counts once. An item
// has a name that is a hash of the question and of its objects, by their names and versions, so that work that has been
// done is found again. Two objects with equal content are two.
//
// What cannot be read is listed as [Damage] and stops nothing. What a server has not given counts for nothing, and such an
// item is done again.
//
// # Concurrency
//
// Questions are safe for concurrent use, partial results are not.
package batch
