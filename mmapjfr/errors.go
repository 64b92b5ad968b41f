package mmapjfr

import (
	"errors"

	"github.com/mmapjfr/jfr/index"
)

// FormatError is what is wrong in a recording: what, in which chunk, and at
// which offset of the file.
type FormatError = index.FormatError

// What can be wrong. Errors match these with errors.Is.
var (
	// ErrEmpty says that the file has no bytes at all.
	ErrEmpty = index.ErrEmpty
	// ErrNotRecording says that the file does not begin as a recording does.
	ErrNotRecording = index.ErrNotRecording
	// ErrUnsupported says that the recording is of a version, or has dimensions,
	// that this package does not read.
	ErrUnsupported = index.ErrUnsupported
	// ErrCorrupt says that bytes contradict each other or the format.
	ErrCorrupt = index.ErrCorrupt
	// ErrTruncated says that the file ends before its last chunk does.
	ErrTruncated = index.ErrTruncated
	// ErrUnfinished says that the recorder is still writing the chunk or was
	// killed. All that the chunk's header vouches for has been delivered.
	ErrUnfinished = index.ErrUnfinished
	// ErrTrailing says that bytes which belong to no chunk follow the last one.
	ErrTrailing = index.ErrTrailing
	// ErrNoEvent says that no event begins at an offset.
	ErrNoEvent = index.ErrNoEvent
	// ErrUnknownType says that the class of an event is no event type in any metadata of its
	// chunk.
	ErrUnknownType = index.ErrUnknownType
	// ErrNoType says that an event type has been named that the recording does not
	// describe. [Recording.Check] and [Bind] return it, iterating does not.
	ErrNoType = errors.New("no such event type")
	// ErrNoField says that a path leads nowhere from the types that it is for.
	// [Recording.Check] and [Bind] return it, reading does not.
	ErrNoField = errors.New("no such field")
	// ErrSavedIndex says that a saved index is not of this recording, or not of the
	// state it is in, or damaged, or of another version of its format.
	ErrSavedIndex = index.ErrSavedIndex
	// ErrChanged says that somebody has written to the file while it was open: what
	// was read of it may be of both its states.
	ErrChanged = errors.New("changed while it was read")
	// ErrClosed says that the recording has been closed.
	ErrClosed = errors.New("mmapjfr: recording is closed")
)
