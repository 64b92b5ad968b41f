package input

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Remote opens objects that are no files, such as those of URLs. Package
// [github.com/mmapjfr/jfr/mmapjfr/remote] has one.
type Remote interface {
	// Takes reports whether a name is that of such an object.
	Takes(name string) bool
	// Show returns what to call the object of a name in messages: without secrets.
	Show(name string) string
	// Identity returns the name of an object as files keep it: without secrets, and another one for each object.
	Identity(name string) string
	// List returns the objects that a name stands for. Many reports whether it is a pattern or the like; otherwise only
	// the name of the object is known. Deep looks through all folders below a name that ends in /.
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

// Object is an open object of a [Remote].
type Object interface {
	// A recording that is not packed is read by this, if the object has ranges.
	mmapjfr.Source
	// Ranges reports whether parts of the object can be fetched. Otherwise it can be read once, by Reader.
	Ranges() bool
	// Head returns the first bytes, at least 64 or all, of an object with ranges.
	Head() []byte
	// Size returns how many bytes there are; 0 if that is not known.
	Size() int64
	// Version tells states of the object apart. It is empty if the server does not.
	Version() string
	// Reader returns all bytes in their order.
	Reader() io.ReadCloser
	// Keep says that this number of bytes more is kept of what Reader returned, until Close. It fails if that is more than may be
	// kept: then nothing more is read.
	Keep(bytes int64) error
}

// remote opens the objects that a name stands for.
func (op *opener) remote(name string) error {
	op.set.mode &= private
	objects, many, err := op.Remote.List(op.ctx, name, false)
	if err != nil {
		return at(op.Remote.Show(name), op.failed(err))
	}
	if !many {
		return at(op.Remote.Show(name), op.failed(op.object(name)))
	}
	defer op.onlyRecordings()()
	before := len(op.set.Recordings)
	for _, object := range objects {
		err := op.object(object.Name)
		if stop := op.stopped(); stop != nil {
			return at(op.Remote.Show(object.Name), stop)
		}
		if err != nil {
			op.found(op.Remote.Show(object.Name), err)
		}
	}
	if len(op.set.Recordings) == before {
		return at(op.Remote.Show(name), noneInside("list of objects"))
	}
	return nil
}

// failed returns why everything ends, or else err.
func (op *opener) failed(err error) error {
	if err == nil {
		return nil
	}
	return op.stopOr(err)
}

// object opens one object.
func (op *opener) object(name string) error {
	if slices.Contains(op.objects, name) {
		return nil
	}
	o, err := op.Remote.Open(op.ctx, name)
	if err != nil {
		return err
	}
	shown := op.Remote.Show(name)
	head := o.Head()
	if op.Bytes == nil && o.Ranges() && (isRecording(head) || op.Salvage && len(head) > 0 && packingOf(head) == nil) {
		var rec *mmapjfr.Recording
		if rec, err = mmapjfr.OpenSource(o, append(op.unpackedOptions(), mmapjfr.Named(shown))...); err == nil {
			op.set.add(rec, shown)
		} else if !errors.Is(err, mmapjfr.ErrUnfetched) {
			err = OpenError(err)
		}
	} else {
		err = op.whole(shown, o)
	}
	if err == nil {
		op.objects = append(op.objects, name)
	}
	return err
}

// whole opens an object that is read from beginning to end.
func (op *opener) whole(shown string, o Object) (err error) {
	op.keep = o.Keep
	defer func() {
		if op.keep = nil; err != nil {
			_ = o.Close() // only read
			return
		}
		op.set.objects = append(op.set.objects, o)
	}()
	r := o.Reader()
	defer r.Close() // only read
	s := &source{op: op, name: shown, r: r, total: o.Size()}
	defer s.end()
	return op.contents(shown, bufio.NewReaderSize(&layer{op: op, r: s}, readSize), nil, 0)
}
