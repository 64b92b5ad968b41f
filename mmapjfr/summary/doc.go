// Package summary counts the content of recordings without decoding it: how many events there
// are of each type, and how many bytes they take.
//
// # Layout
//
// [Count] reads the headers of all events, on all processors, and returns a [Summary]. Other
// calls read what takes longer: [Summary.ReadPools] reads the constant pools, and
// [Summary.ReadTimes] reads the events, for when the first and the last of each type began.
//
// [Summary.WriteText] writes what the JDK's jfr summary prints, and [NewDocument]
// makes a document of it, for JSON.
//
// # Several recordings
//
// Several recordings, each of one or more chunks, are taken as one: chunks of one
// virtual machine that lie in several files, or recordings of different machines.
// The numbers that types have mean nothing outside of their virtual machine, so that
// types of different machines are the same if their names are. Within a machine they
// are the same if their numbers are: programs that load a class more than once, with
// different class loaders, have several types of one name. A machine's first type of
// a name is taken for the same as another machine's first type of that name, and so
// on.
//
// # Errors
//
// [Summary.Faults] lists damage. All that can be read around it is counted.
package summary
