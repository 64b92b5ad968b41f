// Package jfrtest is the test kit of mmapjfr: a builder of synthetic recordings
// and a slow, obvious decoder to compare the fast one with.
//
// # Layout
//
// The builder ([NewChunk], [Builder]) turns a description in Go into the bytes of a chunk, together
// with a [Layout] that says where every event, checkpoint, pool, constant and metadata event came
// to lie. Everything in a chunk can be made wrong on purpose.
//
// The reference decoder ([Decode]) reads a whole recording into plain Go values.
// It knows one way to do each thing, copies everything and keeps everything.
//
// [Generate], [GenerateFaulty], [Edit] and [Reduce] make recordings for fuzzing. [Content]
// writes what a recording says in every shape that its types may have.
//
// The two share only the description of classes ([Class], [Field]); the code
// that writes bytes and the code that reads them have nothing in common. The
// builder writes integers and headers as package writer does, by wire.Appender;
// the decoder imports nothing of the library that it is there to check.
//
// # Errors
//
// The builder panics when a test asks for something that makes no sense, such as an event with a
// value too many: that is a mistake in the test. The decoder never panics, whatever the bytes are.
package jfrtest
