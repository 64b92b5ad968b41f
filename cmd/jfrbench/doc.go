// Jfrbench measures how fast mmapjfr reads Flight Recorder files.
//
//	jfrbench [-json] [-all] [-no-progress] FILE...
//
// It prints what a recording holds, as jfr summary does, and what it costs to
// read it, stage by stage.
//
// # Stages
//
// All stages of a file use one memory map, one after the other in one
// goroutine. The first to touch a page pays for having it mapped, or for reading
// it from the disk if it is not in the page cache: that is sweep for what
// describes the events, and walk for the events.
//
//   - open: the file is mapped and the chunk headers are read.
//   - sweep: the metadata of all chunks and their chains of checkpoints are
//     read, and it is noted where each constant lies.
//   - walk: the frames of all events are read, that is size and type, and
//     counted by type. Types are joined by name over the chunks.
//   - blocks: the frames are read again, and the offset of an event is kept for
//     every 64 KiB, as random access needs it.
//   - layout: a cursor goes over all events, finds every field of each and
//     checks that it lies inside the event. No value is decoded.
//   - read: the same, and every field of every event is decoded; see below.
//
// # What read reads
//
// Every field of an event, down to the last leaf: numbers are decoded, strings
// are made as Go strings, inline structs and arrays are gone through.
//
// A field that refers to a constant is resolved: the constant is looked up and
// its own fields are decoded likewise, arrays included. So threads are read with
// their names, and stack traces with all their frames. What constants refer to
// in turn, such as the method of a frame, is looked up, and decoded only if it
// stands for a plain value, as the names of symbols and kinds of frames do.
//
// Constants are decoded anew each time an event refers to them. An event that
// leads to more than 65536 values, as a damaged one can, is cut off there, and
// the report says so.
//
// # Figures
//
// GB/s are the bytes of the whole file, in units of 10^9, divided by the time.
// Time per event and allocations per event count all events but jdk.Metadata
// and jdk.Checkpoint, which are part of the format. Allocated is what was
// allocated in the stage, and heap what was in use after it and a garbage
// collection; the memory map is not part of either.
package main
