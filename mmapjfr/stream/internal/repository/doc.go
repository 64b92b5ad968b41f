// Package repository finds the files that a Java virtual machine records into, and
// notices when they change.
//
// # Directories
//
// A virtual machine makes a directory of its own in a base directory, named by the
// time and its process: base/yyyy_MM_dd_HH_mm_ss_pid. In it, it begins a new file, a
// chunk, every now and then, named by the time: yyyy_MM_dd_HH_mm_ss.jfr, or
// yyyy_MM_dd_HH_mm_ss_01.jfr and so on if there are several in a second. Old chunks it
// removes as it was told to, and all of them, with the directory, when it exits. A
// machine that is killed leaves everything as it was.
//
// # Order
//
// A [Repository] lists chunks in the order in which they were made, as far as that can
// be known, and never changes that order: what it finds later comes later. So who goes
// from file to file with [Repository.After] gets each of them once, whatever the clock
// of the virtual machine did.
//
//   - Chunks that a scan finds were made after all that an earlier scan has found: a
//     scan reads the directory until it finds nothing new any more. This holds even if
//     they say that they began earlier, as the clock was set back.
//   - Of those that one scan finds, such as the first, the header tells. In a directory
//     that is named as virtual machines do, it is what the clock of the events showed,
//     which is never set back. In others, whose files may be of several machines, and
//     where the rates of the clocks differ, it is when the chunk began.
//   - The name decides if both are the same; it counts the files of a second.
//
// # Life
//
// Whether the virtual machine is still there, [Liveness] tells. It says only what it knows,
// as a directory may come from a container or from another computer.
//
// # Concurrency
//
// A Repository and a Life are for one goroutine at a time. A [Watch] may be added to
// and closed while another goroutine waits.
package repository
