package remote

import (
	"context"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Opener opens objects that are no files, such as those of URLs.
type Opener interface {
	// Takes reports whether a name is that of such an object.
	Takes(name string) bool
	// Show returns what to call the object of a name in messages: without secrets.
	Show(name string) string
	// Identity returns the name of an object as files keep it: without secrets, and another one for
	// each object.
	Identity(name string) string
	// List returns the objects that a name stands for. Many reports whether it is a pattern or the
	// like; otherwise only the name of the object is known. Deep looks through all folders below a
	// name that ends in /.
	List(ctx context.Context, name string, deep bool) (list []Listed, many bool, err error)
	// Open opens an object. The context is that of all requests until the object is closed.
	Open(ctx context.Context, name string) (Object, error)
}

// Listed is an object of a list.
type Listed struct {
	Name string
	Size int64
	// Version is that of [Object].
	Version string
}

// Object is an open object of a [Opener].
type Object interface {
	// A recording that is not packed is read by this, if the object has ranges.
	mmapjfr.Source
	// Ranges reports whether parts of the object can be fetched. Otherwise it can be read once, by
	// Reader.
	Ranges() bool
	// Head returns the first bytes, at least 64 or all, of an object with ranges.
	Head() []byte
	// Size returns how many bytes there are; 0 if that is not known.
	Size() int64
	// Version tells states of the object apart. It is empty if the server does not.
	Version() string
	// Reader returns all bytes in their order.
	Reader() io.ReadCloser
	// Keep says that this number of bytes more is kept of what Reader returned, until Close. It
	// fails if that is more than may be kept: then nothing more is read.
	Keep(bytes int64) error
}
