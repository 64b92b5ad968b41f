// Package inspect explains the bytes of a recording: which of them are an event's
// size, its type, each of its fields, and what they say. Checkpoints, metadata and
// chunk headers are explained likewise.
//
// [Find] tells what lies at an offset, [Item.Lines] explains it line by line, and
// [Write] writes the lines as text:
//
//	0x00005465  2d         size: int = 45; to 0x5492
//	0x00005466  89 10      type: type = 2057; gen.KindEvents$Primitives
//	0x00005468  b0 c6 e6…  startTime: long = 1039770416; 2026-11-21T00:48:59.382825769Z
//
// The lines of a place hold each of its bytes exactly once, in order, whatever is
// wrong with them: what cannot be understood comes as it is, with the reason. The
// format is drawn in index/FORMAT.md.
//
// Values are decoded here anew, step by step, and not by package mmapjfr. Only
// what a key leads to is asked of the recording.
package inspect
