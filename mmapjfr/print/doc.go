// Package print writes the events of recordings as text, JSON, XML, and lines or
// rows for programs. Text, JSON and XML are those of the JDK's jfr print, byte for
// byte, in the C locale.
//
// # How it works
//
// Events are brought into order first, then rendered by several goroutines, and
// written in that order. Constants, such as threads, methods and classes, are
// rendered once in each chunk, and their text copied from then on.
//
// # Memory
//
// It takes some tens of megabytes, whatever the size of the recordings: for the
// constants of a chunk that have been rendered, by each goroutine, for the events that
// are rendered at a time, and for the order. See [Order] for what that takes.
//
// # Damage
//
// What cannot be read is told by [Options.OnError], and the rest is written.
package print
