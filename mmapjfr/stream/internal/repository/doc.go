// Package repository finds the files that a Java virtual machine records into, and notices when
// they change.
//
// # Directories
//
// A virtual machine makes a directory of its own in a base directory. Its name is the time and
// the number of the process: base/yyyy_MM_dd_HH_mm_ss_pid. In it the virtual machine writes
// chunks, each to a file with the time as its name: yyyy_MM_dd_HH_mm_ss.jfr, or
// yyyy_MM_dd_HH_mm_ss_01.jfr and so on if there are several in a second. It removes old chunks,
// and the whole directory when it exits. If it is killed, it leaves everything as it is.
//
// # Order
//
// A [Repository] lists chunks in the order in which they were made, as far as that is known, and
// never changes that order. So going from file to file with [Repository.After] visits each file
// once, even if the clock of the virtual machine was set.
//
//   - Chunks that a scan finds were made after all chunks of earlier scans, because a scan reads
//     the directory until it finds nothing new. This holds even if their headers have earlier
//     times.
//   - The headers order the chunks of one scan: in a virtual machine's directory by the clock of
//     the events, which is never set back. In other directories, which may have chunks of several
//     virtual machines, and if clocks have different rates, by the time at which chunks began.
//   - If these are equal, the name decides; it counts the files of a second.
//
// # Liveness
//
// [Liveness] finds out whether the virtual machine still runs. Its answer may be that it does
// not know, as the directory may come from a container or from another computer.
//
// # Concurrency
//
// A Repository and a Liveness are for one goroutine at a time. A [Watch] may be added to and
// closed while another goroutine waits.
package repository
