// Package rewrite copies recordings by a plan: which events stay, which values change, how long chunks are.
//
//	rec, err := mmapjfr.Open("app.jfr")
//	if err != nil { ... }
//	defer rec.Close()
//	plan := rewrite.Plan{From: from, To: to, Context: true}
//	report, err := rewrite.Write(ctx, out, []*mmapjfr.Recording{rec}, &plan)
//
// # What is copied
//
// A chunk that stays as it is, is copied byte for byte, with whatever is wrong in it; nothing is decoded. [Plan.Readable]
// makes those anew that the JDK's reader refuses, and [Plan.Remake] those that the caller knows to be damaged. One of which
// only values are edited keeps its constants under their keys, unless [Plan.Anew] is set. Any other chunk is made anew:
// its events in their order, the constants that they lead to and no others, a description of the types that are left,
// and a header. What belongs to nothing, such as bytes between events, older metadata, and constants that no event leads
// to, is gone. Constants with the same content become one, and get small keys. But types of frames and states of threads,
// which readers know by their keys, keep these, all of them, if no two virtual machines use one key for different ones.
//
// A chunk that keeps its constants has all of them, edited, also those that no event leads to; pooled strings only if
// something still refers to them. It has one description of its types, and no bytes that belong to nothing. References
// to constants that are missing stay. Since the JDK's reader takes a constant for that of the chunk before if its key is
// the same, either all chunks of a virtual machine keep their keys or none does.
//
// What cannot be read is left out: events whose fields do not fit or whose type nothing describes, and those that the
// JDK's reader cannot read (see package repair). In chunks that are made anew, constants that are missing become null. There
// descriptors of methods and names of arrays that the JDK's jfr fails to parse get what they lack: (JX becomes (JX)V.
//
// Chunks are read and made by several workers and written in their order. The result does not depend on the number of
// workers. A chunk that is made anew has at most [Plan.ChunkSize] bytes, more or less, and is held in memory until it
// is written; a larger one becomes several, which share a begin. Of a chunk that keeps its constants, only what was
// edited is held in memory. If that is more than ChunkSize, and more than the constants take, it becomes several, too,
// each with all constants.
//
// # How
//
// One pass over the events of a chunk copies each with the keys of its constants replaced; a key that has not been
// met before is followed, and its constant copied in the same way (package refs finds the keys). So the pools of the
// new chunk fill up while its events are written. Where keys stay, runs of events in which nothing was edited are written
// from where they lie in the recording, and events of types without texts are not decoded.
//
// The JDK's reader takes a constant for that of the chunk before if its key is the same. So chunks that follow one
// another use different keys. If some chunks are copied as they are, all others keep the keys that they had.
package rewrite
