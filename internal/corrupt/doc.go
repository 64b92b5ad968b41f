// Package corrupt makes damaged recordings for tests, in order: every beginning of a good
// recording, every bit of it turned, regions overwritten, left out, doubled and swapped, and each
// of its numbers set to what nobody would write; and recordings that are evil from the start, with
// rings, with nesting without end, and with few bytes that stand for much.
//
// A [Set] is the cases of one kind for one recording. Cases have numbers and are made
// when they are asked for, so that a test can go through all of them, or through some
// that are spread evenly, on any number of goroutines.
package corrupt
