// Package attach finds the JVMs of a machine and talks to them, as jcmd does, without
// a JDK: it speaks the attach protocol of HotSpot, and above all has Flight Recorder
// start, dump and stop recordings.
//
// # Layout
//
// [List] lists the JVMs. [Open] makes one listen. [VM.Command] has it do
// what jcmd would; [VM.StartRecording], [VM.Recordings], [VM.Dump] and [VM.Stop] are what
// there is of recordings, and [VM.Repository] is where the JVM writes them, to be
// followed while it does.
//
// # Whose JVMs
//
// A JVM takes commands from its own user and group, and since JDK 11 from root. JVMs
// in containers are reached from outside through /proc, by root or the user that
// they run as. Commands are for Linux and macOS; on other systems errors match
// [errors.ErrUnsupported].
//
// # What it does to a JVM
//
// [List] only looks. [Open] makes a JVM open a socket, unless it has one, at which it goes on
// listening; no file is left. The signal SIGQUIT is part of that. It ends a process that does
// not handle it, and makes a JVM that cannot be attached to print all its stacks. So it is sent
// only to processes that have mapped HotSpot's library, or write HotSpot's counters, handle the
// signal, and are not known to refuse.
//
// # Errors
//
// Errors say what to do. What a JVM refuses is a [*CommandError] with the JVM's own
// words.
package attach
