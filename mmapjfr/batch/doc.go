// Package batch divides the work on many recordings among machines and merges the results.
//
//	store := &batch.Store{}
//	objects, err := store.List(ctx, names)
//	items := batch.Plan(question, objects, batch.PlanOptions{})
//	var data []byte
//	for p, err := range batch.Map(ctx, question, nil, items[:3], store.Open) { // on one machine
//		if err != nil { ... }
//		data, err = p.MarshalBinary()
//		if err != nil { ... }
//	}
//	o, err := batch.Unmarshal(data, question) // on another
//	err = sum.Merge(o)
//
// [Work.Run] and [OpenFolders] do this with files in a folder.
//
// # Items
//
// An object is a recording in a file or on a server. An [Item] is the unit of work: small objects
// together, up to about 64 MiB, or one large object. If what a question finds in ranges of an
// object adds up, a large object becomes several items, each with the chunks whose header begins in
// its range.
//
// # Partial results
//
// A [Partial] holds an answer to a [Question], the items it covers, and their damage. Partial
// results merge in any order to the same bytes, and an item counts once even if it is merged twice.
// The name of an item is a hash of the question and of the names and versions of its objects, so
// finished work is found again. Copies of an object under two names count twice.
//
// Objects that cannot be read are listed as [Damage]. An item whose object could not be fetched
// counts nothing and is done again.
//
// # Concurrency
//
// Questions are safe for concurrent use, partial results are not.
package batch
