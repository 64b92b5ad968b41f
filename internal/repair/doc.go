// Package repair writes what can be read of a damaged recording as a valid one: the jfr of JDK 25
// and a strict [mmapjfr.Open] read it without errors.
//
//	rec, err := mmapjfr.Open("crashed.jfr", mmapjfr.Salvage())
//	if err != nil { ... }
//	defer rec.Close()
//	report, err := repair.Write(ctx, out, rec)
//
// # What is written
//
//   - Intact chunks are copied byte for byte.
//   - Events of damaged chunks are copied in the order of the file, except those whose fields do
//     not fit or whose type is not described. [Chunk].LeftOut counts them and says why.
//   - The header is new: sizes, offsets, a duration up to the end of the last event, the state of
//     a finished chunk.
//   - The checkpoints are new, with all constants that can be read.
//   - The metadata is kept if the JDK can read it and it describes everything kept. Otherwise it
//     is made from all that is known of the types, even from other chunks. If metadata gives
//     several types the same number, the last one counts.
//
// # What the JDK's reader needs
//
//   - It takes the first field of an event as the start time, and the second as the duration if it
//     is called so. Fields are put in that order. Events whose type has no integer start time, or
//     an invalid duration, are left out, because the JDK would refuse the recording.
//   - It cannot read types that contain themselves, or fields of unreadable types. Such types are
//     written without fields, and their constants are missing.
//   - It takes all chunks as one JVM's. In joined recordings, the types of later JVMs get new
//     numbers. Values that are type numbers, such as the id of jdk.ActiveSetting, stay.
//   - It fails at stack frames without a method, methods without a class or name, classes without
//     a name, and references without their old object. These refer to a constant called
//     "(missing)". All other missing constants stay missing.
//
// If the clock of a chunk is lost, and neither a checkpoint nor a neighboring chunk has it, ticks
// are taken as nanoseconds.
//
// # How it works
//
// A chunk's header holds sizes that are known only at its end. To write to any writer, even a pipe,
// each chunk is read twice: once to add up the sizes, once to write. Between the passes, only the
// checkpoints, the index of the chunk, and the offsets of up to a million missing keys stay in
// memory.
package repair
