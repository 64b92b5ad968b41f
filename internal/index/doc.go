// Package index finds where everything lies in a recording: its chunks, the types that their
// metadata describes, the constants in their checkpoints, and the blocks of their events. It
// stores places in flat arrays without pointers, and leaves it to package mmapjfr to decode
// values. Package [github.com/mmapjfr/jfr/internal/index/schema] knows how values of each type lie.
//
// # Layout
//
// [New] reads nothing but chunk headers. A [Chunk] reads its metadata when [Chunk.Types] is first
// called, its checkpoints and constants when [Chunk.Constants] is, and its events when
// [Chunk.Blocks] is. FORMAT.md draws the format; comments name its sections.
//
// Offset in a [FormatError] and [Chunk.Offset] count from the start of the recording. All other
// offsets count from the start of their chunk, as those in the file do: so they stay right when
// chunks move.
//
// SaveIndex writes blocks and constants in the form that SAVED.md draws, and [Index.Load] reads it.
// The columns of a saved index are used in place. A part that does not fit its chunk is ignored.
//
// # Concurrency
//
// All methods are safe for concurrent use, except [Index.Grow], [Index.Load] and
// [Index.SetFile]: nothing else may use the index while they run.
//
// # Damage
//
// Every size, count and offset in the file is compared with the bytes that are left before it is
// used. An error in the file is a [FormatError]; what can be read around it stays readable.
package index
