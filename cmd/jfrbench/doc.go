// Jfrbench measures how fast mmapjfr reads Flight Recorder files.
//
//	jfrbench [-workers N] FILE...
//	jfrbench scan -work summary|count|read|type [-type NAME] [flags] FILE
//	jfrbench peers [-runs N] [-only WORK,...] [-readers NAME,...] [-type NAME] [-profile TYPE] FILE
//	jfrbench gen -size SIZE [-from FILE] OUT
//
// It prints what it costs to read a recording, stage by stage.
//
// # Stages
//
// All stages of a file use one memory map, one after the other, each on as many goroutines as there
// are processors, or as -workers says. The first to touch a page pays for having it mapped, or for
// reading it from the disk if it is not in the page cache: that is sweep for what describes the
// events, and walk for the events.
//
//   - open: the file is mapped and the chunk headers are read.
//   - sweep: the metadata of all chunks and their chains of checkpoints are
//     read, and it is noted where each constant lies.
//   - walk: the frames of all events are read, that is size and type, and
//     counted by type. Types are joined by name over the chunks.
//   - blocks: the frames are read again, and it is kept where events lie: blocks
//     of 64 KiB with their times, types and threads, for random access and
//     selections.
//   - layout: every field of each event is found, and it is checked that it lies
//     inside the event. No value is decoded.
//   - read: every field of every event is decoded, in batches; see below.
//
// # What read reads
//
// Every field of an event, as the JDK's getValue gives it: numbers are decoded, strings are made as
// Go strings, inline structs and arrays are read. Of a field that refers to a constant it is looked
// up which one that is; what is inside a constant is not looked at, unless it stands for a string,
// as the names of symbols do, which is then read.
//
// # Figures
//
// GB/s are the bytes of the whole file, in units of 10^9, divided by the time. Time per event and
// allocations per event count all events but jdk.Metadata and jdk.Checkpoint, which are part of the
// format. Allocated is what was allocated in the stage, and heap what was in use after it and a
// garbage collection; the memory map is not part of either. Memory is what the process has that is
// no page of a file, by the operating system's count at the end of the stage that had most; systems
// other than Linux do not tell.
//
// # Peers
//
// Peers measures other readers on the same file, on a JDK 25 or newer. It looks for one at
// JAVA25_HOME, beside the java on PATH, and at the jfr on PATH. The readers are jdk, which are the
// JDK's own, and jmc, that of JDK Mission Control; -readers chooses.
//
//   - summary: jfr summary against scan -work summary. Both count events and bytes
//     by type and decode no field.
//   - count: a RecordingFile against scan -work count. Both go over all events;
//     an event has been checked, but need not have been decoded.
//   - read: a RecordingFile whose events are asked for every field by name,
//     against scan -work read, which reads what is said above.
//   - type: an EventStream that asks for one type, and may use its event objects
//     again and give events in any order, against scan -work type. The type is
//     that of -type, or the one whose events are nearest to 1 % of all.
//
// JMC does count, read and type. It loads all events into memory before it gives the first, or
// those of the one type. Its own extension, which leaves out some events of exceptions, is not
// used.
//
// The file is read once before, so that both find it in the page cache. Then the reader and
// jfrbench run in turn, each in a process of its own with its defaults. Process is the time from
// starting it to its end. Loop is the part of it from opening the file to its last event, as the
// process itself tells; a virtual machine has started by then, but not yet compiled what it runs.
// Times are medians of the runs, ratios those of medians.
//
// Beside the times are two limits of the machine on that file, medians of as many runs: how long it
// takes to map the file and to touch each of its pages once, and how long to read it by pread into
// buffers of 256 KiB that are used again. Both use as many goroutines as jfrbench, in its own
// process and without the time to unmap or to close. In the column limit is how many times the
// faster of the two the loop of jfrbench takes, so that figures of different machines can be
// compared. It can be less than 1 where a work does not look at the whole file.
//
// What both sides counted is compared in every run, for summary by type. Where it differs an error
// is shown in place of times, and the exit code is 1. A recording that is damaged or still being
// written is not measured; an EventStream would wait for the end of the latter forever.
//
// Then others that make profiles run in turn with mjfr profile, which is looked for beside
// jfrbench and on PATH:
//
//   - collapsed, html, pprof, otlp: jfrconv of async-profiler, with the type of -profile.
//     Of a recording with samples of CPU time it gets --cpu-time, of others of a JDK no
//     option, and then adds samples of native code.
//   - grafana: all types as pprof with Grafana's parser, in a program that Go builds from a
//     module that jfrbench has inside.
//   - jmc: the samples of CPU by stack with the reader of JDK Mission Control, in a
//     program that the JDK compiles.
//
// CPU is the processor time of all threads of a process, and memory what it had
// resident at its peak, as the system counts: pages of mapped files are part of it.
//
// The jars of JMC and jfrconv are those of Maven's repository on this machine; what is missing is
// left out and named, with the command that gets it. Of collapsed stacks both sums are shown where
// they differ.
//
// # Gen
//
// Gen makes a recording of any size without a JVM: the finished chunks of another
// one, -from or a profile of JDK 25 that jfrbench has inside, over and over, until
// the size is reached, rounded up to whole chunks.
//
// Each copy begins where the one before ended, and all its events are later by as much. For that
// startNanos in its header is moved on and nothing else: an event's time is startNanos plus the
// ticks from the start of the chunk to the event, which stay as they are. Times that are fields of
// events and count from 1970 do not move. The last copy alone is marked as the final chunk, if one
// of the originals is. The JDK's tools read the file, and count what jfrbench counts; they use the
// first chunk's clock for all, and so give the events of all copies of a chunk the same times.
//
// All copies of a chunk have the same metadata and constants. What such a file costs is what a
// recording of many short chunks costs, and no measure of one with large chunks or many constants.
package main
