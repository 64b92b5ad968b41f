// Package repair writes what can still be read of a damaged recording as a whole recording:
// the jfr of JDK 25 and a strict [mmapjfr.Open] read it without an error.
//
//	rec, err := mmapjfr.Open("crashed.jfr", mmapjfr.Salvage())
//	if err != nil { ... }
//	defer rec.Close()
//	report, err := repair.Write(ctx, out, rec)
//
// # What is written
//
// A chunk that is whole is copied, byte for byte. Of another one the events are copied
// as they are, in the order of the file, without those whose fields do not fit or whose
// type nothing describes. Its header is made anew: size, offsets, a duration up to the
// end of the last event, and the state of a finished chunk. So are the checkpoints, with
// all constants that can be read, and their chain. Its metadata stays as it is if the
// JDK can read that and it describes all that was kept; otherwise it is made of all that
// is known of the types, be it borrowed from another chunk. A type that the JDK cannot
// read, because it contains itself or a field's type cannot be read, is written without
// fields: its constants are missing then, and the events that refer to them stay. Of several
// types that metadata gives the same number the last one is written, as which all values
// are read.
//
// The JDK takes the first field of an event for the start time whatever it is, and the second
// one for the duration if there is a field of that name. Where a type has them elsewhere, its
// fields are put in that order. Events that mmapjfr reads are left out where their type has no
// integer for the start time, or a duration that is none: the JDK refuses the whole
// recording or fails while it prints. [Chunk].LeftOut says how many events of what types were
// left out, and why.
//
// The JDK's reader takes all chunks for those of one virtual machine. Where recordings of
// several were joined, the types of all but the first get other numbers, so that
// neither types nor constants are mistaken. Values that are numbers of types themselves,
// as the id of jdk.ActiveSetting, stay as they are.
//
// If the clock of a chunk is lost, and neither a checkpoint nor the chunk before or after has it,
// ticks are taken for nanoseconds, which they mostly are.
//
// Constants that are missing stay missing, with one exception. The JDK's jfr fails at
// stack frames without a method, methods without a class or a name, classes without a
// name, and references without the old object that they come from. Constants that lack
// these refer to one that is called "(missing)".
//
// # How
//
// A chunk's header holds sizes that are known only at its end. So that any writer will do, a
// pipe too, each chunk is read twice: first to add up the sizes, then to write it. Between the
// two only the checkpoints, the index of the chunk and the offsets of up to a million missing
// keys stay in memory.
package repair
