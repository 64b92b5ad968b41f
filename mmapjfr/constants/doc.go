// Package constants looks at the constants of recordings themselves, and not through
// the events that refer to them: which there are, what they take, which of them nothing
// refers to, and which say the same.
//
//	for c, err := range constants.All(rec, nil) {
//		if err != nil { ... }
//		fmt.Println(c.Type, c.Key, constants.Text(c.Value()))
//	}
//
// # Keys
//
// A constant is known by its type and key in its chunk, and by nothing elsewhere. A
// virtual machine may write one again in a later checkpoint of the same chunk. Then the
// first counts, as for the JDK, and the others are copies: see [Constant.Shadowed].
//
// # Damage
//
// Iterators deliver errors where they occur, and go on with the next chunk. Where events
// or checkpoints of a chunk could not be read, constants may seem unused that are used.
package constants
