package tui

import (
	"io"
	"time"
)

// Options say how the screen is shown.
type Options struct {
	// Input is where keys come from. If it is nil or no terminal, they come from the
	// terminal that the process belongs to.
	Input io.Reader
	// Output is a terminal.
	Output io.Writer
	// Env is the environment, as os.Environ returns it; nil for that of the process.
	Env []string
	// Color may be used.
	Color bool
	// Every is the time between two looks at the source; 0 for a quarter of a second.
	Every time.Duration
}

// often is how often the source is looked at by default.
const often = 250 * time.Millisecond
