// Package constants looks at the constants of recordings themselves, not through the events
// that refer to them: which ones there are, how many bytes they take, which of them nothing
// refers to, and which are equal.
//
//	for c, err := range constants.All(rec, nil) {
//		if err != nil { ... }
//		fmt.Println(c.Type, c.Key, constants.Text(c.Value()))
//	}
//
// # Keys
//
// A type and a key name a constant within its chunk; elsewhere they mean nothing. A virtual
// machine may write a constant again in a later checkpoint of the same chunk. Then the first
// one counts, as for the JDK, and shadows the others: see [Constant.Shadowed].
//
// # Damage
//
// Iterators yield errors where they occur, and go on with the next chunk. Where events or
// checkpoints of a chunk could not be read, constants may seem unused that are used.
package constants
