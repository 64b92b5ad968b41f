package mmapjfr

import (
	"errors"

	"github.com/mmapjfr/jfr/internal/index"
)

// FormatError is what is wrong in a recording: Err says what, and matches an error of the list
// below; Section names the structure, Offset its place in the file, Chunk the number of the chunk
// and File the recording.
type FormatError = index.FormatError

// What can be wrong. Errors match these with errors.Is.
//
// Errors of the operating system are returned as they are.
var (
	// ErrEmpty is for a file that has no bytes.
	ErrEmpty = index.ErrEmpty
	// ErrNotRecording is for a file that is no recording.
	ErrNotRecording = index.ErrNotRecording
	// ErrUnsupported is for a version or a size that the library cannot
	// read.
	ErrUnsupported = index.ErrUnsupported
	// ErrCorrupt is for bytes that contradict the format.
	ErrCorrupt = index.ErrCorrupt
	// ErrTruncated is for bytes that are missing at the end.
	ErrTruncated = index.ErrTruncated
	// ErrUnfinished is for a chunk that the recorder has not finished.
	ErrUnfinished = index.ErrUnfinished
	// ErrTrailing is for bytes after the last chunk.
	ErrTrailing = index.ErrTrailing
	// ErrNoEvent is for an offset at which no event begins.
	ErrNoEvent = index.ErrNoEvent
	// ErrUnknownType is for an event type that no metadata describes.
	ErrUnknownType = index.ErrUnknownType

	// ErrNoType says that the recording does not describe an event type that was named.
	// [Recording.Check] and [Bind] return it; iterating does not.
	ErrNoType = errors.New("no such event type")
	// ErrNoField says that a path leads to no field of the types that it is for.
	// [Recording.Check] and [Bind] return it; reading does not.
	ErrNoField = errors.New("no such field")
	// ErrChanged says that another program has written to the file while it was open: what
	// was read may be of the file before or after that.
	ErrChanged = errors.New("changed while it was read")
	// ErrClosed says that the recording has been closed.
	ErrClosed = errors.New("recording is closed")
)
