package schema

import (
	"errors"
	"fmt"
)

// What can be wrong with metadata and values. Errors match these with errors.Is.
var (
	// ErrCorrupt says that bytes contradict each other or the format.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupported says that a recording is of a version or of dimensions that
	// this module does not read.
	ErrUnsupported = errors.New("unsupported")
)

// corrupt returns the error for bytes that contradict the format.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
