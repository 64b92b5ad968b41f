// Package index is the first sweep over a recording: it finds the chunks, reads
// each chunk's metadata into classes, walks the chain of checkpoints and writes
// down, in flat arrays without pointers, where pools and constants lie. It
// knows the shape of every type and decodes no value of any.
//
// # Layout
//
// [New] reads nothing but chunk headers. A [Chunk] reads its metadata when
// [Chunk.Types] is first called, its checkpoints and constants when
// [Chunk.Constants] is, and the boundaries of its events when [Chunk.Blocks]
// is. The format is drawn in FORMAT.md; comments name its sections.
//
// Offsets named Offset in a [FormatError] or a [Chunk] count from the start of
// the recording. All others count from the start of their chunk, as the file's
// own do, so that nothing has to be rewritten when chunks move.
//
// [Index.Save] writes down what has been found, in the form that SAVED.md draws, and
// [Index.Load] reads it: the columns of a saved index are used where they are, and a
// part that does not fit its chunk is as if it were not there.
//
// # Concurrency
//
// All methods are safe for concurrent use, except [Index.Grow], [Index.Load] and
// [Index.SetFile]: nothing else may use the index while they run.
//
// # Damage
//
// Every size, count and offset in the file is compared with the bytes that are
// left before it is used. What is wrong is a [FormatError]; what could be read
// around it is kept.
package index
