package mmapjfr

import (
	"errors"

	"github.com/mmapjfr/jfr/index"
)

// FormatError is [index.FormatError]: what is wrong in a recording, in which chunk, and at
// which offset of the file.
type FormatError = index.FormatError

// What can be wrong. Errors match these with errors.Is.
//
// Errors of the operating system are returned as they are.
var (
	// ErrEmpty is [index.ErrEmpty]: the file has no bytes.
	ErrEmpty = index.ErrEmpty
	// ErrNotRecording is [index.ErrNotRecording]: the file is no recording.
	ErrNotRecording = index.ErrNotRecording
	// ErrUnsupported is [index.ErrUnsupported]: a version or a size that the library cannot
	// read.
	ErrUnsupported = index.ErrUnsupported
	// ErrCorrupt is [index.ErrCorrupt]: bytes that contradict the format.
	ErrCorrupt = index.ErrCorrupt
	// ErrTruncated is [index.ErrTruncated]: bytes are missing at the end.
	ErrTruncated = index.ErrTruncated
	// ErrUnfinished is [index.ErrUnfinished]: the recorder has not finished the chunk.
	ErrUnfinished = index.ErrUnfinished
	// ErrTrailing is [index.ErrTrailing]: bytes after the last chunk.
	ErrTrailing = index.ErrTrailing
	// ErrNoEvent is [index.ErrNoEvent]: no event begins at the offset.
	ErrNoEvent = index.ErrNoEvent
	// ErrUnknownType is [index.ErrUnknownType]: no metadata describes the event type.
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
