package index

import (
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index/schema"
)

// What can be wrong with a recording. Errors match these with errors.Is.
var (
	// ErrEmpty says that the file has no bytes at all.
	ErrEmpty = errors.New("file is empty")
	// ErrNotRecording says that the file does not begin as a recording does.
	ErrNotRecording = errors.New("not a Flight Recorder file")
	// ErrUnsupported says that the recording is of a version or of dimensions
	// that this package does not read.
	ErrUnsupported = schema.ErrUnsupported
	// ErrCorrupt says that bytes contradict each other or the format.
	ErrCorrupt = schema.ErrCorrupt
	// ErrTruncated says that the file ends before its last chunk does.
	ErrTruncated = errors.New("truncated")
	// ErrUnfinished says that the header of the last chunk was never completed: the recorder is
	// still writing it, or was killed. The chunk was read up to its last flush.
	ErrUnfinished = errors.New("unfinished chunk")
	// ErrTrailing says that bytes which belong to no chunk follow the last one.
	ErrTrailing = errors.New("trailing bytes")
	// ErrNoEvent says that no event begins at an offset.
	ErrNoEvent = errors.New("no event begins here")
	// ErrUnknownType says that no metadata of the chunk describes the type of an event
	// as an event type.
	ErrUnknownType = errors.New("unknown event type")
	// ErrSavedIndex says that a saved index is of another recording, of another state of
	// it, of another version of its format, or damaged.
	ErrSavedIndex = errors.New("the saved index cannot be used")
)

// FormatError is what is wrong in a recording, and where.
type FormatError struct {
	// Err says what is wrong. It matches one of this package's sentinels.
	Err error
	// Section names the structure that was being read, such as "event".
	Section string
	// Offset is where it lies, in bytes from the start of the recording.
	Offset uint64
	// Chunk is the number of the chunk it lies in, counted from 0.
	Chunk int
	// File is the name of the recording; empty if it has none. See [Index.SetFile].
	File string
}

// Error names the file, the chunk, the offset in hexadecimal, and what is wrong there.
func (e *FormatError) Error() string {
	file := e.File
	if file != "" {
		file += ": "
	}
	return fmt.Sprintf("%schunk %d, offset %#x: %s: %v", file, e.Chunk, e.Offset, e.Section, e.Err)
}

// Unwrap returns what is wrong, without the place.
func (e *FormatError) Unwrap() error { return e.Err }

// Unnamed returns the error without the name of the recording.
func (e *FormatError) Unnamed() error {
	short := *e
	short.File = ""
	return &short
}

// corrupt makes the error for bytes that contradict the format.
func corrupt(format string, args ...any) error {
	return errtree.Detailf(ErrCorrupt, format, args...)
}

// unfit makes the error for a saved index that cannot be used.
func unfit(format string, args ...any) error {
	return errtree.Detailf(ErrSavedIndex, format, args...)
}
