// Package verify checks recordings as fsck checks file systems: it reads every byte that has a
// meaning, and says what is wrong, where, and what that means for readers of the recording.
//
//	report, err := verify.Check(ctx, rec)
//	if err != nil { ... }
//	for _, f := range report.Findings {
//		fmt.Printf("%#x: %s: %s\n", f.Offset, f.Kind, f.Text)
//	}
//
// # What is checked
//
// Chunk headers and the bytes around chunks; metadata, its types and what they refer to; the
// chain of checkpoints, and every pool and constant in them; the header and the layout of every
// event; every reference to a constant, from events, constants and arrays; every string; and the
// times of chunks and events. This package decodes values itself, not by the package mmapjfr, so
// that the two check each other.
//
// # Severity
//
// An error is something that no recorder writes, or that makes a reader lose or misread
// something. A warning is something that readers cope with, or that recorders write now and
// then. A note is a peculiarity. See [Kind].
//
// # Concurrency
//
// Several chunks, and several parts of a chunk, are checked at once; the option
// [mmapjfr.Workers] of the recording says on how many goroutines. The report does not
// depend on it.
//
// # Memory
//
// It takes the memory of the index of some chunks, and some hundred kilobytes for each
// goroutine. That does not grow with the number of events or of findings: only the first few
// of each kind are listed, see [MaxFindings].
package verify
