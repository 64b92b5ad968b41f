// Package rewrite copies recordings by a [Plan]: which events to keep, which values to change, how
// to size chunks.
//
//	rec, err := mmapjfr.Open("app.jfr")
//	if err != nil { ... }
//	defer rec.Close()
//	plan := rewrite.Plan{From: from, To: to, Context: true}
//	report, err := rewrite.Write(ctx, out, []*mmapjfr.Recording{rec}, &plan)
//
// # Three ways to copy a chunk
//
//   - Unchanged: if the plan keeps everything, the chunk is copied byte for byte, damage included.
//     [Plan.Readable] remakes chunks that the JDK's reader refuses, and [Plan.Remake] chunks that
//     the caller knows to be damaged.
//   - Edited: if only values change, all constants stay, edited, under their keys. Pooled strings
//     stay only if they are referenced. References to missing constants stay. [Plan.Anew] turns
//     this off.
//   - Remade: otherwise, the new chunk has the kept events in their order, the constants they
//     refer to, and a description of their types. Equal constants become one, with a small key.
//     Missing constants become null.
//
// Edited and remade chunks have no superseded metadata and no stray bytes. Both leave out events
// whose fields do not fit, whose type is not described, or that the JDK's reader cannot read (see
// package repair). In remade chunks, descriptors and array names that the JDK fails to parse are
// completed: (JX becomes (JX)V.
//
// # Keys
//
// The JDK's reader confuses constants of consecutive chunks that have the same key. So either all
// chunks of a JVM keep their keys, or consecutive chunks get different ones; if any chunk is copied
// unchanged, all others keep theirs. Frame types and thread states always keep their keys, which
// readers know, unless two JVMs use a key for different ones.
//
// # Cost
//
// Several workers read and remake chunks, which are written in order; the result does not depend on
// the number of workers. A remade chunk has about [Plan.ChunkSize] bytes at most and is held in
// memory until it is written. A larger one is split into several with the same start time. Of an
// edited chunk only the edits are held in memory. It is split, each part with all constants, if the
// edits exceed ChunkSize and the size of its constants.
//
// A chunk is remade in one pass: each event is copied with its keys replaced, and a constant is
// copied when its key is first met (package refs finds the keys). Runs of events without edits, and
// events of types without text, are copied without decoding.
package rewrite
