package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// ErrWhole matches the error of an [Opener] that was asked for a range of an object of which there are none, because it is
// packed, or its server gives none. The part with the first byte of the object has all of it then.
var ErrWhole = errors.New("the object has no ranges")

// Store finds and opens objects: files, and with Remote those of servers and buckets, too. The zero
// Store is ready to use.
type Store struct {
	// Remote, if not nil, has objects that are no files, see [input.URLs].
	Remote remote.Opener
	// MaxUnpacked is that of [input.Options], for each item.
	MaxUnpacked int64
}

// asking is how many objects that no list describes are asked for their versions at a time.
const asking = 16

func (s *Store) takes(name string) bool { return s.Remote != nil && s.Remote.Takes(name) }

// remote returns the objects of servers that a name stands for.
func (s *Store) remote(ctx context.Context, name string) (list []Object, err error) {
	found, many, err := s.Remote.List(ctx, name, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Remote.Show(name), err)
	}
	folder := many && strings.HasSuffix(name, "/")
	known := make(map[string]bool, len(found))
	for _, o := range found {
		known[o.Name] = true
	}
	for _, o := range found {
		plain := isPacked().ReplaceAllString(o.Name, "")
		if folder && (!isRecording().MatchString(o.Name) || plain != o.Name && known[plain]) {
			continue
		}
		list = append(list, s.object(Object{Name: o.Name, Size: o.Size, Version: o.Version}))
	}
	if folder && len(list) == 0 {
		return nil, fmt.Errorf("%s: no object below it has a name that ends in .jfr, maybe packed: %w", name, fs.ErrNotExist)
	}
	return list, nil
}

var isPacked = lazy.Regexp(`\.(gz|zst|lz4|xz|zip)$`)

// object returns an object of a server with a name that has no secrets.
func (s *Store) object(o Object) Object {
	if name := s.Remote.Identity(o.Name); name != o.Name {
		o.Name, o.source = name, o.Name
	}
	return o
}

// mostSilent is how many objects are asked for in vain before the network is taken to be away: each takes seconds.
const mostSilent = 64

// ask fills in sizes and versions of objects of servers that no list has described, and with sizes compares those of large objects with
// what a list says. What is wrong with an object stays with it.
func (s *Store) ask(ctx context.Context, list []Object, sizes bool) error {
	var next, silent, answered atomic.Int64
	var group sync.WaitGroup
	for range asking {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				o := &list[i]
				if !s.takes(o.address()) || o.Version != "" && (!sizes || o.Size <= defaultSize) {
					continue
				}
				err := errSilent
				if silent.Load() < mostSilent || answered.Load() > 0 {
					err = s.askOne(ctx, o)
				}
				switch {
				case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
					answered.Add(1)
				default:
					silent.Add(1)
				}
				switch {
				case err == nil || o.Version != "": // the list knows what there should be; reading it says so
				case errors.Is(err, fs.ErrNotExist):
					o.wrong = err
				default:
					o.wrong = &unfetched{err} // also if it may not be read: another signature may do
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

var errSilent = fmt.Errorf("it has not been asked for, since %d others could not be fetched", mostSilent)

// askOne asks the server of an object.
func (s *Store) askOne(ctx context.Context, o *Object) error {
	object, err := s.Remote.Open(ctx, o.address())
	if err != nil {
		return err
	}
	defer object.Close() // only its beginning has been read
	if o.Version == "" {
		o.Size, o.Version = object.Size(), object.Version()
	} else if object.Ranges() && object.Size() != o.Size {
		o.wrong = otherSize(object.Size(), o.Size)
		return nil
	}
	o.wrong = check(o.Name, object)
	return nil
}

// check returns what is wrong with an object that begins as no recording, packed or not.
func check(name string, o remote.Object) error {
	head := o.Head()
	if !o.Ranges() {
		head = make([]byte, 512)
		n, _ := io.ReadFull(o.Reader(), head) // reading it as a recording says what is wrong
		head = head[:n]
	}
	if input.IsPacked(head) {
		return nil
	}
	err := input.CheckPlain(head, nil)
	if err != nil && strings.HasSuffix(name, "/") {
		err = fmt.Errorf("%w; no folder of a web server can be listed: name each recording, or write a list for --manifest", err)
	}
	return err
}

// CanDivide reports whether ranges of an object may be read. It asks no server: [Store.Open] finds out.
func (s *Store) CanDivide(o Object) bool {
	if s.takes(o.Name) {
		return o.Version != "" && !isPacked().MatchString(o.Name)
	}
	return isPlain(o)
}

// Open opens objects; it is an [Opener]. Errors of objects that could not be fetched match [mmapjfr.ErrUnfetched].
func (s *Store) Open(ctx context.Context, p Part, onError func(error)) (*input.Set, error) {
	o := input.Options{OnError: func(_ string, err error) { onError(err) }, MaxUnpacked: s.MaxUnpacked}
	if p.isWhole() {
		o.Open = append(o.Open, mmapjfr.ReadWhole())
	}
	if p.isWhole() && !p.isLarge {
		o.Open = append(o.Open, mmapjfr.Workers(1)) // items are read side by side
	}
	if !s.takes(p.address()) {
		return input.Open(ctx, []string{p.Object}, o)
	}
	one := &oneObject{Opener: s.Remote, part: p}
	o.Remote = one
	set, err := input.Open(ctx, []string{p.address()}, o)
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.failed == nil {
		return set, err
	}
	if set != nil {
		_ = set.Close() // why it is not complete is the better error
	}
	return nil, one.failed
}

// unfetched is the error of an object that could not be fetched.
type unfetched struct{ error }

func (u *unfetched) Unwrap() error        { return u.error }
func (u *unfetched) Is(target error) bool { return target == mmapjfr.ErrUnfetched }

// errReplaced says that an object is another one than that of the list.
var errReplaced = &worded{"the object has changed since it was listed; list the objects again", mmapjfr.ErrChanged}

// worded is an error in other words than those of the error that it matches.
type worded struct {
	text string
	is   error
}

func (w *worded) Error() string        { return w.text }
func (w *worded) Is(target error) bool { return target == w.is }

// oneObject is a remote with the object of a part. It notes why it cannot be fetched.
type oneObject struct {
	remote.Opener
	part Part

	mu     sync.Mutex
	failed error
	closed bool // what fails from now on is not of interest
}

// fail notes why the object cannot be fetched, and returns that.
func (r *oneObject) fail(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.failed == nil {
		r.failed = err
	}
	return err
}

// List returns the name, which is no pattern.
func (r *oneObject) List(_ context.Context, name string, _ bool) ([]remote.Listed, bool, error) {
	return []remote.Listed{{Name: name}}, false, nil
}

// Show returns the name that results have.
func (r *oneObject) Show(string) string { return r.part.Object }

// Open opens the object if it has the version that is wanted.
func (r *oneObject) Open(ctx context.Context, name string) (remote.Object, error) {
	o, err := r.Opener.Open(ctx, name)
	if err == nil {
		switch version := strings.Trim(r.part.Version, `"`); {
		case version != "" && version != o.Version():
			err = errReplaced
		case !r.part.isWhole() && (!o.Ranges() || !strings.HasPrefix(string(o.Head()), wire.Magic)):
			return nil, r.fail(errors.Join(ErrWhole, o.Close()))
		default:
			return &noted{o, r}, nil
		}
		_ = o.Close() // nothing has been read of it
	}
	return nil, r.fail(&unfetched{err})
}

// noted is an object that notes why it could not be read to its end.
type noted struct {
	remote.Object
	r *oneObject
}

func (n *noted) Keep(bytes int64) error {
	err := n.Object.Keep(bytes)
	if err != nil {
		_ = n.r.fail(&unfetched{err}) // another time there may be room
	}
	return err
}

func (n *noted) Reader() io.ReadCloser { return &notedReader{n.Object.Reader(), n.r} }

type notedReader struct {
	io.ReadCloser
	r *oneObject
}

func (n *notedReader) Read(p []byte) (int, error) {
	k, err := n.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		_ = n.r.fail(&unfetched{err}) // the caller gets err
	}
	return k, err
}

func (n *notedReader) Close() error {
	n.r.mu.Lock()
	n.r.closed = true
	n.r.mu.Unlock()
	return n.ReadCloser.Close()
}

// listed returns what a manifest says of an object, and what the file system says besides.
func (s *Store) listed(o Object) Object {
	if s.takes(o.Name) {
		return s.object(o)
	}
	o.Name = cleaned(o.Name)
	switch info, err := os.Stat(o.Name); {
	case err != nil: // reading it says so
	case o.Version == "":
		o.Size, o.Version = info.Size(), versionOf(info)
	case o.Size != 0 && o.Size != info.Size() && info.Mode().IsRegular():
		o.wrong = otherSize(info.Size(), o.Size)
	}
	return o
}
