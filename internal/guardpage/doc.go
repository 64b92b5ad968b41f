// Package guardpage makes mistakes in the use of memory fault, in builds with the tag
// jfrdebug. A [Buffer] is bytes that end where an inaccessible page, the guard page,
// begins; closing it makes the bytes inaccessible, too. Where the system has no means for
// that, and in other builds, the package does nothing.
package guardpage
