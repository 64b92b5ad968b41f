// Package guardpage makes mistakes in the use of memory fault, in builds with the tag
// jfrdebug: bytes that lie before an inaccessible page, and that become inaccessible
// themselves when they are closed. Where there are no such means it does nothing.
package guardpage
