package writer

import (
	"fmt"
	"io"
	"time"
)

// SplitFunction returns what splitFunction makes of a name.
func SplitFunction(name string) string {
	class, method, isStatic := splitFunction(name)
	return fmt.Sprint(class, " ", method, " ", isStatic)
}

// NewFile returns a writer to a file.
func NewFile(f interface {
	io.WriterAt
	io.Closer
}, opts ...Option,
) (*Writer, error) {
	return newWriter(&fileDestination{file: f}, opts)
}

// UTC makes the recording one of a machine without an offset from UTC.
func UTC() Option {
	return func(o *options) error {
		o.region = region{"en_GB", time.Duration(0)}
		return nil
	}
}
